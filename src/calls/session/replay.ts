/**
 * Repeated tool calls: the same (clinic, call, toolCallId, tool, arguments) gives the stored answer.
 *
 * What holds: an answer that a handler's change returns is stored in that very change, so the writes and the answer are
 * there together or not at all, after a crash too, and of two repeats at the same time only one is written; the other
 * gets its answer. Repeats at the same time in one process share one run, so systems outside are asked once; in several
 * processes, or after a crash between asking and writing, they may be asked twice, but the answer is written once.
 * A handler that changes nothing has its answer stored when it ends; one that fails has none, and a repeat runs again.
 */
import { hash } from 'node:crypto'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { isObject } from '../../fhir/resource.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { KindRecord } from '../../repository/repository.ts'

/** The record's kind; the key is the hash of the call, the value a StoredAnswer. */
const TOOL_RESULT = recordKind<StoredAnswer>('tool-result')
/** Milliseconds an answer is kept: longer than any platform repeats a call. An expired one is overwritten. */
const KEPT = 24 * 3_600_000
/** Milliseconds between two looks at a provisional answer, and until it counts as the last word of a process that died. */
const POLL = 50
const PATIENCE = 5_000

export interface ToolCallIdentity {
  readonly clinic: string
  readonly callId: string
  readonly toolCallId: unknown
  readonly tool: string
  readonly arguments: unknown
}

interface StoredAnswer {
  /** JSON text of the answer. */
  readonly answer: string
  /** The handler goes on after its change and may still replace it. */
  readonly provisional?: true
}

type Answer = object
type Run = (access: ClinicAccess) => Promise<Answer>

const provisionalAnswers = new WeakSet<Answer>()

/**
 * Marks the answer of a change after which the handler goes on (trying the CRM): a repeat waits a little for the final
 * one, and has this one when the process died in between.
 */
export function provisional<A extends Answer>(answer: A): A {
  provisionalAnswers.add(answer)
  return answer
}

/** Thrown out of a handler's change: another run of the same call was faster. */
class AlreadyAnswered extends Error {}

export class Replay {
  readonly #running = new Map<string, Promise<string>>()

  /** The JSON text of the answer: the stored one, the one of a run under way, or that of `run`. */
  once(access: ClinicAccess, identity: ToolCallIdentity, run: Run): Promise<string> {
    const key = keyOf(identity)
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const started = answer(access, key, run).finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return started
  }
}

async function answer(access: ClinicAccess, key: string, run: Run): Promise<string> {
  const known = await storedAnswer(access, key)
  if (known !== undefined) return known
  const recording = new Recording(access, key)
  try {
    return await recording.finish(await run(recording.access))
  } catch (error) {
    const faster = error instanceof AlreadyAnswered ? await storedAnswer(access, key) : undefined
    if (faster === undefined) throw error
    return faster
  }
}

/** The answer that is stored; waits while another process may still replace it. */
async function storedAnswer(access: ClinicAccess, key: string): Promise<string | undefined> {
  for (;;) {
    const ctx = access.reader()
    const stored = valid(await ctx.unit.records.read(TOOL_RESULT, key), ctx.now)
    const isSettling = stored?.value.provisional === true && ctx.now - stored.since < PATIENCE
    if (!isSettling) return stored?.value.answer
    await new Promise((resolve) => setTimeout(resolve, POLL))
  }
}

type Stored = KindRecord<StoredAnswer> | undefined

/** The answer, and the time it was stored at; undefined when there is none or it has expired. */
function valid(record: Stored, now: number): { readonly value: StoredAnswer; readonly since: number } | undefined {
  if (record?.due == null || record.due <= now) return undefined
  return { value: record.value, since: record.due - KEPT }
}

/** One run: its changes store the answers they return. */
class Recording {
  readonly access: ClinicAccess
  readonly #store: ClinicAccess
  readonly #key: string
  /** What this run has stored: the version of the record, and the object that became its answer. */
  #version = 0
  #answer: unknown

  constructor(store: ClinicAccess, key: string) {
    this.#store = store
    this.#key = key
    this.access = { ...store, change: (work) => this.#change(work) }
  }

  async #change<T>(work: (ctx: Context) => Promise<T>): Promise<T> {
    const { result, version } = await this.#store.change(async (ctx) => {
      const current = await this.#current(ctx)
      const result = await work(ctx)
      if (isAnswer(result)) this.#stage(ctx, current, result, provisionalAnswers.has(result))
      return { result, version: isAnswer(result) ? current + 1 : this.#version }
    })
    this.#version = version
    if (isAnswer(result)) this.#answer = result
    return result
  }

  /** The version of the record. @throws AlreadyAnswered when another run stored it. */
  async #current(ctx: Context): Promise<number> {
    const record = await ctx.unit.records.read(TOOL_RESULT, this.#key)
    if (valid(record, ctx.now) !== undefined && record?.version !== this.#version) throw new AlreadyAnswered()
    return record?.version ?? 0
  }

  #stage(ctx: Context, expect: number, result: Answer, isProvisional: boolean): void {
    const value: StoredAnswer = { answer: JSON.stringify(result), ...(isProvisional ? { provisional: true } : {}) }
    ctx.unit.records.put(TOOL_RESULT, this.#key, value, { expect, due: ctx.now + KEPT })
  }

  /** The final answer; stored now unless the last change has. */
  async finish(output: Answer): Promise<string> {
    if (output !== this.#answer || provisionalAnswers.has(output)) {
      await this.#store.change(async (ctx) => this.#stage(ctx, await this.#current(ctx), output, false))
    }
    return JSON.stringify(output)
  }
}

/** A tool's result object, as opposed to whatever else a change may return. */
const isAnswer = (value: unknown): value is Answer =>
  isObject(value) && (typeof value.success === 'boolean' || typeof value.valid === 'boolean')

function keyOf({ clinic, callId, toolCallId, tool, arguments: given }: ToolCallIdentity): string {
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
