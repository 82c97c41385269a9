/**
 * Repeated tool calls: a call that was seen before (same clinic, call, toolCallId, tool and arguments) gets the stored
 * result, and nothing is written twice.
 *
 * - The result that a handler returns from its change is stored in that very change: what it writes and its result are
 *   committed together or not at all, also when the process crashes.
 * - Repeats at the same time in one process share one run, so systems outside are asked once. In several processes each
 *   runs, but only one commits; the others get its result. Systems outside may then be asked twice, as they may after a
 *   crash between asking and committing.
 * - The result of a handler that changes nothing is stored when it ends: a repeat has it, whatever has changed since. One
 *   that fails stores nothing, and a repeat runs again.
 */
import { hash } from 'node:crypto'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { isObject } from '../../fhir/resource.ts'
import { BudgetError } from '../../isolation/budget.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { KindRecord } from '../../repository/repository.ts'

const TOOL_RESULT = recordKind<StoredResult>('tool-result')
/** Milliseconds a result is kept: longer than any platform repeats a call. An expired one is overwritten. */
const LIFETIME = 24 * 3_600_000
/** Milliseconds between two reads of a provisional result. */
const POLL_INTERVAL = 50
/** Milliseconds after which a provisional result is final: the process that would have replaced it is gone. */
const PROVISIONAL_LIFETIME = 5_000

export interface ToolCallIdentity {
  readonly clinic: string
  readonly callId: string
  readonly toolCallId: unknown
  readonly tool: string
  readonly arguments: unknown
}

interface StoredResult {
  /** JSON text of the result. */
  readonly answer: string
  /** The handler is still at work and may replace it. */
  readonly provisional?: true
}

interface ProvisionalResult<Result> {
  readonly provisional: Result
}

/**
 * For a handler that goes on after its change (submit_intake asks the CRM): returned from the change, `result` is
 * stored as the result for the time being. A repeat waits a little for the final one, and gets `result` when the
 * process that runs the handler has died.
 */
export const provisional = <Result extends object>(result: Result): ProvisionalResult<Result> => ({
  provisional: result,
})

type Handler = (access: ClinicAccess) => Promise<object>

/** Stages what else belongs to a result, given as JSON text. */
type Log = (ctx: Context, answer: string) => Promise<void>

/** Thrown out of a handler's change: another run of the same call has committed its result. */
class AlreadyStored extends Error {}

export class Replay {
  readonly #running = new Map<string, Promise<string>>()

  /** The JSON text of the result: the stored one, that of a run under way, or that of `handler`. */
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
        // The budget of the other request has ended; this one has its own.
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

/** Undefined where there is none. Waits while another process may still replace a provisional result. */
export async function storedResult(access: ClinicAccess, key: string): Promise<string | undefined> {
  for (;;) {
    const ctx = access.reader()
    const stored = current(await ctx.unit.records.read(TOOL_RESULT, key), ctx.now)
    const mayBeReplaced = stored?.value.provisional === true && ctx.now - stored.since < PROVISIONAL_LIFETIME
    if (!mayBeReplaced) return stored?.value.answer
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL))
  }
}

/** The result and when it was stored; undefined where there is none or it has expired. */
function current(
  record: KindRecord<StoredResult> | undefined,
  now: number,
): { readonly value: StoredResult; readonly since: number } | undefined {
  if (record?.due == null || record.due <= now) return undefined
  return { value: record.value, since: record.due - LIFETIME }
}

/** One run of a handler: each of its changes stores the result that it returns. */
class RecordedRun {
  /** For the handler. */
  readonly access: ClinicAccess
  readonly #access: ClinicAccess
  readonly #key: string
  readonly #log: Log
  /** What this run has stored, and the version of the record that holds it. */
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
      const stored = toStore(returned)
      return { returned, stored, version: stored === undefined ? this.#version : await this.#stage(ctx, stored) }
    })
    this.#version = version
    this.#stored = stored ?? this.#stored
    return returned
  }

  /** @throws AlreadyStored when another run has stored a result */
  async #requireNoOther(ctx: Context): Promise<void> {
    const record = await ctx.unit.records.read(TOOL_RESULT, this.#key)
    if (current(record, ctx.now) !== undefined && record?.version !== this.#version) throw new AlreadyStored()
  }

  /** The version that the record will have. */
  async #stage(ctx: Context, result: StoredResult): Promise<number> {
    await this.#log(ctx, result.answer)
    const { records } = ctx.unit
    records.put(TOOL_RESULT, this.#key, result, { due: ctx.now + LIFETIME })
    return records.nextVersion(TOOL_RESULT, this.#key)
  }

  /** The JSON text of the final result, which is stored now unless the last change has. */
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

/** What a change stores; undefined for a returned value that is not the result of a tool. */
function toStore(returned: unknown): StoredResult | undefined {
  if (!isObject(returned)) return undefined
  if (isObject(returned.provisional)) return { answer: JSON.stringify(returned.provisional), provisional: true }
  const isResult = typeof returned.success === 'boolean' || typeof returned.valid === 'boolean'
  return isResult ? { answer: JSON.stringify(returned) } : undefined
}

/** The key of the stored result. */
export function toolCallKey({ clinic, callId, toolCallId, tool, arguments: given }: ToolCallIdentity): string {
  const text = JSON.stringify([clinic, callId, toolCallId, tool, canonical(given)])
  return hash('sha256', text)
}

/** The same value for the same JSON, in whatever order its members come. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, canonical(value[name])]),
  )
}
