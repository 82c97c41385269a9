/** `/metadata?mode=terminology` says what the terminology operations do. */
import { expect, test } from '@jest/globals'
import { terminologyCapabilities } from '../../src/capability/terminology.ts'
import { validate } from '../../src/fhir/validate/validate.ts'
import { packaged } from '../../src/terminology/packaged.ts'
import { packagedTerminology } from '../../src/terminology/terminology.ts'

const capabilities = terminologyCapabilities({
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: '2026-11-21',
  kind: 'instance',
  software: { name: 'x' },
  implementation: { description: 'x' },
  fhirVersion: '4.0.1',
  format: ['json'],
})

test('is valid', () => {
  expect(validate(capabilities)).toEqual([])
})

test('lists the code systems that are packaged, each with the version that is taken where none is named', () => {
  const listed = capabilities.codeSystem ?? []
  expect(listed.length).toBeGreaterThan(1000)
  for (const { uri = '', version } of listed.filter((one) => one.version !== undefined)) {
    expect([uri, version?.length, version?.[0]?.isDefault]).toEqual([uri, 1, true])
    expect(packaged('CodeSystem', { url: uri })?.version).toBe(version?.[0]?.code)
  }
  expect(listed.filter(({ uri }) => uri === 'urn:ietf:bcp:13')).toHaveLength(1)
  expect(listed.filter(({ uri }) => uri === 'urn:ietf:bcp:47')).toHaveLength(1)
  expect(packagedTerminology.codeSystem('http://loinc.org')).toBeUndefined()
})

test('names every in parameter of ValueSet/$expand', () => {
  const names = capabilities.expansion?.parameter?.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['url', 'filter', 'count', 'displayLanguage', 'force-system-version']))
  expect(names).not.toContain('return')
})
