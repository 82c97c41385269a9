/** Voice platforms, docs/voice/: their payloads in the shape that they document, and the responses as they read them. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Communication } from 'fhir/r4'
import { startServer, type TestServer } from '../support/server.ts'
import {
  CALLER,
  type Called,
  callByDoor,
  DIALED,
  DOOR_NAMES,
  ESCALATE,
  encountersOf,
  found,
  functionCall,
  headersOf,
  MCP_HEADERS,
  mcpCall,
  post,
} from '../support/voice-doors.ts'

let server: TestServer
/** A server with TRUST_BODY_CALL_METADATA. */
let trusting: TestServer
beforeAll(async () => {
  server = await startServer()
  trusting = await startServer({ TRUST_BODY_CALL_METADATA: 'on' })
})
afterAll(async () => {
  await server.close()
  await trusting.close()
})

/** At the first server, unless another one is named. */
const use = (name: string, address: string, args: object, called: Omit<Called, 'at'> & { at?: TestServer }) =>
  callByDoor(name, address, args, { at: server, ...called })

describe('a tool call in the shape that the documentation of its platform gives:', () => {
  test.each(DOOR_NAMES)('%s gets its result, in the call that the headers name', async (name) => {
    const callId = randomUUID()
    const { status, result } = await use(
      name,
      ESCALATE,
      { reason: 'a bill' },
      { callId, toolCallId: 't1', headers: headersOf(callId) },
    )
    expect([status, result]).toEqual([200, expect.objectContaining({ success: true, say: expect.any(String) })])
    expect(await encountersOf(server, callId)).toHaveLength(1)
  })

  test.each(["a function tool of Vapi's", "a custom function of Retell's"])(
    '%s is in the call that its body names, where the service trusts that',
    async (name) => {
      const callId = randomUUID()
      const called = { callId, toolCallId: 't1', headers: {}, at: trusting }
      expect((await use(name, ESCALATE, { reason: 'a bill' }, called)).result).toMatchObject({ success: true })
      expect(await encountersOf(trusting, callId)).toHaveLength(1)
    },
  )

  test('Vapi finds its ids in the results, and each result on one line', async () => {
    const callId = randomUUID()
    const called = { callId, toolCallId: 'call_VaJOd8ZeZgWCEHDYomyCPfwN', headers: headersOf(callId) }
    const { body } = await use("a function tool of Vapi's", ESCALATE, { reason: 'a bill\nof two lines' }, called)
    expect(body).toEqual({
      results: [{ toolCallId: 'call_VaJOd8ZeZgWCEHDYomyCPfwN', result: expect.not.stringContaining('\n') }],
    })
  })

  test('OpenAI Realtime gets the item that it takes as the output of the function', async () => {
    const item = functionCall('call_1', 'escalate_billing', { reason: 'a bill' })
    expect((await post(server, '/tools', item, headersOf(randomUUID()))).body).toEqual({
      type: 'function_call_output',
      call_id: 'call_1',
      output: expect.stringContaining('"success":true'),
    })
  })

  test('a client of MCP is initialized, lists the tools and calls one', async () => {
    const headers = { ...MCP_HEADERS, ...headersOf(randomUUID()) }
    const clientInfo = { name: 'vapi', version: '1.0.0' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const initialized = await post(server, '/mcp', { jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers)
    expect(initialized.body.result).toMatchObject({ protocolVersion: '2025-11-25', capabilities: { tools: {} } })
    const told = await post(server, '/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
    expect(told.status).toBe(202)
    const { body } = await post(server, '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
    expect(body.result.tools.length).toBeGreaterThan(0)
    const called = await post(server, '/mcp', mcpCall('escalate_billing', { reason: 'a bill' }), headers)
    expect(called.body.result).toMatchObject({ isError: false, content: [{ type: 'text' }] })
  })

  test("code between Twilio's Media Streams and a model registers the call, and names it alone", async () => {
    const start = { streamSid: 'MZ1', callSid: `CA${randomUUID()}`, customParameters: { From: CALLER, To: DIALED } }
    const { callSid: callId, customParameters } = start
    const registered = { callId, dialedNumber: customParameters.To, callerNumber: customParameters.From }
    expect((await post(server, '/calls', registered)).status).toBe(201)
    const item = functionCall('call_1', 'escalate_billing', { reason: 'a bill' })
    expect((await post(server, '/tools', item, { 'x-call-id': callId })).body.output).toContain('"success":true')
    expect((await post(server, `/calls/${callId}/end`, { reason: 'completed' })).status).toBe(200)
    expect(await encountersOf(server, callId)).toMatchObject([{ status: 'finished' }])
  })
})

describe('static fields x_call_id, x_call_to and x_call_from beside the arguments', () => {
  const fields = (callId: string) => ({ x_call_id: callId, x_call_to: DIALED, x_call_from: '+12125550176' })

  test('choose nothing', async () => {
    const callId = randomUUID()
    const { body } = await post(server, ESCALATE, { reason: 'a bill', ...fields(callId) })
    expect(body).toMatchObject({ success: true, hint: expect.stringContaining('default call') })
    expect(await encountersOf(server, callId)).toEqual([])
    const header = randomUUID()
    await post(server, ESCALATE, { reason: 'a bill', ...fields(callId) }, headersOf(header))
    expect(await encountersOf(server, header)).toHaveLength(1)
    expect(await encountersOf(server, callId)).toEqual([])
  })

  test('choose the call where the service trusts metadata in the body, and are no arguments', async () => {
    const callId = randomUUID()
    const { body } = await post(trusting, ESCALATE, { reason: 'a bill', ...fields(callId) })
    expect(body).toMatchObject({ success: true })
    expect(body).not.toHaveProperty('hint')
    expect(await encountersOf(trusting, callId)).toHaveLength(1)
    const [logged] = await found<Communication>(trusting, `/Communication?identifier=${callId}`)
    expect(JSON.parse(logged?.payload?.[0]?.contentString ?? '')).toEqual({ reason: 'a bill' })
    // The number of the caller is that of the call: a header with another one is refused.
    const other = { 'x-call-from': '+12125550177' }
    expect((await post(trusting, ESCALATE, { reason: 'x', ...fields(callId) }, other)).body).toMatchObject({
      code: 'call-mismatch',
    })
  })

  test('give way to headers there', async () => {
    const [callId, header] = [randomUUID(), randomUUID()]
    await post(trusting, ESCALATE, { reason: 'a bill', ...fields(callId) }, headersOf(header))
    expect([await encountersOf(trusting, header), await encountersOf(trusting, callId)]).toEqual([
      [expect.anything()],
      [],
    ])
  })

  test('that hold a template are refused there, and the field is named', async () => {
    const unfilled = { reason: 'a bill', ...fields('{{call.id}}') }
    expect((await post(trusting, ESCALATE, unfilled)).body).toMatchObject({
      code: 'call-not-identified',
      error: expect.stringContaining('the call id in the body'),
    })
  })
})
