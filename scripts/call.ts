/** `npm run call`: plays a phone call, a JSON file of tool calls in order, against a running server. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual, parseArgs } from 'node:util'

const USAGE = `npm run call -- FILE [--url URL] [--family FAMILY] [--secret SECRET] [--number +1…] [--from +1…]

FILE is a call such as examples/scheduling-call.json. By default it is played against the demo clinic of http://127.0.0.1:3000.
--number is the dialled number, --from that of the caller.`

export interface PlayedCall {
  readonly description: string
  /** Headers of every request, besides those that name the call. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body of POST /abandonments, sent before all else; `{{abandonment.id}}` in `register` is its id. */
  readonly abandonment?: Readonly<Record<string, unknown>>
  /** What POST /calls gets besides the id before the first step: `{"dialedNumber": "+12125550100"}`; absent: it is not sent. */
  readonly register?: Readonly<Record<string, unknown>>
  /** The body of POST /calls/{id}/end after the last step: `{"reason": "…"}`; absent: the call is not ended. */
  readonly end?: Readonly<Record<string, unknown>>
  readonly steps: readonly Step[]
}

interface Step {
  /** What the caller says. */
  readonly caller?: string
  /** The name by which later steps refer to the result: {{name.slots.0.slotKey}}. */
  readonly as?: string
  readonly tool: string
  /** Of the tool, where it is not that of the command line. */
  readonly family?: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** What the result must hold. */
  readonly expect?: Readonly<Record<string, unknown>>
}

type Result = Readonly<Record<string, unknown>>

/** Sends one tool call. @returns its decoded result */
export type Send = (tool: string, args: object, family?: string) => Promise<Result>

/**
 * Plays the steps one after the other.
 * @param tell gets what the caller and the agent say
 * @throws Error naming the step whose result is not as expected, or that refers to a result that there is not
 */
export async function playCall(
  { steps }: Pick<PlayedCall, 'steps'>,
  send: Send,
  tell: (line: string) => void,
): Promise<readonly Result[]> {
  const named = new Map<string, Result>()
  const results: Result[] = []
  for (const [index, { caller, as, tool, family, arguments: args, expect = {} }] of steps.entries()) {
    const step = `step ${index + 1}, ${tool}`
    if (caller !== undefined) tell(`caller: ${caller}`)
    const given = filledIn(args, named, step) as object
    const start = performance.now()
    const result = await send(tool, given, family)
    tell(`  ${tool} ${inShort(given)} (${Math.round(performance.now() - start)} ms)`)
    if (result.success === false || result.valid === false)
      tell(`  ${result.code}: ${result.error ?? result.errorMessage}`)
    tell(`agent: ${result.say}`)
    for (const [name, value] of Object.entries(filledIn(expect, named, step) as Result)) {
      if (isDeepStrictEqual(result[name], value)) continue
      throw new Error(`${step}: ${name} is ${JSON.stringify(result[name])}, and ${JSON.stringify(value)} is expected`)
    }
    if (as !== undefined) named.set(as, result)
    results.push(result)
  }
  return results
}

const WIDTH = 100

function inShort(args: object): string {
  const text = JSON.stringify(args)
  return text.length <= WIDTH ? text : `${text.slice(0, WIDTH)}…`
}

/** With the values that placeholders stand for. */
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

interface Options {
  readonly url: string
  readonly family: string
  readonly headers: Readonly<Record<string, string>>
}

async function post({ url, headers }: Options, path: string, body: object): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${text}`)
  return text
}

/** Over HTTP, in one call. */
function sender(options: Options): Send {
  let count = 0
  return async (tool, args, family = options.family) => {
    count += 1
    const toolCalls = [{ id: String(count), function: { arguments: args } }]
    const text = await post(options, `/${family}/${tool}`, { message: { toolCalls } })
    const [{ result = '{}' } = {}] = (JSON.parse(text) as { results: readonly { result?: string }[] }).results
    return JSON.parse(result)
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:3000' },
      family: { type: 'string', default: 'emr-scheduling' },
      secret: { type: 'string', default: 'demo-secret' },
      number: { type: 'string' },
      from: { type: 'string' },
    },
  })
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0) throw new Error(USAGE)
  const { url, family, secret, number, from } = values
  const call = JSON.parse(readFileSync(file, 'utf8')) as PlayedCall
  const callId = randomUUID()
  const headers = {
    ...call.headers,
    'x-voice-secret': secret,
    'x-call-id': callId,
    ...(number === undefined ? {} : { 'x-call-to': number }),
    ...(from === undefined ? {} : { 'x-call-from': from }),
  }
  const options = { url, family, headers }
  const tell = (line: string) => process.stdout.write(`${line}\n`)
  tell(call.description)
  const before = new Map<string, Result>()
  if (call.abandonment !== undefined) {
    before.set('abandonment', JSON.parse(await post(options, '/abandonments', call.abandonment)))
    tell(`abandonment ${before.get('abandonment')?.id} is stored`)
  }
  if (call.register !== undefined) {
    const register = filledIn(call.register, before, 'register') as object
    await post(options, '/calls', { callId, ...register })
    tell(`call ${callId} is registered`)
  }
  await playCall(call, sender(options), tell)
  if (call.end === undefined) return
  await post(options, `/calls/${callId}/end`, call.end)
  tell(`call ${callId} has ended`)
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })
}
