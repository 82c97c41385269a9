/** The tools by the Model Context Protocol: by requests as clients of each revision send them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { toolFamilies } from '../../src/calls/families.ts'
import { askMcp, REVISIONS, sendMcp } from '../support/mcp.ts'
import { request } from '../support/request.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const EMAIL = { fieldName: 'email', value: 'jane dot doe at example dot com' }

interface Asked {
  readonly path?: string
  readonly headers?: Record<string, string>
}

const addressed = ({ path = '/mcp', headers = {} }: Asked) => ({
  url: server.url,
  path,
  headers: { 'x-voice-secret': 'demo-secret', 'x-call-id': 'mcp-1', 'x-call-to': '+12125550100', ...headers },
})

const asked = (revision: string, method: string, params: Record<string, unknown> = {}, more: Asked = {}) =>
  askMcp(addressed(more), revision, method, params)

describe.each(REVISIONS)('a client of the revision %s', (revision) => {
  test('is told the tools of all families, with arguments, results and annotations', async () => {
    const { status, headers, body } = await asked(revision, 'tools/list')
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('application/json')])
    const names = body.result.tools.map(({ name }: { name: string }) => name)
    expect(names).toEqual(Object.values(toolFamilies).flatMap((tools) => Object.keys(tools)))
    const named = (wanted: string) => body.result.tools.find(({ name }: { name: string }) => name === wanted)
    expect(named('validate_intake_field')).toMatchObject({
      inputSchema: { type: 'object', required: ['fieldName', 'value'], additionalProperties: false },
      outputSchema: { type: 'object', properties: { valid: { type: 'boolean' } } },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    })
    expect(named('cancel_appointment').annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
  })

  test('calls a tool, and gets its result as text and as an object', async () => {
    const { body } = await asked(revision, 'tools/call', { name: 'validate_intake_field', arguments: EMAIL })
    expect(body.result).toMatchObject({
      structuredContent: { valid: true, value: 'jane.doe@example.com' },
      isError: false,
    })
    expect(JSON.parse(body.result.content[0].text)).toEqual(body.result.structuredContent)
  })

  test('gets the failure of a tool as a result with a sentence', async () => {
    const { body } = await asked(revision, 'tools/call', { name: 'record_self_pay_decision', arguments: {} })
    expect(body.result).toMatchObject({ isError: true, structuredContent: { success: false, say: expect.any(String) } })
  })

  test('that names an unknown tool is told the nearest', async () => {
    const { body } = await asked(revision, 'tools/call', { name: 'book_apointment', arguments: {} })
    expect(body.result.content[0].text).toContain('the nearest is book_appointment')
  })
})

test('a client of 2025 is initialized without a session', async () => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { headers, body } = await sendMcp(addressed({}), { method: 'initialize', params })
  expect(headers.get('mcp-session-id')).toBeNull()
  expect(body.result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'sandbox-emr' } })
})

test('a client of 2026 discovers the server', async () => {
  const { body } = await asked('2026-07-28', 'server/discover')
  expect(body.result.supportedVersions).toContain('2026-07-28')
})

test('/mcp/{family} has the tools of that family only', async () => {
  const path = '/mcp/patient-intake'
  const { body } = await asked('2025-11-25', 'tools/list', {}, { path })
  expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual([
    'validate_intake_field',
    'submit_intake',
  ])
  const called = await asked('2025-11-25', 'tools/call', { name: 'get_clinic_info', arguments: {} }, { path })
  expect(called.body.result.structuredContent).toMatchObject({ code: 'unknown-tool' })
})

test('an unknown family is 404 and names those that there are', async () => {
  const { status, body } = await asked('2025-11-25', 'tools/list', {}, { path: '/mcp/nonsense' })
  expect([status, body.error]).toEqual([404, expect.stringContaining('emr-scheduling')])
})

test('without the secret no client is told anything', async () => {
  const { status } = await asked('2025-11-25', 'tools/list', {}, { headers: { 'x-voice-secret': 'wrong' } })
  expect(status).toBe(401)
})

test('a batch of messages is refused, as a part of it might be carried out twice', async () => {
  const headers = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' }
  const batch = [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }]
  const { status, body } = await request(server.url, 'POST', '/mcp', batch, headers)
  expect([status, body.error]).toEqual([400, expect.stringContaining('one message in each request')])
})

test('GET and DELETE are 405: there is no session and no stream', async () => {
  for (const method of ['GET', 'DELETE']) expect((await request(server.url, method, '/mcp')).status).toBe(405)
})

test('the same tool call by MCP and by the envelope has one effect', async () => {
  const call = { 'x-call-id': 'mcp-both', 'x-call-to': '+12125550100', 'x-call-from': '+12125550188' }
  const args = { firstName: 'Mona', lastName: 'Both' }
  const params = { name: 'update_registration_field', arguments: args }
  const first = await asked('2025-11-25', 'tools/call', params, { headers: { ...call, 'x-tool-call-id': 't1' } })
  const { body } = await request(
    server.url,
    'POST',
    '/patient-journey/update_registration_field',
    { message: { toolCalls: [{ id: 't1', function: { arguments: args } }] } },
    { ...call, 'x-voice-secret': 'demo-secret' },
  )
  expect(JSON.parse(body.results[0].result)).toEqual(first.body.result.structuredContent)
  const found = await server.fhir('GET', '/Patient?family=Both')
  expect(found.body.entry).toHaveLength(1)
  expect(found.body.entry[0].resource.meta.versionId).toBe('1')
})
