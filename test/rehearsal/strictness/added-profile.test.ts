/** A strictness profile that an extension brings: its rules hold for entries of Bundles, and for errors. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Change, Profile, Rule } from '../../../src/rehearsal/strictness/profile.ts'
import { newLastingDatabaseUrl } from '../../support/database.ts'
import { ASYNC, ended, exported, startedJob } from '../../support/jobs.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const citation = {
  quote: 'So it is.',
  address: 'https://example.org/docs',
  date: '2026-11-28',
  kind: 'primary',
} as const
const rule = (id: string, of: Pick<Rule, 'on' | 'check'>, status = 422): Rule => ({
  id,
  title: `As ${id} says`,
  ...of,
  answer: { status, code: 'business-rule' },
  citation,
})
const change = (id: string, on: Change['on'], answer: Change['answer']): Change => ({
  id,
  title: `As ${id} says`,
  ...(on === undefined ? {} : { on }),
  answer,
  citation,
})

const PROFILE: Profile = {
  name: 'our-ehr',
  title: 'Our EHR',
  version: '1.0.0',
  disclaimer: 'Mimics nobody.',
  rules: [
    rule('born', { on: { interactions: ['create'], types: ['Patient'] }, check: { body: 'birthDate.exists()' } }),
    rule('by-name', {
      on: { interactions: ['search-type'], types: ['Patient'] },
      check: { parameters: ['family', '_count'] },
    }),
    rule('no-meta', { on: { operations: ['meta'] }, check: { offered: false } }, 404),
    rule('only-people', { on: { otherThan: ['Patient', 'Appointment'] }, check: { offered: false } }, 404),
    rule('whole', { on: { interactions: ['transaction'] }, check: { unless: { status: 422 } } }, 409),
    rule('not-there', { on: { interactions: ['read'] }, check: { unless: { status: 404 } } }, 410),
  ],
  changes: [
    change('no-etag', { interactions: ['read'] }, { etag: 'none' }),
    change('relative', { interactions: ['create'] }, { location: 'relative' }),
    change(
      'nobody',
      { interactions: ['search-type'] },
      {
        outcomeWhenEmpty: { severity: 'warning', code: 'not-found', text: 'Nobody is found' },
      },
    ),
  ],
}

const AS = '/as/our-ehr'

let server: TestServer
beforeAll(async () => {
  const extensions = [{ name: 'ours', strictness: [PROFILE] }]
  server = await startServer({ DATABASE_URL: await newLastingDatabaseUrl() }, { extensions, workThreads: 0 })
})
afterAll(() => server.close())

const reason = (resource: { issue?: readonly { details?: { coding?: readonly { code?: string }[] } }[] } | undefined) =>
  resource?.issue?.[0]?.details?.coding?.[0]?.code
const patient = (more: object = {}) => ({ resourceType: 'Patient', name: [{ family: 'Ours' }], ...more })
const BORN = { birthDate: '1980-01-01' }
const bundle = (type: string, ...resources: readonly object[]) => ({
  resourceType: 'Bundle',
  type,
  entry: resources.map((resource) => ({ resource, request: { method: 'POST', url: 'Patient' } })),
})
const count = async () => (await server.fhir('GET', '/Patient?family=Ours&_summary=count')).body.total

describe('entries of a Bundle', () => {
  test('of a batch are refused one by one', async () => {
    const { status, body } = await server.fhir('POST', AS, bundle('batch', patient(), patient(BORN)))
    const [refused, created] = body.entry
    expect([status, refused.response.status, reason(refused.response.outcome)]).toEqual([
      200,
      expect.stringMatching(/^422/),
      'born',
    ])
    expect(created.response.status).toMatch(/^201/)
    expect(created.response.location).toMatch(new RegExp(`^(${server.url}${AS}/)?Patient/`))
  })

  test('of a transaction end it, and nothing is stored', async () => {
    const before = await count()
    const { status, body } = await server.fhir('POST', AS, bundle('transaction', patient(BORN), patient()))
    expect([status, reason(body), body.issue[0].diagnostics]).toEqual([
      422,
      'born',
      expect.stringContaining('Bundle.entry[1]'),
    ])
    expect(await count()).toBe(before)
  })

  test('keep their own rule where there is one for the errors of the transaction', async () => {
    const { status, body } = await server.fhir('POST', AS, bundle('transaction', patient({ ...BORN, gender: 'x' })))
    expect([status, reason(body)]).toEqual([409, 'whole'])
  })

  test('are told the narrowed CapabilityStatement', async () => {
    const entry = [{ request: { method: 'GET', url: 'metadata' } }]
    const { body } = await server.fhir('POST', AS, { resourceType: 'Bundle', type: 'batch', entry })
    const { rest, implementation } = body.entry[0].resource
    const types = rest[0].resource.map(({ type }: { type: string }) => type)
    expect([types, implementation.url]).toEqual([['Appointment', 'Patient'], `${server.url}${AS}`])
    const [, { searchParam, operation }] = rest[0].resource
    expect(searchParam.map(({ name }: { name: string }) => name)).toEqual(['family'])
    expect(operation.map(({ name }: { name: string }) => name)).not.toContain('meta')
  })
})

describe('a rule', () => {
  test('for operations holds at each level', async () => {
    const sent = await Promise.all(
      ['/$meta', '/Patient/$meta', '/Patient/abernathy-ruth/$meta'].map((path) => server.fhir('GET', `${AS}${path}`)),
    )
    expect(sent.map(({ status, body }) => [status, reason(body)])).toEqual(Array(3).fill([404, 'no-meta']))
  })

  test('for a search holds for the search in a compartment', async () => {
    const { body } = await server.fhir('GET', `${AS}/Patient/abernathy-ruth/Observation`)
    expect(reason(body)).toBe('only-people')
  })

  test('puts its answer in the place of an error of the server’s own', async () => {
    const { status, body } = await server.fhir('GET', `${AS}/Patient/nobody`)
    expect([status, reason(body)]).toEqual([410, 'not-there'])
  })
})

describe('an answer', () => {
  test('has no ETag, or a relative Location, where the profile says so', async () => {
    const read = await server.fhir('GET', `${AS}/Patient/abernathy-ruth`)
    expect([read.status, read.headers.get('etag')]).toEqual([200, null])
    const created = await server.fhir('POST', `${AS}/Patient`, patient(BORN))
    expect([created.status, created.headers.get('location')]).toEqual([201, expect.stringMatching(/^Patient\/[^/]+$/)])
  })

  test('of a search without matches has an outcome', async () => {
    const { body } = await server.fhir('GET', `${AS}/Patient?family=Nemo`)
    const [{ search, resource }] = body.entry
    expect([body.total, body.entry.length, search.mode, resource.issue[0].severity]).toEqual([
      0,
      1,
      'outcome',
      'warning',
    ])
    expect((await server.fhir('GET', `${AS}/Patient?family=Ours`)).body.entry[0].search.mode).toBe('match')
  })
})

describe('a request that is done in the background', () => {
  test('is refused at once by a rule about the request', async () => {
    const { status, body } = await server.fhir('GET', `${AS}/Patient?gender=male`, undefined, ASYNC)
    expect([status, reason(body)]).toEqual([422, 'by-name'])
    expect((await server.fhir('GET', `${AS}/Patient/$nothing`, undefined, ASYNC)).status).toBe(404)
  })

  test('meets the rules later too, and its state and links stay below the address', async () => {
    const accepted = await server.fhir('POST', AS, bundle('batch', patient(), patient(BORN)), ASYNC)
    const path = startedJob(accepted)
    expect(path).toMatch(new RegExp(`^${AS}/jobs/`))
    const { entry } = (await ended(server.fhir, path)).body
    const [refused, created] = entry[0].resource.entry
    expect([refused.response.status, reason(refused.response.outcome)]).toEqual([expect.stringMatching(/^422/), 'born'])
    expect(created.response.status).toMatch(/^201/)
    expect((await server.fhir('GET', path.slice(AS.length))).body.entry[0].resource).toEqual(entry[0].resource)
    const search = await ended(
      server.fhir,
      startedJob(await server.fhir('GET', `${AS}/Patient?family=Ours`, undefined, ASYNC)),
    )
    const { fullUrl } = search.body.entry[0].resource.entry[0]
    expect(fullUrl.startsWith(`${server.url}${AS}/Patient/`)).toBe(true)
  })

  test('has the files of an export below the address', async () => {
    const { manifest, addresses } = await exported(
      server.fhir,
      startedJob(await server.fhir('GET', `${AS}/Patient/$export?_type=Patient`, undefined, ASYNC)),
    )
    expect(manifest.request).toBe(`${server.url}${AS}/Patient/$export?_type=Patient`)
    expect(manifest.output[0]?.url).toMatch(new RegExp(`^${server.url}${AS}/jobs/`))
    expect(addresses.length).toBeGreaterThan(0)
  })
})
