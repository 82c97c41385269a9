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

  test('is compared by its beginning only when it is a URL', () => {
    expect(refusal('ValueSet?url:below=urn:oid:1.2')).toBe(
      "url:below=urn:oid:1.2: 'urn:oid:1.2' is a URN, and :below compares URLs",
    )
  })

  test('is below URLs of 200 characters at most, and itself', () => {
    const url = 'http://x.org/'.padEnd(300, 'a')
    const found = [199, 200, 201, 299, 300].filter((length) =>
      finds(`ValueSet?url:above=${url}`, { resourceType: 'ValueSet', url: url.slice(0, length) }),
    )
    expect(found).toEqual([199, 200, 300])
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

describe('url with a version', () => {
  const valueSet = { resourceType: 'ValueSet', url: 'http://x.org/a', version: '1.0' }

  test('is compared like the version itself, of which case does not count', () => {
    const candidate = { ...valueSet, version: '1.0-RC1' }
    expect(finds('ValueSet?url=http://x.org/a|1.0-RC1', candidate)).toBe(true)
    expect(finds('ValueSet?url=http://x.org/a|1.0-rc1', candidate)).toBe(true)
    expect(finds('ValueSet?version=1.0-rc1', candidate)).toBe(true)
  })

  test.each([
    ['http://x.org/a|1.0', true],
    ['http://x.org/a|', true],
    ['http://x.org/a|1', false],
    ['http://x.org/b|1.0', false],
    ['http://x.org/b|2.0,http://x.org/a|1.0', true],
  ])('url=%s finds version 1.0 of http://x.org/a: %s', (value, expected) => {
    expect(finds(`ValueSet?url=${value}`, valueSet)).toBe(expected)
  })
})
