/** The terminology that the R4 packages carry, as resources/r4/terminology.jsonl holds it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { terminologyLines } from '../../scripts/definitions/terminology.ts'
import { codesOf } from '../../src/fhir/definitions.ts'
import { packaged, packagedCanonicals } from '../../src/terminology/packaged.ts'
import { packagedTerminology } from '../../src/terminology/terminology.ts'
import { members } from '../../src/terminology/value-set.ts'

const R4 = join(import.meta.dirname, '../../resources/r4')
const GENDER = 'http://hl7.org/fhir/administrative-gender'

test('the file is what npm run definitions writes', () => {
  expect(readFileSync(join(R4, 'terminology.jsonl'), 'utf8') === terminologyLines()).toBe(true)
})

describe('a resource', () => {
  test('is found by its type, url and version', () => {
    expect(packaged('CodeSystem', { url: GENDER })).toMatchObject({ resourceType: 'CodeSystem', url: GENDER })
    expect(packaged('CodeSystem', { url: GENDER, version: '4.0.1' })).toBeDefined()
    expect(packaged('CodeSystem', { url: GENDER, version: '5.0.0' })).toBeUndefined()
    expect(packaged('ValueSet', { url: GENDER })).toBeUndefined()
  })

  test('each that the file has can be read, and is what its line says', () => {
    const types = ['CodeSystem', 'ValueSet', 'ConceptMap'] as const
    const counts = types.map((type) => {
      const canonicals = packagedCanonicals(type)
      for (const { url, version } of canonicals)
        expect(packaged(type, { url })).toMatchObject({ resourceType: type, url, ...(version && { version }) })
      return canonicals.length
    })
    expect(counts).toEqual([1067, 1317, 19])
  })
})

test('the value sets of required bindings have the codes that resources are validated with', () => {
  const bound = Object.keys(JSON.parse(readFileSync(join(R4, 'value-sets.json'), 'utf8')))
  for (const url of bound) {
    const valueSet = packagedTerminology.valueSet(url)
    if (valueSet === undefined) throw new Error(`${url} is not packaged`)
    const here = [...members(packagedTerminology, valueSet)].filter(({ isAbstract }) => !isAbstract)
    const pairs = [...(codesOf(url) ?? [])].flatMap(([system, codes]) => codes.map((code) => `${system}|${code}`))
    expect([url, here.map(({ system, code }) => `${system}|${code}`).sort()]).toEqual([url, [...new Set(pairs)].sort()])
  }
  expect(bound.length).toBeGreaterThan(100)
})
