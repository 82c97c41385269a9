/** The parts of a clinic's terminology that are fetched for a request, and the choice among several versions. */
import { describe, expect, test } from '@jest/globals'
import type { CodeSystem } from 'fhir/r4'
import { canonicalOf, newest } from '../../src/terminology/canonical.ts'
import { type FindTerms, gather, type TermRequest } from '../../src/terminology/gather.ts'
import type { Terms, TermsType } from '../../src/terminology/packaged.ts'
import { ANIMALS, animals, animalsToSounds, PETS, pets, valueSetOf } from '../support/terms.ts'

/** A clinic that holds `stored`, and records the requests to it. */
function clinicOf(...stored: readonly Terms[TermsType][]) {
  const asked: string[] = []
  const find: FindTerms = async (type, keys) => {
    asked.push(...keys.map((key) => `${type} ${key}`))
    const isSought = ({ url = '', id = '' }: Terms[TermsType]) => keys.includes(url) || keys.includes(`${type}/${id}`)
    return stored.filter((one) => one.resourceType === type && isSought(one)) as never
  }
  return { asked, gather: (question: TermRequest) => gather(find, question) }
}

describe('gather', () => {
  test('looks once for each value set and code system that the question leads to, and for nothing else', async () => {
    const zoo = valueSetOf(
      { include: [{ valueSet: [PETS] }, { system: ANIMALS }], exclude: [{ valueSet: [`${PETS}|1.0`] }] },
      'http://example.org/zoo',
    )
    const clinic = clinicOf(zoo, pets, animals)
    const terminology = await clinic.gather({ valueSets: ['http://example.org/zoo'] })
    expect(clinic.asked).toEqual(['ValueSet http://example.org/zoo', `ValueSet ${PETS}`, `CodeSystem ${ANIMALS}`])
    expect(terminology.valueSet(PETS)).toBe(pets)
    expect(terminology.codeSystem(ANIMALS)?.system).toBe(animals)
  })

  test('follows packaged value sets to code systems that the clinic may have', async () => {
    const clinic = clinicOf()
    await clinic.gather({ valueSets: ['http://hl7.org/fhir/ValueSet/administrative-gender'] })
    expect(clinic.asked).toContain('CodeSystem http://hl7.org/fhir/administrative-gender')
  })

  test('what is given goes before what is stored under the same url', async () => {
    const given: CodeSystem = { ...animals, version: '0.1' }
    const clinic = clinicOf(animals)
    const terminology = await clinic.gather({ codeSystems: [ANIMALS], given: [given] })
    expect(terminology.codeSystem(ANIMALS)?.system).toBe(given)
  })

  test('a resource by its address is found by that', async () => {
    const terminology = await clinicOf(pets).gather({ valueSets: ['ValueSet/pets'] })
    expect(terminology.valueSet('ValueSet/pets')).toBe(pets)
    expect(terminology.valueSet('ValueSet/others')).toBeUndefined()
  })

  test('follows maps to those they go on in', async () => {
    const unmapped = { mode: 'other-map' as const, url: animalsToSounds.url ?? '' }
    const first = { ...animalsToSounds, url: 'urn:first', group: [{ element: [{ code: 'x' }], unmapped }] }
    const terminology = await clinicOf(first, animalsToSounds).gather({ conceptMaps: ['urn:first'] })
    expect(terminology.conceptMap(animalsToSounds.url ?? '')).toBe(animalsToSounds)
  })

  test('a question that leads to more than a thousand: 422 too-costly', async () => {
    const include = Array.from({ length: 1001 }, (_, number) => ({ system: `urn:${number}` }))
    await expect(clinicOf().gather({ given: [valueSetOf({ include })] })).rejects.toMatchObject({
      status: 422,
      code: 'too-costly',
    })
  })

  test('a supplement is no code system', async () => {
    const supplement: CodeSystem = { ...animals, content: 'supplement', supplements: 'urn:x' }
    const terminology = await clinicOf(supplement).gather({ codeSystems: [ANIMALS] })
    expect(terminology.codeSystem(ANIMALS)).toBeUndefined()
    expect(terminology.supplement(ANIMALS)).toBe(supplement)
  })
})

describe('the newest of several', () => {
  test.each([
    [['9.1', '10.0', '2.0'], '10.0'],
    [['2019-01-01', '2020-01-01'], '2020-01-01'],
    [[undefined, '0.1'], '0.1'],
  ])('%j: %s', (versions, expected) => {
    expect(newest(versions.map((version) => ({ version })))?.version).toBe(expected)
  })

  test('a retired one only where there is no other', () => {
    const retired = { version: '3', status: 'retired' }
    expect(newest([retired, { version: '2', status: 'draft' }])?.version).toBe('2')
    expect(newest([retired])?.version).toBe('3')
  })

  test('of one version, the one written last', () => {
    const written = (lastUpdated: string) => ({ version: '1', meta: { lastUpdated } })
    expect(newest([written('2024-01-02'), written('2024-01-01')])?.meta.lastUpdated).toBe('2024-01-02')
  })
})

test.each([
  ['urn:a', { url: 'urn:a' }],
  ['urn:a|1', { url: 'urn:a', version: '1' }],
  ['urn:a|', { url: 'urn:a' }],
  ['urn:a|1#part', { url: 'urn:a', version: '1' }],
])('the canonical %s', (text, expected) => {
  expect(canonicalOf(text)).toEqual(expected)
})
