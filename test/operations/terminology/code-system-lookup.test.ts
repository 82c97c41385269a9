/** CodeSystem/$lookup: https://hl7.org/fhir/R4/codesystem-operation-lookup.html. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { validate } from '../../../src/fhir/validate/validate.ts'
import type { FhirResponse } from '../../support/server.ts'
import { ANIMALS, animals, latinNames, parametersOf, queryOf, valuesOf } from '../../support/terms.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  for (const resource of [animals, latinNames])
    expect((await clinics.ours('PUT', `/CodeSystem/${resource.id}`, resource)).status).toBe(201)
})
afterAll(() => clinics.server.close())

const lookUp = (asked: Parameters<typeof queryOf>[0]) => clinics.ours('GET', `/CodeSystem/$lookup?${queryOf(asked)}`)
const post = (...parameter: readonly object[]) =>
  clinics.ours('POST', '/CodeSystem/$lookup', parametersOf(...parameter))

function answerOf({ status, body }: FhirResponse): Readonly<Record<string, unknown>> {
  expect([status, body.resourceType, validate(body)]).toEqual([200, 'Parameters', []])
  return valuesOf(body.parameter)
}

describe('a code', () => {
  test('of the clinic, with all that is known of it, in the shape of R4', async () => {
    const { body } = await lookUp({ system: ANIMALS, code: 'dog' })
    const part = (name: string, value: object) => ({ name, ...value })
    expect(body).toEqual({
      resourceType: 'Parameters',
      parameter: [
        { name: 'name', valueString: 'Animals' },
        { name: 'version', valueString: '1.0' },
        { name: 'display', valueString: 'Dog' },
        { name: 'designation', part: [part('language', { valueCode: 'de' }), part('value', { valueString: 'Hund' })] },
        {
          name: 'designation',
          part: [part('language', { valueCode: 'fr-CA' }), part('value', { valueString: 'Chien' })],
        },
        {
          name: 'designation',
          part: [
            part('use', { valueCoding: { system: 'http://example.org/uses', code: 'nickname' } }),
            part('value', { valueString: 'Doggy' }),
          ],
        },
        {
          name: 'property',
          part: [
            part('code', { valueCode: 'parent' }),
            part('value', { valueCode: 'mammal' }),
            part('description', { valueString: 'Mammal' }),
          ],
        },
        {
          name: 'property',
          part: [
            part('code', { valueCode: 'parent' }),
            part('value', { valueCode: 'worker' }),
            part('description', { valueString: 'Working animal' }),
          ],
        },
        { name: 'property', part: [part('code', { valueCode: 'inactive' }), part('value', { valueBoolean: false })] },
        { name: 'property', part: [part('code', { valueCode: 'legs' }), part('value', { valueInteger: 4 })] },
      ],
    })
  })

  test.each<[string, () => Promise<FhirResponse>, object]>([
    [
      'a packaged one',
      () => lookUp({ system: 'http://hl7.org/fhir/administrative-gender', code: 'male' }),
      { name: 'AdministrativeGender', version: '4.0.1', display: 'Male' },
    ],
    [
      'as a Coding',
      () => post({ name: 'coding', valueCoding: { system: ANIMALS, code: 'cat', version: '1.0' } }),
      { display: 'Cat' },
    ],
    [
      'by POST',
      () => post({ name: 'system', valueUri: ANIMALS }, { name: 'code', valueCode: 'cat' }),
      { display: 'Cat' },
    ],
    ['in its version', () => lookUp({ system: ANIMALS, version: '1.0', code: 'cat' }), { version: '1.0' }],
    ['in a language', () => lookUp({ system: ANIMALS, code: 'dog', displayLanguage: 'de' }), { display: 'Hund' }],
    [
      'with children',
      () => lookUp({ system: ANIMALS, code: 'bird', property: 'child' }),
      { property: { code: 'child', value: 'dodo', description: 'Dodo' } },
    ],
    [
      'with its definition',
      () => lookUp({ system: ANIMALS, code: 'mammal', property: 'definition' }),
      { property: { code: 'definition', value: 'Gives milk.' } },
    ],
    [
      'that is inactive',
      () => lookUp({ system: ANIMALS, code: 'dodo', property: 'inactive' }),
      { property: { code: 'inactive', value: true } },
    ],
    [
      'with the properties asked for',
      () => lookUp({ system: ANIMALS, code: 'dog', property: ['legs', 'inactive', 'unheard-of'] }),
      {
        property: [
          { code: 'inactive', value: false },
          { code: 'legs', value: 4 },
        ],
      },
    ],
    [
      'with the designations of a language',
      () => lookUp({ system: ANIMALS, code: 'dog', property: 'lang.fr' }),
      { designation: { language: 'fr-CA', value: 'Chien' } },
    ],
    [
      'with a supplement',
      () =>
        lookUp({
          system: ANIMALS,
          code: 'dog',
          property: ['lang.la', 'discovered'],
          useSupplement: latinNames.url ?? '',
        }),
      { designation: { language: 'la', value: 'Canis familiaris' }, property: { code: 'discovered', value: 1758 } },
    ],
    [
      'of a grammar, with an extension',
      () => lookUp({ system: 'urn:ietf:bcp:47', code: 'de-u-co-phonebk' }),
      { display: 'German' },
    ],
    ['of a grammar', () => lookUp({ system: 'urn:ietf:bcp:47', code: 'en-GB' }), { display: 'British English' }],
  ])('%s', async (_name, ask, expected) => {
    expect(answerOf(await ask())).toMatchObject(expected)
  })

  test('only what is asked for, beside name, version and display', async () => {
    expect(Object.keys(answerOf(await lookUp({ system: ANIMALS, code: 'dog', property: 'legs' })))).toEqual([
      'name',
      'version',
      'display',
      'property',
    ])
  })
})

describe('refused', () => {
  test.each<[string, () => Promise<FhirResponse>, number, string, RegExp]>([
    ['an unknown code', () => lookUp({ system: ANIMALS, code: 'unicorn' }), 404, 'not-found', /no code unicorn/],
    ['an unknown code system', () => lookUp({ system: 'http://loinc.org', code: '1-8' }), 404, 'not-found', /loinc/],
    [
      'a code system without its codes',
      () => lookUp({ system: 'http://snomed.info/sct', code: '1' }),
      404,
      'not-found',
      /snomed/,
    ],
    [
      'an unknown version',
      () => lookUp({ system: ANIMALS, version: '7', code: 'dog' }),
      404,
      'not-found',
      /animals\|7/,
    ],
    [
      'what is no tag of a language',
      () => lookUp({ system: 'urn:ietf:bcp:47', code: 'xx-yy-zz' }),
      404,
      'not-found',
      /xx-yy-zz/,
    ],
    ['a code without its system', () => lookUp({ code: 'dog' }), 400, 'invalid', /system.*missing/],
    ['no code', () => lookUp({ system: ANIMALS }), 400, 'invalid', /code, coding/],
    [
      'an unknown supplement',
      () => lookUp({ system: ANIMALS, code: 'dog', useSupplement: 'urn:none' }),
      404,
      'not-found',
      /supplement urn:none/,
    ],
    [
      'a date before the definition',
      () => lookUp({ system: ANIMALS, code: 'dog', date: '2019' }),
      422,
      'not-supported',
      /2019/,
    ],
    [
      'an address, which this operation does not have',
      () => clinics.ours('GET', '/CodeSystem/animals/$lookup?code=dog'),
      404,
      'not-found',
      /lookup/,
    ],
  ])('%s', async (_name, ask, status, code, message) => {
    const { status: actual, body } = await ask()
    expect([actual, body.resourceType, body.issue[0].code]).toEqual([status, 'OperationOutcome', code])
    expect(body.issue[0].diagnostics).toMatch(message)
  })
})

test('a code system of one clinic is not known to another', async () => {
  expect((await clinics.theirs('GET', `/CodeSystem/$lookup?${queryOf({ system: ANIMALS, code: 'dog' })}`)).status).toBe(
    404,
  )
})
