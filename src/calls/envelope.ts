/**
 * The styles of tool requests, and of the responses to them: the envelope (spec 2.1 and 2.2) with its variants, the
 * arguments alone ("plain mode"), Retell's custom functions, and function calls as OpenAI's models make them. A problem
 * with the whole request is reported as `error` with empty results; a problem with one call is that call's result.
 */
import { countJson, parseJson } from '../fhir/json.ts'
import { isObject, itemsOf } from '../fhir/resource.ts'
import { rethrowBudgetError } from '../isolation/budget.ts'

/** Most tool calls in one request; each further one is refused in its result. */
export const MAX_CALLS = 32

/** Maximum nesting of arguments in a JSON string, which the depth check of the body does not parse. */
const MAX_ARGUMENT_DEPTH = 32

export interface ToolCall {
  /** Echoed exactly, whatever it is; null if absent. */
  readonly id: unknown
  /** The tool named in the call itself, if any. */
  readonly name?: unknown
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface UnreadableCall {
  readonly id: unknown
  readonly code: string
  readonly error: string
}

/**
 * - `envelope`: `{message: {toolCalls}}`, answered by `{results}` in which each result is a string
 * - `plain`: the arguments alone, or Retell's `{name, call, args}`, answered by the result object
 * - `chat`: `{tool_calls}` of a chat completion, answered by a list of messages of the role `tool`
 * - `items`: `function_call` items of OpenAI's Responses and Realtime, answered by `function_call_output` items
 * - `item`: one of them, answered by one
 */
export type Style = 'envelope' | 'plain' | 'chat' | 'items' | 'item'

export interface Envelope {
  readonly style: Style
  readonly calls: readonly (ToolCall | UnreadableCall)[]
  /** The reason why there are no calls. */
  readonly error?: string
}

export const isReadable = (call: ToolCall | UnreadableCall): call is ToolCall => 'arguments' in call

/**
 * @param body any JSON value
 * @param toolCallId the id of a call that has none in the body; null: the call is never a repeat
 * @throws BudgetError
 */
export function readEnvelope(body: unknown, toolCallId: string | null = null): Envelope {
  if (Array.isArray(body)) return functionCalls('items', body)
  if (!isObject(body)) return withoutCalls(NO_BODY)
  const { message } = body
  if (message !== undefined) return isObject(message) ? ofMessage(message) : withoutCalls(NO_BODY)
  if (LISTS.some((name) => name in body))
    return withoutCalls('The list of tool calls must be in message: {"message":{"toolCalls":[…]}}')
  if (isRetell(body)) return { style: 'plain', calls: [readCall(ofRetell(body, toolCallId), 0)] }
  if (Array.isArray(body.tool_calls)) return functionCalls('chat', body.tool_calls)
  if (body.type === 'function_call') return functionCalls('item', [body])
  if (Array.isArray(body.output) && body.output.some(isFunctionCall)) return functionCalls('items', body.output)
  return { style: 'plain', calls: [{ id: toolCallId, arguments: withoutMetadata(body) }] }
}

const NO_BODY = 'The body must be an object: the arguments of the tool, or a message that holds toolCalls'

function ofMessage(message: Record<string, unknown>): Envelope {
  const list = callList(message)
  if (list === undefined) return withoutCalls('message.toolCalls is missing; it must be a list of tool calls')
  if (!Array.isArray(list)) return withoutCalls('message.toolCalls must be a list of tool calls')
  if (list.length === 0) return withoutCalls('message.toolCalls is empty; it must hold at least one tool call')
  return { style: 'envelope', calls: readCalls(list) }
}

const readCalls = (list: readonly unknown[]): Envelope['calls'] =>
  list.map((entry, index) => (index < MAX_CALLS ? readCall(entry, index) : tooMany(entry)))

const withoutCalls = (error: string): Envelope => ({ style: 'envelope', calls: [], error })

const isFunctionCall = (item: unknown): boolean => isObject(item) && item.type === 'function_call'

/**
 * Function calls of chat completions (https://platform.openai.com/docs/api-reference/chat/object), or among the items of a response
 * (https://platform.openai.com/docs/guides/function-calling), which may have messages and reasoning beside them.
 */
function functionCalls(style: Style, list: readonly unknown[]): Envelope {
  const calls = style === 'chat' ? list : list.filter(isFunctionCall)
  if (calls.length === 0) return withoutCalls(`The list holds no item of the type function_call. ${NO_BODY}`)
  return { style, calls: readCalls(calls) }
}

/** Names of the list of an envelope. */
const LISTS = ['toolCalls', 'toolCallList', 'toolWithToolCallList']

/** Static fields with the metadata of the call, which a platform adds to the arguments. */
const STATIC_FIELDS = ['x_call_id', 'x_call_to', 'x_call_from']

const withoutMetadata = (body: Record<string, unknown>): Record<string, unknown> =>
  STATIC_FIELDS.some((name) => name in body)
    ? Object.fromEntries(Object.entries(body).filter(([name]) => !STATIC_FIELDS.includes(name)))
    : body

/** The calls, under any of the platforms' names. */
function callList({ toolCalls, toolCallList, toolWithToolCallList }: Record<string, unknown>): unknown {
  const list = [toolCalls, toolCallList].find((one) => one !== undefined && one !== null && !isEmptyList(one))
  if (list !== undefined) return list
  if (toolWithToolCallList === undefined || toolWithToolCallList === null) return toolCalls ?? toolCallList ?? undefined
  if (!Array.isArray(toolWithToolCallList)) return toolWithToolCallList
  return toolWithToolCallList.map((entry: unknown) => (isObject(entry) ? entry.toolCall : entry))
}

/** An empty list is ignored if there is a list under another name. */
const isEmptyList = (list: unknown): boolean => Array.isArray(list) && list.length === 0

/** https://docs.retellai.com/build/single-multi-prompt/custom-function: one tool call, {name, call, args}. */
const isRetell = (body: Record<string, unknown>): boolean => typeof body.name === 'string' && 'args' in body

/** Takes the id from the transcript: the newest invocation in it is this tool call. */
function ofRetell({ name, args, call }: Record<string, unknown>, toolCallId: string | null): object {
  const transcript = isObject(call) ? call.transcript_with_tool_calls : undefined
  const invocation = itemsOf(transcript).findLast((entry) => isObject(entry) && entry.role === 'tool_call_invocation')
  const id = isObject(invocation) && invocation.name === name ? invocation.tool_call_id : null
  return { id: id ?? toolCallId, name, arguments: args }
}

/** A `function_call` item has an id of its own beside that of the call. */
const idOf = (entry: unknown): unknown => (isObject(entry) ? (entry.call_id ?? entry.id ?? null) : null)

const tooMany = (entry: unknown): UnreadableCall => ({
  id: idOf(entry),
  code: 'too-many-calls',
  error: `A request may hold ${MAX_CALLS} tool calls; send this one in another request`,
})

function readCall(entry: unknown, index: number): ToolCall | UnreadableCall {
  const id = idOf(entry)
  const invalid = (error: string): UnreadableCall => ({ id, code: 'invalid-call', error })
  if (!isObject(entry)) return invalid(`message.toolCalls[${index}] must be an object with id and function`)
  const tool = isObject(entry.function) ? entry.function : {}
  const name = tool.name ?? entry.name
  const values = readArguments(tool.arguments ?? tool.parameters ?? entry.arguments ?? entry.parameters)
  if (values === undefined)
    return { id, code: 'invalid-arguments', error: 'The arguments must be a JSON object, or a string that holds one' }
  return { id, ...(name === undefined || name === null ? {} : { name }), arguments: values }
}

/**
 * Arguments from an object, or a string that contains one; null and a blank string mean none. Undefined for anything
 * else.
 */
function readArguments(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined || value === null) return {}
  const read = typeof value === 'string' ? parsed(value) : value
  // Some platforms encode a string that is JSON already.
  const arguments_ = typeof read === 'string' ? parsed(read) : read
  return isObject(arguments_) ? arguments_ : undefined
}

function parsed(text: string): unknown {
  if (text.trim() === '') return {}
  if (countJson(text, MAX_ARGUMENT_DEPTH) === undefined) return undefined
  try {
    return parseJson(text)
  } catch (error) {
    rethrowBudgetError(error)
    return undefined
  }
}

export interface ToolResult {
  readonly toolCallId: unknown
  /** The result object as JSON on one line. */
  readonly result: string
}

/** The result object; undefined where a fault has cut it. */
export function resultIn({ result }: ToolResult): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(result)
  } catch {
    return undefined
  }
}

/** Adds members for the developer to a result. */
export const withMembers = <R extends ToolResult>(one: R, members: object): R => ({
  ...one,
  result: JSON.stringify({ ...(JSON.parse(one.result) as object), ...members }),
})

/** Adds a `hint` for the developer to each result, about the whole request. */
export const withHint = <R extends ToolResult>(results: readonly R[], hint: string): readonly R[] =>
  results.map((one) => withMembers(one, { hint }))

/** The response as JSON text in the style of the request, with the results in the order of the calls. */
export function writeEnvelope({ style, error }: Envelope, results: readonly ToolResult[]): string {
  const [first] = results
  if (style === 'plain' && first !== undefined) return first.result
  if (style === 'envelope' || first === undefined)
    return JSON.stringify({
      results: results.map(({ toolCallId, result }) => ({ toolCallId, result })),
      ...(error === undefined ? {} : { error }),
    })
  return JSON.stringify(functionOutputs(style, results))
}

function functionOutputs(style: Style, results: readonly ToolResult[]): unknown {
  if (style === 'chat')
    return results.map(({ toolCallId, result }) => ({ role: 'tool', tool_call_id: toolCallId, content: result }))
  const items = results.map(({ toolCallId, result }) => ({
    type: 'function_call_output',
    call_id: toolCallId,
    output: result,
  }))
  return style === 'item' ? items[0] : items
}

type BodyMetadata = Readonly<Record<'callId' | 'dialedNumber' | 'callerNumber', unknown>>

/** https://docs.retellai.com/api-references/get-call: in an outbound call the person is the called party. */
function retellMetadata(call: unknown): BodyMetadata {
  const { call_id, direction, from_number, to_number } = isObject(call) ? call : {}
  const [clinic, person] = direction === 'outbound' ? [from_number, to_number] : [to_number, from_number]
  return { callId: call_id, dialedNumber: clinic, callerNumber: person }
}

/**
 * Call metadata in the body, for platforms whose own server sets it; used only if the service is configured to trust
 * it.
 */
export function bodyMetadata(body: unknown): BodyMetadata {
  if (isObject(body) && body.message === undefined)
    return isRetell(body) ? retellMetadata(body.call) : inArguments(body)
  const message = isObject(body) && isObject(body.message) ? body.message : {}
  const field = (owner: unknown, name: string): unknown => (isObject(owner) ? owner[name] : undefined)
  return {
    callId: field(message.call, 'id'),
    dialedNumber: field(message.phoneNumber, 'number') ?? field(field(message.call, 'phoneNumber'), 'number'),
    callerNumber: field(message.customer, 'number') ?? field(field(message.call, 'customer'), 'number'),
  }
}

const inArguments = ({ x_call_id, x_call_to, x_call_from }: Record<string, unknown>): BodyMetadata => ({
  callId: x_call_id,
  dialedNumber: x_call_to,
  callerNumber: x_call_from,
})
