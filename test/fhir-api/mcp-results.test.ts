/** The results of FHIR's tools by the Model Context Protocol: how long they are, what they keep, and what ends a request. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { StoreUnavailable } from '../../src/storage/store-errors.ts'
import { newLastingDatabaseUrl, openTestStore } from '../support/database.ts'
import { callMcpTool, fhirMcp, idsOf, refusalOf, resultOf } from '../support/mcp.ts'
import { startServer, type TestServer } from '../support/server.ts'

/** Its clinic lets clients write. */
let server: TestServer
let token: string

beforeAll(async () => {
  server = await startServer()
  token = server.token
  const address = `/clinics/${DEMO_CLINIC}/settings`
  const { body } = await server.fhir('GET', address)
  expect((await server.fhir('PUT', address, { ...body, mcpWrites: true })).status).toBe(200)
})
afterAll(() => server.close())

const called = (name: string, args: object) => callMcpTool(fhirMcp(server.url, token), name, args)

describe('a result', () => {
  test('keeps the digits of decimals, on the way in and out', async () => {
    const valueQuantity = { value: 'DIGITS' }
    const resource = { resourceType: 'Observation', status: 'final', code: { text: 'x' }, valueQuantity }
    const params = { name: 'fhir_create', arguments: { resource } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const { url, headers } = fhirMcp(server.url, token)
    const response = await fetch(`${url}/mcp/fhir`, {
      method: 'POST',
      headers: { ...headers, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify(message).replace('"DIGITS"', '1.00'),
    })
    const text = await response.text()
    expect(text).toContain('"valueQuantity":{"value":1.00}')
    const { id } = JSON.parse(text).result.structuredContent
    expect((await server.fhir('GET', `/Observation/${id}`)).text).toContain('"value":1.00')
  })

  test('of a search is cut to 50,000 characters, and the links next lead to all of it', async () => {
    const text = 'x'.repeat(5_000)
    for (let n = 0; n < 25; n++)
      await server.fhir('POST', '/Basic', { resourceType: 'Basic', code: { text }, created: '2001-02-03' })
    const found = new Set<string>()
    let query: string | undefined = 'created=2001-02-03&_sort=_id'
    while (query !== undefined) {
      const answer = await called('fhir_search', { type: 'Basic', query, count: 50 })
      expect(answer.body.result.content[0].text.length).toBeLessThanOrEqual(50_000)
      const { resource } = resultOf(answer)
      for (const id of idsOf(resource)) found.add(id)
      query = resource.link.find(({ relation }: { relation: string }) => relation === 'next')?.url
    }
    expect(found.size).toBe(25)
  })

  test('of a search has 50 resources at most, however many its query asks for', async () => {
    const { resource } = resultOf(await called('fhir_search', { type: 'Slot', query: '_count=1000' }))
    expect(resource.link[0].url).toContain('_count=50')
    expect(idsOf(resource).length).toBeLessThanOrEqual(50)
  })

  test('that would be longer is refused where it is a read, and short where it is a write', async () => {
    const resource = { resourceType: 'Patient', contact: [{ name: { text: 'y'.repeat(60_000) } }] }
    const created = resultOf(await called('fhir_create', { resource })).resource
    const { id } = created
    expect(created).toEqual({ resourceType: 'Patient', id, meta: expect.objectContaining({ versionId: '1' }) })
    expect(refusalOf(await called('fhir_read', { type: 'Patient', id }))).toContain('50000 are the most')
    const query = { _id: id, _elements: 'active' }
    expect(idsOf(resultOf(await called('fhir_search', { type: 'Patient', query })).resource)).toEqual([id])
  })

  test('has the marker of long base64, which an update keeps', async () => {
    const data = Buffer.alloc(30_000, 'content').toString('base64')
    const binary = { resourceType: 'Binary', contentType: 'application/pdf', data }
    const { id } = resultOf(await called('fhir_create', { resource: binary })).resource
    const { resource } = resultOf(await called('fhir_read', { type: 'Binary', id }))
    expect(resource).toMatchObject({ contentType: 'application/pdf', _data: { extension: [expect.anything()] } })
    const changed = { ...resource, contentType: 'application/x-pdf' }
    expect(resultOf(await called('fhir_update', { resource: changed, version: 1 })).isError).toBe(false)
    const json = { accept: 'application/fhir+json' }
    expect((await server.fhir('GET', `/Binary/${id}`, undefined, json)).body).toMatchObject({
      contentType: 'application/x-pdf',
      data,
    })
  })
})

test('work that is too much for the event loop moves to a work thread, and ends there', async () => {
  const threaded = await startServer({ DATABASE_URL: await newLastingDatabaseUrl() }, { workThreads: 1 })
  try {
    const long = { resourceType: 'Basic', code: { text: 'z'.repeat(300_000) } }
    const { id } = (await threaded.fhir('POST', '/Basic', long)).body
    const at = fhirMcp(threaded.url, threaded.token)
    const read = await callMcpTool(at, 'fhir_read', { type: 'Basic', id })
    expect(refusalOf(read)).toContain('50000 are the most')
    const search = await callMcpTool(at, 'fhir_search', { type: 'Basic', query: `_id=${id}&_elements=code` })
    expect(refusalOf(search)).toContain('50000 are the most')
  } finally {
    await threaded.close()
  }
})

test('a store that does not serve is 503 with Retry-After, and no result', async () => {
  const store = await openTestStore()
  let isLost = false
  const losing: ResourceStore = {
    ...store,
    search: async (...asked) => {
      if (isLost) throw new StoreUnavailable('The store is lost')
      return await store.search(...asked)
    },
  }
  const unsteady = await startServer({}, { store: losing })
  try {
    isLost = true
    const at = fhirMcp(unsteady.url, unsteady.token)
    const args = { type: 'Patient', query: 'family=Lost' }
    const { status, headers, body } = await callMcpTool(at, 'fhir_search', args)
    expect([status, headers.get('retry-after'), body.result]).toEqual([503, '5', undefined])
  } finally {
    isLost = false
    await unsteady.close()
  }
})
