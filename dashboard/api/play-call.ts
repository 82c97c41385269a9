/** A phone call that is played: a JSON file of tool calls in order, such as examples/scheduling-call.json. */

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

export type Result = Readonly<Record<string, unknown>>

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
      if (isSame(result[name], value)) continue
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
export function filledIn(value: unknown, named: ReadonlyMap<string, Result>, step: string): unknown {
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

/** Of values of JSON. */
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
