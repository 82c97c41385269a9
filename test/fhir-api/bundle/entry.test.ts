/** Entries that cannot be read: in a batch each gets its own error, a transaction is refused as a whole. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const post = (type: string, entry: readonly unknown[], more: object = {}) =>
  server.fhir('POST', '/', { resourceType: 'Bundle', type, entry, ...more })
const patient = { resourceType: 'Patient', active: true }
const create = { resource: patient, request: { method: 'POST', url: 'Patient' } }

describe.each<[string, unknown, string]>([
  ['without request', { resource: patient }, 'Bundle.entry[0].request'],
  ['without url', { resource: patient, request: { method: 'POST' } }, 'Bundle.entry[0].request'],
  ['with an unknown method', { request: { method: 'MERGE', url: 'Patient/1' } }, 'Bundle.entry[0].request'],
  ['that patches without a Binary', { request: { method: 'PATCH', url: 'Patient/1' } }, 'Bundle.entry[0].resource'],
  ['with an element that Bundle.entry has not', { ...create, requests: {} }, 'Bundle.entry[0].requests'],
  [
    'with an element that its request has not',
    { ...create, request: { ...create.request, ifNonExist: 'identifier=x' } },
    'Bundle.entry[0].request.ifNonExist',
  ],
  ['with an empty ifNoneExist', { ...create, request: { ...create.request, ifNoneExist: '' } }, ''],
])('an entry %s', (_what, entry, expression) => {
  test('is 400 by itself in a batch, and the good one is stored', async () => {
    const { status, body } = await post('batch', [entry, create])
    expect(status).toBe(200)
    expect(body.entry[0].response.status).toMatch(/^400/)
    if (expression !== '') expect(body.entry[0].response.outcome.issue[0].expression).toEqual([expression])
    expect(body.entry[1].response.status).toMatch(/^201/)
  })

  test('makes a transaction 400, and nothing is stored', async () => {
    const count = async () => (await server.fhir('GET', '/Patient?_summary=count')).body.total
    const before = await count()
    const { status, body } = await post('transaction', [entry, create])
    expect(status).toBe(400)
    expect(body.issue[0].diagnostics).toContain('Bundle.entry[0]')
    expect(await count()).toBe(before)
  })
})

test.each(['batch', 'transaction'])('an element that Bundle has not makes a %s 400', async (type) => {
  const { status, body } = await post(type, [create], { entries: [] })
  expect(status).toBe(400)
  expect(body.issue[0].expression).toEqual(['Bundle.entries'])
})

test('elements that Bundle has are no obstacle: id, meta, identifier, link, extensions of primitives', async () => {
  const more = { id: 'b', meta: { tag: [] }, identifier: { value: 'x' }, _type: { id: 't' } }
  expect((await post('transaction', [{ ...create, id: 'e', extension: [] }], more)).status).toBe(200)
})
