/** Patient/$find-duplicates and $not-duplicates, by the asynchronous pattern: https://hl7.org/fhir/R4/async.html. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle, BundleEntry, Linkage, Patient } from 'fhir/r4'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { PLACEHOLDER_TAG } from '../../src/matching/placeholder.ts'
import { comparePatients } from '../../src/operations/duplicates/background-search.ts'
import type { FhirResponse, TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { logInAs, startTwoClinics, type TwoClinics, withToken } from '../support/two-clinics.ts'

const MATCH_GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade'
const EXPLANATION = 'https://sandbox-emr.example/fhir/StructureDefinition/match-explanation'
const ASYNC = { prefer: 'respond-async' }

type Send = TestServer['fhir']

const person = (given: string, family: string, more: Partial<Patient> = {}): Patient => ({
  resourceType: 'Patient',
  name: [{ family, given: [given] }],
  ...more,
})

const phone = (value: string): Partial<Patient> => ({ telecom: [{ system: 'phone', value }] })

/** Found by their birth date, name and number; every test has its own. */
const PEOPLE: Readonly<Record<string, Patient>> = {
  // One person, registered twice alike.
  nora1: person('Nora', 'Twofold', { birthDate: '1966-06-06', ...phone('+15185550101') }),
  nora2: person('Nora', 'Twofold', { birthDate: '1966-06-06', ...phone('518-555-0101') }),
  // The same with less that agrees.
  omar1: person('Omar', 'Lesser', { birthDate: '1971-01-31' }),
  omar2: person('Omar', 'Leser', { birthDate: '1971-01-31' }),
  // Twins at one number.
  twin1: person('Maria', 'Gemelli', { birthDate: '2010-10-10', gender: 'female', ...phone('+15185550160') }),
  twin2: person('Hugo', 'Gemelli', { birthDate: '2010-10-10', gender: 'male', ...phone('+15185550160') }),
  // A caller whose registration is not complete, and the patient whom the record stands for.
  caller: { ...person('Petra', 'Placehold', phone('+15185550170')), meta: { tag: [PLACEHOLDER_TAG] }, active: false },
  petra: person('Petra', 'Placehold', { birthDate: '1980-08-08', ...phone('+15185550170') }),
  // Another placeholder of the same caller: the two are not a pair.
  again: { ...person('Petra', 'Placehold', phone('+15185550170')), meta: { tag: [PLACEHOLDER_TAG] }, active: false },
  // Linked already.
  seen1: person('Sybil', 'Seealso', { birthDate: '1955-05-05', ...phone('+15185550180') }),
  seen2: person('Sybil', 'Seealso', {
    ...{ birthDate: '1955-05-05', ...phone('+15185550180') },
    link: [{ type: 'seealso', other: { reference: 'Patient/seen1' } }],
  }),
  old: person('Olga', 'Replaced', {
    ...{ birthDate: '1944-04-04', active: false, ...phone('+15185550190') },
    link: [{ type: 'replaced-by', other: { reference: 'Patient/new' } }],
  }),
  new: person('Olga', 'Replaced', { birthDate: '1944-04-04', ...phone('+15185550190') }),
  // Nobody else.
  alone: person('Zoltan', 'Unparalleled', { birthDate: '1990-09-09' }),
}

const PAIRS = ['again petra', 'caller petra', 'nora1 nora2', 'omar1 omar2']

async function store(send: Send, people: Readonly<Record<string, Patient>>): Promise<void> {
  const entry = Object.entries(people).map(([id, patient]) => ({
    resource: { ...patient, id },
    request: { method: 'PUT', url: `Patient/${id}` },
  }))
  expect((await send('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })).status).toBe(200)
}

/** Where the state of a search is read that this begins. */
async function begin(send: Send): Promise<string> {
  const answer = await send('GET', '/Patient/$find-duplicates', undefined, ASYNC)
  expect([answer.status, answer.body.resourceType]).toEqual([202, 'OperationOutcome'])
  return new URL(answer.headers.get('content-location') ?? '').href.replace(/^.*(?=\/Patient\/)/, '')
}

async function ended(send: Send, state: string): Promise<FhirResponse> {
  let answer = await send('GET', state)
  await until(async () => {
    answer = await send('GET', state)
    return answer.status !== 202
  })
  return answer
}

const search = async (send: Send): Promise<FhirResponse> => ended(send, await begin(send))

const entriesOf = ({ body }: FhirResponse, mode: string): readonly BundleEntry[] =>
  ((body as Bundle).entry ?? []).filter((entry) => entry.search?.mode === mode)

const idsOf = (entry: BundleEntry): readonly string[] =>
  (entry.resource as Linkage).item.map(({ resource }) => resource.reference?.replace('Patient/', '') ?? '')

/** Each as its two ids, the smaller one first. */
const pairsIn = (answer: FhirResponse): readonly string[] => {
  expect([answer.status, answer.body.type]).toEqual([200, 'searchset'])
  return entriesOf(answer, 'match').map((entry) => [...idsOf(entry)].sort().join(' '))
}

async function allPages(send: Send, count: number): Promise<readonly string[]> {
  const pairs: string[] = []
  for (let next: string | undefined = `/Patient/$find-duplicates?_count=${count}`; next !== undefined; ) {
    const page: FhirResponse = await send('GET', next)
    expect(pairsIn(page).length).toBeLessThanOrEqual(count)
    pairs.push(...pairsIn(page))
    const link = (page.body as Bundle).link?.find(({ relation }) => relation === 'next')
    next = link?.url.replace(/^.*(?=\/Patient\/)/, '')
  }
  return pairs
}

const notesIn = (answer: FhirResponse): string => JSON.stringify(entriesOf(answer, 'outcome'))

const notDuplicates = (send: Send, patient: string, other: string, revoke?: boolean) =>
  send('POST', '/Patient/$not-duplicates', {
    resourceType: 'Parameters',
    parameter: [
      { name: 'patient', valueReference: { reference: patient } },
      { name: 'other', valueReference: { reference: other } },
      ...(revoke === undefined ? [] : [{ name: 'revoke', valueBoolean: revoke }]),
    ],
  })

let clinics: TwoClinics
let ours: Send
beforeAll(async () => {
  clinics = await startTwoClinics()
  ours = clinics.ours
})
afterAll(() => clinics.server.close())

test('before any search the list is empty, and says how to begin one', async () => {
  const answer = await ours('GET', '/Patient/$find-duplicates')
  expect(pairsIn(answer)).toEqual([])
  expect(notesIn(answer)).toContain('Prefer: respond-async')
})

describe('a search', () => {
  let result: FhirResponse
  beforeAll(async () => {
    await store(ours, PEOPLE)
    result = await search(ours)
  })

  test('is accepted with 202 and ends with the pairs, each once, the likeliest first', () => {
    expect([...pairsIn(result)].sort()).toEqual(PAIRS)
    const scores = entriesOf(result, 'match').map(({ search }) => search?.score ?? 0)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(scores.every((score) => score >= 0.2 && score < 1)).toBe(true)
    expect(pairsIn(result).indexOf('nora1 nora2')).toBeLessThan(pairsIn(result).indexOf('omar1 omar2'))
  })

  test('gives each pair as a linkage that is not in effect, with its grade and what each field contributes', () => {
    const entry = entriesOf(result, 'match').find((one) => idsOf(one).includes('nora1'))
    expect(entry?.resource).toMatchObject({ active: false, item: [{ type: 'source' }, { type: 'alternate' }] })
    const [grade, explanation] = entry?.search?.extension ?? []
    expect(grade).toMatchObject({ url: MATCH_GRADE, valueCode: 'probable' })
    expect(explanation?.url).toBe(EXPLANATION)
    const fields = explanation?.extension?.map(({ extension }) => extension?.[0]?.valueCode)
    expect(fields).toEqual(expect.arrayContaining(['family', 'given', 'birthDate', 'phone']))
    expect(explanation?.extension?.at(-1)).toEqual({ url: 'identityLevel', valueDecimal: 0.7 })
  })

  test('includes both patients of a pair, each once', () => {
    const included = entriesOf(result, 'include').map(({ resource }) => resource?.id)
    expect(included.toSorted()).toEqual(['again', 'caller', 'nora1', 'nora2', 'omar1', 'omar2', 'petra'])
  })

  test('names the patient as source where the other one is a placeholder', () => {
    const entry = entriesOf(result, 'match').find((one) => idsOf(one).includes('caller'))
    expect(entry && idsOf(entry)).toEqual(['petra', 'caller'])
    const caller = entriesOf(result, 'include').find(({ resource }) => resource?.id === 'caller')
    expect(caller?.resource?.meta?.tag).toContainEqual(PLACEHOLDER_TAG)
  })

  test('says when it was complete, and what it compared', () => {
    expect(notesIn(result)).toMatch(/compared \d+ patients and ended at 20/)
  })

  test('is shown to those who ask without the header, whatever its number', async () => {
    expect(pairsIn(await ours('GET', '/Patient/$find-duplicates'))).toEqual(pairsIn(result))
    expect(pairsIn(await ours('POST', '/Patient/$find-duplicates'))).toEqual(pairsIn(result))
  })

  test('is read in pages that together have every pair once', async () => {
    expect(await allPages(ours, 1)).toEqual(pairsIn(result))
  })

  test('is found in no other clinic, which has its own', async () => {
    const { theirs } = clinics
    expect(pairsIn(await theirs('GET', '/Patient/$find-duplicates'))).toEqual([])
    await store(theirs, { nora3: PEOPLE.nora1 ?? person('', '') })
    expect(pairsIn(await search(theirs))).toEqual([])
    expect((await theirs('GET', '/Patient/$find-duplicates?run=999')).status).toBe(404)
    expect(pairsIn(await ours('GET', '/Patient/$find-duplicates'))).toEqual(pairsIn(result))
  })

  test('is for admins too', async () => {
    const token = await logInAs(clinics.server, { username: 'chief', clinic: DEMO_CLINIC, role: 'admin' })
    const answer = await withToken(clinics.server, token).fhir('GET', '/Patient/$find-duplicates')
    expect(pairsIn(answer)).toEqual(pairsIn(result))
  })

  test('without a token is 401', async () => {
    const answer = await ours('GET', '/Patient/$find-duplicates', undefined, { authorization: '' })
    expect(answer.status).toBe(401)
  })

  test.each([
    ['_count=0', /1 or more/],
    ['run=x', /run/],
    ['_cursor=bm90', /cursor/],
    ['threshold=1', /threshold.*not known/],
  ])('asked for with %s is 400', async (query, says) => {
    const { status, text } = await ours('GET', `/Patient/$find-duplicates?${query}`)
    expect([status, text]).toEqual([400, expect.stringMatching(says)])
  })
})

describe('a pair is as its records are when it is read', () => {
  const LATER = {
    late1: person('Tilda', 'Changeling', { birthDate: '1961-02-03', ...phone('+15185550111') }),
    late2: person('Tilda', 'Changeling', { birthDate: '1961-02-03', ...phone('+15185550111') }),
  }
  const PAIR = 'late1 late2'
  const list = async () => pairsIn(await ours('GET', '/Patient/$find-duplicates'))
  beforeAll(async () => {
    await store(ours, LATER)
    expect(pairsIn(await search(ours))).toContain(PAIR)
  })

  test('it is left out when one has become another person, and is back when that was a mistake', async () => {
    await store(ours, { late2: person('Bertram', 'Elsewhere', { birthDate: '1999-12-31' }) })
    expect(await list()).not.toContain(PAIR)
    await store(ours, { late2: LATER.late2 })
    expect(await list()).toContain(PAIR)
  })

  test.each(['seealso', 'refer', 'replaces'] as const)(
    'it is left out when one has a link %s to the other',
    async (type) => {
      await store(ours, { late2: { ...LATER.late2, link: [{ type, other: { reference: 'Patient/late1' } }] } })
      expect(await list()).not.toContain(PAIR)
      await store(ours, { late2: LATER.late2 })
      expect(await list()).toContain(PAIR)
    },
  )

  test('it is left out when one has been merged into the other, or deleted', async () => {
    const link = [{ type: 'replaced-by' as const, other: { reference: 'Patient/late1' } }]
    await store(ours, { late2: { ...LATER.late2, link } })
    expect(await list()).not.toContain(PAIR)
    await store(ours, { late2: LATER.late2 })
    expect((await ours('DELETE', '/Patient/late2')).status).toBe(204)
    expect(await list()).not.toContain(PAIR)
    await store(ours, { late2: LATER.late2 })
  })

  test('it is left out once staff have declared that they are two people, in either order, until that is revoked', async () => {
    const declared = await notDuplicates(ours, 'Patient/late2', 'Patient/late1')
    expect(declared.status).toBe(200)
    expect(declared.body.parameter).toContainEqual({ name: 'declared', valueBoolean: true })
    expect(await list()).not.toContain(PAIR)
    expect(pairsIn(await search(ours))).not.toContain(PAIR)
    expect((await notDuplicates(ours, 'Patient/late1', 'Patient/late2', true)).body.parameter).toContainEqual({
      name: 'declared',
      valueBoolean: false,
    })
    expect(await list()).toContain(PAIR)
  })
})

describe('$not-duplicates', () => {
  test('refuses a record with itself, what is no Patient, and one that there is not', async () => {
    expect((await notDuplicates(ours, 'Patient/nora1', 'Patient/nora1')).status).toBe(400)
    expect((await notDuplicates(ours, 'Patient/nora1', 'Practitioner/x')).status).toBe(400)
    expect((await notDuplicates(ours, 'Patient/nora1', 'Patient/nobody')).status).toBe(404)
  })

  test('knows no patient of another clinic, and has no effect there', async () => {
    await store(clinics.theirs, { hers: PEOPLE.alone ?? person('', '') })
    expect((await notDuplicates(ours, 'Patient/nora1', 'Patient/hers')).status).toBe(404)
    await store(clinics.theirs, { nora1: PEOPLE.nora1 ?? person('', ''), nora2: PEOPLE.nora2 ?? person('', '') })
    expect((await notDuplicates(clinics.theirs, 'Patient/nora1', 'Patient/nora2')).status).toBe(200)
    expect(pairsIn(await ours('GET', '/Patient/$find-duplicates'))).toContain('nora1 nora2')
  })

  test('changes what is listed, so it is called by POST', async () => {
    const { status, headers } = await ours('GET', '/Patient/$not-duplicates')
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('a search under way', () => {
  /** So that it takes a while: each batch is a few patients. */
  const many = Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [
      `many${index}`,
      person(`Given${index}`, `Family${index}`, { birthDate: `19${(index % 80) + 10}-03-04` }),
    ]),
  )
  beforeAll(() => store(ours, many))

  test('is joined by whoever would begin another one, says how far it is, and shows the one before meanwhile', async () => {
    const state = await begin(ours)
    expect(await begin(ours)).toBe(state)
    const answer = await ours('GET', state)
    expect([answer.status, answer.headers.get('x-progress')]).toEqual([
      202,
      expect.stringMatching(/^\d+ of about \d+ patients compared, \d+ pairs found$/),
    ])
    expect(answer.headers.get('retry-after')).toBe('2')
    const before = await ours('GET', '/Patient/$find-duplicates')
    expect(pairsIn(before)).toContain('nora1 nora2')
    expect(notesIn(before)).toContain('is under way')
    await ended(ours, state)
  })

  test('is ended by DELETE, and leaves the list of the one before', async () => {
    const before = pairsIn(await ours('GET', '/Patient/$find-duplicates'))
    const state = await begin(ours)
    const cancelled = await ours('DELETE', state)
    expect([cancelled.status, cancelled.text]).toEqual([202, expect.stringContaining('is ended')])
    expect((await ours('GET', state)).status).toBe(404)
    expect((await ours('DELETE', state)).status).toBe(404)
    expect(pairsIn(await ours('GET', '/Patient/$find-duplicates'))).toEqual(before)
    expect(await begin(ours)).not.toBe(state)
  })

  test('cannot be ended by another clinic', async () => {
    const state = await begin(ours)
    expect((await clinics.theirs('DELETE', state)).status).toBe(404)
    expect((await ended(ours, state)).status).toBe(200)
  })
})

describe('a search has an end, whatever is stored', () => {
  test('a patient whose comparison takes too long is counted, and the search goes on', async () => {
    const { repository } = clinics.server.app
    const batch = await comparePatients(repository, { clinic: DEMO_CLINIC, limit: 5, longest: -1 })
    expect(batch).toMatchObject({ compared: 5, failed: 5, pairs: [], next: expect.any(String) })
  })

  test('of many records alike each is in the likeliest of its pairs, and a note says so', async () => {
    const alike = person('Same', 'Everywhere', { birthDate: '1933-03-03', ...phone('+15185550133') })
    await store(clinics.theirs, Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`same${index}`, alike])))
    const result = await search(clinics.theirs)
    expect(notesIn(result)).toContain('not everybody alike is here')
    const pairs = await allPages(clinics.theirs, 100)
    expect(new Set(pairs).size).toBe(pairs.length)
    expect(pairs.length).toBeGreaterThan(40)
    expect(pairs.length).toBeLessThanOrEqual(40 * 20)
  })
})

test('what is shown is in the audit trail, by patient', async () => {
  const token = await logInAs(clinics.server, { username: 'auditor', clinic: DEMO_CLINIC, role: 'admin' })
  const { fhir } = withToken(clinics.server, token)
  const detail = async (patient: string) => JSON.stringify((await fhir('GET', `/AuditEvent?patient=${patient}`)).body)
  await notDuplicates(ours, 'Patient/alone', 'Patient/petra')
  await ours('GET', '/Patient/$find-duplicates')
  await until(async () => (await detail('nora2')).includes('$find-duplicates'))
  await until(async () => (await detail('alone')).includes('$not-duplicates'))
})

test('DELETE is offered where there is work to end, and nowhere else', async () => {
  const allowed = async (path: string) => (await ours('OPTIONS', path)).headers.get('allow')
  expect(await allowed('/Patient/$find-duplicates')).toBe('GET, POST, DELETE, HEAD, OPTIONS')
  expect(await allowed('/Patient/$match')).not.toContain('DELETE')
  const refused = await ours('DELETE', '/Patient/$match')
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, POST'])
  expect((await ours('DELETE', '/Patient/$find-duplicates')).status).toBe(400)
})

test('what a search has found is deleted once a later one is complete', async () => {
  await search(ours)
  const { records } = (await clinics.server.app.access(DEMO_CLINIC, { kind: 'server' }).reader()).unit
  const searchesOf = async (kind: 'duplicate-pair' | 'duplicate-rank') => {
    const found = await records.list({ name: kind, of: 'clinic' }, { after: '', limit: 10_000 })
    return new Set(found.map(({ key }) => key.slice(0, 8)))
  }
  for (const kind of ['duplicate-pair', 'duplicate-rank'] as const) {
    await until(async () => (await searchesOf(kind)).size === 1)
  }
})
