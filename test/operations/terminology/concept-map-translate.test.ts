/** ConceptMap/$translate: https://hl7.org/fhir/R4/conceptmap-operation-translate.html. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ConceptMap } from 'fhir/r4'
import { validate } from '../../../src/fhir/validate/validate.ts'
import type { FhirResponse } from '../../support/server.ts'
import {
  ANIMALS,
  animals,
  animalsToSounds,
  PETS,
  parametersOf,
  pets,
  queryOf,
  valueSetOf,
  valuesOf,
} from '../../support/terms.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

const SOUNDS = 'http://example.org/sounds'
const URL = animalsToSounds.url ?? ''
const ADDRESS_USE = 'http://hl7.org/fhir/address-use'
const V3_USE = 'http://terminology.hl7.org/CodeSystem/v3-AddressUse'

const mapOf = (id: string, group: NonNullable<ConceptMap['group']>): ConceptMap => ({
  resourceType: 'ConceptMap',
  id,
  url: `http://example.org/${id}`,
  status: 'active',
  group,
})
const element = [{ code: 'cat', target: [{ code: 'purr', equivalence: 'relatedto' as const }] }]
const other = mapOf('goes-on', [
  { source: ANIMALS, target: SOUNDS, element, unmapped: { mode: 'other-map', url: URL } },
])
const circle = mapOf('circle', [
  { source: 'urn:circle', element: [{ code: 'a' }], unmapped: { mode: 'other-map', url: 'http://example.org/circle' } },
])
const same = mapOf('same', [
  { source: 'urn:from', target: 'urn:to', element: [{ code: 'a' }], unmapped: { mode: 'provided' } },
])

const opposites = mapOf('opposites', [
  {
    source: 'urn:beasts',
    target: SOUNDS,
    element: [
      { code: 'dog', target: [{ code: 'meow', equivalence: 'disjoint' }] },
      { code: 'lion', target: [{ code: 'roar', equivalence: 'narrower', comment: 'The deep one alone.' }] },
      {
        code: 'cat',
        target: [
          { code: 'bark', equivalence: 'disjoint' },
          { code: 'meow', equivalence: 'inexact', comment: 'Lions roar.' },
        ],
      },
    ],
  },
])

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  const sounds = valueSetOf({ include: [{ system: SOUNDS, concept: [{ code: 'bark' }] }] }, 'http://example.org/barks')
  for (const resource of [animals, animalsToSounds, other, circle, same, opposites, pets, sounds])
    expect((await clinics.ours('PUT', `/${resource.resourceType}/${resource.id}`, resource)).status).toBe(201)
})
afterAll(() => clinics.server.close())

type Asked = Parameters<typeof queryOf>[0]
const get = (asked: Asked) => clinics.ours('GET', `/ConceptMap/$translate?${queryOf(asked)}`)
const post = (...parameter: readonly object[]) =>
  clinics.ours('POST', '/ConceptMap/$translate', parametersOf(...parameter))
const dog = { system: ANIMALS, code: 'dog' }
const coding = (code: string, system = ANIMALS) => ({ name: 'coding', valueCoding: { system, code } })

interface Answer {
  readonly result: boolean
  readonly message?: string
  readonly match: readonly {
    readonly equivalence: string
    readonly concept?: { code: string }
    readonly source?: string
  }[]
}
function answerOf({ status, body }: FhirResponse): Answer {
  expect([status, body.resourceType, validate(body)]).toEqual([200, 'Parameters', []])
  const { match = [], ...rest } = valuesOf(body.parameter)
  return { ...rest, match: [match].flat() } as unknown as Answer
}
const matchesOf = (answer: FhirResponse) =>
  answerOf(answer).match.map(({ equivalence, concept }) => `${equivalence} ${concept?.code ?? '-'}`)

describe('a translation', () => {
  test('in the shape of R4, with its products and the map it is of', async () => {
    expect((await get({ url: URL, ...dog })).body).toEqual({
      resourceType: 'Parameters',
      parameter: [
        { name: 'result', valueBoolean: true },
        {
          name: 'match',
          part: [
            { name: 'equivalence', valueCode: 'equivalent' },
            { name: 'concept', valueCoding: { system: SOUNDS, code: 'bark', display: 'Bark' } },
            {
              name: 'product',
              part: [
                { name: 'element', valueUri: 'http://example.org/volume' },
                { name: 'concept', valueCoding: { code: 'loud' } },
              ],
            },
            { name: 'source', valueUri: URL },
          ],
        },
      ],
    })
  })

  const moon = (code: string) => ({
    name: 'dependency',
    part: [
      { name: 'element', valueUri: 'http://example.org/moon' },
      { name: 'concept', valueCodeableConcept: { coding: [{ system: 'http://example.org/moons', code }] } },
    ],
  })
  const url = { name: 'url', valueUri: URL }

  test.each<[string, () => Promise<FhirResponse>, readonly string[]]>([
    [
      'by the address',
      () => clinics.ours('GET', `/ConceptMap/animals-to-sounds/$translate?${queryOf(dog)}`),
      ['equivalent bark'],
    ],
    [
      'by a map in the request',
      () => post({ name: 'conceptMap', resource: { ...animalsToSounds, url: 'urn:new' } }, coding('dog')),
      ['equivalent bark'],
    ],
    ['of a coding', () => post(url, coding('cat')), ['wider meow']],
    [
      'of a concept: all its codings',
      () =>
        post(url, {
          name: 'codeableConcept',
          valueCodeableConcept: { coding: [dog, { system: ANIMALS, code: 'cat' }] },
        }),
      ['equivalent bark', 'wider meow'],
    ],
    ['that depends on a fact', () => post(url, coding('dog'), moon('full')), ['equivalent bark', 'narrower howl']],
    ['that depends on another fact', () => post(url, coding('dog'), moon('new')), ['equivalent bark']],
    ['of what the map has not, fixed', () => post(url, coding('bird')), ['relatedto silence']],
    [
      'of what the map has not, as it is',
      () => get({ url: 'http://example.org/same', system: 'urn:from', code: 'b' }),
      ['equal b'],
    ],
    [
      'of what the map has not, by another map',
      () => get({ url: 'http://example.org/goes-on', ...dog }),
      ['equivalent bark'],
    ],
    [
      'by the first of two maps that has it',
      () => get({ url: 'http://example.org/goes-on', system: ANIMALS, code: 'cat' }),
      ['relatedto purr'],
    ],
    ['to a code system', () => get({ url: URL, ...dog, targetsystem: SOUNDS }), ['equivalent bark']],
    ['to another code system', () => get({ url: URL, ...dog, targetsystem: 'urn:other' }), []],
    [
      'to a value set that has it',
      () => get({ url: URL, ...dog, target: 'http://example.org/barks' }),
      ['equivalent bark'],
    ],
    [
      'to a value set that has it not',
      () => get({ url: URL, system: ANIMALS, code: 'cat', target: 'http://example.org/barks' }),
      [],
    ],
    [
      'back: what was wider is narrower',
      () => get({ url: URL, system: SOUNDS, code: 'meow', reverse: true }),
      ['narrower cat'],
    ],
    [
      'back: what was narrower is wider',
      () => get({ url: 'http://example.org/opposites', system: SOUNDS, code: 'roar', reverse: true }),
      ['wider lion'],
    ],
    ['back from the code system only', () => get({ url: URL, system: ANIMALS, code: 'cat', reverse: true }), []],
    [
      'packaged',
      () => get({ url: 'http://hl7.org/fhir/ConceptMap/cm-address-use-v3', system: ADDRESS_USE, code: 'temp' }),
      ['equal TMP'],
    ],
  ])('%s', async (_name, ask, expected) => {
    expect(matchesOf(await ask())).toEqual(expected)
  })

  test('by all maps that there are, where none is named; by those between two value sets, where they are', async () => {
    const sources = async (asked: Asked) => answerOf(await get(asked)).match.map(({ source }) => source)
    expect(await sources(dog)).toEqual([URL])
    expect(await sources({ ...dog, source: PETS })).toEqual([URL])
    expect(await sources({ ...dog, source: 'http://example.org/zoo' })).toEqual([])
    const packaged = await sources({ system: ADDRESS_USE, code: 'home', targetsystem: V3_USE })
    expect(packaged).toContain('http://hl7.org/fhir/ConceptMap/cm-address-use-v3')
    expect(await sources({ system: V3_USE, code: 'TMP', reverse: true })).toContain(
      'http://hl7.org/fhir/ConceptMap/cm-address-use-v3',
    )
  })

  test('a map of the clinic goes before a packaged one of the same url', async () => {
    const url = 'http://hl7.org/fhir/ConceptMap/cm-address-use-v3'
    const target = [{ code: 'OWN', equivalence: 'equal' as const }]
    const own = { ...mapOf('own', [{ source: ADDRESS_USE, target: V3_USE, element: [{ code: 'temp', target }] }]), url }
    await clinics.ours('PUT', '/ConceptMap/own', own)
    const asked = { system: ADDRESS_USE, code: 'temp' }
    expect(matchesOf(await get({ url, ...asked }))).toEqual(['equal OWN'])
    const all = answerOf(await get({ ...asked, targetsystem: V3_USE })).match.filter(({ source }) => source === url)
    expect(all.map(({ concept }) => concept?.code)).toEqual(['OWN'])
    await clinics.ours('DELETE', '/ConceptMap/own')
    expect(matchesOf(await get({ url, ...asked }))).toEqual(['equal TMP'])
  })

  test.each<[string, Asked, RegExp]>([
    ['that the map denies', { url: URL, system: ANIMALS, code: 'dodo' }, /nothing in the target matches dodo/],
    ['that no map that is named has', { url: URL, system: 'urn:x', code: 'y' }, /No concept map.*y of urn:x/],
    ['that no map at all has', { system: 'urn:x', code: 'y' }, /y of urn:x/],
    [
      'that maps hand on in a circle',
      { url: 'http://example.org/circle', system: 'urn:circle', code: 'b' },
      /b of urn:circle/,
    ],
  ])('false, with a message: one %s', async (_name, asked, message) => {
    const answer = answerOf(await get(asked))
    expect(answer.result).toBe(false)
    expect(answer.message).toMatch(message)
  })
})

describe('a target that is disjoint', () => {
  const url = 'http://example.org/opposites'

  test('is a match, but no translation: alone it makes the result false, with a message', async () => {
    const { result, message, match } = answerOf(await get({ url, system: 'urn:beasts', code: 'dog' }))
    expect(match).toMatchObject([{ equivalence: 'disjoint', concept: { code: 'meow' } }])
    expect([result, message]).toEqual([false, expect.stringMatching(/nothing in the target matches dog/)])
  })

  test('leaves the result true beside one that is not', async () => {
    const answer = answerOf(await get({ url, system: 'urn:beasts', code: 'cat' }))
    expect(answer).toMatchObject({ result: true, match: [{ equivalence: 'disjoint' }, { equivalence: 'inexact' }] })
    expect(answer.message).toBeUndefined()
  })
})

describe('refused', () => {
  test.each<[string, () => Promise<FhirResponse>, number, string, RegExp]>([
    ['no code', () => get({ url: URL }), 400, 'invalid', /code, coding, codeableConcept/],
    ['a code without its system', () => get({ url: URL, code: 'dog' }), 400, 'invalid', /system.*missing/],
    ['an unknown map', () => get({ url: 'urn:none', ...dog }), 404, 'not-found', /concept map urn:none/],
    ['an unknown version', () => get({ url: URL, conceptMapVersion: '7', ...dog }), 404, 'not-found', /\|7/],
    [
      'an unknown address',
      () => clinics.ours('GET', `/ConceptMap/none/$translate?${queryOf(dog)}`),
      404,
      'not-found',
      /none/,
    ],
    [
      'an invalid map',
      () => post({ name: 'conceptMap', resource: { resourceType: 'ConceptMap' } }, coding('dog')),
      422,
      'required',
      /status/,
    ],
    [
      'a dependency whose concept is none',
      () =>
        post({ name: 'url', valueUri: URL }, coding('dog'), {
          name: 'dependency',
          part: [
            { name: 'element', valueUri: 'urn:x' },
            { name: 'concept', valueCodeableConcept: { coding: 5 } },
          ],
        }),
      400,
      'invalid',
      /dependency.concept/,
    ],
    [
      'a dependency without its parts',
      () => post({ name: 'url', valueUri: URL }, coding('dog'), { name: 'dependency', part: [] }),
      400,
      'required',
      /dependency/,
    ],
  ])('%s', async (_name, ask, status, code, message) => {
    const { status: actual, body } = await ask()
    expect([actual, body.resourceType, body.issue?.[0].code]).toEqual([status, 'OperationOutcome', code])
    expect(body.issue[0].diagnostics).toMatch(message)
  })
})

test('a map of one clinic is not known to another', async () => {
  expect((await clinics.theirs('GET', `/ConceptMap/$translate?${queryOf({ url: URL, ...dog })}`)).status).toBe(404)
  expect((await clinics.theirs('GET', `/ConceptMap/animals-to-sounds/$translate?${queryOf(dog)}`)).status).toBe(404)
  const { body } = await clinics.theirs('GET', `/ConceptMap/$translate?${queryOf(dog)}`)
  expect(valuesOf(body.parameter)).toMatchObject({ result: false })
})
