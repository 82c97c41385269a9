/**
 * Tool calls as they are kept: the result, for repeats, and the log of the call, for staff.
 *
 * A call seen before (same clinic, call, toolCallId, tool and arguments) gets the stored result, and nothing is written twice.
 *
 * - The result that a handler returns from its change is stored in that same change: its writes and the result are
 *   committed together or not at all, even if the process crashes.
 * - Concurrent repeats in one process share one run, so external systems get one request. In several processes each one
 *   runs, but only one commits; the others get its result. External systems may then get two requests, as they may
 *   after a crash between request and commit.
 * - The result of a handler that changes nothing is stored when it ends; repeats get it, even if the data has changed
 *   since. A failed handler stores nothing, and a repeat runs again.
 *
 * The log is a Communication for each tool call, with the arguments as received and the result, which has spoken values in
 * normal form. It is written in the change that stores the result, so every effect has its entry.
 */

import { hash } from 'node:crypto'
import type { Communication } from 'fhir/r4'
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { isObject } from '../../fhir/resource.ts'
import { BudgetError } from '../../isolation/budget.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { KindRecord } from '../../repository/repository.ts'
import { encounterIdOf } from '../record/call-record.ts'
import { CALL_ID_SYSTEM } from '../record/vocabulary.ts'

/** Most characters of the arguments, and of the result, that are kept. */
const MAX_TEXT = 8_000

export interface LoggedToolCall {
  /** The same for repeats of the call; undefined for a call that cannot be repeated. */
  readonly key: string | undefined
  readonly tool: string
  readonly arguments: unknown
  /** By the clinic's clock: milliseconds since 1970 UTC, with a fraction where the tool call before it in its request began in the same one. */
  readonly startedAt: number
}

/**
 * Stages the entry; it replaces that of an earlier run of the same call that stored no result.
 * @param result JSON text
 */
export async function logToolCall(
  ctx: Context,
  session: CallSession,
  { key, tool, arguments: given, startedAt }: LoggedToolCall,
  result: string,
): Promise<void> {
  // The tool may have found that another person speaks, in this change or, where its result was provisional, in an earlier one.
  const patient = (await ctx.unit.records.read(CALL, callKey(session.callId)))?.value.patient ?? session.patient
  const encounter = encounterIdOf(session.callId)
  const hasEncounter = (await ctx.find('Encounter', encounter)) !== undefined
  const sent = Math.min(startedAt, ctx.now + (startedAt % 1))
  const entry: Communication = {
    resourceType: 'Communication',
    identifier: [{ system: CALL_ID_SYSTEM, value: session.callId }],
    status: 'completed',
    category: [{ text: 'Live-call tool' }],
    topic: { text: tool },
    ...(patient === undefined ? {} : { subject: { reference: `Patient/${patient}` } }),
    ...(hasEncounter ? { encounter: { reference: `Encounter/${encounter}` } } : {}),
    sent: instant(sent),
    received: instant(Math.max(sent, ctx.now)),
    payload: [{ contentString: kept(JSON.stringify(given)) }, { contentString: kept(result) }],
  }
  if (key === undefined) await ctx.create(entry)
  else await ctx.update<Communication>({ ...entry, id: derivedId('tool-call', key) })
}

/** With microseconds where there are some: `2026-03-03T14:05:09.120Z`, `2026-03-03T14:05:09.120001Z`. */
function instant(milliseconds: number): string {
  const whole = Math.floor(milliseconds)
  const micros = Math.round((milliseconds - whole) * 1_000)
  const text = new Date(whole).toISOString()
  return micros === 0 ? text : text.replace('Z', `${String(micros).padStart(3, '0')}Z`)
}

/** Moves the log to another patient, if the caller turns out not to be the one assumed. */
export async function moveLog(
  ctx: Context,
  { callId }: CallSession,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const query = new URLSearchParams({ identifier: `${CALL_ID_SYSTEM}|${callId}`, subject: `Patient/${from}` })
  for (const { resource } of await ctx.search<Communication>('Communication', String(query)))
    await ctx.update<Communication>({ ...resource, subject: { reference: `Patient/${to}` } })
}

/** Truncates with a mark, without splitting a character. */
const kept = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).replace(/[\uD800-\uDBFF]$/, '')}…`

const TOOL_RESULT = recordKind<StoredResult>('tool-result')
/**
 * How long a result is kept, in milliseconds: longer than any platform repeats a call. An expired one is overwritten.
 */
const LIFETIME = 24 * 3_600_000
/** Milliseconds between two reads of a provisional result. */
const POLL_INTERVAL = 50
/** Milliseconds after which a provisional result is final: the process that would have replaced it has ended. */
const PROVISIONAL_LIFETIME = 5_000

export interface ToolCallIdentity {
  readonly clinic: string
  readonly callId: string
  readonly toolCallId: unknown
  readonly tool: string
  readonly arguments: unknown
}

interface StoredResult {
  /** The result as JSON text. */
  readonly answer: string
  /** When it was stored, by the time of the machine (ms), while the handler is running and may replace it. */
  readonly provisional?: number
}

interface ProvisionalResult<Result> {
  readonly provisional: Result
}

/**
 * For a handler that continues after its change (submit_intake contacts the CRM): when returned from the change,
 * `result` is stored as provisional. A repeat waits a little for the final result, and gets `result` if the process
 * that runs the handler has died.
 */
export const provisional = <Result extends object>(result: Result): ProvisionalResult<Result> => ({
  provisional: result,
})

type Handler = (access: ClinicAccess) => Promise<object>

/** Stages writes that accompany a result, which is given as JSON text. */
type Log = (ctx: Context, answer: string) => Promise<void>

/** Thrown from a handler's change if another run of the same call has committed its result. */
class AlreadyStored extends Error {}

export class Replay {
  readonly #running = new Map<string, Promise<string>>()

  /** The result as JSON text: from storage, from a run in progress, or from `handler`. */
  async once(
    access: ClinicAccess,
    identity: ToolCallIdentity,
    handler: Handler,
    log: Log = async () => {},
  ): Promise<string> {
    const key = toolCallKey(identity)
    for (let running = this.#running.get(key); running !== undefined; running = this.#running.get(key)) {
      try {
        return await running
      } catch (error) {
        // The other request ran out of its budget; this one has its own.
        if (!(error instanceof BudgetError)) throw error
      }
    }
    const started = storedOrRun(access, key, handler, log).finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return await started
  }
}

async function storedOrRun(access: ClinicAccess, key: string, handler: Handler, log: Log): Promise<string> {
  const stored = await storedResult(access, key)
  if (stored !== undefined) return stored
  const run = new RecordedRun(access, key, log)
  try {
    return await run.finish(await handler(run.access))
  } catch (error) {
    const other = error instanceof AlreadyStored ? await storedResult(access, key) : undefined
    if (other === undefined) throw error
    return other
  }
}

/** Returns undefined if there is none. Waits while another process may replace a provisional result. */
export async function storedResult(access: ClinicAccess, key: string): Promise<string | undefined> {
  for (;;) {
    const ctx = await access.reader()
    const stored = current(await ctx.unit.records.read(TOOL_RESULT, key), ctx.now)
    const since = stored?.provisional ?? Number.NEGATIVE_INFINITY
    if (ctx.unit.writtenAt - since >= PROVISIONAL_LIFETIME) return stored?.answer
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL))
  }
}

/** Undefined if there is none or it has expired. */
const current = (record: KindRecord<StoredResult> | undefined, now: number): StoredResult | undefined =>
  record?.due == null || record.due <= now ? undefined : record.value

/** One run of a handler. Each of its changes stores the result that it returns. */
class RecordedRun {
  /** Access for the handler, which records results. */
  readonly access: ClinicAccess
  readonly #access: ClinicAccess
  readonly #key: string
  readonly #log: Log
  /** The result stored by this run; `#version` is that of its record. */
  #stored: StoredResult | undefined
  #version = 0

  constructor(access: ClinicAccess, key: string, log: Log) {
    this.#access = access
    this.#key = key
    this.#log = log
    this.access = { ...access, change: (work) => this.#change(work) }
  }

  async #change<T>(work: (ctx: Context) => Promise<T>): Promise<T> {
    const { returned, stored, version } = await this.#access.change(async (ctx) => {
      await this.#requireNoOther(ctx)
      const returned = await work(ctx)
      const stored = toStore(returned, ctx.unit.writtenAt)
      return { returned, stored, version: stored === undefined ? this.#version : await this.#stage(ctx, stored) }
    })
    this.#version = version
    this.#stored = stored ?? this.#stored
    return returned
  }

  /** @throws AlreadyStored if another run has stored a result */
  async #requireNoOther(ctx: Context): Promise<void> {
    const record = await ctx.unit.records.read(TOOL_RESULT, this.#key)
    if (current(record, ctx.now) !== undefined && record?.version !== this.#version) throw new AlreadyStored()
  }

  /** Returns the version that the record will have. */
  async #stage(ctx: Context, result: StoredResult): Promise<number> {
    await this.#log(ctx, result.answer)
    const { records } = ctx.unit
    records.put(TOOL_RESULT, this.#key, result, { due: ctx.now + LIFETIME })
    return records.nextVersion(TOOL_RESULT, this.#key)
  }

  /** The final result as JSON text; stored now, unless the last change has already stored it. */
  async finish(result: object): Promise<string> {
    const answer = JSON.stringify(result)
    if (this.#stored?.answer === answer && this.#stored.provisional === undefined) return answer
    await this.#access.change(async (ctx) => {
      await this.#requireNoOther(ctx)
      await this.#stage(ctx, { answer })
    })
    return answer
  }
}

/**
 * The part of a change's return value to store; undefined if that is not the result of a tool.
 * @param at milliseconds since 1970 UTC
 */
function toStore(returned: unknown, at: number): StoredResult | undefined {
  if (!isObject(returned)) return undefined
  if (isObject(returned.provisional)) return { answer: JSON.stringify(returned.provisional), provisional: at }
  const isResult = typeof returned.success === 'boolean' || typeof returned.valid === 'boolean'
  return isResult ? { answer: JSON.stringify(returned) } : undefined
}

/** The key of the stored result. */
export function toolCallKey({ clinic, callId, toolCallId, tool, arguments: given }: ToolCallIdentity): string {
  const text = JSON.stringify([clinic, callId, toolCallId, tool, canonical(given)])
  return hash('sha256', text)
}

/** The same value for equal JSON, regardless of the order of members. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, canonical(value[name])]),
  )
}
