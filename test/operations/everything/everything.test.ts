/** Patient/$everything and Encounter/$everything: https://hl7.org/fhir/R4/patient-operation-everything.html. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type FhirResponse, startServer, type TestServer } from '../../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

const run = randomUUID().slice(0, 8)
const id = (name: string) => `${run}-${name}`
const to = (type: string, name: string) => ({ reference: `${type}/${id(name)}` })
type Resource = { readonly resourceType: string; readonly id: string }
const resource = (resourceType: string, name: string, more: object = {}): Resource => ({
  resourceType,
  id: id(name),
  ...more,
})
const observation = (name: string, more: object) =>
  resource('Observation', name, { status: 'final', code: { text: name }, valueString: 'x', ...more })
const ofAda = { subject: to('Patient', 'ada') }

const RESOURCES: readonly Resource[] = [
  resource('Organization', 'group-of-clinics', { name: 'Group' }),
  resource('Organization', 'clinic', { name: 'Clinic', partOf: to('Organization', 'group-of-clinics') }),
  resource('Practitioner', 'doctor'),
  resource('PractitionerRole', 'role', {
    practitioner: to('Practitioner', 'doctor'),
    organization: to('Organization', 'clinic'),
  }),
  resource('Practitioner', 'stranger'),
  resource('Medication', 'pill', { code: { text: 'pill' } }),
  resource('Location', 'room', { name: 'Room' }),
  resource('Binary', 'scan', { contentType: 'image/png', data: 'AAAA' }),
  resource('Patient', 'ada', { generalPractitioner: [to('PractitionerRole', 'role')] }),
  resource('Patient', 'bob'),
  resource('Encounter', 'visit', {
    status: 'finished',
    class: { code: 'AMB' },
    ...ofAda,
    period: { start: '2020-05-01T09:00:00Z', end: '2020-05-01T10:00:00Z' },
    location: [{ location: to('Location', 'room') }],
  }),
  observation('pulse', { ...ofAda, encounter: to('Encounter', 'visit'), effectiveDateTime: '2020-05-01T09:30:00Z' }),
  observation('weight', { ...ofAda, effectiveDateTime: '2021-06-01' }),
  observation('undated', { ...ofAda, derivedFrom: [to('Observation', 'of-bob')] }),
  observation('of-bob', { subject: to('Patient', 'bob'), performer: [to('Practitioner', 'stranger')] }),
  resource('MedicationRequest', 'order', {
    status: 'active',
    intent: 'order',
    medicationReference: to('Medication', 'pill'),
    ...ofAda,
    authoredOn: '2020-05-01',
    encounter: to('Encounter', 'visit'),
  }),
  resource('DocumentReference', 'paper', {
    status: 'current',
    ...ofAda,
    content: [{ attachment: { url: `Binary/${id('scan')}` } }],
  }),
  resource('Coverage', 'cover', {
    status: 'active',
    beneficiary: to('Patient', 'ada'),
    payor: [to('Organization', 'clinic')],
  }),
  resource('Group', 'both', {
    type: 'person',
    actual: true,
    member: [{ entity: to('Patient', 'ada') }, { entity: to('Patient', 'bob') }],
  }),
  resource('Task', 'call-back', { status: 'requested', intent: 'order', focus: to('Patient', 'ada') }),
  resource('Provenance', 'origin', {
    target: [to('Observation', 'weight')],
    recorded: '2021-06-01T00:00:00Z',
    agent: [{ who: to('Practitioner', 'doctor') }],
  }),
]
/** All resources of Ada's compartment, and those that they refer to. */
const MATCHES = 'ada both call-back cover order paper pulse undated visit weight'
const INCLUDED = 'clinic doctor group-of-clinics of-bob origin pill role room scan stranger'

const transaction = (resources: readonly Resource[]) => ({
  resourceType: 'Bundle',
  type: 'transaction',
  entry: resources.map((one) => ({ resource: one, request: { method: 'PUT', url: `${one.resourceType}/${one.id}` } })),
})

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  expect((await server.fhir('POST', '/', transaction(RESOURCES))).status).toBe(200)
})
afterAll(() => server.close())

type Entry = { readonly fullUrl: string; readonly resource: Resource; readonly search: { readonly mode: string } }

function names({ status, body }: FhirResponse, mode: string): string {
  expect([status, body.resourceType, body.type]).toEqual([200, 'Bundle', 'searchset'])
  const entries: readonly Entry[] = body.entry ?? []
  return entries
    .filter(({ search }) => search.mode === mode)
    .map(({ resource: one }) => one.id?.replace(`${run}-`, ''))
    .sort()
    .join(' ')
}
const get = (path: string) => server.fhir('GET', path)
const nextOf = ({ body }: FhirResponse): string | undefined =>
  body.link.find(({ relation }: { relation: string }) => relation === 'next')?.url.slice(server.url.length)

/** Every page, by the next links. */
async function pagesFrom(path: string, ask = get): Promise<readonly FhirResponse[]> {
  const pages: FhirResponse[] = []
  for (let next: string | undefined = path; next !== undefined; next = nextOf(pages.at(-1) ?? (await ask(path)))) {
    pages.push(await ask(next))
    expect(pages.length).toBeLessThan(500)
  }
  return pages
}

describe('Patient/[id]/$everything', () => {
  test('answers the patient first, all that belongs to the patient, and what that refers to', async () => {
    const answer = await get(`/Patient/${id('ada')}/$everything`)
    expect(names(answer, 'match')).toBe(MATCHES)
    expect(names(answer, 'include')).toBe(INCLUDED)
    expect(answer.body.entry[0].fullUrl).toBe(`${server.url}/Patient/${id('ada')}`)
    expect(answer.body.total).toBe(MATCHES.split(' ').length)
    expect(answer.body.link).toEqual([{ relation: 'self', url: `${server.url}/Patient/${id('ada')}/$everything` }])
  })

  test('has no other patient, nor what belongs to one, but what the record itself refers to', async () => {
    const { text } = await get(`/Patient/${id('ada')}/$everything`)
    expect(text).not.toContain(`"fullUrl":"${server.url}/Patient/${id('bob')}"`)
    expect(names(await get(`/Patient/${id('bob')}/$everything`), 'match')).toBe('bob both of-bob')
  })

  test.each<[query: string, matches: string, included: string]>([
    ['_type=Patient', 'ada', ''],
    ['_type=Observation,Coverage', 'cover pulse undated weight', 'of-bob'],
    ['_type=Observation&_type=Coverage', 'cover pulse undated weight', 'of-bob'],
    ['_type=Practitioner', '', 'doctor stranger'],
    ['_type=Medication,MedicationRequest', 'order', 'pill'],
    ['_type=Provenance', '', 'origin'],
    ['_type=Slot', '', ''],
    ['_since=2000-01-01T00:00:00Z', MATCHES, INCLUDED],
    ['_since=2999-01-01T00:00:00Z', '', ''],
    ['_since=2999-01-01T00:00:00%2B01:00', '', ''],
    ['_since=2999-01-01T00:00:00+01:00', '', ''],
    ['start=2021-01-01&_type=Observation,Encounter', 'undated weight', 'of-bob'],
    ['end=2020-05-01&_type=Observation,Encounter', 'pulse undated visit', 'of-bob'],
    ['end=2020-04-30&_type=Observation,Encounter,MedicationRequest,Coverage', 'cover undated', 'of-bob'],
    ['start=2020-05&end=2020-05&_type=Observation,Encounter,MedicationRequest', 'order pulse undated visit', 'of-bob'],
    ['start=2020&end=2021&_type=Observation', 'pulse undated weight', 'of-bob'],
  ])('?%s answers %j and %j', async (query, matches, included) => {
    const answer = await get(`/Patient/${id('ada')}/$everything?${query}`)
    expect(names(answer, 'match')).toBe(matches)
    expect(names(answer, 'include')).toBe(included)
  })

  test('keeps decimals as they were written', async () => {
    const name = randomUUID()
    await server.fhir('PUT', `/Patient/${name}`, { resourceType: 'Patient', id: name })
    await server.fhir(
      'POST',
      '/Observation',
      `{"resourceType":"Observation","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/${name}"},"valueQuantity":{"value":1.50}}`,
    )
    expect((await get(`/Patient/${name}/$everything`)).text).toContain('"value":1.50')
  })

  test.each([1, 2, 3, 9, 10, 100])(
    'in pages of %i, each resource once, with what each page refers to',
    async (count) => {
      const pages = await pagesFrom(`/Patient/${id('ada')}/$everything?_count=${count}`)
      const seen = pages.flatMap((page) => names(page, 'match').split(' ').filter(Boolean))
      expect(seen.sort().join(' ')).toBe(MATCHES)
      for (const page of pages) expect(names(page, 'match').split(' ').length).toBeLessThanOrEqual(count)
      expect(pages).toHaveLength(Math.ceil(MATCHES.split(' ').length / count))
      const included = new Set(pages.flatMap((page) => names(page, 'include').split(' ').filter(Boolean)))
      expect([...included].sort().join(' ')).toBe(INCLUDED)
    },
  )

  test('the pages of a POST with Parameters go on with the same parameters', async () => {
    const first = await server.fhir('POST', `/Patient/${id('ada')}/$everything`, {
      resourceType: 'Parameters',
      parameter: [
        { name: '_type', valueCode: 'Observation' },
        { name: 'start', valueDate: '2020-01-01' },
        { name: '_count', valueInteger: 2 },
      ],
    })
    expect(first.body.link[0].url).toBe(
      `${server.url}/Patient/${id('ada')}/$everything?start=2020-01-01&_type=Observation&_count=2`,
    )
    const second = await get(nextOf(first) ?? '')
    const found = [first, second].flatMap((page) => names(page, 'match').split(' '))
    expect(found.sort()).toEqual(['pulse', 'undated', 'weight'])
    expect(nextOf(second)).toBeUndefined()
  })

  test('the next page keeps the format', async () => {
    const { text } = await get(`/Patient/${id('ada')}/$everything?_count=1&_format=xml`)
    expect(text).toMatch(/<relation value="next"\/><url value="[^"]*_format=xml/)
  })

  test('may stand in a Bundle', async () => {
    const { body } = await server.fhir('POST', '/', {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [{ request: { method: 'GET', url: `Patient/${id('bob')}/$everything` } }],
    })
    expect(body.entry[0].resource.entry).toHaveLength(4)
  })

  test.each<[path: string, status: number, says: string]>([
    ['nobody/$everything', 404, "There is no Patient with id 'nobody'"],
    [`${id('ada')}/$everything?_type=Observations`, 400, 'did you mean Observation'],
    [`${id('ada')}/$everything?_since=2020`, 400, '_since'],
    [`${id('ada')}/$everything?start=yesterday`, 400, 'start'],
    [`${id('ada')}/$everything?start=2021&end=2020`, 400, 'before start'],
    [`${id('ada')}/$everything?_count=0`, 400, '_count is 0'],
    [`${id('ada')}/$everything?_count=-1`, 400, '_count'],
    [`${id('ada')}/$everything?_count=x`, 400, '_count'],
    [`${id('ada')}/$everything?colour=red`, 400, 'colour'],
    [`${id('ada')}/$everything?_cursor=x`, 400, 'cursor'],
    [`${id('ada')}/$everything?_cursor=${Buffer.from('{"id":1}').toString('base64url')}`, 400, 'cursor'],
    [
      `${id('ada')}/$everything?_cursor=${Buffer.from('{"id":"a","members":"x"}').toString('base64url')}`,
      400,
      'cursor',
    ],
  ])('refuses %s with %i', async (path, status, says) => {
    const answer = await get(`/Patient/${path}`)
    expect([answer.status, answer.body.resourceType]).toEqual([status, 'OperationOutcome'])
    expect(answer.body.issue[0].diagnostics).toContain(says)
  })

  test('of a deleted patient is 410; a cursor of one patient is none of another', async () => {
    const name = randomUUID()
    await server.fhir('PUT', `/Patient/${name}`, { resourceType: 'Patient', id: name })
    await server.fhir('DELETE', `/Patient/${name}`)
    expect((await get(`/Patient/${name}/$everything`)).status).toBe(410)
    const next = nextOf(await get(`/Patient/${id('ada')}/$everything?_count=2`)) ?? ''
    expect((await get(next.replace(id('ada'), id('bob')))).status).toBe(400)
  })
})

describe('Patient/$everything', () => {
  test('answers the record of every patient of the clinic, one after the other, each resource once for a patient', async () => {
    const pages = await pagesFrom('/Patient/$everything?_count=7')
    const matches = pages.flatMap(({ body }) =>
      (body.entry as readonly Entry[]).filter(({ search }) => search.mode === 'match').map(({ resource: one }) => one),
    )
    const patients = matches.filter(({ resourceType }) => resourceType === 'Patient').map((one) => one.id)
    const { body: all } = await get('/Patient?_count=1000&_elements=id')
    expect(patients).toEqual(all.entry.map(({ resource: one }: Entry) => one.id))
    const ofAda = matches.map((one) => one.id).filter((one) => one.startsWith(run))
    // The group of both is in the record of either.
    expect(ofAda.map((one) => one.replace(`${run}-`, '')).sort()).toEqual(
      [...MATCHES.split(' '), 'bob', 'both', 'of-bob'].sort(),
    )
    for (const { body } of pages) expect(body.total).toBeUndefined()
  })

  test('without _count a page is as long as the limit of a search, and has a next link while there is more', async () => {
    const small = await startServer({ MAX_COUNT: '5' })
    try {
      const { body } = await small.fhir('GET', '/Patient/$everything')
      expect(body.entry.filter(({ search }: Entry) => search.mode === 'match')).toHaveLength(5)
      expect(body.link.map(({ relation }: { relation: string }) => relation)).toEqual(['self', 'next'])
      const asked = await small.fhir('GET', '/Patient/$everything?_count=100')
      expect(asked.body.entry.filter(({ search }: Entry) => search.mode === 'match')).toHaveLength(5)
    } finally {
      await small.close()
    }
  })

  test('goes on behind fifty patients without data, however long the page', async () => {
    const { ours, server: two } = await startTwoClinics()
    try {
      const many = Array.from({ length: 120 }, (_none, index) => resource('Patient', `lone-${index}`))
      await ours('POST', '/', transaction(many))
      const ask = (path: string) => ours('GET', path)
      const first = await ask('/Patient/$everything?_type=Patient')
      expect(first.body.entry).toHaveLength(50)
      const found: string[] = first.body.entry.map(({ resource: one }: Entry) => one.id)
      let next = first.body.link[1]?.url.slice(two.url.length)
      while (next !== undefined) {
        const { body } = await ask(next)
        found.push(...(body.entry ?? []).map(({ resource: one }: Entry) => one.id))
        next = body.link[1]?.url.slice(two.url.length)
      }
      expect(new Set(found).size).toBe(found.length)
      expect(found).toEqual(expect.arrayContaining(many.map((one) => one.id)))
    } finally {
      await two.close()
    }
  })
})

describe('Encounter/[id]/$everything', () => {
  test('answers the encounter, all that refers to it, and what that refers to', async () => {
    const answer = await get(`/Encounter/${id('visit')}/$everything`)
    expect(names(answer, 'match')).toBe('order pulse visit')
    expect(names(answer, 'include')).toBe('ada clinic doctor group-of-clinics pill role room')
  })

  test('is there for one encounter, not for all', async () => {
    expect((await get('/Encounter/$everything')).status).toBe(404)
  })
})

test('more than the limit of includes is cut off and said so', async () => {
  const small = await startServer({ MAX_INCLUDES: '2' })
  try {
    await small.fhir('POST', '/', transaction(RESOURCES))
    const { body } = await small.fhir('GET', `/Patient/${id('ada')}/$everything`)
    const modes = body.entry.map(({ search }: Entry) => search.mode)
    expect(modes.filter((mode: string) => mode === 'include')).toHaveLength(2)
    expect(body.entry.at(-1).resource.issue[0].diagnostics).toContain('More than 2 resources are referred to')
  } finally {
    await small.close()
  }
})

describe('another clinic', () => {
  let clinics: TwoClinics
  beforeAll(async () => {
    clinics = await startTwoClinics()
    await clinics.ours('POST', '/', transaction(RESOURCES))
  })
  afterAll(() => clinics.server.close())

  test('has no record of our patient, also by our cursor', async () => {
    expect((await clinics.theirs('GET', `/Patient/${id('ada')}/$everything`)).status).toBe(404)
    const { body } = await clinics.ours('GET', `/Patient/${id('ada')}/$everything?_count=3`)
    const next = body.link[1].url.slice(clinics.server.url.length)
    expect((await clinics.theirs('GET', next)).status).toBe(404)
    const cursor = new URLSearchParams(next.split('?')[1]).get('_cursor')
    const stolen = await clinics.theirs('GET', `/Patient/$everything?_count=3&_cursor=${cursor}`)
    expect(stolen.status === 400 || stolen.body.entry === undefined).toBe(true)
  })

  test('has its own record of a patient of the same id, and no support of ours', async () => {
    await clinics.theirs(
      'POST',
      '/',
      transaction([
        resource('Patient', 'ada', { generalPractitioner: [to('PractitionerRole', 'role')] }),
        observation('theirs', ofAda),
      ]),
    )
    const answer = await clinics.theirs('GET', `/Patient/${id('ada')}/$everything`)
    expect([names(answer, 'match'), names(answer, 'include')]).toEqual(['ada theirs', ''])
    expect(names(await clinics.theirs('GET', '/Patient/$everything'), 'match')).toBe('ada theirs')
    expect(names(await clinics.ours('GET', `/Patient/${id('ada')}/$everything`), 'match')).toBe(MATCHES)
  })
})
