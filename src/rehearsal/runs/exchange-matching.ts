/** Compares an exchange of the journal with a matcher of a plan. */
import { isDeepStrictEqual } from 'node:util'
import { Duration } from 'luxon'
import { compileUserExpression, EvaluationError, type Expression } from '../../fhir/fhirpath/fhirpath.ts'
import { memoize } from '../../fhir/memoize.ts'
import { isObject } from '../../fhir/resource.ts'
import { newLimits } from '../../profiles/invariant.ts'
import type { ExchangeDetail, ExchangeSummary, ShownMessage, ToolDetail } from '../../record/journal/exchange.ts'
import { type FaultRequest, INTERACTIONS } from '../faults/matching.ts'
import type { Matcher, OneOf, Sameness } from '../plans/plan.ts'

/** The bodies of an exchange, which are parsed when a matcher asks them for the first time. */
export interface KeptExchange {
  readonly detail: ExchangeDetail
  readonly parsed: { request?: unknown; response?: unknown }
}

/** Source of the exchanges of a run beyond their summaries, and the limit of what may be asked of their bodies. */
export interface ExchangeSource {
  read(id: string): Promise<KeptExchange | undefined>
  /** Items that expressions may still process in the whole run. */
  left: number
  /** Lets others have their turn when much has been done since the last time. */
  turn(): Promise<void> | undefined
}

/** An exchange with what its matching needs; its bodies are read only where a matcher asks for them. */
export class SeenByRun {
  readonly summary: ExchangeSummary
  /** Below the base, without a strictness profile. */
  readonly path: string
  readonly query: URLSearchParams
  /** Milliseconds since 1970 UTC. */
  readonly begun: number
  readonly ended: number
  readonly source: ExchangeSource

  constructor(summary: ExchangeSummary, source: ExchangeSource) {
    this.summary = summary
    this.source = source
    const [path = '', query = ''] = summary.address.split('?', 2)
    this.path = path.replace(/^\/as\/[^/]+/, '') || '/'
    this.query = new URLSearchParams(query)
    this.begun = Date.parse(summary.time)
    this.ended = this.begun + summary.duration
  }

  get line(): string {
    const { method, address, status } = this.summary
    const shown = address.length > LONGEST_ADDRESS ? `${address.slice(0, LONGEST_ADDRESS)}…` : address
    return `${method} ${shown} ${status === 0 ? 'without a response' : status}`
  }

  /**
   * As the rules for faults have seen it. A fault that has answered it leaves only its address: then it may be of any interaction,
   * and of tools its operation is the name of the first one.
   */
  get asFaultRequest(): FaultRequest {
    const { interaction = '', operation = '', call, run, tools } = this.summary
    const isOfTools = interaction === 'tool'
    const [, type = ''] = /^\/([A-Z][A-Za-z]+)/.exec(this.path) ?? []
    return {
      of: isOfTools ? 'tools' : 'fhir',
      ...{ path: this.path, query: this.query, type, call, run },
      interactions: INTERACTIONS.includes(interaction) ? [interaction] : INTERACTIONS,
      tools: tools?.map(({ tool }) => tool) ?? (isOfTools ? [operation] : []),
    }
  }

  /** Undefined where the journal does not have it any more. */
  kept(): Promise<KeptExchange | undefined> {
    return this.source.read(this.summary.id)
  }
}

const LONGEST_ADDRESS = 200

/**
 * `other`: it is not what the matcher is about. `missed`: it is, but for what the sentences say. `unknown`: the journal does
 * not have what would tell.
 */
export type Match =
  | { readonly kind: 'match' | 'other' }
  | { readonly kind: 'missed'; readonly missed: readonly string[] }
  | { readonly kind: 'unknown'; readonly why: string }

const MATCH: Match = { kind: 'match' }
const OTHER: Match = { kind: 'other' }

/** @param occasion the step's exchange, where there is one */
export async function matchOf(matcher: Matcher, seen: SeenByRun, occasion?: SeenByRun): Promise<Match> {
  if (!isSelected(matcher, seen)) return OTHER
  const missed = missedInSummary(matcher, seen)
  try {
    const all = [...missed, ...(await missedInDetail(matcher, seen, occasion))]
    return all.length === 0 ? MATCH : { kind: 'missed', missed: all }
  } catch (error) {
    if (!(error instanceof NotKept)) throw error
    return missed.length === 0 ? { kind: 'unknown', why: error.message } : { kind: 'missed', missed }
  }
}

/** The journal does not have a part of an exchange that decides. */
class NotKept extends Error {}

const list = <T>(one: OneOf<T> | undefined): readonly T[] =>
  one === undefined ? [] : Array.isArray(one) ? (one as readonly T[]) : [one as T]

const isAmong = (wanted: OneOf<string> | undefined, given: string | undefined): boolean =>
  wanted === undefined || list(wanted).includes(given ?? '')

function isSelected({ interaction, type, operation, tool, method, path }: Matcher, seen: SeenByRun): boolean {
  const { summary } = seen
  const tools = summary.tools?.map((one) => one.tool) ?? []
  return (
    isAmong(interaction, summary.interaction) &&
    isAmong(type, summary.type) &&
    isAmong(operation, summary.operation) &&
    isAmong(method, summary.method) &&
    (tool === undefined || list(tool).some((one) => tools.includes(one))) &&
    (path === undefined || list(path).some((one) => isValue(one, seen.path)))
  )
}

/** A value as a plan has it: empty for any, with a final `*` for its beginning. */
const isValue = (wanted: string, given: string): boolean =>
  wanted === '' || (wanted.endsWith('*') ? given.startsWith(wanted.slice(0, -1)) : given === wanted)

function missedInSummary({ query = {}, status }: Matcher, seen: SeenByRun): readonly string[] {
  const missed: string[] = []
  for (const [name, wanted] of Object.entries(query)) {
    const given = seen.query.getAll(name)
    if (!given.some((value) => list(wanted).some((one) => isValue(one, value))))
      missed.push(`${name} ${given.length === 0 ? 'is absent' : `is ${given.join(' and ')}`}, not ${saidOf(wanted)}`)
  }
  if (status !== undefined && !list(status).some((one) => isStatus(one, seen.summary.status)))
    missed.push(`the status is ${seen.summary.status}, not ${list(status).join(' or ')}`)
  return missed
}

const saidOf = (wanted: OneOf<unknown>): string =>
  list(wanted)
    .map((one) => (one === '' ? 'any value' : String(typeof one === 'object' ? JSON.stringify(one) : one)))
    .join(' or ')

const isStatus = (wanted: number | string, given: number): boolean =>
  /^\dxx$/.test(String(wanted)) ? Math.floor(given / 100) === Number(String(wanted)[0]) : Number(wanted) === given

/** @throws NotKept */
async function missedInDetail(matcher: Matcher, seen: SeenByRun, occasion?: SeenByRun): Promise<readonly string[]> {
  const { headers, request, response, arguments: given, result, same, soonerThan } = matcher
  const missed: string[] = []
  if (headers !== undefined) missed.push(...missedHeaders(headers, await detailOf(seen)))
  for (const path of list(request)) missed.push(...(await missedPath(path, 'request', seen, occasion)))
  for (const path of list(response)) missed.push(...(await missedPath(path, 'response', seen, occasion)))
  if (given !== undefined || result !== undefined) missed.push(...(await missedTool(matcher, seen)))
  for (const one of list(same))
    if (occasion !== undefined && !(await isSame(one, seen, occasion))) missed.push(`the ${SAME[one]} is another`)
  if (soonerThan !== undefined && occasion !== undefined) missed.push(...(await missedTime(soonerThan, seen, occasion)))
  return missed
}

const detailOf = async (seen: SeenByRun): Promise<ExchangeDetail> => (await keptOf(seen)).detail

async function keptOf(seen: SeenByRun): Promise<KeptExchange> {
  const kept = await seen.kept()
  if (kept === undefined) throw new NotKept('the journal does not have the exchange any more')
  return kept
}

function missedHeaders(wanted: NonNullable<Matcher['headers']>, { request }: ExchangeDetail): readonly string[] {
  return Object.entries(wanted).flatMap(([name, values]) => {
    const given = request.headers[name]
    if (given !== undefined && list(values).some((one) => isValue(one, given))) return []
    return [`the header ${name} ${given === undefined ? 'is absent' : `is ${given}`}, not ${saidOf(values)}`]
  })
}

const MOST_EXPRESSIONS = 2_000
const compiled = memoize(MOST_EXPRESSIONS, (path): Expression => compileUserExpression(path))

/** Items that one expression may process. */
const WORK = 50_000

type Side = 'request' | 'response'

async function missedPath(path: string, of: Side, seen: SeenByRun, occasion?: SeenByRun): Promise<readonly string[]> {
  const body = await bodyOf(seen, of)
  const variables = {
    sent: path.includes('%sent') && occasion ? await bodyOf(occasion, 'request') : undefined,
    received: path.includes('%received') && occasion ? await bodyOf(occasion, 'response') : undefined,
  }
  return evaluated(path, of, { body, variables }, seen)
}

/** @throws NotKept where the plan asks too much */
async function evaluated(
  path: string,
  of: Side,
  { body, variables }: { readonly body: unknown; readonly variables: Readonly<Record<string, unknown>> },
  { source, begun }: SeenByRun,
): Promise<readonly string[]> {
  await source.turn()
  const work = Math.min(WORK, source.left)
  if (work <= 0) throw new NotKept('the plan asks more of the bodies of so many exchanges than may be asked in a run')
  const limits = newLimits(work)
  try {
    const found = compiled(path).evaluate(body, { variables, limits, now: begun })
    return found.length === 1 && found[0] === true ? [] : [`of the ${of} it is not true that ${path}`]
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    return [`the ${of} can't be asked whether ${path}`]
  } finally {
    source.left -= 1 + work - Math.max(0, limits.left)
  }
}

/** The body as JSON; undefined where there is none. @throws NotKept */
async function bodyOf(seen: SeenByRun, of: Side): Promise<unknown> {
  const { detail, parsed } = await keptOf(seen)
  if (!Object.hasOwn(parsed, of)) parsed[of] = parsedBody(detail[of], of)
  return parsed[of]
}

/** @throws NotKept */
function parsedBody({ headers, body }: ShownMessage, of: Side): unknown {
  // A journal of headers alone keeps no body; its type shows that there was one.
  const isEmpty = body === undefined ? headers['content-type'] === undefined : body.size === 0
  if (isEmpty) return undefined
  if (body?.text === undefined || body.cut) throw new NotKept(`the journal has not kept the body of the ${of}`)
  try {
    return JSON.parse(body.text)
  } catch {
    return undefined
  }
}

async function missedTool(matcher: Matcher, seen: SeenByRun): Promise<readonly string[]> {
  const { tools = [] } = await detailOf(seen)
  const called = tools.filter(({ tool }) => isAmong(matcher.tool, tool))
  if (called.length === 0) throw new NotKept('the journal has not kept its tool calls')
  const missed = called.map((tool) => missedInCall(matcher, tool))
  return missed.find((one) => one.length === 0) ?? missed[0] ?? []
}

function missedInCall({ arguments: given = {}, result = {} }: Matcher, tool: ToolDetail): readonly string[] {
  return [...missedMembers('argument', given, tool.arguments), ...missedMembers('result', result, tool.result)]
}

function missedMembers(what: string, wanted: Readonly<Record<string, unknown>>, given: unknown): readonly string[] {
  const members = isObject(given) ? given : {}
  return Object.entries(wanted).flatMap(([name, value]) => {
    const one = Object.hasOwn(members, name) ? members[name] : undefined
    const isRight = value === '' ? one !== undefined : list(value as OneOf<unknown>).some((each) => isMember(each, one))
    return isRight
      ? []
      : [`the ${what} ${name} is ${JSON.stringify(one) ?? 'absent'}, not ${saidOf(value as OneOf<unknown>)}`]
  })
}

const isMember = (wanted: unknown, given: unknown): boolean =>
  typeof wanted === 'string' && typeof given === 'string' ? isValue(wanted, given) : isDeepStrictEqual(wanted, given)

const SAME: Readonly<Record<Sameness, string>> = {
  address: 'address',
  body: 'body',
  call: 'call',
  'tool-call-id': 'id of the tool call',
  arguments: 'arguments of the tool call',
}

async function isSame(of: Sameness, seen: SeenByRun, occasion: SeenByRun): Promise<boolean> {
  const [one, other] = [await partOf(of, seen), await partOf(of, occasion)]
  return one !== undefined && isDeepStrictEqual(one, other)
}

/** @throws NotKept */
async function partOf(of: Sameness, seen: SeenByRun): Promise<unknown> {
  const { method, address, call, tools } = seen.summary
  if (of === 'address') return `${method} ${address}`
  if (of === 'call') return call
  if (of === 'tool-call-id') return tools?.map(({ id }) => id)
  if (of === 'body') return await bodyOf(seen, 'request')
  return (await detailOf(seen)).tools?.map((tool) => tool.arguments)
}

async function missedTime(soonerThan: string, seen: SeenByRun, occasion: SeenByRun): Promise<readonly string[]> {
  const limit = soonerThan === 'retry-after' ? await retryAfterOf(occasion) : Duration.fromISO(soonerThan).toMillis()
  return seen.begun - occasion.ended < limit ? [] : [`it comes ${seen.begun - occasion.ended} ms later`]
}

/** Milliseconds; 0 where there is no such header. https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
async function retryAfterOf(occasion: SeenByRun): Promise<number> {
  const { response } = await detailOf(occasion)
  const header = response.headers['retry-after'] ?? ''
  if (/^\d+$/.test(header)) return Number(header) * 1_000
  return Math.max(0, (Date.parse(header) || 0) - occasion.ended)
}
