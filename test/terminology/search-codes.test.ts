/** Terminology for searches and bindings. */
import { describe, expect, test } from '@jest/globals'
import { gather } from '../../src/terminology/gather.ts'
import type { Terms, TermsType } from '../../src/terminology/packaged.ts'
import { codesAbove, codesBelow, codesInValueSet } from '../../src/terminology/search-codes.ts'
import { packagedTerminology } from '../../src/terminology/terminology.ts'
import { isInValueSet, systemsOf } from '../../src/terminology/value-set.ts'
import { ANIMALS, animals, PETS, pets, valueSetOf } from '../support/terms.ts'

const terminologyWith = (...given: readonly Terms[TermsType][]) => gather(async () => [], { given })
const codes = (found: readonly { readonly code: string }[]) => found.map(({ code }) => code)
const ACT_CODE = 'http://terminology.hl7.org/CodeSystem/v3-ActCode'
const SNOMED = 'http://snomed.info/sct'

describe(':in and :not-in', () => {
  test('the codes of a value set, with their systems', async () => {
    expect(codesInValueSet(await terminologyWith(animals, pets), PETS)).toEqual([
      { system: ANIMALS, code: 'dog' },
      { system: ANIMALS, code: 'cat' },
    ])
    expect(codes(codesInValueSet(packagedTerminology, 'http://hl7.org/fhir/ValueSet/administrative-gender'))).toEqual([
      'male',
      'female',
      'other',
      'unknown',
    ])
  })

  test.each([
    ['that is not here', 'http://example.org/none', 404, 'not-found'],
    ['whose codes are not here', 'http://hl7.org/fhir/ValueSet/condition-code', 422, 'not-found'],
    ['without end', 'http://hl7.org/fhir/ValueSet/all-languages', 422, 'too-costly'],
  ])('a value set %s: refused, never everything', (_what, url, status, code) => {
    expect(() => codesInValueSet(packagedTerminology, url)).toThrow(expect.objectContaining({ status, code }))
  })

  test('more codes than a search may have: refused as too costly, after looking at no more than that', async () => {
    const concept = Array.from({ length: 20 }, (_, number) => ({ code: `c${number}` }))
    const terminology = await terminologyWith(valueSetOf({ include: [{ system: 'urn:many', concept }] }))
    expect(codesInValueSet(terminology, PETS, 20)).toHaveLength(20)
    expect(() => codesInValueSet(terminology, PETS, 19)).toThrow(
      expect.objectContaining({ status: 422, code: 'too-costly' }),
    )
  })
})

describe(':below and :above', () => {
  test.each([
    ['below', 'mammal', ['mammal', 'dog', 'cat']],
    ['below', 'worker', ['worker', 'dog']],
    ['below', 'cat', ['cat']],
    ['above', 'dog', ['dog', 'mammal', 'animal', 'worker']],
    ['above', 'animal', ['animal']],
    ['above', 'unicorn', ['unicorn']],
  ])('%s %s', async (modifier, code, expected) => {
    const find = modifier === 'below' ? codesBelow : codesAbove
    expect(codes(find(await terminologyWith(animals), { system: ANIMALS, code })).sort()).toEqual([...expected].sort())
  })

  test('of a packaged code system', () => {
    expect(codes(codesAbove(packagedTerminology, { system: ACT_CODE, code: 'AMB' }))).toEqual([
      'AMB',
      '_ActEncounterCode',
      '_ActCareProvisionCode',
    ])
    expect(codes(codesBelow(packagedTerminology, { system: ACT_CODE, code: '_ActEncounterCode' }))).toContain('EMER')
  })

  test('of a code system that is not here: refused', () => {
    expect(() => codesBelow(packagedTerminology, { system: SNOMED, code: '404684003' })).toThrow(
      expect.objectContaining({ status: 422, code: 'not-found' }),
    )
  })

  test('more than a search may have: refused', async () => {
    const terminology = await terminologyWith(animals)
    expect(() => codesBelow(terminology, { system: ANIMALS, code: 'mammal' }, 2)).toThrow(/more than 2 codes/)
  })
})

describe('a binding', () => {
  const GENDER = 'http://hl7.org/fhir/ValueSet/administrative-gender'
  const gender = 'http://hl7.org/fhir/administrative-gender'
  test.each([
    ['a code', GENDER, { code: 'male' }, 'yes'],
    ['a code that is not in it', GENDER, { code: 'man' }, 'no'],
    ['a coding', GENDER, { system: gender, code: 'male' }, 'yes'],
    ['a coding of another system', GENDER, { system: 'urn:x', code: 'male' }, 'no'],
    ['with a version', `${GENDER}|4.0.1`, { code: 'male' }, 'yes'],
    ['in a version that is not here', `${GENDER}|3.0.0`, { code: 'male' }, 'unknown'],
    ['to a value set that is not here', 'http://example.org/none', { code: 'male' }, 'unknown'],
    ['to SNOMED CT', 'http://hl7.org/fhir/ValueSet/condition-code', { system: SNOMED, code: '1' }, 'unknown'],
    [
      'to SNOMED CT, of a code of another system',
      'http://hl7.org/fhir/ValueSet/condition-code',
      { system: 'urn:x', code: '1' },
      'no',
    ],
    [
      'to codes of which only examples are here',
      'http://hl7.org/fhir/ValueSet/service-type',
      { system: 'http://terminology.hl7.org/CodeSystem/service-type', code: 'x' },
      'unknown',
    ],
    ['an abstract code', 'http://hl7.org/fhir/ValueSet/item-type', { code: 'question' }, 'no'],
    ['a MIME type', 'http://hl7.org/fhir/ValueSet/mimetypes', { code: 'application/pdf' }, 'yes'],
    ['a language', 'http://hl7.org/fhir/ValueSet/all-languages', { code: 'de-AT' }, 'yes'],
    ['a code of a value set drawn on', 'http://hl7.org/fhir/ValueSet/defined-types', { code: 'Patient' }, 'yes'],
  ])('%s', (_what, valueSet, code, isIn) => {
    expect(isInValueSet(packagedTerminology, valueSet, code)).toMatchObject({ isIn })
  })

  test('what is unknown says why', () => {
    expect(isInValueSet(packagedTerminology, 'http://example.org/none', { code: 'x' }).why).toMatch(/is not here/)
  })

  test('the systems of a value set are those of all it draws on', async () => {
    const both = valueSetOf({ include: [{ valueSet: [PETS] }, { system: SNOMED }] }, 'http://example.org/both')
    expect(systemsOf(await terminologyWith(animals, pets, both), both)).toEqual([SNOMED, ANIMALS])
  })
})
