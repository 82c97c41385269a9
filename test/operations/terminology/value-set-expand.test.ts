/** ValueSet/$expand: https://hl7.org/fhir/R4/valueset-operation-expand.html. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ValueSet, ValueSetExpansionContains } from 'fhir/r4'
import { validate } from '../../../src/fhir/validate/validate.ts'
import type { FhirResponse } from '../../support/server.ts'
import { ANIMALS, animals, latinNames, PETS, parametersOf, pets, queryOf, valueSetOf } from '../../support/terms.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

const GENDER = 'http://hl7.org/fhir/ValueSet/administrative-gender'
const ZOO = 'http://example.org/zoo'
const zoo = valueSetOf({ include: [{ system: ANIMALS }] }, ZOO)
const profile = {
  resourceType: 'StructureDefinition',
  id: 'pet-owner',
  url: 'http://example.org/pet-owner',
  name: 'PetOwner',
  status: 'active',
  kind: 'resource',
  abstract: false,
  type: 'Patient',
  baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
  derivation: 'constraint',
  differential: {
    element: [
      {
        id: 'Patient.communication.language',
        path: 'Patient.communication.language',
        binding: { strength: 'extensible', valueSet: PETS },
      },
    ],
  },
}

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  const older = {
    ...pets,
    id: 'pets-old',
    version: '0.9',
    compose: { include: [{ system: ANIMALS, concept: [{ code: 'bird' }] }] },
  }
  for (const resource of [animals, latinNames, pets, older, zoo, profile]) {
    const { status } = await clinics.ours('PUT', `/${resource.resourceType}/${resource.id}`, resource)
    expect([resource.id, status]).toEqual([resource.id, 201])
  }
})
afterAll(() => clinics.server.close())

type Asked = Parameters<typeof queryOf>[0]
const expand = (asked: Asked) => clinics.ours('GET', `/ValueSet/$expand?${queryOf(asked)}`)

const flat = (contains: readonly ValueSetExpansionContains[] = []): readonly ValueSetExpansionContains[] =>
  contains.flatMap((entry) => [entry, ...flat(entry.contains)])

function codesOf({ status, body }: FhirResponse): readonly (string | undefined)[] {
  expect([status, body.resourceType, validate(body)]).toEqual([200, 'ValueSet', []])
  return flat((body as ValueSet).expansion?.contains).map(({ code }) => code)
}

const ALL = ['animal', 'mammal', 'dog', 'cat', 'bird', 'dodo', 'worker']

describe('the value set meant', () => {
  test('a packaged one by its url, with what R4 says an expansion has', async () => {
    const { body } = await expand({ url: GENDER })
    expect(body).toMatchObject({ url: GENDER, name: 'AdministrativeGender', status: 'active' })
    expect(body.expansion).toMatchObject({
      identifier: expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      total: 4,
      parameter: [{ name: 'version', valueUri: 'http://hl7.org/fhir/administrative-gender|4.0.1' }],
    })
    expect(body.expansion.contains[0]).toEqual({
      system: 'http://hl7.org/fhir/administrative-gender',
      code: 'male',
      display: 'Male',
    })
    expect(body).not.toHaveProperty('compose')
  })

  test.each<[string, () => Promise<FhirResponse>, readonly string[]]>([
    ['a stored one by its url: its last version', () => expand({ url: PETS }), ['dog', 'cat']],
    ['url|version', () => expand({ url: `${PETS}|0.9` }), ['bird']],
    ['url and valueSetVersion', () => expand({ url: PETS, valueSetVersion: '0.9' }), ['bird']],
    ['by its address', () => clinics.ours('GET', '/ValueSet/pets-old/$expand'), ['bird']],
    ['by its address with POST', () => clinics.ours('POST', '/ValueSet/pets/$expand', parametersOf()), ['dog', 'cat']],
    [
      'by POST of Parameters',
      () => clinics.ours('POST', '/ValueSet/$expand', parametersOf({ name: 'url', valueUri: PETS })),
      ['dog', 'cat'],
    ],
    [
      'in the request',
      () =>
        clinics.ours(
          'POST',
          '/ValueSet/$expand',
          parametersOf({
            name: 'valueSet',
            resource: valueSetOf({ include: [{ valueSet: [PETS] }] }, 'http://example.org/new'),
          }),
        ),
      ['dog', 'cat'],
    ],
    ['alone as the body', () => clinics.ours('POST', '/ValueSet/$expand', zoo), ALL],
    [
      'by an element of a type',
      () => expand({ context: 'http://hl7.org/fhir/StructureDefinition/Patient#Patient.contact.gender' }),
      ['male', 'female', 'other', 'unknown'],
    ],
    [
      'by an element of an element',
      () =>
        expand({
          context: 'http://hl7.org/fhir/StructureDefinition/Patient#Patient.name.use',
          contextDirection: 'incoming',
        }),
      ['usual', 'official', 'temp', 'nickname', 'anonymous', 'old', 'maiden'],
    ],
    [
      'by an element of a stored profile',
      () => expand({ context: 'http://example.org/pet-owner#Patient.communication.language' }),
      ['dog', 'cat'],
    ],
  ])('%s', async (_name, ask, expected) => {
    expect(codesOf(await ask())).toEqual(expected)
  })

  test('a stored one goes before a packaged one of the same url; a packaged one draws on stored code systems', async () => {
    const url = 'http://hl7.org/fhir/ValueSet/yesnodontknow'
    const before = codesOf(await expand({ url }))
    const stored = { ...valueSetOf({ include: [{ valueSet: [PETS] }] }, url), id: 'own-answer' }
    await clinics.ours('PUT', '/ValueSet/own-answer', stored)
    expect(codesOf(await expand({ url }))).toEqual(['dog', 'cat'])
    await clinics.ours('DELETE', '/ValueSet/own-answer')
    expect(codesOf(await expand({ url }))).toEqual(before)

    const own = { ...animals, id: 'own-gender', url: 'http://hl7.org/fhir/administrative-gender' }
    await clinics.ours('PUT', '/CodeSystem/own-gender', own)
    expect(codesOf(await expand({ url: GENDER }))).toEqual(ALL)
    await clinics.ours('DELETE', '/CodeSystem/own-gender')
    expect(codesOf(await expand({ url: GENDER }))).toContain('male')
  })

  test('a changed code system is seen at once', async () => {
    const url = 'http://example.org/changing'
    const system = { ...animals, id: 'changing', url, concept: [{ code: 'one' }] }
    const inline = valueSetOf({ include: [{ system: url }] })
    const ask = () => clinics.ours('POST', '/ValueSet/$expand', inline)
    await clinics.ours('PUT', '/CodeSystem/changing', system)
    expect(codesOf(await ask())).toEqual(['one'])
    await clinics.ours('PUT', '/CodeSystem/changing', { ...system, concept: [{ code: 'two' }] })
    expect(codesOf(await ask())).toEqual(['two'])
  })

  test('of another clinic nothing is seen: neither value sets nor the code systems below', async () => {
    for (const path of [`/ValueSet/$expand?url=${PETS}`, '/ValueSet/pets/$expand'])
      expect((await clinics.theirs('GET', path)).status).toBe(404)
    const { status, body } = await clinics.theirs('POST', '/ValueSet/$expand', zoo)
    expect([status, body.issue[0].code]).toEqual([422, 'not-found'])
    const own = { ...animals, id: 'theirs', concept: [{ code: 'mouse' }] }
    await clinics.theirs('PUT', '/CodeSystem/theirs', own)
    expect(codesOf(await clinics.theirs('POST', '/ValueSet/$expand', zoo))).toEqual(['mouse'])
    expect(codesOf(await expand({ url: ZOO }))).toEqual(ALL)
  })
})

describe('the parameters', () => {
  test.each<[string, Asked, readonly string[]]>([
    ['filter, by the beginning of words', { filter: 'work' }, ['worker']],
    ['filter, every word', { filter: 'ANIMAL work' }, ['worker']],
    ['filter, in designations, without accents', { filter: 'hünd' }, ['dog']],
    ['filter, within words', { filter: 'ammal' }, []],
    ['count', { count: 2 }, ['animal', 'mammal']],
    ['offset and count', { offset: 2, count: 3 }, ['dog', 'cat', 'bird']],
    ['offset past the end', { offset: 100 }, []],
    ['count of 0', { count: 0 }, []],
    ['activeOnly', { activeOnly: true }, ALL.filter((code) => code !== 'dodo')],
    ['excludeNotForUI', { excludeNotForUI: true }, ALL.filter((code) => code !== 'animal')],
    ['exclude-system', { 'exclude-system': ANIMALS }, []],
    ['exclude-system of another version', { 'exclude-system': `${ANIMALS}|0.1` }, ALL],
    ['system-version', { 'system-version': `${ANIMALS}|1.0` }, ALL],
    ['check-system-version that holds', { 'check-system-version': `${ANIMALS}|1.0` }, ALL],
    ['excludePostCoordinated', { excludePostCoordinated: true }, ALL],
    ['a date after the definition', { date: '2024-01-01' }, ALL],
  ])('%s', async (_name, asked, expected) => {
    expect(codesOf(await expand({ url: ZOO, ...asked }))).toEqual(expected)
  })

  test('total counts all codes, whatever the page', async () => {
    for (const [asked, total] of [
      [{ count: 0 }, 7],
      [{ offset: 5, count: 1 }, 7],
      [{ filter: 'd', count: 1 }, 2],
    ] as const)
      expect((await expand({ url: ZOO, ...asked })).body.expansion.total).toBe(total)
  })

  test('pages are flat and together the whole', async () => {
    const pages = await Promise.all([0, 3, 6].map((offset) => expand({ url: ZOO, offset, count: 3 })))
    expect(pages.map(({ body }) => body.expansion.offset)).toEqual([0, 3, 6])
    expect(pages.flatMap(({ body }) => body.expansion.contains.map(({ code }: { code: string }) => code))).toEqual(ALL)
  })

  test('nested by the hierarchy, flat by excludeNested', async () => {
    const { contains } = (await expand({ url: ZOO })).body.expansion
    const shape = (entries: readonly ValueSetExpansionContains[] = []): unknown =>
      Object.fromEntries(entries.map(({ code, contains: below }) => [code, shape(below)]))
    expect(shape(contains)).toEqual({
      animal: { mammal: { dog: {}, cat: {} }, bird: { dodo: {} } },
      worker: {},
    })
    expect((await expand({ url: ZOO, excludeNested: true })).body.expansion.contains).toHaveLength(7)
  })

  test('abstract and inactive codes say so', async () => {
    const { contains } = (await expand({ url: ZOO, excludeNested: true })).body.expansion
    const marked = contains.flatMap(({ code, abstract, inactive }: ValueSetExpansionContains) =>
      abstract || inactive ? [{ code, abstract, inactive }] : [],
    )
    expect(marked).toEqual([
      { code: 'animal', abstract: true },
      { code: 'dodo', inactive: true },
    ])
  })

  test.each([
    ['de', 'Hund'],
    ['de-AT', 'Hund'],
    ['fr', 'Chien'],
    ['it', 'Dog'],
  ])('displayLanguage %s: %s', async (displayLanguage, display) => {
    const { contains } = (await expand({ url: ZOO, displayLanguage, filter: 'dog' })).body.expansion
    expect(contains[0]).toMatchObject({ code: 'dog', display })
  })

  test.each<[string, Asked, readonly string[]]>([
    ['not without includeDesignations', {}, []],
    ['all', { includeDesignations: true }, ['Hund', 'Chien', 'Doggy']],
    ['of a language', { includeDesignations: true, designation: 'urn:ietf:bcp:47|de' }, ['Hund']],
    [
      'of languages',
      { includeDesignations: true, designation: ['urn:ietf:bcp:47|de', 'urn:ietf:bcp:47|fr'] },
      ['Hund', 'Chien'],
    ],
    ['of a use', { includeDesignations: true, designation: 'http://example.org/uses|nickname' }, ['Doggy']],
    [
      'of a supplement',
      {
        includeDesignations: true,
        designation: 'urn:ietf:bcp:47|la',
        useSupplement: 'http://example.org/animals-latin',
      },
      ['Canis familiaris'],
    ],
  ])('designations: %s', async (_name, asked, expected) => {
    const { contains } = (await expand({ url: ZOO, filter: 'dog', ...asked })).body.expansion
    expect((contains[0].designation ?? []).map(({ value }: { value: string }) => value)).toEqual(expected)
  })

  test('a supplement that the value set asks for itself', async () => {
    const extension = [
      { url: 'http://hl7.org/fhir/StructureDefinition/valueset-supplement', valueCanonical: latinNames.url },
    ]
    const asked = parametersOf(
      { name: 'valueSet', resource: { ...pets, extension } },
      { name: 'displayLanguage', valueCode: 'la' },
    )
    const { body } = await clinics.ours('POST', '/ValueSet/$expand', asked)
    expect(body.expansion.contains[0]).toMatchObject({ code: 'dog', display: 'Canis familiaris' })
  })

  test('what the value set calls a code goes before what the code system calls it', async () => {
    expect((await expand({ url: PETS })).body.expansion.contains).toMatchObject([
      { code: 'dog', display: 'Good dog' },
      { code: 'cat', display: 'Cat' },
    ])
  })

  test('includeDefinition gives the compose beside the expansion', async () => {
    expect((await expand({ url: PETS, includeDefinition: true })).body.compose).toEqual(pets.compose)
  })

  test('the expansion tells which parameters it was made with', async () => {
    const { body } = await expand({
      url: ZOO,
      filter: 'd',
      count: 1,
      activeOnly: true,
      'exclude-system': ['urn:a', 'urn:b'],
    })
    expect(body.expansion.parameter).toEqual([
      { name: 'filter', valueString: 'd' },
      { name: 'count', valueInteger: 1 },
      { name: 'activeOnly', valueBoolean: true },
      { name: 'exclude-system', valueUri: 'urn:a' },
      { name: 'exclude-system', valueUri: 'urn:b' },
      { name: 'version', valueUri: `${ANIMALS}|1.0` },
    ])
  })

  test('an expansion of a part of a code system says that it is open', async () => {
    const { body } = await expand({ url: 'http://hl7.org/fhir/ValueSet/service-type', count: 1 })
    expect(body.expansion.extension).toEqual([
      { url: 'http://hl7.org/fhir/StructureDefinition/valueset-unclosed', valueBoolean: true },
    ])
  })
})

describe('a code system in two versions', () => {
  const system = { ...animals, id: 'animals-2', version: '2.0', concept: [{ code: 'fish', display: 'Fish' }] }
  beforeAll(async () => void (await clinics.ours('PUT', '/CodeSystem/animals-2', system)))
  afterAll(async () => void (await clinics.ours('DELETE', '/CodeSystem/animals-2')))

  test.each<[string, Asked, readonly string[]]>([
    ['the last, where none is named', {}, ['fish']],
    ['system-version', { 'system-version': `${ANIMALS}|1.0` }, ALL],
    ['force-system-version', { 'force-system-version': `${ANIMALS}|1.0` }, ALL],
  ])('%s', async (_name, asked, expected) => {
    expect(codesOf(await expand({ url: ZOO, ...asked }))).toEqual(expected)
  })

  test('the version that the value set names, unless it is forced to another', async () => {
    const pinned = valueSetOf({ include: [{ system: ANIMALS, version: '1.0' }] }, 'http://example.org/pinned')
    const post = (...more: readonly object[]) =>
      clinics.ours('POST', '/ValueSet/$expand', parametersOf({ name: 'valueSet', resource: pinned }, ...more))
    const other = { valueUri: `${ANIMALS}|2.0` }
    expect(codesOf(await post())).toEqual(ALL)
    expect(codesOf(await post({ name: 'system-version', ...other }))).toEqual(ALL)
    expect(codesOf(await post({ name: 'force-system-version', ...other }))).toEqual(['fish'])
    const checked = await post({ name: 'check-system-version', ...other })
    expect([checked.status, checked.body.issue[0].diagnostics]).toEqual([
      422,
      expect.stringMatching(/version 2\.0.*1\.0/),
    ])
  })

  test('of both, in one value set', async () => {
    const include = ['1.0', '2.0'].map((version) => ({ system: ANIMALS, version, concept: [{ code: 'fish' }] }))
    const { body } = await clinics.ours('POST', '/ValueSet/$expand', valueSetOf({ include }))
    expect(body.expansion.contains).toMatchObject([{ version: '1.0' }, { version: '2.0', display: 'Fish' }])
  })
})

describe('refused, with an OperationOutcome that says why', () => {
  const inline = (...include: readonly object[]) => ({
    resourceType: 'ValueSet',
    status: 'active',
    compose: { include },
  })
  const post = (body: unknown) => clinics.ours('POST', '/ValueSet/$expand', body)

  test.each<[string, () => Promise<FhirResponse>, number, string, RegExp]>([
    ['no value set', () => expand({}), 400, 'invalid', /url, valueSet, context/],
    ['two', () => expand({ url: PETS, context: 'x#y' }), 400, 'invalid', /Only one/],
    [
      'an unknown one',
      () => expand({ url: 'http://example.org/none' }),
      404,
      'not-found',
      /http:\/\/example.org\/none/,
    ],
    ['an unknown version', () => expand({ url: `${PETS}|7` }), 404, 'not-found', /pets\|7/],
    ['two versions', () => expand({ url: `${PETS}|1.0`, valueSetVersion: '0.9' }), 400, 'invalid', /another version/],
    ['an unknown address', () => clinics.ours('GET', '/ValueSet/none/$expand'), 404, 'not-found', /none/],
    [
      'an address and a url',
      () => clinics.ours('GET', `/ValueSet/pets/$expand?url=${PETS}`),
      400,
      'invalid',
      /url may not be given/,
    ],
    [
      'a context without an element',
      () => expand({ context: 'http://hl7.org/fhir/StructureDefinition/Patient' }),
      400,
      'invalid',
      /names no element/,
    ],
    [
      'a context without a binding',
      () => expand({ context: 'http://hl7.org/fhir/StructureDefinition/Patient#Patient.birthDate' }),
      404,
      'not-found',
      /binding/,
    ],
    ['an unknown parameter', () => expand({ url: PETS, colour: 'red' }), 400, 'not-supported', /colour is not known/],
    ['a negative count', () => expand({ url: PETS, count: -1 }), 400, 'invalid', /0 or more/],
    ['a count that is none', () => expand({ url: PETS, count: 'many' }), 400, 'value', /count must be/],
    ['a long filter', () => expand({ url: PETS, filter: 'x'.repeat(501) }), 400, 'too-long', /500/],
    ['an invalid value set', () => post({ resourceType: 'ValueSet' }), 422, 'required', /status/],
    ['another resource', () => post({ resourceType: 'Patient' }), 400, 'invalid', /Patient/],
    [
      'SNOMED CT',
      () =>
        post(
          inline({
            system: 'http://snomed.info/sct',
            filter: [{ property: 'concept', op: 'is-a', value: '404684003' }],
          }),
        ),
      422,
      'not-found',
      /snomed.*not here/,
    ],
    [
      'LOINC',
      () => expand({ url: 'http://hl7.org/fhir/ValueSet/observation-codes' }),
      422,
      'not-found',
      /loinc.*not here/,
    ],
    [
      'languages without end',
      () => expand({ url: 'http://hl7.org/fhir/ValueSet/all-languages' }),
      422,
      'too-costly',
      /infinitely many/,
    ],
    [
      'a filter by what the concepts lack',
      () => post(inline({ system: ANIMALS, filter: [{ property: 'wings', op: '=', value: '2' }] })),
      422,
      'not-supported',
      /wings = 2.*legs/,
    ],
    [
      'is-a of a property',
      () => post(inline({ system: ANIMALS, filter: [{ property: 'legs', op: 'is-a', value: '2' }] })),
      422,
      'not-supported',
      /hierarchy/,
    ],
    [
      'a pattern that is none',
      () => post(inline({ system: ANIMALS, filter: [{ property: 'code', op: 'regex', value: '(' }] })),
      422,
      'not-supported',
      /without its \)/,
    ],
    [
      'a value set to draw on that is not here',
      () => post(inline({ valueSet: ['http://example.org/none'] })),
      422,
      'not-found',
      /store it/,
    ],
    [
      'a value set without content',
      () => post({ resourceType: 'ValueSet', status: 'active' }),
      422,
      'not-found',
      /neither a compose nor/,
    ],
    [
      'an unknown supplement',
      () => expand({ url: PETS, useSupplement: 'http://example.org/none' }),
      404,
      'not-found',
      /supplement/,
    ],
    [
      'a date before the definition',
      () => expand({ url: GENDER, date: '2018-01-01' }),
      422,
      'not-supported',
      /2018-01-01 is not kept/,
    ],
  ])('%s', async (_name, ask, status, code, message) => {
    const answer = await ask()
    expect([answer.status, answer.body.resourceType, answer.body.issue[0].code]).toEqual([
      status,
      'OperationOutcome',
      code,
    ])
    expect(answer.body.issue[0].diagnostics).toMatch(message)
  })

  test('more codes than an answer holds, unless asked for in pages', async () => {
    const concept = Array.from({ length: 10_001 }, (_, number) => ({ code: `c${number}` }))
    const asked = (...more: readonly object[]) =>
      post(
        parametersOf({ name: 'valueSet', resource: inline({ system: 'http://example.org/many', concept }) }, ...more),
      )
    const { status, body } = await asked()
    expect([status, body.issue[0].code]).toEqual([422, 'too-costly'])
    expect(body.issue[0].diagnostics).toMatch(/10001 codes.*count and offset/)
    const page = await asked({ name: 'count', valueInteger: 2 }, { name: 'offset', valueInteger: 10_000 })
    expect(page.body.expansion).toMatchObject({ total: 10_001, contains: [{ code: 'c10000' }] })
  })
})
