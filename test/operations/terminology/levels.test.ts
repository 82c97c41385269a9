/**
 * The terminology operations on a type and on an instance, with and without the system of a code, as the
 * OperationDefinitions of R4 define each: https://hl7.org/fhir/R4/terminology-service.html.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  ANIMALS,
  animals,
  animalsToSounds,
  PETS,
  parametersOf,
  pets,
  valueSetOf,
  valuesOf,
} from '../../support/terms.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

const MAP = animalsToSounds.url
const OTHERS = 'http://example.org/others'
const others = {
  ...animals,
  id: 'others',
  url: OTHERS,
  concept: [{ code: 'cat' }, { code: 'stone', display: 'Stone' }],
}
const both = valueSetOf({ include: [{ system: ANIMALS }, { system: OTHERS }] }, 'http://example.org/both')
const twoSources = {
  ...animalsToSounds,
  id: 'two-sources',
  url: 'http://example.org/two-sources',
  group: [...(animalsToSounds.group ?? []), { source: OTHERS, element: [{ code: 'stone' }] }],
}

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  for (const resource of [animals, others, pets, both, animalsToSounds, twoSources])
    expect((await clinics.ours('PUT', `/${resource.resourceType}/${resource.id}`, resource)).status).toBe(201)
})
afterAll(() => clinics.server.close())

const get = (path: string) => clinics.ours('GET', path)
const post = (path: string, ...parameter: readonly object[]) => clinics.ours('POST', path, parametersOf(...parameter))
const concept = (...coding: readonly object[]) => ({ name: 'codeableConcept', valueCodeableConcept: { coding } })

describe('a GET is answered', () => {
  test.each([
    `/CodeSystem/$lookup?system=${ANIMALS}&code=dog`,
    `/CodeSystem/$validate-code?url=${ANIMALS}&code=dog`,
    `/CodeSystem/$validate-code?system=${ANIMALS}&code=dog`,
    '/CodeSystem/animals/$validate-code?code=dog',
    '/CodeSystem/animals/$validate-code?code=dog&version=1.0',
    `/CodeSystem/$subsumes?system=${ANIMALS}&codeA=dog&codeB=mammal`,
    '/CodeSystem/animals/$subsumes?codeA=dog&codeB=mammal',
    `/ValueSet/$expand?url=${PETS}`,
    '/ValueSet/pets/$expand',
    '/ValueSet/pets/$expand?valueSetVersion=1.0',
    `/ValueSet/$validate-code?url=${PETS}&system=${ANIMALS}&code=dog`,
    `/ValueSet/pets/$validate-code?system=${ANIMALS}&code=dog`,
    '/ValueSet/pets/$validate-code?code=dog',
    `/ConceptMap/$translate?url=${MAP}&system=${ANIMALS}&code=dog`,
    `/ConceptMap/animals-to-sounds/$translate?system=${ANIMALS}&code=dog`,
    '/ConceptMap/animals-to-sounds/$translate?code=dog',
    '/ConceptMap/animals-to-sounds/$translate?code=bark&reverse=true',
  ])('%s', async (path) => {
    const { status, body } = await get(path)
    expect([path, status]).toEqual([path, 200])
    if (path.includes('$translate') || path.includes('$validate-code'))
      expect(valuesOf(body.parameter)).toMatchObject({ result: true })
  })
})

describe('404: R4 does not define', () => {
  test.each([
    ['$lookup on an instance', '/CodeSystem/animals/$lookup?code=dog'],
    ['$preferred-id on an instance', '/NamingSystem/x/$preferred-id?id=x&type=oid'],
  ])('%s', async (_what, path) => expect((await get(path)).status).toBe(404))
})

describe('400 for', () => {
  test.each([
    ['a code to look up without its system', '/CodeSystem/$lookup?code=dog', /system.*missing/],
    [
      'a code without its system, where no address or context implies it',
      `/ValueSet/$validate-code?url=${PETS}&code=dog`,
      /system.*missing/,
    ],
    [
      'a code that a value set has of two systems',
      '/ValueSet/both/$validate-code?code=cat',
      /ambiguous.*animals and of .*others; give its system/,
    ],
    ['a code to translate without its system', `/ConceptMap/$translate?url=${MAP}&code=dog`, /system.*missing/],
    ['one by a map of two systems', '/ConceptMap/two-sources/$translate?code=dog', /system.*missing/],
    [
      'another version than that of the address',
      '/ValueSet/pets/$expand?valueSetVersion=2',
      /valueSetVersion is 2, but .* version 1.0/,
    ],
    ['another version of a code system', '/CodeSystem/animals/$subsumes?codeA=dog&codeB=cat&version=2', /version is 2/],
  ])('%s', async (_what, path, said) => {
    const { status, body } = await get(path)
    expect([status, body.resourceType]).toEqual([400, 'OperationOutcome'])
    expect(body.issue[0].diagnostics).toMatch(said)
  })
})

test('a code that a value set has of one of its systems needs none at its address', async () => {
  const { body } = await get('/ValueSet/both/$validate-code?code=stone')
  expect(valuesOf(body.parameter)).toEqual({ result: true, display: 'Stone' })
})

describe('a Coding without a system', () => {
  const url = { name: 'url', valueUri: PETS }

  test('is in no value set', async () => {
    const { body } = await post('/ValueSet/$validate-code', url, { name: 'coding', valueCoding: { code: 'dog' } })
    expect(valuesOf(body.parameter)).toEqual({
      result: false,
      message: `The code dog without a system is not in the value set ${PETS}`,
    })
  })

  test('of a concept leaves the others as they are', async () => {
    const codings = [{ code: 'x' }, { system: ANIMALS, code: 'dog' }]
    const validated = await post('/ValueSet/$validate-code', url, concept(...codings))
    expect(valuesOf(validated.body.parameter)).toMatchObject({ result: true })
    const byUrl = await post('/ConceptMap/$translate', { name: 'url', valueUri: MAP }, concept(...codings))
    const byAddress = await post('/ConceptMap/two-sources/$translate', concept(...codings))
    for (const { body } of [byUrl, byAddress]) expect(valuesOf(body.parameter)).toMatchObject({ result: true })
    expect((await post('/ConceptMap/$translate', { name: 'url', valueUri: MAP }, concept({ code: 'x' }))).status).toBe(
      400,
    )
  })
})

test('another clinic has no instance of them', async () => {
  for (const path of [
    '/CodeSystem/animals/$validate-code?code=dog',
    '/ValueSet/pets/$validate-code?code=dog',
    '/ConceptMap/animals-to-sounds/$translate?code=dog',
  ])
    expect([path, (await clinics.theirs('GET', path)).status]).toEqual([path, 404])
})
