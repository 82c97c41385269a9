/** The entries of a batch-response and a transaction-response. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defineProvider, standard } from '../../../src/core/provider.ts'
import { specialProviders } from '../../../src/providers/index.ts'
import { StoreUnavailable } from '../../../src/repository/repository.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const failing = defineProvider('Basic', {
  interactions: {
    ...standard,
    read: async (_ctx, _type, id) => {
      throw id === 'away' ? new StoreUnavailable('disk full') : new TypeError('about Jane Roe')
    },
  },
})

let server: TestServer
beforeAll(async () => {
  server = await startServer({}, { providers: [...specialProviders, failing] })
  await server.fhir('PUT', '/Patient/shown', {
    resourceType: 'Patient',
    id: 'shown',
    active: true,
    name: [{ family: 'Shown' }],
    text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Shown</div>' },
  })
})
afterAll(() => server.close())

const post = (type: string, entry: readonly object[]) =>
  server.fhir('POST', '/', { resourceType: 'Bundle', type, entry })
const get = (url: string, method = 'GET') => ({ request: { method, url } })
const create = { resource: { resourceType: 'Patient', active: true }, request: { method: 'POST', url: 'Patient' } }
const statuses = (body: { entry: { response: { status: string } }[] }) =>
  body.entry.map(({ response }) => Number(response.status.slice(0, 3)))

describe('an entry of a batch that meets', () => {
  test('a store that is away is 503, and the others are carried out', async () => {
    const { status, body } = await post('batch', [get('Basic/away'), create, get('Patient/shown')])
    expect(status).toBe(200)
    expect(statuses(body)).toEqual([503, 201, 200])
    expect(body.entry[0].response.outcome.issue[0].code).toBe('transient')
  })

  test('an unexpected fault is 500 without its detail, and the others are carried out', async () => {
    const { status, body, text } = await post('batch', [get('Basic/broken'), create])
    expect(status).toBe(200)
    expect(statuses(body)).toEqual([500, 201])
    expect(body.entry[0].response.outcome.issue[0]).toMatchObject({ severity: 'fatal', code: 'exception' })
    expect(text).not.toContain('Jane Roe')
  })
})

test('a fault in a transaction is 500 for all of it', async () => {
  expect((await post('transaction', [create, get('Basic/broken')])).status).toBe(500)
})

describe.each(['batch', 'transaction'])('a read in a %s', (type) => {
  test.each([
    ['_summary=text', ['id', 'meta', 'resourceType', 'text']],
    ['_elements=active', ['active', 'id', 'meta', 'resourceType']],
  ])('with %s gives that part, tagged SUBSETTED', async (query, elements) => {
    for (const address of ['Patient/shown', 'Patient/shown/_history/1']) {
      const { resource } = (await post(type, [get(`${address}?${query}`)])).body.entry[0]
      expect(Object.keys(resource).sort()).toEqual(elements)
      expect(resource.meta.tag[0].code).toBe('SUBSETTED')
    }
  })

  test.each(['metadata', '/metadata', 'metadata?mode=full'])('of %s gives the CapabilityStatement', async (url) => {
    const { body } = await post(type, [get(url), get('Patient/shown')])
    expect(statuses(body)).toEqual([200, 200])
    expect(body.entry[0].resource).toEqual((await server.fhir('GET', '/metadata')).body)
  })

  test('of metadata?mode=terminology gives the TerminologyCapabilities, of another mode 400', async () => {
    const { body } = await post(type, [get(`${server.url}/metadata?mode=terminology`)])
    expect(body.entry[0].resource.resourceType).toBe('TerminologyCapabilities')
    const refused = (await post('batch', [get('metadata?mode=frob'), get('metadata', 'HEAD')])).body
    expect(statuses(refused)).toEqual([400, 200])
    expect(refused.entry[1]).not.toHaveProperty('resource')
  })

  test('by HEAD is answered without the resource', async () => {
    const { body } = await post(type, [get('Patient/shown', 'HEAD'), get('Patient?_id=shown', 'HEAD')])
    expect(body.entry.map(({ resource }: { resource?: object }) => resource)).toEqual([undefined, undefined])
    expect(body.entry[0].response).toMatchObject({ status: '200 OK', etag: 'W/"1"' })
  })
})

describe.each(['batch', 'transaction'])('the answers of a %s', (type) => {
  test('say of each version that is read or written its number, its time and, where it was written, its address', async () => {
    const id = randomUUID()
    const ifNoneExist = `_id=${id}`
    const written = {
      resource: { resourceType: 'Patient', id, active: true },
      request: { method: 'PUT', url: `Patient/${id}` },
    }
    const [put] = (await post(type, [written])).body.entry
    const { meta } = (await server.fhir('GET', `/Patient/${id}`)).body
    const version = { etag: 'W/"1"', lastModified: meta.lastUpdated }
    const location = `${server.url}/Patient/${id}/_history/1`
    expect(put).toEqual({ response: { status: '201 Created', location, ...version } })
    const found = { ...create, request: { ...create.request, ifNoneExist } }
    const { body } = await post(type, [found, get(`Patient/${id}`)])
    expect(body.entry.map(({ response }: { response: object }) => response)).toEqual([
      { status: '200 OK', location, ...version },
      { status: '200 OK', ...version },
    ])
  })

  test('are 304 without the resource where a read has the version that the client knows', async () => {
    const { body: stored, headers } = await server.fhir('GET', '/Patient/shown')
    const since = headers.get('last-modified') ?? ''
    const entries = [
      { ifNoneMatch: 'W/"1"' },
      { ifModifiedSince: since },
      { ifNoneMatch: 'W/"9"', ifModifiedSince: since },
      { ifModifiedSince: '2001-01-01T00:00:00Z' },
    ].map((condition) => ({ request: { method: 'GET', url: 'Patient/shown', ...condition } }))
    const { body } = await post(type, entries)
    expect(statuses(body)).toEqual([304, 304, 200, 200])
    expect(body.entry.map(({ resource }: { resource?: object }) => resource)).toEqual([
      undefined,
      undefined,
      stored,
      stored,
    ])
  })
})

describe('a _summary that there is not', () => {
  test('is 400 for its entry of a batch', async () => {
    const { body } = await post('batch', [get('Patient/shown?_summary=frob'), create])
    expect(statuses(body)).toEqual([400, 201])
  })

  test('is 400 for a whole transaction, and nothing is stored', async () => {
    const count = async () => (await server.fhir('GET', '/Patient?_summary=count')).body.total
    const before = await count()
    const { status, body } = await post('transaction', [create, get('Patient/shown?_summary=frob')])
    expect(status).toBe(400)
    expect(body.issue[0].diagnostics).toMatch(/^Bundle\.entry\[1\]/)
    expect(await count()).toBe(before)
  })
})
