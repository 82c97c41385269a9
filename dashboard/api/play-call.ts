/** Plays a script of a call against a server, step by step: for `npm run call` and for the dashboard. */
import type { PlayedCall, SearchStep, Step, ToolStep } from './call-script.ts'
import { errorText } from './problem.ts'

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

/** Waits until a step may be played. @param said the sentence of the agent before it, '' for none */
export type Pace = (step: Step, said: string) => Promise<void>

/** The manner of playing; by default without pauses, up to the first step that fails. */
export interface Manner {
  readonly pace?: Pace
  /** A step that fails does not stop the play. */
  readonly goesOn?: boolean
  /** Stops the play before its next step. */
  readonly signal?: AbortSignal
}

/** Words in a second, and the longest pause in seconds. */
const SPEED = 2.5
const LONGEST = 20

/** Pauses as they were recorded, or for as long as it takes to say what the agent and the caller say. */
export const naturalPace =
  (signal?: AbortSignal): Pace =>
  (step, said) =>
    pause(secondsBefore(step, said), signal)

export function secondsBefore(step: Step, said: string): number {
  const words = `${said} ${'tool' in step ? (step.caller ?? '') : ''}`.split(/\s+/).filter(Boolean)
  return Math.min(Math.max(step.after ?? words.length / SPEED, 0), LONGEST)
}

/** Ends early when the play is stopped. */
function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => resolve()
  const timer = setTimeout(end, signal?.aborted ? 0 : seconds * 1_000)
  signal?.addEventListener('abort', end)
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  })
}

interface Playing {
  readonly requests: Requests
  /** Ids, by the names that steps give the calls. */
  readonly calls: ReadonlyMap<string, string>
  readonly named: Map<string, Result>
  /** The latest sentence of the agent. */
  said: string
  /** Receives each line that the caller or the agent says. */
  readonly tell: (line: string) => void
}

/**
 * Plays the steps one after the other.
 * @param callId of the first call; the ids of further calls begin with it
 * @returns the number of steps that failed, where the play went on
 * @throws Error naming the step whose result is not as expected, or that refers to a result that does not exist; the
 * reason of `signal` where it was stopped
 */
export async function playCall(
  { isDefaultCall = false, abandonment, register, end, steps }: Omit<PlayedCall, 'description' | 'headers'>,
  callId: string,
  requests: Requests,
  tell: (line: string) => void,
  manner: Manner = {},
): Promise<number> {
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
  const playing: Playing = { requests, calls, named, said: '', tell }
  const failures = await playSteps(steps, playing, manner)
  if (end === undefined) return failures
  const ended = new Set(steps.flatMap((step) => ('end' in step ? [step.call ?? FIRST] : [])))
  for (const name of calls.keys()) if (!ended.has(name)) await endCall(name, end, playing)
  return failures
}

/** @returns the number of steps that failed */
async function playSteps(
  steps: readonly Step[],
  playing: Playing,
  { pace, goesOn = false, signal }: Manner,
): Promise<number> {
  let failures = 0
  for (const [index, step] of steps.entries()) {
    await pace?.(step, playing.said)
    signal?.throwIfAborted()
    try {
      await playStep(step, index + 1, playing)
    } catch (error) {
      if (!goesOn) throw error
      failures += 1
      playing.tell(`  failed: ${errorText(error)}`)
    }
  }
  return failures
}

async function playStep(step: Step, number: number, playing: Playing): Promise<void> {
  if ('end' in step) return await endCall(step.call ?? FIRST, step.end, playing)
  const at = `step ${number}, ${'tool' in step ? step.tool : `search of ${step.search}`}`
  const result = 'tool' in step ? await playTool(step, at, playing) : await playSearch(step, at, playing)
  // Later steps may refer to a result that is not as expected.
  if (step.as !== undefined) playing.named.set(step.as, result)
  if ('tool' in step) requireSame(result, filledIn(step.expect ?? {}, playing.named, at) as Result, at)
  else requireHeld(result, filledIn(step.expect, playing.named, at) as Result, at)
}

function requireSame(result: Result, expected: Result, at: string): void {
  for (const [name, value] of Object.entries(expected)) {
    if (isSame(result[name], value)) continue
    throw new Error(`${at}: ${name} is ${JSON.stringify(result[name])}, and ${JSON.stringify(value)} is expected`)
  }
}

function requireHeld(bundle: Result, expected: Result, at: string): void {
  for (const [name, value] of Object.entries(expected)) {
    if (holds(bundle[name], value)) continue
    throw new Error(`${at}: ${name} is ${JSON.stringify(bundle[name])}, and must hold ${JSON.stringify(value)}`)
  }
}

async function endCall(name: string, body: object, { requests, calls, tell }: Playing): Promise<void> {
  const id = calls.get(name) ?? ''
  await requests.post(id, `calls/${id}/end`, body)
  tell(`call ${id} has ended`)
}

async function playTool(step: ToolStep, at: string, playing: Playing): Promise<Result> {
  const { requests, calls, named, tell } = playing
  const { caller, call = FIRST, tool } = step
  if (caller !== undefined) tell(`caller: ${caller}`)
  const given = filledIn(step.arguments, named, at) as Result
  const start = performance.now()
  const result = await requests.callTool(calls.get(call) ?? '', { ...step, arguments: given })
  tell(`  ${tool} ${inShort(given)} (${Math.round(performance.now() - start)} ms)`)
  if (result.success === false || result.valid === false)
    tell(`  ${result.code}: ${result.error ?? result.errorMessage}`)
  playing.said = typeof result.say === 'string' ? result.say : ''
  tell(`agent: ${result.say}`)
  return result
}

async function playSearch(step: SearchStep, at: string, { requests, named, tell }: Playing): Promise<Result> {
  const query = filledIn(step.query, named, at) as Record<string, string>
  const address = `${step.search}?${new URLSearchParams(query)}`
  const bundle = await requests.search(address)
  tell(`  GET ${address}`)
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
