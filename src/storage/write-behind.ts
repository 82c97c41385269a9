/**
 * Writes records of requests, such as audit events, in the background, so that requests never wait for it: in batches,
 * one at a time, each retried when the store could not be written.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import { StoreUnavailable } from './port.ts'

/** Milliseconds before a failed write is retried, and between two log lines about it. */
export const RETRY_AFTER = 1_000
const BETWEEN_REPORTS = 60_000
/** Milliseconds that a stopping server waits for a store that does not respond. */
const CLOSING_TIME = 3_000

export interface WriteBehindParts<Batch> {
  /** Name for the log: `the audit trail`. */
  readonly what: string
  readonly logger: Logger
  /** Milliseconds from recording to writing: a process that is killed loses this much. */
  readonly flushAfter: number
  /** True when there is something to write. */
  readonly hasWork: () => boolean
  /** Removes everything that waits, as one batch; undefined: none of it is to be written. */
  readonly pack: (isLast: boolean) => Batch | undefined | Promise<Batch | undefined>
  readonly write: (batch: Batch) => Promise<void>
  /** Number of items lost so far, for the log. */
  readonly lost: () => number
  /**
   * Called with a batch that the store refuses because of its content; absent: such a batch is retried like any other.
   */
  readonly onRefused?: (batch: Batch) => void
  readonly onWritten?: () => void
}

/** Runs its argument outside the context of any request. */
const forNoRequest = AsyncLocalStorage.snapshot()

export class WriteBehind<Batch> {
  readonly #parts: WriteBehindParts<Batch>
  #unwritten: Batch | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #reportedAt: number | undefined
  #isClosed = false

  constructor(parts: WriteBehindParts<Batch>) {
    this.#parts = parts
  }

  /** The batch that is being written, or that could not be written yet. */
  get unwritten(): Batch | undefined {
    return this.#unwritten
  }

  /** True when the last batch could not be written. */
  get isFailing(): boolean {
    return this.#reportedAt !== undefined
  }

  /** Schedules a write; called after something was recorded. */
  writeSoon(): void {
    if (this.#timer === undefined && this.#writing === undefined) this.#writeAfter(this.#parts.flushAfter)
  }

  /** Resolves when everything recorded before the call is written, or its write has failed. */
  async flush(): Promise<void> {
    await this.#writing
    if (this.#hasWork) await this.#write()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const { promise, resolve } = Promise.withResolvers<void>()
    const late = setTimeout(resolve, CLOSING_TIME)
    await Promise.race([this.flush(), promise])
    clearTimeout(late)
    clearTimeout(this.#timer)
  }

  get #hasWork(): boolean {
    return this.#unwritten !== undefined || this.#parts.hasWork()
  }

  #writeAfter(milliseconds: number): void {
    if (this.#isClosed) return
    this.#timer = forNoRequest(() => setTimeout(() => void this.#write(), milliseconds)).unref()
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= forNoRequest(() => this.#writeBatch()).finally(() => {
      this.#writing = undefined
      if (this.#hasWork) this.#writeAfter(this.isFailing ? RETRY_AFTER : this.#parts.flushAfter)
    })
    return this.#writing
  }

  async #writeBatch(): Promise<void> {
    const { pack, write, onRefused, onWritten } = this.#parts
    try {
      this.#unwritten ??= await pack(this.#isClosed)
      const batch = this.#unwritten
      if (batch !== undefined) await write(batch)
      this.#unwritten = undefined
      this.#goesOn()
      if (batch !== undefined) onWritten?.()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) && onRefused !== undefined && this.#unwritten !== undefined) {
        onRefused(this.#unwritten)
        this.#unwritten = undefined
      }
      this.#cannotWrite(error)
    }
  }

  #goesOn(): void {
    if (this.#reportedAt === undefined) return
    this.#reportedAt = undefined
    const { logger, lost, what } = this.#parts
    logger.warn({ lost: lost() }, `${what} is written again`)
  }

  #cannotWrite(error: unknown): void {
    const reason = error instanceof StoreUnavailable ? error.message : `an unexpected fault (${nameOf(error)})`
    const now = Date.now()
    if (this.#reportedAt !== undefined && now - this.#reportedAt < BETWEEN_REPORTS) return
    this.#reportedAt = now
    const { logger, lost, what } = this.#parts
    logger.error({ reason, lost: lost() }, `${what} cannot be written`)
  }
}

export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)
