/**
 * The conversation of a call: each tool call with what was said, what was understood, what it wrote, and the request that it
 * came in. Made of the log, of Provenances and of the journal, of which any may lack a part.
 */
import type { Provenance } from 'fhir/r4'
import type { Exchange, ToolCall } from '../../api/exchanges.ts'
import { isRecord } from '../../api/problem.ts'
import { type LoggedCall, timeOf } from '../../fhir/calls.ts'
import { referenceParts } from '../../fhir/names.ts'

/** A version that a tool call has written. */
export interface Write {
  readonly type: string
  readonly id: string
  readonly version: string
}

/** A tool call as the journal has it. */
interface Requested {
  readonly exchange: Exchange
  readonly tool: ToolCall
  /** Its place among the tool calls of its request, from 1 on, and their number. */
  readonly place: number
  readonly of: number
  /** The tool was called before with this id, so it got the stored result. */
  readonly isRepeat: boolean
}

export interface Turn {
  readonly key: string
  readonly tool: string
  /** FHIR instant; '' where it is not known. */
  readonly at: string
  /** Undefined where the log has no entry: a repeat, or a tool call that was refused before its tool was run. */
  readonly entry: LoggedCall | undefined
  /** Undefined where the journal has none. */
  readonly requested: Requested | undefined
  /** Milliseconds from the tool call to its result. */
  readonly latency: number | undefined
  readonly writes: readonly Write[]
}

export interface Conversation {
  readonly turns: readonly Turn[]
  /** Writes by none of the tool calls, such as the late answer of an insurer. */
  readonly otherWrites: readonly Write[]
}

export function conversationOf(
  log: readonly LoggedCall[],
  provenances: readonly Provenance[],
  exchanges: readonly Exchange[],
): Conversation {
  const requests = requestsOf(log, exchanges)
  const writes = writesOf(log, provenances)
  const logged = log.map((entry) => turnOf(entry, requests.logged.get(entry), writes.get(entry) ?? []))
  const turns = [...withLatency(logged), ...requests.others.map(withoutEntry)]
  return {
    turns: turns.sort((one, other) => timeOf(one.at) - timeOf(other.at)),
    otherWrites: writes.get(undefined) ?? [],
  }
}

const turnOf = (entry: LoggedCall, requested: Requested | undefined, writes: readonly Write[]): Turn => ({
  ...{ key: entry.id, tool: entry.tool, at: entry.sent, entry, requested, writes },
  latency: undefined,
})

const withoutEntry = (requested: Requested): Turn => ({
  key: `${requested.exchange.id} ${requested.place}`,
  tool: requested.tool.tool,
  at: requested.exchange.time,
  entry: undefined,
  requested,
  latency: requested.of === 1 ? requested.exchange.duration : undefined,
  writes: [],
})

/** The tool calls of a request run one after the other: each ends where the next one begins, the last with the response. */
const withLatency = (turns: readonly Turn[]): readonly Turn[] =>
  turns.map((turn, index) => {
    const { entry, requested } = turn
    if (requested === undefined || entry === undefined) return turn
    const next = turns[index + 1]
    const isSame = next?.requested?.exchange.id === requested.exchange.id
    const end = isSame ? timeOf(next?.at) : timeOf(requested.exchange.time) + requested.exchange.duration
    return { ...turn, latency: Math.max(end - timeOf(entry.sent), 0) }
  })

/** Milliseconds by which an entry may lie outside of its request, as times are rounded. */
const SLACK = 5

interface Requests {
  readonly logged: ReadonlyMap<LoggedCall, Requested>
  readonly others: readonly Requested[]
}

/** Pairs each tool call of the journal with its entry of the log, which lies within the time of the request. */
function requestsOf(log: readonly LoggedCall[], exchanges: readonly Exchange[]): Requests {
  const logged = new Map<LoggedCall, Requested>()
  const others: Requested[] = []
  const ids = new Set<string>()
  for (const exchange of exchanges.toSorted((one, other) => timeOf(one.time) - timeOf(other.time))) {
    const { tools = [], time, duration } = exchange
    const [from, to] = [timeOf(time) - SLACK, timeOf(time) + duration + SLACK]
    for (const [index, tool] of tools.entries()) {
      const id = JSON.stringify([tool.tool, tool.id])
      const requested = { exchange, tool, place: index + 1, of: tools.length, isRepeat: ids.has(id) }
      if (tool.id !== null) ids.add(id)
      const isOf = (one: LoggedCall) =>
        one.tool === tool.tool && !logged.has(one) && timeOf(one.sent) >= from && timeOf(one.sent) <= to
      const entry = log.find(isOf)
      if (entry === undefined) others.push(requested)
      else logged.set(entry, requested)
    }
  }
  return { logged, others }
}

/** The writes of each tool call: its Provenances were recorded between its beginning and its end. */
function writesOf(
  log: readonly LoggedCall[],
  provenances: readonly Provenance[],
): ReadonlyMap<LoggedCall | undefined, readonly Write[]> {
  const writes = new Map<LoggedCall | undefined, readonly Write[]>()
  for (const provenance of provenances) {
    const tool = provenance.activity?.text?.replaceAll('-', '_')
    const recorded = timeOf(provenance.recorded)
    const during = log.filter(
      (one) => one.tool === tool && Math.floor(timeOf(one.sent)) <= recorded && recorded <= timeOf(one.received),
    )
    // Several may have been running: the one whose last change came at the same time, or next after it.
    const [entry] = during.toSorted((one, other) => timeOf(one.received) - timeOf(other.received))
    writes.set(entry, [...(writes.get(entry) ?? []), ...targetsOf(provenance)])
  }
  return writes
}

const targetsOf = ({ target = [] }: Provenance): readonly Write[] =>
  target.flatMap(({ reference }) => {
    const parts = referenceParts(reference)
    const version = /\/_history\/([^/]+)$/.exec(reference ?? '')?.[1]
    return parts === undefined || version === undefined ? [] : [{ ...parts, version }]
  })

/** An argument: what was said, and what became of it. */
export interface Stated {
  readonly argument: string
  /** Undefined for a value that no argument is named like. */
  readonly said: string | undefined
  readonly understood: string | undefined
  /** Why it was not taken. */
  readonly problem: string | undefined
}

/** The arguments of a tool call beside what its result gives back of them (docs/live-calls.md#spoken-values). */
export function statedIn({ arguments: given = {}, result = {} }: LoggedCall): readonly Stated[] {
  const values: Readonly<Record<string, unknown>> = { ...(isRecord(result.values) ? result.values : {}) }
  const understood = (name: string) => values[name] ?? (name === 'value' ? result.value : undefined)
  const stated = Object.entries(given).map(([argument, said]) => ({
    argument,
    said: textOf(said),
    understood: inWords(understood(argument), result.inWords),
    problem: problemOf(argument, result),
  }))
  const others = Object.entries(values).filter(([name]) => !(name in given))
  return [
    ...stated,
    ...others.map(([argument, value]) => ({
      ...{ argument, said: undefined, understood: inWords(value, result.inWords), problem: undefined },
    })),
  ]
}

/** A date is given in words too, as only these tell how day and month were read. */
function inWords(value: unknown, words: unknown): string | undefined {
  const text = value === undefined || value === null ? undefined : textOf(value)
  const isDate = text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text)
  return isDate && typeof words === 'string' ? `${text}, ${words}` : text
}

function problemOf(
  argument: string,
  { ignored, invalidFields }: Readonly<Record<string, unknown>>,
): string | undefined {
  const isNamed = (name: string) => (one: unknown) => isRecord(one) && one[name] === argument
  const unknown: unknown = Array.isArray(ignored) ? ignored.find(isNamed('name')) : undefined
  if (isRecord(unknown))
    return typeof unknown.nearest === 'string' ? `ignored; ${unknown.nearest} is probably meant` : 'ignored'
  const invalid: unknown = Array.isArray(invalidFields) ? invalidFields.find(isNamed('field')) : undefined
  return isRecord(invalid) && typeof invalid.error === 'string' ? invalid.error : undefined
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
