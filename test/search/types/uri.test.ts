/** https://hl7.org/fhir/R4/search.html#uri */
import { describe, expect, test } from '@jest/globals'
import { entriesOf, finds, refusal, where } from '../support.ts'

describe('a uri in a query', () => {
  test.each([
    ['url=http://x.org/a', { param: 'url', match: 'exact', value: 'http://x.org/a' }],
    ['url:below=http://x.org/', { param: 'url', match: 'below', value: 'http://x.org/' }],
    ['url:above=http://x.org/a/b', { param: 'url', match: 'above', value: 'http://x.org/a/b' }],
    ['url=urn:oid:1.2.3', { param: 'url', match: 'exact', value: 'urn:oid:1.2.3' }],
    ['url=http://x.org/a\\,b', { param: 'url', match: 'exact', value: 'http://x.org/a,b' }],
  ])('%s is %j', (query, expected) => {
    expect(where(`ValueSet?${query}`)).toEqual([{ kind: 'uri', ...expected }])
  })

  test('has levels only when it is a URL', () => {
    expect(refusal('ValueSet?url:below=urn:oid:1.2')).toBe(
      "url:below=urn:oid:1.2: 'urn:oid:1.2' has no levels, so :below cannot compare it; only URLs have",
    )
  })
})

test('a uri is compared exactly', () => {
  const valueSet = { resourceType: 'ValueSet', url: 'http://x.org/a' }
  expect(finds('ValueSet?url=http://x.org/a', valueSet)).toBe(true)
  expect(finds('ValueSet?url=http://x.org/A', valueSet)).toBe(false)
})

test('a profile with a version is found with and without it', () => {
  const patient = { resourceType: 'Patient', meta: { profile: ['http://x.org/p|1.0'] } }
  expect(entriesOf('_profile', patient)).toEqual([
    { kind: 'uri', param: '_profile', value: 'http://x.org/p|1.0' },
    { kind: 'uri', param: '_profile', value: 'http://x.org/p' },
  ])
  expect(finds('Patient?_profile=http://x.org/p', patient)).toBe(true)
  expect(finds('Patient?_profile=http://x.org/p|1.0', patient)).toBe(true)
  expect(finds('Patient?_profile=http://x.org/p|1.1', patient)).toBe(false)
})
