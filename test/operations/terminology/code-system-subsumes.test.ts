/** CodeSystem/$subsumes: https://hl7.org/fhir/R4/codesystem-operation-subsumes.html. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { FhirResponse } from '../../support/server.ts'
import { ANIMALS, animals, parametersOf, queryOf } from '../../support/terms.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  const parts = { ...animals, id: 'parts', url: 'http://example.org/parts', hierarchyMeaning: 'part-of' }
  for (const resource of [animals, parts])
    expect((await clinics.ours('PUT', `/CodeSystem/${resource.id}`, resource)).status).toBe(201)
})
afterAll(() => clinics.server.close())

const ACT_CODE = 'http://terminology.hl7.org/CodeSystem/v3-ActCode'
const get = (asked: Parameters<typeof queryOf>[0]) => clinics.ours('GET', `/CodeSystem/$subsumes?${queryOf(asked)}`)
const post = (...parameter: readonly object[]) =>
  clinics.ours('POST', '/CodeSystem/$subsumes', parametersOf(...parameter))
const coding = (side: 'A' | 'B', system: string, code: string, version?: string) => ({
  name: `coding${side}`,
  valueCoding: { system, code, ...(version === undefined ? {} : { version }) },
})

describe('the outcome', () => {
  test.each([
    [ANIMALS, 'mammal', 'dog', 'subsumes'],
    [ANIMALS, 'animal', 'dodo', 'subsumes'],
    [ANIMALS, 'worker', 'dog', 'subsumes'],
    [ANIMALS, 'dog', 'worker', 'subsumed-by'],
    [ANIMALS, 'cat', 'animal', 'subsumed-by'],
    [ANIMALS, 'dog', 'dog', 'equivalent'],
    [ANIMALS, 'dog', 'cat', 'not-subsumed'],
    [ACT_CODE, '_ActEncounterCode', 'AMB', 'subsumes'],
    [ACT_CODE, 'AMB', '_ActEncounterCode', 'subsumed-by'],
    [ACT_CODE, 'AMB', 'EMER', 'not-subsumed'],
  ])('%s: %s to %s is %s', async (system, codeA, codeB, outcome) => {
    const expected = { resourceType: 'Parameters', parameter: [{ name: 'outcome', valueCode: outcome }] }
    expect((await get({ system, codeA, codeB })).body).toEqual(expected)
    expect((await post(coding('A', system, codeA), coding('B', system, codeB))).body).toEqual(expected)
  })

  test.each<[string, () => Promise<FhirResponse>]>([
    ['by the address', () => clinics.ours('GET', '/CodeSystem/animals/$subsumes?codeA=mammal&codeB=dog')],
    ['in a version', () => get({ system: ANIMALS, version: '1.0', codeA: 'mammal', codeB: 'dog' })],
    ['in the version of a coding', () => post(coding('A', ANIMALS, 'mammal', '1.0'), coding('B', ANIMALS, 'dog'))],
    ['of a code and a coding', () => post({ name: 'codeA', valueCode: 'mammal' }, coding('B', ANIMALS, 'dog'))],
  ])('%s', async (_name, ask) => {
    expect((await ask()).body.parameter).toEqual([{ name: 'outcome', valueCode: 'subsumes' }])
  })
})

describe('refused', () => {
  test.each<[string, () => Promise<FhirResponse>, number, string, RegExp]>([
    ['one code', () => get({ system: ANIMALS, codeA: 'dog' }), 400, 'invalid', /codeB, codingB/],
    [
      'a code and a coding of one side',
      () => post(coding('A', ANIMALS, 'dog'), { name: 'codeA', valueCode: 'dog' }),
      400,
      'invalid',
      /Only one/,
    ],
    ['no system', () => get({ codeA: 'dog', codeB: 'cat' }), 400, 'invalid', /system/],
    [
      'two systems',
      () => post(coding('A', ANIMALS, 'dog'), coding('B', ACT_CODE, 'AMB')),
      400,
      'invalid',
      /cannot be compared/,
    ],
    [
      'a coding without a code',
      () => post({ name: 'codingA', valueCoding: { system: ANIMALS } }, coding('B', ANIMALS, 'dog')),
      400,
      'invalid',
      /codingA has no code/,
    ],
    [
      'an unknown code',
      () => get({ system: ANIMALS, codeA: 'dog', codeB: 'unicorn' }),
      404,
      'not-found',
      /no code unicorn/,
    ],
    ['an unknown system', () => get({ system: 'http://loinc.org', codeA: 'a', codeB: 'b' }), 404, 'not-found', /loinc/],
    [
      'an unknown version',
      () => get({ system: ANIMALS, version: '7', codeA: 'dog', codeB: 'cat' }),
      404,
      'not-found',
      /animals\|7/,
    ],
    [
      'another system than that of the address',
      () =>
        clinics.ours(
          'GET',
          `/CodeSystem/animals/$subsumes?${queryOf({ system: ACT_CODE, codeA: 'dog', codeB: 'cat' })}`,
        ),
      400,
      'invalid',
      /leave the system out/,
    ],
    [
      'a hierarchy of another meaning',
      () => get({ system: 'http://example.org/parts', codeA: 'mammal', codeB: 'dog' }),
      422,
      'business-rule',
      /part-of/,
    ],
  ])('%s', async (_name, ask, status, code, message) => {
    const { status: actual, body } = await ask()
    expect([actual, body.resourceType, body.issue[0].code]).toEqual([status, 'OperationOutcome', code])
    expect(body.issue[0].diagnostics).toMatch(message)
  })
})

test('a code system of one clinic is not known to another', async () => {
  const paths = [
    `/CodeSystem/$subsumes?${queryOf({ system: ANIMALS, codeA: 'mammal', codeB: 'dog' })}`,
    '/CodeSystem/animals/$subsumes?codeA=mammal&codeB=dog',
  ]
  for (const path of paths) expect((await clinics.theirs('GET', path)).status).toBe(404)
})
