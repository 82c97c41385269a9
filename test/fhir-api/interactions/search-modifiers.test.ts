/** Modifiers and special parameters over HTTP, in two clinics: https://hl7.org/fhir/R4/search.html#modifiers. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { FhirResponse } from '../../support/server.ts'
import { ANIMALS, animals, PETS, pets, valueSetOf } from '../../support/terms.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  await transaction(clinics.ours, FIXTURE)
  await transaction(clinics.theirs, OF_THE_OTHER)
})
afterAll(() => clinics.server.close())

interface Resource {
  readonly resourceType: string
  readonly id?: string | undefined
}

async function transaction(fhir: TwoClinics['ours'], resources: readonly Resource[]): Promise<void> {
  const entry = resources.map((resource) => ({
    resource,
    request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
  }))
  const { status, text } = await fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  expect([status, text]).toEqual([200, expect.anything()])
}

const TAG = 'http://example.org/modifiers'
const V2 = 'http://terminology.hl7.org/CodeSystem/v2-0203'
const meta = { tag: [{ system: TAG, code: 'here' }] }
/** Tagged, so that the searches see nothing else. */
const tagged = (resourceType: string, id: string, more: object): Resource =>
  Object.assign({ resourceType, id, meta }, more)
const observation = (id: string, code: object, more: object = {}) =>
  tagged('Observation', id, { status: 'final', code, ...more })
const animal = (code: string, more: object = {}) => ({ coding: [{ system: ANIMALS, code, ...more }] })
const location = (id: string, partOf?: string) =>
  tagged('Location', id, {
    name: id,
    ...(partOf === undefined ? {} : { partOf: { reference: `Location/${partOf}` } }),
  })
const encounter = (id: string, at: string) =>
  tagged('Encounter', id, {
    status: 'finished',
    class: { code: 'AMB' },
    location: [{ location: { reference: `Location/${at}` } }],
  })
const answers = (id: string, questionnaire: string) =>
  tagged('QuestionnaireResponse', id, { status: 'completed', questionnaire })
const document = (id: string, contentType: string) =>
  tagged('DocumentReference', id, {
    status: 'current',
    content: [{ attachment: { contentType, url: 'http://example.org/file' } }],
  })
const list = (id: string, ...references: readonly string[]) =>
  tagged('List', id, {
    status: 'current',
    mode: 'working',
    entry: references.map((reference) => ({ item: { reference } })),
  })

const FIXTURE: readonly Resource[] = [
  animals,
  pets,
  tagged('Patient', 'ada', {
    meta: { ...meta, profile: ['http://example.org/profile/patient|2.0'], source: 'http://example.org/sources/one' },
    gender: 'female',
    birthDate: '1980-03-03',
    name: [{ family: 'Lovelace', given: ['Ada', 'Augusta'] }],
    identifier: [{ type: { coding: [{ system: V2, code: 'MR' }], text: 'Record number' }, value: '12' }],
    text: {
      status: 'generated',
      div: '<div xmlns="http://www.w3.org/1999/xhtml"><p>Countess, <b>mathematician</b></p></div>',
    },
  }),
  tagged('Patient', 'bob', {
    meta: { ...meta, profile: ['http://example.org/profile/patient'], security: [{ code: 'R' }] },
    gender: 'male',
    birthDate: '1986-01',
    name: [{ family: 'Builder', given: ['Bob'] }],
    identifier: [{ type: { coding: [{ system: V2, code: 'SS' }] }, value: '12' }],
    contact: [{ name: { family: 'Mathematician' } }],
  }),
  tagged('Patient', 'cyd', { name: [{ family: 'Charisse' }] }),
  observation('dog', animal('dog', { display: 'A good dog' }), { subject: { reference: 'Patient/ada' } }),
  observation('cat', animal('cat'), { subject: { reference: 'Patient/bob', display: 'Bob, builder' } }),
  observation('bird', animal('bird'), { subject: { identifier: { system: 'urn:mrn', value: '7' } } }),
  observation('mammal', { coding: animal('mammal').coding, text: 'Something with milk' }),
  observation('text', { text: 'dog' }),
  location('house'),
  location('floor', 'house'),
  location('room', 'floor'),
  location('shed'),
  // Each is part of the other.
  location('ring-1', 'ring-2'),
  location('ring-2', 'ring-1'),
  encounter('e-house', 'house'),
  encounter('e-room', 'room'),
  encounter('e-shed', 'shed'),
  encounter('e-ring', 'ring-1'),
  answers('q-any', 'http://example.org/q'),
  answers('q-2.1', 'http://example.org/q|2.1'),
  answers('q-2.1.3', 'http://example.org/q|2.1.3'),
  answers('q-2.10', 'http://example.org/q|2.10'),
  document('png', 'image/png'),
  document('xml', 'text/xml; charset=utf-8'),
  list('mine', 'Patient/ada', 'Observation/cat'),
]

const THEIR_PETS = 'http://example.org/their-pets'
/** The same url means other codes there. */
const OF_THE_OTHER: readonly Resource[] = [
  valueSetOf(pets.compose ?? { include: [] }, THEIR_PETS),
  valueSetOf({ include: [{ system: ANIMALS, concept: [{ code: 'bird' }] }] }),
  observation('their-dog', animal('dog')),
  observation('their-bird', animal('bird')),
  location('room', 'house'),
  location('their-room', 'house'),
  encounter('their-e', 'their-room'),
  tagged('Patient', 'theirs', { name: [{ family: 'Mathematician' }] }),
  list('theirs', 'Patient/ada', 'Patient/theirs'),
]

const encoded = (query: string) =>
  query
    .split('&')
    .map((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      return `${name}=${encodeURIComponent(value)}`
    })
    .join('&')
const search = (query: string, fhir = clinics.ours): Promise<FhirResponse> => {
  const [type, criteria = ''] = query.split(/\?(.*)/s)
  return fhir('GET', `/${type}?_tag=${encodeURIComponent(`${TAG}|here`)}&${encoded(criteria)}`)
}
async function ids(query: string, fhir = clinics.ours): Promise<readonly string[]> {
  const { status, body, text } = await search(query, fhir)
  expect([status, text]).toEqual([200, expect.anything()])
  return (body.entry ?? []).map((entry: { resource: { id: string } }) => entry.resource.id).sort()
}
const outcome = ({ body }: FhirResponse): string => body.issue[0].diagnostics

const PATIENTS = ['ada', 'bob', 'cyd']

describe.each<[string, readonly (readonly [string, readonly string[]])[]]>([
  [
    'string',
    [
      ['Patient?family=love', ['ada']],
      ['Patient?family:exact=Lovelace', ['ada']],
      ['Patient?family:exact=lovelace', []],
      ['Patient?family:contains=LACE', ['ada']],
      ['Patient?given:missing=true', ['cyd']],
      ['Patient?given:missing=false', ['ada', 'bob']],
    ],
  ],
  [
    'token',
    [
      ['Observation?code:text=a good', ['dog']],
      ['Observation?code:text=something with milk', ['mammal']],
      ['Observation?code:text=dog', ['text']],
      ['Patient?identifier:text=record', ['ada']],
      [`Observation?code:not=${ANIMALS}|dog`, ['bird', 'cat', 'mammal', 'text']],
      ['Patient?gender:not=female', ['bob', 'cyd']],
      [`Observation?code:in=${PETS}`, ['cat', 'dog']],
      ['Observation?code:in=ValueSet/pets', ['cat', 'dog']],
      [`Observation?code:not-in=${PETS}`, ['bird', 'mammal', 'text']],
      ['Patient?gender:in=http://hl7.org/fhir/ValueSet/administrative-gender', ['ada', 'bob']],
      [`Observation?code:below=${ANIMALS}|mammal`, ['cat', 'dog', 'mammal']],
      [`Observation?code:below=${ANIMALS}|worker`, ['dog']],
      [`Observation?code:above=${ANIMALS}|dog`, ['dog', 'mammal']],
      [`Observation?code:below=${ANIMALS}|worker,${ANIMALS}|bird`, ['bird', 'dog']],
      [`Patient?identifier:of-type=${V2}|MR|12`, ['ada']],
      [`Patient?identifier:of-type=${V2}|MR|34`, []],
      [`Patient?_has:Observation:patient:code:in=${PETS}`, ['ada', 'bob']],
      ['DocumentReference?contenttype:below=image', ['png']],
      ['DocumentReference?contenttype:below=text/xml', ['xml']],
      ['DocumentReference?contenttype:below=text', ['xml']],
      ['DocumentReference?contenttype:below=tex', []],
      ['Patient?_id:missing=false', PATIENTS],
      ['Patient?_id:missing=true', []],
      ['Patient?_contained=false', PATIENTS],
    ],
  ],
  [
    'reference',
    [
      ['Observation?subject:Patient=ada', ['dog']],
      ['Observation?subject:identifier=urn:mrn|7', ['bird']],
      ['Observation?subject:text=bob', ['cat']],
      ['Observation?subject:missing=true', ['mammal', 'text']],
      ['Encounter?location:below=house', ['e-house', 'e-room']],
      ['Encounter?location:below=Location/floor', ['e-room']],
      ['Encounter?location:above=room', ['e-house', 'e-room']],
      ['Encounter?location:below=ring-2', ['e-ring']],
      ['Encounter?location:above=ring-2', ['e-ring']],
      ['Location?partof:below=house', ['floor', 'room']],
      ['QuestionnaireResponse?questionnaire=http://example.org/q', ['q-2.1', 'q-2.1.3', 'q-2.10', 'q-any']],
      ['QuestionnaireResponse?questionnaire=http://example.org/q|2.1', ['q-2.1']],
      ['QuestionnaireResponse?questionnaire:below=http://example.org/q|2.1', ['q-2.1', 'q-2.1.3']],
      ['QuestionnaireResponse?questionnaire:below=http://example.org/q|2', ['q-2.1', 'q-2.1.3', 'q-2.10']],
      ['QuestionnaireResponse?questionnaire:above=http://example.org/q|2.1.3', ['q-2.1', 'q-2.1.3']],
    ],
  ],
  [
    'uri, and what is in meta',
    [
      ['Patient?_profile=http://example.org/profile/patient', ['ada', 'bob']],
      ['Patient?_profile=http://example.org/profile/patient|2.0', ['ada']],
      ['Patient?_profile:below=http://example.org/profile', ['ada', 'bob']],
      ['Patient?_profile:above=http://example.org/profile/patient/special', ['ada', 'bob']],
      ['Patient?_source=http://example.org/sources/one', ['ada']],
      ['Patient?_source:below=http://example.org/sources', ['ada']],
      ['Patient?_security=R', ['bob']],
      [`Patient?_tag:not=${TAG}|here`, []],
      [`Patient?_tag=${TAG}|`, PATIENTS],
    ],
  ],
  [
    '_text and _content',
    [
      ['Patient?_text=mathematician', ['ada']],
      ['Patient?_content=mathematician', ['ada', 'bob']],
      ['Patient?_content=mathematician builder', ['bob']],
      ['Patient?_content=countess OR builder', ['ada', 'bob']],
      ['Patient?_content=mathematician NOT countess', ['bob']],
      ['Patient?_text=NOT countess', ['bob', 'cyd']],
      ['Patient?_content=buil*', ['bob']],
      ['Observation?patient._text=countess', ['dog']],
    ],
  ],
  [
    '_list',
    [
      ['Patient?_list=mine', ['ada']],
      ['Observation?_list=List/mine', ['cat']],
      ['Patient?_list=nobody', []],
    ],
  ],
  [
    '_filter',
    [
      ['Patient?_filter=family eq "lovelace" or family ew "isse"', ['ada', 'cyd']],
      ['Patient?_filter=gender pr false', ['cyd']],
      ['Patient?_filter=gender ne female', ['bob']],
      ['Patient?_filter=birthdate ge 1985 and not (gender eq female)', ['bob']],
      ['Patient?_filter=given co "gust"', ['ada']],
      ['Patient?_filter=family gt c', ['ada', 'cyd']],
      ['Patient?_filter=family lt c', ['bob']],
      [`Observation?_filter=code in ${PETS} and patient[gender eq male].family sw "b"`, ['cat']],
      [`Observation?_filter=code ni ${PETS} and subject pr true`, ['bird']],
      [`Observation?_filter=code ss ${ANIMALS}|mammal`, ['cat', 'dog', 'mammal']],
      ['Observation?_filter=subject re Patient/ada', ['dog']],
      ['Patient?_filter=_has:Observation:patient:code eq cat', ['bob']],
    ],
  ],
])('%s', (_type, rows) => {
  test.each(rows)('%s finds %j', async (query, expected) => {
    expect(await ids(query)).toEqual(expected)
  })
})

describe('in the other clinic', () => {
  test.each([
    [`Observation?code:in=${PETS}`, ['their-bird']],
    [`Observation?code:in=${THEIR_PETS}`, ['their-dog']],
    ['Encounter?location:below=house', ['their-e']],
    ['Patient?_content=mathematician', ['theirs']],
    ['Patient?_list=theirs', ['theirs']],
    ['Patient?_list=mine', []],
  ])('%s finds %j', async (query, expected) => {
    expect(await ids(query, clinics.theirs)).toEqual(expected)
  })

  test('its value sets and hierarchies are unknown here', async () => {
    const answer = await search(`Observation?code:in=${THEIR_PETS}`)
    expect(answer.status).toBe(400)
    expect(outcome(answer)).toContain(`code:in=${THEIR_PETS}: There is no value set ${THEIR_PETS} here`)
    const below = await search(`Observation?code:below=${ANIMALS}|mammal`, clinics.theirs)
    expect([below.status, outcome(below)]).toEqual([
      422,
      expect.stringContaining(`The codes of ${ANIMALS} are not here`),
    ])
  })
})

describe('refused', () => {
  test.each([
    ['Observation?code:in=http://hl7.org/fhir/ValueSet/all-languages', 422, 'too-costly', 'code:in='],
    ['Observation?code:below=http://snomed.info/sct|1', 422, 'not-found', 'code:below=http://snomed.info/sct|1: '],
    ['Patient?_filter=nme eq x', 400, 'invalid', "There is no search parameter 'nme' for Patient"],
    ['Patient?_filter=name eq', 400, 'invalid', '_filter: at character 8'],
    ['Patient?_list=$current-allergies', 400, 'invalid', '$current-allergies'],
    ['Patient?_query=mine', 400, 'invalid', '_query'],
  ])('%s with %d, and what would be right', async (query, status, code, text) => {
    const answer = await search(query)
    expect([answer.status, answer.body.issue[0].code]).toEqual([status, code])
    expect(outcome(answer)).toContain(text)
  })

  test('more than 20 value sets in one search', async () => {
    const many = Array.from({ length: 21 }, (_, at) => `code:in=${PETS}|${at}`).join('&')
    const answer = await search(`Observation?${many}`)
    expect([answer.status, outcome(answer)]).toEqual([400, expect.stringContaining('more than 20 value sets')])
  })

  test('a hierarchy of more than 50 levels', async () => {
    const tower = Array.from({ length: 52 }, (_, at) => location(`t-${at}`, at === 0 ? undefined : `t-${at - 1}`))
    await transaction(clinics.ours, tower)
    const answer = await search('Encounter?location:below=t-0')
    expect([answer.status, outcome(answer)]).toEqual([422, expect.stringContaining('more than 50 levels')])
    expect(await ids('Encounter?location:below=t-3')).toEqual([])
  })
})

describe('pages', () => {
  const next = ({ body }: FhirResponse): string =>
    body.link.find((one: { relation: string }) => one.relation === 'next').url.slice(clinics.server.url.length)

  test('go on although what is below has become more', async () => {
    await transaction(clinics.ours, [location('top'), encounter('p-1', 'top'), encounter('p-2', 'top')])
    const first = await search('Encounter?location:below=top&_count=1')
    await transaction(clinics.ours, [location('attic', 'top'), encounter('p-3', 'attic')])
    const second = await clinics.ours('GET', next(first))
    expect([second.status, second.body.entry[0].resource.id]).toEqual([200, 'p-2'])
    expect((await clinics.ours('GET', next(second))).body.entry[0].resource.id).toBe('p-3')
  })

  test('go on although an approximate date is compared with a later now', async () => {
    const first = await search('Patient?birthdate=ap1983&_count=1')
    const second = await clinics.ours('GET', next(first))
    expect([second.status, second.body.entry[0].resource.id]).toEqual([200, 'bob'])
  })

  test('belong to their search, and to their compartment', async () => {
    const first = await search('Patient?birthdate=ap1983&_count=1')
    expect((await clinics.ours('GET', next(first).replace('ap1983', 'ap1984'))).status).toBe(400)
    const given = `_tag=${encodeURIComponent(`${TAG}|here`)}`
    await transaction(clinics.ours, [observation('dog-2', animal('dog'), { subject: { reference: 'Patient/ada' } })])
    const members = await clinics.ours('GET', `/Patient/ada/Observation?${given}&code:in=${PETS}&_count=1`)
    const address = next(members)
    expect((await clinics.ours('GET', address)).body.entry[0].resource.id).toBe('dog-2')
    expect((await clinics.ours('GET', address.replace('Patient/ada', 'Patient/bob'))).status).toBe(400)
    await clinics.ours('DELETE', '/Observation/dog-2')
  })
})

test('URL and body of POST _search are one query', async () => {
  const answer = await clinics.ours(
    'POST',
    `/Patient/_search?gender=female&_tag=${encodeURIComponent(`${TAG}|here`)}`,
    '_filter=birthdate%20lt%201985&_elements=birthDate',
    { 'content-type': 'application/x-www-form-urlencoded' },
  )
  expect(answer.body).toMatchObject({ total: 1, entry: [{ resource: { id: 'ada', birthDate: '1980-03-03' } }] })
  expect(answer.body.entry[0].resource).not.toHaveProperty('name')
})

test('a conditional create goes by them', async () => {
  const header = { 'if-none-exist': `identifier:of-type=${encodeURIComponent(`${V2}|MR|12`)}` }
  const answer = await clinics.ours('POST', '/Patient', { resourceType: 'Patient' }, header)
  expect([answer.status, answer.body.id]).toEqual([200, 'ada'])
})
