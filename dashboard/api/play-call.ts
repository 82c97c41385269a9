/** A phone call that is played: a JSON file of tool calls in order, such as examples/scheduling-call.json. */

export interface PlayedCall {
  readonly description: string
  /** The requests name no call, so they are of the default call of the demo. */
  readonly isDefaultCall?: boolean
  /** Headers of every request, besides those that name the call. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body of POST /abandonments, sent before all else; `{{abandonment.id}}` in `register` is its id. */
  readonly abandonment?: Readonly<Record<string, unknown>>
  /**
   * The body of POST /calls before the first step, without the id: `{"dialedNumber": "+12125550100"}`; absent: not
   * sent.
   */
  readonly register?: Readonly<Record<string, unknown>>
  /**
   * The body of POST /calls/{id}/end after the last step: `{"reason": "…"}`; absent: a call ends where a step says so.
   */
  readonly end?: Readonly<Record<string, unknown>>
  readonly steps: readonly Step[]
}

type Step = ToolStep | EndStep | SearchStep

interface InCall {
  /**
   * The name of the call, where it is not the first one; it is registered and ended as that is, and `{{calls.name}}` is
   * its id.
   */
  readonly call?: string
}

interface ToolStep extends InCall {
  /** The caller's words. */
  readonly caller?: string
  /** The name by which later steps refer to the result: {{name.slots.0.slotKey}}. */
  readonly as?: string
  readonly tool: string
  /** The family of the tool, if different from that on the command line. */
  readonly family?: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Expected content of the result, which may hold more. */
  readonly expect?: Readonly<Record<string, unknown>>
}

interface EndStep extends InCall {
  /** The body of POST /calls/{id}/end. */
  readonly end: Readonly<Record<string, unknown>>
}

/** A search over FHIR, as staff make it. */
interface SearchStep extends InCall {
  readonly as?: string
  /** The type of the resources. */
  readonly search: string
  readonly query: Readonly<Record<string, string>>
  /**
   * Expected content of the Bundle, which may hold more: `{"total": 1, "entry": [{"resource": {"birthDate":
   * "1980-03-03"}}]}`.
   */
  readonly expect: Readonly<Record<string, unknown>>
}

export type Result = Readonly<Record<string, unknown>>

/** Without an id a request is of the default call. */
export interface Requests {
  /** @returns the result of the tool call, decoded */
  readonly callTool: (callId: string, step: ToolStep) => Promise<Result>
  /** @returns the decoded body */
  readonly post: (callId: string, path: string, body: object) => Promise<Result>
  /** @returns the Bundle. @param query `Patient?family=Doe` */
  readonly search: (query: string) => Promise<Result>
}

/** The name of the call of steps that name none. */
const FIRST = 'first'

interface Playing {
  readonly requests: Requests
  /** Ids, by the names that steps give the calls. */
  readonly calls: ReadonlyMap<string, string>
  readonly named: Map<string, Result>
  /** Receives each line that the caller or the agent says. */
  readonly tell: (line: string) => void
}

/**
 * Plays the steps one after the other.
 * @param callId of the first call; the ids of further calls begin with it
 * @throws Error naming the step whose result is not as expected, or that refers to a result that does not exist
 */
export async function playCall(
  { isDefaultCall = false, abandonment, register, end, steps }: Omit<PlayedCall, 'description' | 'headers'>,
  callId: string,
  requests: Requests,
  tell: (line: string) => void,
): Promise<void> {
  const idOf = (name: string) => (isDefaultCall ? '' : name === FIRST ? callId : `${callId}-${name}`)
  const calls = new Map([FIRST, ...steps.map(({ call = FIRST }) => call)].map((name) => [name, idOf(name)]))
  const named = new Map<string, Result>([['calls', Object.fromEntries(calls)]])
  if (abandonment !== undefined) {
    const stored = await requests.post(callId, 'abandonments', abandonment)
    named.set('abandonment', stored)
    tell(`abandonment ${stored.id} is stored`)
  }
  for (const id of register === undefined ? [] : calls.values()) {
    await requests.post(id, 'calls', { callId: id, ...(filledIn(register, named, 'register') as object) })
    tell(`call ${id} is registered`)
  }
  const playing = { requests, calls, named, tell }
  for (const [index, step] of steps.entries()) await playStep(step, index + 1, playing)
  if (end === undefined) return
  const ended = new Set(steps.flatMap((step) => ('end' in step ? [step.call ?? FIRST] : [])))
  for (const name of calls.keys()) if (!ended.has(name)) await endCall(name, end, playing)
}

async function playStep(step: Step, number: number, playing: Playing): Promise<void> {
  if ('end' in step) return await endCall(step.call ?? FIRST, step.end, playing)
  const at = `step ${number}, ${'tool' in step ? step.tool : `search of ${step.search}`}`
  const result = 'tool' in step ? await playTool(step, at, playing) : await playSearch(step, at, playing)
  if (step.as !== undefined) playing.named.set(step.as, result)
}

async function endCall(name: string, body: object, { requests, calls, tell }: Playing): Promise<void> {
  const id = calls.get(name) ?? ''
  await requests.post(id, `calls/${id}/end`, body)
  tell(`call ${id} has ended`)
}

async function playTool(step: ToolStep, at: string, { requests, calls, named, tell }: Playing): Promise<Result> {
  const { caller, call = FIRST, tool, expect = {} } = step
  if (caller !== undefined) tell(`caller: ${caller}`)
  const given = filledIn(step.arguments, named, at) as Result
  const start = performance.now()
  const result = await requests.callTool(calls.get(call) ?? '', { ...step, arguments: given })
  tell(`  ${tool} ${inShort(given)} (${Math.round(performance.now() - start)} ms)`)
  if (result.success === false || result.valid === false)
    tell(`  ${result.code}: ${result.error ?? result.errorMessage}`)
  tell(`agent: ${result.say}`)
  for (const [name, value] of Object.entries(filledIn(expect, named, at) as Result)) {
    if (isSame(result[name], value)) continue
    throw new Error(`${at}: ${name} is ${JSON.stringify(result[name])}, and ${JSON.stringify(value)} is expected`)
  }
  return result
}

async function playSearch(step: SearchStep, at: string, { requests, named, tell }: Playing): Promise<Result> {
  const query = filledIn(step.query, named, at) as Record<string, string>
  const address = `${step.search}?${new URLSearchParams(query)}`
  const bundle = await requests.search(address)
  tell(`  GET ${address}`)
  for (const [name, value] of Object.entries(filledIn(step.expect, named, at) as Result)) {
    if (holds(bundle[name], value)) continue
    throw new Error(`${at}: ${name} is ${JSON.stringify(bundle[name])}, and must hold ${JSON.stringify(value)}`)
  }
  return bundle
}

const WIDTH = 100

function inShort(args: object): string {
  const text = JSON.stringify(args)
  return text.length <= WIDTH ? text : `${text.slice(0, WIDTH)}…`
}

/** The value with each placeholder replaced by the result it refers to. */
function filledIn(value: unknown, named: ReadonlyMap<string, Result>, step: string): unknown {
  if (typeof value === 'string') return placeholder(value, named, step)
  if (Array.isArray(value)) return value.map((one) => filledIn(one, named, step))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filledIn(one, named, step)]))
}

function placeholder(text: string, named: ReadonlyMap<string, Result>, step: string): unknown {
  const [, path] = /^\{\{(.+)\}\}$/.exec(text) ?? []
  if (path === undefined) return text
  const [name = '', ...members] = path.split('.')
  const found = members.reduce<unknown>(
    (value, member) =>
      (typeof value === 'object' && value !== null ? Object.entries(value) : []).find(([one]) => one === member)?.[1],
    named.get(name),
  )
  if (found === undefined) throw new Error(`${step}: nothing before has the result ${path}`)
  return found
}

/** Deep equality of JSON values. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  const entries = Object.entries(one)
  const values = new Map(Object.entries(other))
  return (
    Array.isArray(one) === Array.isArray(other) &&
    entries.length === values.size &&
    entries.every(([name, value]) => values.has(name) && isSame(value, values.get(name)))
  )
}

/** Compares values of JSON: an object may have more elements than expected, a list may not. */
function holds(value: unknown, expected: unknown): boolean {
  if (typeof value !== 'object' || typeof expected !== 'object' || value === null || expected === null)
    return value === expected
  const values = new Map(Object.entries(value))
  return (
    Array.isArray(value) === Array.isArray(expected) &&
    (!Array.isArray(value) || values.size === Object.keys(expected).length) &&
    Object.entries(expected).every(([name, one]) => holds(values.get(name), one))
  )
}
