/** ValueSet/$validate-code and CodeSystem/$validate-code: https://hl7.org/fhir/R4/valueset-operation-validate-code.html. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { validate } from '../../../src/fhir/validate/validate.ts'
import type { FhirResponse } from '../../support/server.ts'
import {
  ANIMALS,
  animals,
  latinNames,
  PETS,
  parametersOf,
  pets,
  queryOf,
  valueSetOf,
  valuesOf,
} from '../../support/terms.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

const GENDER = 'http://hl7.org/fhir/ValueSet/administrative-gender'
const GENDERS = 'http://hl7.org/fhir/administrative-gender'
const ZOO = 'http://example.org/zoo'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  const zoo = valueSetOf({ include: [{ system: ANIMALS }] }, ZOO)
  for (const resource of [animals, latinNames, pets, zoo])
    expect((await clinics.ours('PUT', `/${resource.resourceType}/${resource.id}`, resource)).status).toBe(201)
})
afterAll(() => clinics.server.close())

type Asked = Parameters<typeof queryOf>[0]
const getOf = (type: string) => (asked: Asked) => clinics.ours('GET', `/${type}/$validate-code?${queryOf(asked)}`)
const postOf =
  (type: string) =>
  (...parameter: readonly object[]) =>
    clinics.ours('POST', `/${type}/$validate-code`, parametersOf(...parameter))

function answerOf({ status, body }: FhirResponse): Readonly<Record<string, unknown>> {
  expect([status, body.resourceType, validate(body)]).toEqual([200, 'Parameters', []])
  return valuesOf(body.parameter)
}

type Refusals = readonly [string, () => Promise<FhirResponse>, number, string, RegExp][]
async function expectRefusal([, ask, status, code, message]: Refusals[number]): Promise<void> {
  const answer = await ask()
  expect([answer.status, answer.body.resourceType, answer.body.issue[0].code]).toEqual([
    status,
    'OperationOutcome',
    code,
  ])
  expect(answer.body.issue[0].diagnostics).toMatch(message)
}

describe('ValueSet/$validate-code', () => {
  const get = getOf('ValueSet')
  const post = postOf('ValueSet')
  const url = { name: 'url', valueUri: PETS }
  const coding = (code: string, system = ANIMALS, more: object = {}) => ({
    name: 'coding',
    valueCoding: { system, code, ...more },
  })

  test.each<[string, () => Promise<FhirResponse>, object]>([
    ['a packaged one', () => get({ url: GENDER, system: GENDERS, code: 'male' }), { result: true, display: 'Male' }],
    [
      'a code that is not in it',
      () => get({ url: GENDER, system: GENDERS, code: 'man' }),
      { result: false, message: `The code man of ${GENDERS} is not in the value set ${GENDER}` },
    ],
    [
      'a code of another system',
      () => get({ url: GENDER, system: ANIMALS, code: 'male' }),
      { result: false, message: expect.stringContaining('is not in the value set') },
    ],
    ['a stored one', () => get({ url: PETS, system: ANIMALS, code: 'dog' }), { result: true, display: 'Good dog' }],
    [
      'by its address',
      () => clinics.ours('GET', `/ValueSet/pets/$validate-code?system=${ANIMALS}&code=cat`),
      { result: true, display: 'Cat' },
    ],
    [
      'in the request',
      () => post({ name: 'valueSet', resource: pets }, coding('dog')),
      { result: true, display: 'Good dog' },
    ],
    ['a coding', () => post(url, coding('cat')), { result: true, display: 'Cat' }],
    [
      'a concept of which one coding is in it',
      () =>
        post(url, {
          name: 'codeableConcept',
          valueCodeableConcept: {
            coding: [
              { system: 'http://snomed.info/sct', code: '1' },
              { system: ANIMALS, code: 'cat' },
            ],
          },
        }),
      { result: true, display: 'Cat' },
    ],
    [
      'a concept of which none is in it',
      () =>
        post(url, {
          name: 'codeableConcept',
          valueCodeableConcept: {
            coding: [
              { system: 'urn:x', code: '1' },
              { system: ANIMALS, code: 'bird' },
            ],
          },
        }),
      { result: false, message: expect.stringMatching(/code 1 of urn:x.*code bird of/) },
    ],
    [
      'an element of a type, whose code needs no system',
      () => get({ context: 'http://hl7.org/fhir/StructureDefinition/Patient#Patient.gender', code: 'female' }),
      { result: true, display: 'Female' },
    ],
    [
      'an element of a type, and a code that is not in its value set',
      () => get({ context: 'http://hl7.org/fhir/StructureDefinition/Patient#Patient.gender', code: 'f' }),
      { result: false, message: expect.stringContaining(GENDERS) },
    ],
    [
      'a display of the value set',
      () => get({ url: PETS, system: ANIMALS, code: 'dog', display: 'good  DOG' }),
      { result: true, display: 'Good dog' },
    ],
    [
      'a display of the code system',
      () => get({ url: PETS, system: ANIMALS, code: 'dog', display: 'Dog' }),
      { result: true, display: 'Good dog' },
    ],
    [
      'a display that is a designation',
      () => get({ url: PETS, system: ANIMALS, code: 'dog', display: 'Hund' }),
      { result: true, display: 'Good dog' },
    ],
    [
      'a display that is wrong',
      () => post(url, coding('dog', ANIMALS, { display: 'Cat' })),
      { result: false, message: 'The display "Cat" is wrong for dog; its display is "Good dog"', display: 'Good dog' },
    ],
    [
      'a display in a language',
      () => get({ url: ZOO, system: ANIMALS, code: 'dog', displayLanguage: 'de' }),
      { result: true, display: 'Hund' },
    ],
    [
      'a display of a supplement',
      () =>
        get({
          url: PETS,
          system: ANIMALS,
          code: 'dog',
          display: 'Canis familiaris',
          useSupplement: latinNames.url ?? '',
        }),
      { result: true, display: 'Good dog' },
    ],
    [
      'an abstract code',
      () => get({ url: ZOO, system: ANIMALS, code: 'animal' }),
      { result: false, message: expect.stringContaining('abstract=true'), display: 'Animal' },
    ],
    [
      'an abstract code where it may be one',
      () => get({ url: ZOO, system: ANIMALS, code: 'animal', abstract: true }),
      { result: true, display: 'Animal' },
    ],
    [
      'an inactive code, with a hint',
      () => get({ url: ZOO, system: ANIMALS, code: 'dodo' }),
      { result: true, message: `The code dodo of ${ANIMALS} is inactive`, display: 'Dodo' },
    ],
    [
      'the version of the code system that is here',
      () => get({ url: ZOO, system: ANIMALS, systemVersion: '1.0', code: 'cat' }),
      { result: true, display: 'Cat' },
    ],
    [
      'a language by its grammar',
      () => get({ url: 'http://hl7.org/fhir/ValueSet/all-languages', system: 'urn:ietf:bcp:47', code: 'pt-BR' }),
      { result: true, display: 'Brazilian Portuguese' },
    ],
  ])('%s', async (_name, ask, expected) => {
    expect(answerOf(await ask())).toEqual(expected)
  })

  const refusals: Refusals = [
    ['no code', () => get({ url: PETS }), 400, 'invalid', /code, coding, codeableConcept/],
    ['two codes', () => post(url, coding('dog'), { name: 'code', valueCode: 'cat' }), 400, 'invalid', /Only one/],
    ['a code without its system', () => get({ url: PETS, code: 'dog' }), 400, 'invalid', /system.*missing/],
    [
      'a coding without a code',
      () => post(url, { name: 'coding', valueCoding: { system: ANIMALS } }),
      400,
      'invalid',
      /coding has no code/,
    ],
    [
      'a coding with a number',
      () => post(url, { name: 'coding', valueCoding: { system: 5, code: 'x' } }),
      400,
      'invalid',
      /system that is not a string/,
    ],
    [
      'a concept without codings',
      () => post(url, { name: 'codeableConcept', valueCodeableConcept: { text: 'Dog' } }),
      400,
      'invalid',
      /no coding/,
    ],
    [
      'a coding of a concept that is null',
      () => post(url, { name: 'codeableConcept', valueCodeableConcept: { coding: [null] } }),
      400,
      'invalid',
      /coding\[0\] has no code/,
    ],
    [
      'an unknown value set',
      () => get({ url: 'http://example.org/none', system: ANIMALS, code: 'dog' }),
      404,
      'not-found',
      /none/,
    ],
    [
      'a code of which it cannot be told',
      () => get({ url: 'http://hl7.org/fhir/ValueSet/condition-code', system: 'http://snomed.info/sct', code: '1' }),
      422,
      'not-found',
      /snomed/,
    ],
    [
      'a version of the code system that is not here',
      () => get({ url: ZOO, system: ANIMALS, systemVersion: '7', code: 'cat' }),
      422,
      'not-found',
      /animals\|7/,
    ],
    [
      'a date before the definition',
      () => get({ url: GENDER, system: GENDERS, code: 'male', date: '2000' }),
      422,
      'not-supported',
      /2000/,
    ],
  ]
  test.each(refusals)('refused: %s', (...refusal) => expectRefusal(refusal))
})

describe('CodeSystem/$validate-code', () => {
  const get = getOf('CodeSystem')
  const post = postOf('CodeSystem')

  test.each<[string, () => Promise<FhirResponse>, object]>([
    ['a packaged one', () => get({ url: GENDERS, code: 'male' }), { result: true, display: 'Male' }],
    [
      'a code that is none',
      () => get({ url: GENDERS, code: 'man' }),
      { result: false, message: `The code man of ${GENDERS} is not in the code system ${GENDERS}` },
    ],
    ['a stored one', () => get({ url: ANIMALS, code: 'dog' }), { result: true, display: 'Dog' }],
    ['url|version', () => get({ url: `${ANIMALS}|1.0`, code: 'dog' }), { result: true, display: 'Dog' }],
    [
      'version beside the url',
      () => get({ url: ANIMALS, version: '1.0', code: 'dog' }),
      { result: true, display: 'Dog' },
    ],
    [
      'by its address',
      () => clinics.ours('GET', '/CodeSystem/animals/$validate-code?code=bird'),
      { result: true, display: 'Bird' },
    ],
    [
      'in the request, before what is stored under its url',
      () =>
        post(
          { name: 'codeSystem', resource: { ...animals, concept: [{ code: 'mouse' }] } },
          { name: 'code', valueCode: 'mouse' },
        ),
      { result: true },
    ],
    [
      'a coding, whose system says which',
      () => post({ name: 'coding', valueCoding: { system: ANIMALS, code: 'cat', display: 'Cat' } }),
      { result: true, display: 'Cat' },
    ],
    [
      'a coding of another system',
      () =>
        post({ name: 'url', valueUri: ANIMALS }, { name: 'coding', valueCoding: { system: GENDERS, code: 'male' } }),
      { result: false, message: `The code male of ${GENDERS} is not in the code system ${ANIMALS}` },
    ],
    [
      'a wrong display',
      () => get({ url: ANIMALS, code: 'cat', display: 'Dog' }),
      { result: false, message: expect.stringContaining('its display is "Cat"'), display: 'Cat' },
    ],
    [
      'an abstract code',
      () => get({ url: ANIMALS, code: 'animal' }),
      { result: false, message: expect.stringContaining('abstract'), display: 'Animal' },
    ],
    ['a currency', () => get({ url: 'urn:iso:std:iso:4217', code: 'EUR' }), { result: true, display: 'Euro' }],
    [
      'a country by its number',
      () => get({ url: 'urn:iso:std:iso:3166', code: '040' }),
      { result: true, display: 'Austria' },
    ],
    ['a MIME type', () => get({ url: 'urn:ietf:bcp:13', code: 'text/plain' }), { result: true, display: 'text/plain' }],
    [
      'none of the MIME types',
      () => get({ url: 'urn:ietf:bcp:13', code: 'plain' }),
      { result: false, message: expect.anything() },
    ],
  ])('%s', async (_name, ask, expected) => {
    expect(answerOf(await ask())).toEqual(expected)
  })

  const refusals: Refusals = [
    ['no code system', () => get({ code: 'dog' }), 400, 'invalid', /url, codeSystem/],
    ['an unknown one', () => get({ url: 'http://loinc.org', code: '1-8' }), 404, 'not-found', /loinc/],
    ['an unknown version', () => get({ url: ANIMALS, version: '7', code: 'dog' }), 404, 'not-found', /animals\|7/],
    ['one without its codes', () => get({ url: 'http://snomed.info/sct', code: '1' }), 422, 'not-found', /snomed/],
    [
      'one of which only a part is here',
      () => get({ url: 'http://terminology.hl7.org/CodeSystem/service-type', code: 'x' }),
      422,
      'incomplete',
      /example/,
    ],
    [
      'an unknown address',
      () => clinics.ours('GET', '/CodeSystem/none/$validate-code?code=dog'),
      404,
      'not-found',
      /none/,
    ],
    [
      'one in the request without a url',
      () => post({ name: 'codeSystem', resource: { ...animals, url: undefined } }, { name: 'code', valueCode: 'dog' }),
      400,
      'invalid',
      /no url/,
    ],
  ]
  test.each(refusals)('refused: %s', (...refusal) => expectRefusal(refusal))
})

describe('the other clinic', () => {
  test('knows neither the value set nor the code system', async () => {
    const paths = [
      `/ValueSet/$validate-code?url=${PETS}&system=${ANIMALS}&code=dog`,
      `/ValueSet/pets/$validate-code?system=${ANIMALS}&code=dog`,
      `/CodeSystem/$validate-code?url=${ANIMALS}&code=dog`,
      '/CodeSystem/animals/$validate-code?code=dog',
    ]
    for (const path of paths) expect([path, (await clinics.theirs('GET', path)).status]).toEqual([path, 404])
  })
})
