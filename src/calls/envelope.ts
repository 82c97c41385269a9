/**
 * The envelope of tool requests and responses (spec 2.1 and 2.2), with the variants sent by platforms. A problem with
 * the whole request is reported as `error` with empty results; a problem with one call is that call's result.
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

export interface Envelope {
  readonly calls: readonly (ToolCall | UnreadableCall)[]
  /** The reason why there are no calls. */
  readonly error?: string
}

export const isReadable = (call: ToolCall | UnreadableCall): call is ToolCall => 'arguments' in call

/** @param body any JSON value @throws BudgetError */
export function readEnvelope(body: unknown): Envelope {
  const message = isObject(body) ? body.message : undefined
  if (message === undefined && isObject(body) && isRetell(body)) return { calls: [readCall(ofRetell(body), 0)] }
  if (!isObject(message)) return withoutCalls('The body must be an object with a message that holds toolCalls')
  const list = callList(message)
  if (list === undefined) return withoutCalls('message.toolCalls is missing; it must be a list of tool calls')
  if (!Array.isArray(list)) return withoutCalls('message.toolCalls must be a list of tool calls')
  if (list.length === 0) return withoutCalls('message.toolCalls is empty; it must hold at least one tool call')
  return { calls: list.map((entry, index) => (index < MAX_CALLS ? readCall(entry, index) : tooMany(entry))) }
}

const withoutCalls = (error: string): Envelope => ({ calls: [], error })

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

/** Takes the id from the transcript, its only source: the newest invocation in it is this tool call. */
function ofRetell({ name, args, call }: Record<string, unknown>): object {
  const transcript = isObject(call) ? call.transcript_with_tool_calls : undefined
  const invocation = itemsOf(transcript).findLast((entry) => isObject(entry) && entry.role === 'tool_call_invocation')
  const id = isObject(invocation) && invocation.name === name ? invocation.tool_call_id : null
  return { id, name, arguments: args }
}

const idOf = (entry: unknown): unknown => (isObject(entry) ? (entry.id ?? null) : null)

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
  return isObject(read) ? read : undefined
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

/** Adds a `hint` for the developer to each result, about the whole request. */
export const withHint = (results: readonly ToolResult[], hint: string): readonly ToolResult[] =>
  results.map(({ toolCallId, result }) => ({
    toolCallId,
    result: JSON.stringify({ ...(JSON.parse(result) as object), hint }),
  }))

/** `results` in the order of the calls. */
export const writeEnvelope = (results: readonly ToolResult[], error?: string): unknown => ({
  results,
  ...(error === undefined ? {} : { error }),
})

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
  if (isObject(body) && body.message === undefined && isRetell(body)) return retellMetadata(body.call)
  const message = isObject(body) && isObject(body.message) ? body.message : {}
  const field = (owner: unknown, name: string): unknown => (isObject(owner) ? owner[name] : undefined)
  return {
    callId: field(message.call, 'id'),
    dialedNumber: field(message.phoneNumber, 'number') ?? field(field(message.call, 'phoneNumber'), 'number'),
    callerNumber: field(message.customer, 'number') ?? field(field(message.call, 'customer'), 'number'),
  }
}
