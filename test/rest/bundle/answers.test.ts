/** What the entries of a batch-response and a transaction-response say. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defineProvider } from '../../../src/core/provider.ts'
import { standard } from '../../../src/core/standard.ts'
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

  test('by HEAD is answered without the resource', async () => {
    const { body } = await post(type, [get('Patient/shown', 'HEAD'), get('Patient?_id=shown', 'HEAD')])
    expect(body.entry.map(({ resource }: { resource?: object }) => resource)).toEqual([undefined, undefined])
    expect(body.entry[0].response).toMatchObject({ status: '200 OK', etag: 'W/"1"' })
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
