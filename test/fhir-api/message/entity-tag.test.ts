/** Which versions a list of entity tags names. */
import { expect, test } from '@jest/globals'
import { versionsIn } from '../../../src/fhir-api/message/entity-tag.ts'

test.each<[string, readonly number[]]>([
  ['W/"3"', [3]],
  ['"3"', [3]],
  ['3', [3]],
  [' W/"3" ', [3]],
  ['"1", W/"2",3', [1, 2, 3]],
  ['"33a64df5", "4"', [4]],
  ['"a,3"', []],
  ['"3', []],
  ['w/"3"', []],
  ['""', []],
  ['', []],
  [',,', []],
  ['"1234567890123456"', []],
])('%s names %j', (tags, versions) => {
  expect(versionsIn(tags)).toEqual(versions)
})
