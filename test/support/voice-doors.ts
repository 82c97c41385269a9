/** The doors through which tools are called, each in the shape that its platform or protocol documents (docs/voice/). */
import type { Encounter } from 'fhir/r4'
import { type FhirResponse, request, type TestServer } from './server.ts'

export const DIALED = '+12125550100'
export const CALLER = '+12125550123'
export const ESCALATE = '/patient-journey/escalate_billing'
export const VALIDATE = '/patient-intake/validate_intake_field'
export const UPDATE = '/patient-journey/update_registration_field'

export const post = (
  at: TestServer,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
) =>
  request(
    at.url,
    'POST',
    path,
    body,
    { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json', ...headers },
    signal,
  )

/** The headers of a definition to import, filled in. */
export const headersOf = (callId: string) => ({ 'x-call-id': callId, 'x-call-to': DIALED, 'x-call-from': CALLER })

export const found = async <R>(at: TestServer, path: string): Promise<readonly R[]> =>
  ((await at.fhir('GET', path)).body.entry ?? []).map(({ resource }: { resource: R }) => resource)

export const encountersOf = (at: TestServer, callId: string) => found<Encounter>(at, `/Encounter?identifier=${callId}`)

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
export const functionCall = (call_id: string, name: string, args: object) => ({
  id: 'item_1',
  object: 'realtime.item',
  type: 'function_call',
  status: 'completed',
  name,
  call_id,
  arguments: JSON.stringify(args),
})

/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools */
export const mcpCall = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name, arguments: args },
})
export const MCP_HEADERS = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }

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
export const DOOR_NAMES = Object.keys(DOORS)

export interface Called {
  readonly callId: string
  readonly toolCallId: string
  readonly headers: Record<string, string>
  readonly at: TestServer
  /** Ends when the platform gives up. */
  readonly signal?: AbortSignal
}

/** The response to a tool call by a door. */
export function sendByDoor(name: string, address: string, args: object, called: Called): Promise<FhirResponse> {
  const { path, body, headers } = DOORS[name] ?? PLAIN
  const sent = body(called.callId, called.toolCallId, address.split('/')[2] ?? '', args)
  return post(called.at, path(address), sent, { ...headers, ...called.headers }, called.signal)
}

/** A tool call by a door: its status, and the result as the platform reads it. */
export async function callByDoor(name: string, address: string, args: object, called: Called) {
  const { status, body } = await sendByDoor(name, address, args, called)
  return { status, result: (DOORS[name] ?? PLAIN).read(body), body }
}
