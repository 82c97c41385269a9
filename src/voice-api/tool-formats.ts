/**
 * The definitions of the tools in the formats that voice platforms import: docs/voice/. The webhook secret is never in
 * them; a placeholder says where it belongs.
 */
import type { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { badRequest } from '../fhir/outcome.ts'
import { brunoOf, postmanOf } from './collections.ts'
import { openApiOf, openApiOfServer } from './openapi.ts'
import { promptOf } from './prompts.ts'
import type { Place, ToolDescription } from './tool-descriptions.ts'

/** Seconds that a platform should wait for a tool; the server answers within ten. */
const TIMEOUT = 15

const SECRET = 'YOUR_WEBHOOK_SECRET'

/**
 * The file that a platform imports, as JSON: a list of tools, unless the platform has a document for all of them. A text is
 * Markdown.
 */
type Format = (tools: readonly ToolDescription[], place: Place) => unknown

const each =
  (one: (tool: ToolDescription, place: Place) => unknown): Format =>
  (tools, place) =>
    tools.map((tool) => one(tool, place))

const urlOf = ({ path }: ToolDescription, { base }: Place): string => `${base}${path}`

/** https://docs.livekit.io/agents/build/tools/: `raw_schema` of a function tool. */
const liveKit = ({ name, description, parameters }: ToolDescription) => ({
  type: 'function',
  name,
  description,
  parameters,
})

/** https://platform.openai.com/docs/guides/function-calling: Responses and Realtime. */
const openAi = (tool: ToolDescription) => ({
  ...liveKit(tool),
  // Strict mode wants every argument to be required.
  strict: false,
})

/** https://platform.openai.com/docs/api-reference/chat/create, `tools`. */
const openAiChat = ({ name, description, parameters }: ToolDescription) => ({
  type: 'function',
  function: { name, description, parameters },
})

/** The arguments with the keywords that the types in the libraries of Vapi and Retell have; others may be refused. */
const argumentsOf = ({ parameters: { type, properties, required } }: ToolDescription) => ({
  type,
  properties,
  required,
})

/** https://docs.vapi.ai/tools/custom-tools: the envelope. Vapi's own server puts the metadata of the call into the body. */
const vapi = (tool: ToolDescription, place: Place) => ({
  type: 'function',
  async: false,
  function: { name: tool.name, description: tool.description, parameters: argumentsOf(tool) },
  server: { url: urlOf(tool, place), timeoutSeconds: TIMEOUT, headers: { 'x-voice-secret': SECRET } },
})

/** https://docs.vapi.ai/tools/api-request: the arguments alone; headers with the variables of the call. */
const vapiApiRequest = (tool: ToolDescription, place: Place) => ({
  type: 'apiRequest',
  name: tool.name,
  description: tool.description,
  method: 'POST',
  url: urlOf(tool, place),
  timeoutSeconds: TIMEOUT,
  headers: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(headersOf('{{call.id}}', '{{phoneNumber.number}}', '{{customer.number}}')).map(([name, value]) => [
        name,
        { type: 'string', value },
      ]),
    ),
  },
  body: argumentsOf(tool),
})

/** https://docs.retellai.com/build/single-multi-prompt/custom-function. */
const retell = (tool: ToolDescription, place: Place) => ({
  type: 'custom',
  name: tool.name,
  description: tool.description,
  url: urlOf(tool, place),
  method: 'POST',
  headers: headersOf('{{call_id}}', '{{agent_number}}', '{{user_number}}'),
  parameters: argumentsOf(tool),
  speak_during_execution: !tool.isReadOnly,
  speak_after_execution: true,
  timeout_ms: TIMEOUT * 1_000,
})

/** https://elevenlabs.io/docs/agents-platform/customization/tools/server-tools: a webhook tool. */
const elevenLabs = (tool: ToolDescription, place: Place) => ({
  type: 'webhook',
  name: tool.name,
  description: tool.description,
  response_timeout_secs: TIMEOUT,
  api_schema: {
    url: urlOf(tool, place),
    method: 'POST',
    request_headers: {
      'x-voice-secret': { secret_id: SECRET },
      'x-call-id': { variable_name: 'system__conversation_id' },
      'x-call-to': { variable_name: 'system__called_number' },
      'x-call-from': { variable_name: 'system__caller_id' },
    },
    request_body_schema: {
      type: 'object',
      description: `The arguments of ${tool.name}.`,
      properties: tool.parameters.properties,
      required: tool.parameters.required,
    },
  },
})

/** https://docs.bland.ai/api-v1/post/tools. */
const bland = (tool: ToolDescription, place: Place) => {
  const names = Object.keys(tool.parameters.properties ?? {})
  return {
    name: tool.name,
    description: tool.description,
    url: urlOf(tool, place),
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersOf('{{call_id}}', '{{to}}', '{{from}}') },
    body: Object.fromEntries(names.map((name) => [name, `{{input.${name}}}`])),
    input_schema: tool.parameters,
    response: { say: '$.say', code: '$.code' },
    timeout: TIMEOUT * 1_000,
  }
}

/** @param id the platform's variable for the call @param to for the dialled number @param from for the caller's */
const headersOf = (id: string, to: string, from: string): Readonly<Record<string, string>> => ({
  'x-voice-secret': SECRET,
  'x-call-id': id,
  'x-call-to': to,
  'x-call-from': from,
})

const listed = ({ name, description, path, operation, parameters, result }: ToolDescription) => ({
  name,
  description,
  path,
  operation,
  parameters,
  result,
})

/** By family, in the order of the families. */
const jsonSchema: Format = (tools) => ({
  families: [...Map.groupBy(tools, ({ family }) => family)].map(([name, its]) => ({ name, tools: its.map(listed) })),
})

/** By the name of `?format=`; the first is the default. */
const TOOL_FORMATS: Readonly<Record<string, Format>> = {
  'json-schema': jsonSchema,
  openai: each(openAi),
  'openai-chat': each(openAiChat),
  vapi: each(vapi),
  'vapi-api-request': each(vapiApiRequest),
  retell: each(retell),
  elevenlabs: each(elevenLabs),
  bland: each(bland),
  livekit: each(liveKit),
  openapi: openApiOf,
  postman: postmanOf,
  bruno: brunoOf,
  prompt: promptOf,
}

/** The path segment of the OpenAPI document of the whole server. */
export const OPENAPI = 'openapi.json'

/** `GET /openapi.json`. It says nothing of any clinic, so it needs no credential. */
export function addOpenApi(
  router: Router,
  tools: readonly ToolDescription[],
  baseOf: (koa: KoaContext) => string,
): void {
  router.get(`/${OPENAPI}`, (koa) => {
    koa.body = openApiOfServer(tools, { base: baseOf(koa) })
  })
}

/**
 * `GET /tools`. It says nothing of any clinic, so it needs no credential.
 * @param baseOf the address of this server as the client sees it
 */
export function addToolList(
  router: Router,
  path: string,
  tools: readonly ToolDescription[],
  baseOf: (koa: KoaContext) => string,
): void {
  router.get(path, (koa) => {
    const { format = 'json-schema', family, tool } = koa.query
    const write = typeof format === 'string' && Object.hasOwn(TOOL_FORMATS, format) ? TOOL_FORMATS[format] : undefined
    if (write === undefined)
      throw badRequest(`format must be one of ${Object.keys(TOOL_FORMATS).join(', ')}; it was '${String(format)}'`)
    const isChosen = family !== undefined || tool !== undefined
    const written = write(chosen(chosen(tools, 'family', family), 'name', tool), { base: baseOf(koa), isChosen })
    if (typeof written === 'string') koa.type = 'text/markdown; charset=utf-8'
    koa.body = written
  })
}

/** @throws FhirError 400 when no tool has the value */
function chosen(
  tools: readonly ToolDescription[],
  by: 'family' | 'name',
  value: string | string[] | undefined,
): readonly ToolDescription[] {
  if (value === undefined) return tools
  const found = tools.filter((tool) => tool[by] === value)
  if (found.length > 0) return found
  const known = [...new Set(tools.map((tool) => tool[by]))].join(', ')
  throw badRequest(`There is no such ${by === 'family' ? 'family' : 'tool'} as '${String(value)}'; there are ${known}`)
}
