/** Every resource of R4 that the installed packages carry comes back from XML as it was: https://hl7.org/fhir/R4/xml.html. */
import { expect, test } from '@jest/globals'
import { parseJson } from '../../../src/fhir/json.ts'
import { isObject } from '../../../src/fhir/resource.ts'
import { readXml } from '../../../src/fhir/xml/read.ts'
import { writeXml } from '../../../src/fhir/xml/write.ts'
import { officialExamples } from '../../support/official-examples.ts'
import { VALID_RESOURCES } from '../../support/valid-resources.ts'
import { canonical } from './canonical.ts'

function comesBack(resource: unknown, pretty = false): boolean {
  // The published files are read by JSON.parse, which the digits of decimals do not survive; here they are plain text.
  const given = parseJson(JSON.stringify(resource))
  return isObject(given) && canonical(readXml(writeXml(given, pretty))) === canonical(given)
}

test('more than 11,000 official resources are the same after JSON, XML, JSON', () => {
  let count = 0
  const changed: string[] = []
  for (const resource of officialExamples()) {
    count++
    if (!comesBack(resource)) changed.push(`${resource.resourceType}/${resource.id}`)
  }
  expect(changed).toEqual([])
  expect(count).toBeGreaterThan(11_000)
}, 300_000)

test.each(VALID_RESOURCES.map((resource) => [resource.resourceType, resource]))(
  'a %s is the same after JSON, XML with line breaks, JSON',
  (_type, resource) => {
    expect(comesBack(resource, true)).toBe(true)
  },
)
