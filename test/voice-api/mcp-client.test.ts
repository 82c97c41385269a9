/** The endpoints of the Model Context Protocol, by the client of the protocol's own library. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { request, startServer, type TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

type Headers = Readonly<Record<string, string>>

/** Runs the work with a client that is connected, and closes it. */
async function connected<T>(
  { mode, path = '/mcp', headers }: { mode: VersionNegotiationMode; path?: string; headers: Headers },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers }
  await client.connect(new StreamableHTTPClientTransport(new URL(path, server.url), { requestInit }))
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

const ofCall = (id: string, more: Headers = {}): Headers => ({
  'x-voice-secret': 'demo-secret',
  'x-call-id': id,
  'x-call-to': '+12125550100',
  'x-call-from': '+12125550177',
  ...more,
})

const asStaff = (): Headers => ({ authorization: `Bearer ${server.token}` })

describe.each<[how: string, revision: string, VersionNegotiationMode]>([
  ['initializes', '2025-11-25', 'legacy'],
  ['insists', '2026-07-28', { pin: '2026-07-28' }],
  ['discovers', '2026-07-28', 'auto'],
])('a client that %s, in the revision %s,', (how, revision, mode) => {
  const callId = `client-${how}`
  const onPhone = <T>(headers: Headers, work: (client: Client) => Promise<T>) => connected({ mode, headers }, work)
  const withFhir = <T>(work: (client: Client) => Promise<T>) =>
    connected({ mode, path: '/mcp/fhir', headers: asStaff() }, work)

  test('learns the server, its instructions and its tools', async () => {
    await onPhone(ofCall(callId), async (client) => {
      expect(client.getNegotiatedProtocolVersion()).toBe(revision)
      expect(client.getServerVersion()).toMatchObject({ name: 'sandbox-emr' })
      expect(client.getInstructions()).toContain('Say the sentence in `say`')
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['get_clinic_info', 'book_appointment']))
    })
  })

  test('calls tools that read and tools that write, whose results conform to their schemas', async () => {
    await onPhone(ofCall(callId), async (client) => {
      // From here on the client compares each result with the schema of its tool.
      await client.listTools()
      const read = await client.callTool({ name: 'get_clinic_info', arguments: {} })
      expect(read.structuredContent).toMatchObject({ success: true, say: expect.any(String) })
      const named = { firstName: 'Clio', lastName: `Lib${how}` }
      const written = await client.callTool({ name: 'update_registration_field', arguments: named })
      expect([written.isError, written.structuredContent]).toEqual([false, expect.objectContaining({ success: true })])
    })
    const { body } = await server.fhir('GET', `/Patient?family=Lib${how}`)
    expect(body.entry).toHaveLength(1)
  })

  test('gets the failure of a tool, and an unknown tool, as a result that it can read', async () => {
    await onPhone(ofCall(callId), async (client) => {
      await client.listTools()
      const wrong = await client.callTool({ name: 'record_self_pay_decision', arguments: {} })
      expect([wrong.isError, wrong.structuredContent]).toEqual([true, expect.objectContaining({ success: false })])
      const unknown = await client.callTool({ name: 'book_apointment', arguments: {} })
      expect([unknown.isError, unknown.structuredContent]).toEqual([
        true,
        expect.objectContaining({ code: 'unknown-tool' }),
      ])
    })
  })

  test('that reconnects in the midst of a call goes on with its patient, and a repeated tool call has no second effect', async () => {
    const id = `${callId}-again`
    const family = `Again${how}`
    const name = (firstName: string, key: string) =>
      onPhone(ofCall(id, { 'x-tool-call-id': key }), (client) =>
        client.callTool({ name: 'update_registration_field', arguments: { firstName, lastName: family } }),
      )
    const first = await name('Rhea', 'name-1')
    expect(await name('Rhea', 'name-1')).toEqual(first)
    await name('Thea', 'name-2')
    const { body } = await server.fhir('GET', `/Patient?family=${family}`)
    expect(body.entry).toHaveLength(1)
    expect(body.entry[0].resource).toMatchObject({ name: [{ given: ['Thea'] }], meta: { versionId: '2' } })
  })

  test('is not connected without the secret', async () => {
    await expect(onPhone(ofCall(callId, { 'x-voice-secret': 'wrong' }), async () => {})).rejects.toThrow(
      /x-voice-secret|HTTP 401/,
    )
  })

  test('reads FHIR: what is offered, a search, a resource by its id and by its address', async () => {
    await withFhir(async (client) => {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('fhir_search')
      const offered = await client.callTool({ name: 'fhir_capabilities', arguments: {} })
      expect(offered.structuredContent).toMatchObject({ fhirVersion: '4.0.1' })
      const args = { type: 'Patient', query: 'family=Abernathy' }
      const { structuredContent: found } = await client.callTool({ name: 'fhir_search', arguments: args })
      expect(found).toMatchObject({ resourceType: 'Bundle', entry: [{ resource: { id: 'abernathy-ruth' } }] })
      const { structuredContent: read } = await client.callTool({
        name: 'fhir_read',
        arguments: { type: 'Patient', id: 'abernathy-ruth' },
      })
      const { resourceTemplates } = await client.listResourceTemplates()
      expect(resourceTemplates).toMatchObject([{ uriTemplate: 'fhir://{type}/{id}' }])
      const { contents } = await client.readResource({ uri: 'fhir://Patient/abernathy-ruth' })
      expect(contents).toMatchObject([{ mimeType: 'application/fhir+json', text: JSON.stringify(read) }])
    })
  })

  test('gets what FHIR refuses as a result of the tool, and as an error at an address', async () => {
    await withFhir(async (client) => {
      const refused = await client.callTool({ name: 'fhir_read', arguments: { type: 'Patient', id: 'nobody' } })
      expect([refused.isError, refused.structuredContent]).toEqual([
        true,
        expect.objectContaining({ resourceType: 'OperationOutcome' }),
      ])
      await expect(client.readResource({ uri: 'fhir://Patient/nobody' })).rejects.toMatchObject({
        data: { outcome: { issue: [{ code: 'not-found' }] } },
      })
    })
  })
})

test('a client that connected before the call has ended cannot go on with it', async () => {
  const headers = ofCall('client-ended')
  await connected({ mode: 'legacy', headers }, async (client) => {
    await client.callTool({ name: 'get_clinic_info', arguments: {} })
    await request(server.url, 'POST', '/calls/client-ended/end', {}, { ...headers })
    const { isError, structuredContent } = await client.callTool({
      name: 'update_registration_field',
      arguments: { firstName: 'Late', lastName: 'Ended' },
    })
    expect([isError, structuredContent]).toEqual([true, expect.objectContaining({ code: 'call-ended' })])
  })
})
