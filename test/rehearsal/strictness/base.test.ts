/** Addresses below /as/{profile}: links, formats, ways around a rule, faults, the journal, and what there is not. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle } from 'fhir/r4'
import { exchangeOf } from '../../support/journal.ts'
import { request, startServer, type TestServer } from '../../support/server.ts'
import { startTwoClinics } from '../../support/two-clinics.ts'
import { PATIENT } from './examples/example.ts'

const AS = '/as/oracle-r4'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const get = (path: string, headers = {}) => server.fhir('GET', path, undefined, headers)
const reasonOf = ({ body }: { body: { issue?: readonly { details?: { coding?: readonly { code?: string }[] } }[] } }) =>
  body?.issue?.[0]?.details?.coding?.[0]?.code
const patient = (more: object = {}) => ({ resourceType: 'Patient', name: [{ family: 'Strict' }], ...more })

describe('an address below /as', () => {
  test('shows the same data, and every link of the answer stays below it', async () => {
    const { body } = await get(`${AS}/Patient?gender=female&family=a&_count=1`)
    const { link = [], entry = [] } = body as Bundle
    expect(link.map(({ relation }) => relation)).toContain('self')
    for (const { url } of link) expect(url.startsWith(`${server.url}${AS}/`)).toBe(true)
    for (const { fullUrl = '' } of entry) expect(fullUrl.startsWith(`${server.url}${AS}/Patient/`)).toBe(true)
    expect((await get(`${AS}/${PATIENT}`)).text).toBe((await get(`/${PATIENT}`)).text)
  })

  test('leads on to the next page', async () => {
    const { body } = await get('/as/oracle-r4/Patient?family=a&_count=1')
    const next: string = body.link.find(({ relation }: { relation: string }) => relation === 'next').url
    const page = await get(next.slice(server.url.length))
    expect([page.status, next.startsWith(`${server.url}/as/oracle-r4/`)]).toEqual([200, true])
  })

  test('has Location below it, without a body, and the resource is there at the plain base', async () => {
    const { status, text, headers } = await server.fhir('POST', `${AS}/Patient`, patient(), {
      prefer: 'return=representation',
    })
    const location = headers.get('location') ?? ''
    expect([status, text, headers.get('etag')]).toEqual([201, '', 'W/"1"'])
    expect(location).toMatch(new RegExp(`^${server.url}${AS}/Patient/[^/]+$`))
    expect((await get(location.slice(server.url.length + AS.length))).body.name).toEqual(patient().name)
  })

  test('takes references to itself as references to the clinic’s own resources', async () => {
    const { headers } = await server.fhir('POST', `${AS}/DocumentReference`, {
      resourceType: 'DocumentReference',
      status: 'current',
      docStatus: 'final',
      type: { coding: [{ system: 'http://loinc.org', code: '34109-9' }] },
      subject: { reference: `${server.url}${AS}/${PATIENT}` },
      content: [{ attachment: { contentType: 'text/plain;charset=utf-8', data: 'Tm90ZQ==' } }],
      context: { period: { end: '2030-01-07T09:00:00Z' } },
    })
    const { body } = await get((headers.get('location') ?? '').slice(server.url.length))
    expect(body.subject.reference).toBe(PATIENT)
  })

  test('is told to the journal as it was sent', async () => {
    const answer = await get(`${AS}/Appointment?patient=${PATIENT}`)
    const { address, status, reason } = await exchangeOf(server, answer)
    expect([address, status, reason?.code]).toEqual([
      `${AS}/Appointment?patient=${PATIENT}`,
      400,
      'appointment-search-date',
    ])
  })

  test('meets faults, by a header and by rules that name paths of FHIR', async () => {
    const faulted = await get(`${AS}/${PATIENT}`, { 'x-sandbox-fault': 'throttled' })
    expect([faulted.status, faulted.body.resourceType]).toEqual([429, 'OperationOutcome'])
    const small = await get(`${AS}/Patient?family=a`, { 'x-sandbox-fault': 'small-pages' })
    const { address } = await exchangeOf(server, small)
    expect([small.body.entry.length, address]).toEqual([1, `${AS}/Patient?family=a`])
  })

  test('needs a token, and shows the clinic of that token alone', async () => {
    expect((await request(server.url, 'GET', `${AS}/${PATIENT}`)).status).toBe(401)
    const { ours, theirs, server: both } = await startTwoClinics()
    const { headers } = await ours('POST', `${AS}/Patient`, patient())
    const path = (headers.get('location') ?? '').slice(both.url.length)
    expect([(await ours('GET', path)).status, (await theirs('GET', path)).status]).toEqual([200, 404])
    await both.close()
  })

  test('answers OPTIONS', async () => {
    expect((await request(server.url, 'OPTIONS', `${AS}/Patient`)).status).toBe(204)
  })
})

describe('there is no way around a rule', () => {
  const SEARCH = `Appointment?patient=${PATIENT}`

  test.each([
    ['HEAD', 'HEAD', `/${SEARCH}`, undefined, {}],
    ['POST _search', 'POST', '/Appointment/_search', `patient=${PATIENT}`, FORM()],
    ['POST _search with the query in the address', 'POST', `/Appointment/_search?patient=${PATIENT}`, '', FORM()],
    ['a modifier', 'GET', '/Appointment?patient:Patient=abernathy-ruth', undefined, {}],
    ['a chain', 'GET', '/Appointment?patient.family=Abernathy', undefined, {}],
    ['_format', 'GET', `/${PATIENT}?_format=xml`, undefined, {}],
    ['a search in a compartment', 'GET', `/${PATIENT}/Appointment`, undefined, {}],
    ['a search over types', 'GET', '/?_type=Appointment&_id=x', undefined, {}],
    ['a conditional update', 'PUT', '/Appointment?identifier=x', { resourceType: 'Appointment' }, {}],
    ['a transaction', 'POST', '/', { resourceType: 'Bundle', type: 'transaction', entry: [] }, {}],
    ['an encoded address', 'GET', `/%41ppointment?patient=${PATIENT}`, undefined, {}],
  ])('%s', async (_way, method, path, body, headers) => {
    const { status } = await server.fhir(method, `${AS}${path}`, body, headers)
    expect(status).toBeGreaterThanOrEqual(400)
  })

  test('an XML body is judged as any other', async () => {
    const xml = '<Patient xmlns="http://hl7.org/fhir"><implicitRules value="http://example.org"/></Patient>'
    const sent = await server.fhir('POST', `${AS}/Patient`, xml, {
      'content-type': 'application/fhir+xml',
      accept: 'application/fhir+json',
    })
    expect([sent.status, reasonOf(sent)]).toEqual([406, 'json-only'])
  })

  test('an entry of a batch is judged as a request of its own', async () => {
    const entry = [SEARCH, PATIENT].map((url) => ({ request: { method: 'GET', url } }))
    const { body } = await server.fhir('POST', AS, { resourceType: 'Bundle', type: 'batch', entry })
    const [refused, read] = body.entry
    expect(reasonOf({ body: refused.response.outcome })).toBe('appointment-search-date')
    expect([read.response.status, read.resource.id]).toEqual(['200 OK', 'abernathy-ruth'])
  })

  test('nothing but FHIR is below it', async () => {
    for (const path of ['/session', '/clinics', '/health', '/mcp/fhir', '/as', '/emr-scheduling/get_clinic_info']) {
      expect([path, (await get(`${AS}${path}`)).status]).toEqual([path, 404])
    }
  })
})

/** A search by POST. */
function FORM(): Record<string, string> {
  return { 'content-type': 'application/x-www-form-urlencoded' }
}

test('an unknown profile is 404 with the nearest name', async () => {
  const { status, body } = await get('/as/oracel-r4/Patient')
  expect([status, body.issue[0].diagnostics]).toEqual([
    404,
    "There is no strictness profile 'oracel-r4'; did you mean oracle-r4?",
  ])
})

test('GET /as lists the profiles, with their rules and sources, for those who are logged in', async () => {
  expect((await request(server.url, 'GET', '/as')).status).toBe(401)
  const { profiles } = (await get('/as')).body
  const oracle = profiles.find(({ name }: { name: string }) => name === 'oracle-r4')
  expect([oracle.disclaimer, oracle.rules[0].citation.address]).toEqual([
    'Mimics documented behaviour; not affiliated with Oracle.',
    expect.stringMatching(/^https:/),
  ])
})

test('the plain base refuses nothing of it', async () => {
  const { status, headers, text } = await server.fhir(
    'POST',
    '/Patient',
    patient({ implicitRules: 'http://example.org' }),
  )
  expect([status, text === '', headers.get('location')]).toEqual([201, false, expect.stringContaining('/_history/1')])
  expect((await get(`/Appointment?patient=${PATIENT}`)).status).toBe(200)
})

test('where rehearsals are off there is nothing at /as', async () => {
  const off = await startServer({ REHEARSAL: 'off' })
  for (const path of ['/as', `${AS}/metadata`, `${AS}/Patient?_id=x`])
    expect([path, (await off.fhir('GET', path)).status]).toEqual([path, 404])
  await off.close()
})
