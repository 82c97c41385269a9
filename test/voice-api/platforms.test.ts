/** Voice platforms, docs/voice/: their payloads in the shape that they document, and the responses as they read them. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Communication, Encounter, Task } from 'fhir/r4'
import { exchangeOf } from '../support/journal.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'

const DIALED = '+12125550100'
const CALLER = '+12125550123'
const ESCALATE = '/patient-journey/escalate_billing'
const VALIDATE = '/patient-intake/validate_intake_field'
const UPDATE = '/patient-journey/update_registration_field'

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

const post = (at: TestServer, path: string, body: unknown, headers: Record<string, string> = {}) =>
  request(at.url, 'POST', path, body, {
    'x-voice-secret': 'demo-secret',
    'content-type': 'application/json',
    ...headers,
  })

/** The headers of a definition to import, filled in. */
const headersOf = (callId: string) => ({ 'x-call-id': callId, 'x-call-to': DIALED, 'x-call-from': CALLER })

const found = async <R>(at: TestServer, path: string): Promise<readonly R[]> =>
  ((await at.fhir('GET', path)).body.entry ?? []).map(({ resource }: { resource: R }) => resource)

const encountersOf = (at: TestServer, callId: string) => found<Encounter>(at, `/Encounter?identifier=${callId}`)

/** https://docs.vapi.ai/server-url/events#tool-calls */
const vapiToolCalls = (callId: string, toolCallId: string, name: string, args: object) => {
  const toolCall = { id: toolCallId, type: 'function', function: { name, arguments: args } }
  return {
    message: {
      timestamp: 1_739_537_297_000,
      type: 'tool-calls',
      toolCallList: [toolCall],
      toolWithToolCallList: [
        { type: 'function', function: { name }, server: { url: 'https://emr.example' }, toolCall },
      ],
      artifact: { messages: [{ role: 'user', message: 'I have a question about a bill' }] },
      assistant: { name: 'Front desk' },
      call: { id: callId, type: 'inboundPhoneCall', status: 'in-progress' },
      phoneNumber: { id: 'p1', number: DIALED },
      customer: { number: CALLER },
    },
  }
}

/** https://docs.retellai.com/build/single-multi-prompt/custom-function */
const retellFunction = (call_id: string, tool_call_id: string, name: string, args: object) => ({
  name,
  args,
  call: {
    call_id,
    call_type: 'phone_call',
    agent_id: 'agent_1',
    call_status: 'ongoing',
    direction: 'inbound',
    from_number: CALLER,
    to_number: DIALED,
    transcript_with_tool_calls: [
      { role: 'user', content: 'I have a question about a bill' },
      { role: 'tool_call_invocation', tool_call_id, name, arguments: JSON.stringify(args) },
    ],
  },
})

/** https://platform.openai.com/docs/guides/realtime-function-calling: the item of `response.output_item.done` */
const functionCall = (call_id: string, name: string, args: object) => ({
  id: 'item_1',
  object: 'realtime.item',
  type: 'function_call',
  status: 'completed',
  name,
  call_id,
  arguments: JSON.stringify(args),
})

/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools */
const mcpCall = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name, arguments: args },
})
const MCP_HEADERS = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }

interface Door {
  /** @param address of the tool */
  readonly path: (address: string) => string
  readonly body: (callId: string, toolCallId: string, tool: string, args: object) => unknown
  readonly headers?: Record<string, string>
  /** The result of the tool, from the body of the response. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  readonly read: (body: any) => Record<string, unknown>
}

const OWN_ADDRESS = (address: string) => address
const PLAIN: Door = { path: OWN_ADDRESS, body: (_callId, _toolCallId, _tool, args) => args, read: (body) => body }

const DOORS: Readonly<Record<string, Door>> = {
  "a function tool of Vapi's": {
    path: OWN_ADDRESS,
    body: vapiToolCalls,
    read: ({ results: [{ result }] }) => JSON.parse(result),
  },
  "an API Request tool of Vapi's": PLAIN,
  "a custom function of Retell's": { path: OWN_ADDRESS, body: retellFunction, read: (body) => body },
  "a custom function of Retell's, with its arguments only": PLAIN,
  "a server tool of ElevenLabs'": PLAIN,
  "a custom tool of Bland's": PLAIN,
  'a function call of OpenAI Realtime': {
    path: () => '/tools',
    body: (_callId, toolCallId, tool, args) => functionCall(toolCallId, tool, args),
    read: ({ output }) => JSON.parse(output),
  },
  "a function tool of LiveKit's": {
    path: () => '/tools',
    body: (_callId, call_id, name, args) => ({ type: 'function_call', call_id, name, arguments: JSON.stringify(args) }),
    read: ({ output }) => JSON.parse(output),
  },
  'a client of MCP': {
    path: () => '/mcp',
    body: (_callId, _toolCallId, tool, args) => mcpCall(tool, args),
    headers: MCP_HEADERS,
    read: ({ result }) => result.structuredContent,
  },
}
const NAMES = Object.keys(DOORS)

interface Called {
  readonly callId: string
  readonly toolCallId: string
  readonly headers: Record<string, string>
  readonly at?: TestServer
}

/** A tool call by a door: its status, and the result as the platform reads it. */
async function use(name: string, address: string, args: object, called: Called) {
  const { path, body, read, headers } = DOORS[name] ?? PLAIN
  const { callId, toolCallId, at = server } = called
  const sent = body(callId, toolCallId, address.split('/')[2] ?? '', args)
  const response = await post(at, path(address), sent, { ...headers, ...called.headers })
  return { status: response.status, result: read(response.body), body: response.body }
}

describe('a tool call in the shape that the documentation of its platform gives:', () => {
  test.each(NAMES)('%s gets its result, in the call that the headers name', async (name) => {
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

describe('a template that the platform has not filled in is refused with the name of its header, with status 200, by', () => {
  test.each(
    NAMES.flatMap((name) =>
      [
        ['x-call-id', '{{call.id}}'],
        ['x-call-to', '{{phoneNumber.number}}'],
        ['x-call-from', '{{customer.number}}'],
        ['x-call-id', '{{call_id}}'],
        ['x-call-to', '{{agent_number}}'],
        ['x-call-from', '{{user_number}}'],
        ['x-call-id', 'system__conversation_id'],
        ['x-call-to', '{{system__called_number}}'],
        ['x-call-from', 'None'],
      ].map(([header = '', template = '']) => [name, header, template] as const),
    ),
  )('%s: %s %s', async (name, header, template) => {
    const callId = randomUUID()
    const headers = { ...headersOf(callId), [header]: template }
    const { status, result } = await use(name, ESCALATE, { reason: 'a bill' }, { callId, toolCallId: 't1', headers })
    const error = expect.stringContaining(`call not identified: ${header} holds '${template}'`)
    expect([status, result]).toEqual([
      200,
      expect.objectContaining({ success: false, code: 'call-not-identified', error }),
    ])
    expect(await encountersOf(server, callId)).toEqual([])
  })
})

describe('one tool call', () => {
  test('that comes by every door has one effect, and the same result each time', async () => {
    const callId = randomUUID()
    const headers = { ...headersOf(callId), 'x-call-from': '+12125550189', 'x-tool-call-id': 't1' }
    const args = { firstName: 'Zora', lastName: 'Everydoor' }
    const results: unknown[] = []
    for (const name of NAMES)
      results.push((await use(name, UPDATE, args, { callId, toolCallId: 't1', headers })).result)
    expect(results).toEqual(NAMES.map(() => results[0]))
    expect(results[0]).toMatchObject({ success: true })
    expect(await found(server, '/Patient?family=Everydoor')).toMatchObject([{ meta: { versionId: '1' } }])
    expect(await found(server, `/Communication?identifier=${callId}`)).toHaveLength(1)
  })
})

describe('fifty tool calls of one call at the same time', () => {
  test('each get their own result, and none is lost', async () => {
    const callId = randomUUID()
    const headers = { ...headersOf(callId), 'x-call-from': '+12125550178' }
    const numbers = Array.from({ length: 50 }, (_, n) => n)
    const isEscalation = (n: number) => n % 5 === 0
    const results = await Promise.all(
      numbers.map(async (n) => {
        const toolCallId = `t${n}`
        const called = { callId, toolCallId, headers: { ...headers, 'x-tool-call-id': toolCallId } }
        const name = NAMES[n % NAMES.length] ?? ''
        if (isEscalation(n)) return (await use(name, ESCALATE, { reason: `reason ${n}` }, called)).result
        const args = { fieldName: 'email', value: `person${n}@example.com` }
        return (await use(name, VALIDATE, args, called)).result
      }),
    )
    expect(results).toEqual(
      numbers.map((n) =>
        expect.objectContaining(isEscalation(n) ? { success: true } : { valid: true, value: `person${n}@example.com` }),
      ),
    )
    expect(await found<Communication>(server, `/Communication?identifier=${callId}&_count=100`)).toHaveLength(50)
    const [encounter, ...more] = await encountersOf(server, callId)
    expect(more).toEqual([])
    const tasks = await found<Task>(server, `/Task?patient=${encounter?.subject?.reference}`)
    const said = JSON.stringify(tasks)
    for (const n of numbers.filter(isEscalation)) expect(said).toContain(`"reason ${n}"`)
  })
})

describe('a body in another charset than UTF-8 is 400 with a sentence, at', () => {
  const BODY = JSON.stringify({ fieldName: 'firstName', value: 'José' })

  test.each(
    [VALIDATE, '/tools', '/mcp', '/calls', '/calls/events'].flatMap((path) =>
      (
        [
          ['iso-8859-1', 'latin1'],
          ['utf-16', 'utf16le'],
        ] as const
      ).map(([charset, encoding]) => [path, charset, encoding] as const),
    ),
  )('%s: %s', async (path, charset, encoding) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      body: Buffer.from(BODY, encoding),
      headers: {
        ...headersOf(randomUUID()),
        ...MCP_HEADERS,
        'x-voice-secret': 'demo-secret',
        'content-type': `application/json; charset=${charset}`,
      },
    })
    const { error } = (await response.json()) as { error: string }
    expect([response.status, error]).toEqual([400, expect.stringContaining('The body is not UTF-8')])
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

describe("a request with a wrong webhook secret is in the operator's journal, with the address that it came to:", () => {
  let operator: TestServer
  beforeAll(async () => {
    operator = withToken(server, await logInAs(server, { username: 'operator', clinic: '', role: 'operator' }))
  })

  const ADDRESSES = [
    ESCALATE,
    `${ESCALATE}?from=vapi`,
    '/tools',
    '/mcp',
    '/mcp/patient-intake',
    '/calls',
    '/calls/events',
    '/calls/some-call/end',
  ]

  test.each<[string, string]>([
    ...ADDRESSES.map((path): [string, string] => [path, 'wrong']),
    ...ADDRESSES.map((path): [string, string] => [path, '']),
    ['/abandonments', 'wrong'],
  ])('%s (%j)', async (path, secret) => {
    const answer = await post(server, path, { reason: 'a bill' }, { 'x-voice-secret': secret, ...headersOf('c') })
    expect([answer.status, answer.body.error]).toEqual([401, expect.stringContaining('x-voice-secret')])
    const exchange = await exchangeOf(operator, answer, '/exchanges')
    expect(exchange).toMatchObject({
      method: 'POST',
      address: path,
      status: 401,
      outcome: 'refused',
      reason: { code: 'login', text: expect.stringContaining('x-voice-secret') },
    })
    expect(exchange.request.body).toBeUndefined()
    const listed = await operator.fhir(
      'GET',
      `/exchanges?status=401&path=${encodeURIComponent(path.split('?')[0] ?? '')}`,
    )
    expect(listed.body.exchanges).toContainEqual(expect.objectContaining({ id: exchange.id }))
    // It belongs to no clinic: whose number was dialled is not checked before the secret.
    expect((await server.fhir('GET', `/clinics/demo-clinic/exchanges/${exchange.id}`)).status).toBe(404)
  })
})
