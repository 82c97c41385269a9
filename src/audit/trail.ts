/**
 * The audit trail: events go into a bounded queue and are written in blocks beside the requests, which never wait for it. What
 * cannot be written, or is more than the queue holds, is missing, and that is an event too. See docs/adr/019-audit-trail.md.
 */
import { randomInt } from 'node:crypto'
import type { Logger } from 'pino'
import type { PartLoad } from '../budget/part-load.ts'
import type { AuditBlock, AuditStore } from '../storage/audit-port.ts'
import { StoreUnavailable } from '../storage/port.ts'
import { blockKeys, blocksOf, PROCESS_LENGTH } from './block.ts'
import { type AuditedEvent, charactersOf } from './event.ts'
import { Gaps } from './gaps.ts'

/** Milliseconds from an event until it is written: what a process that is killed loses. */
const FLUSH_AFTER = 200
/** Events that wait at most, and the characters of their queries and patients. */
const MAX_WAITING = 20_000
const MAX_CHARACTERS = 16_000_000
/** Milliseconds before a write that failed is tried again, and between two log lines about it. */
const RETRY_AFTER = 1_000
const BETWEEN_REPORTS = 60_000
/** Milliseconds that the end of the server waits for a store that does not answer. */
const CLOSING_TIME = 3_000

export interface TrailOptions {
  readonly store: AuditStore
  readonly logger: Logger
}

export class AuditTrail {
  readonly store: AuditStore
  readonly #logger: Logger
  readonly #keyFor = blockKeys(
    randomInt(36 ** PROCESS_LENGTH)
      .toString(36)
      .padStart(PROCESS_LENGTH, '0'),
  )
  readonly #gaps = new Gaps()
  #events: AuditedEvent[] = []
  #characters = 0
  /** Of events that are being written, or that could not be written yet. */
  #unwritten: { readonly blocks: readonly AuditBlock[]; readonly events: number; readonly since: number } | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #fault: { readonly reason: string; readonly reportedAt: number } | undefined
  #isClosed = false

  constructor({ store, logger }: TrailOptions) {
    this.store = store
    this.#logger = logger
  }

  /** Costs next to nothing, and never fails. */
  record(event: AuditedEvent): void {
    const characters = charactersOf(event)
    const waiting = this.#events.length + (this.#unwritten?.events ?? 0)
    if (waiting >= MAX_WAITING || this.#characters + characters > MAX_CHARACTERS) {
      this.#gaps.add(event.clinic, event.at, 'more happened than could be written')
      return
    }
    this.#characters += characters
    this.#events.push(event)
    this.#writeSoon()
  }

  /** An event that is left out on purpose. @param why the reason, as the end of a sentence */
  leaveOut({ clinic, at }: Pick<AuditedEvent, 'clinic' | 'at'>, why: string): void {
    this.#gaps.add(clinic, at, why)
    this.#writeSoon()
  }

  /** For /health/ready. Requests are served while the trail cannot be written. */
  get load(): PartLoad {
    const waiting = this.#events.length + (this.#unwritten?.events ?? 0)
    const since = this.#unwritten?.since ?? this.#events[0]?.at
    const oldestMs = since === undefined ? 0 : Math.max(0, Date.now() - since)
    const state = this.#fault !== undefined ? 'degraded' : oldestMs > RETRY_AFTER ? 'behind' : 'ok'
    return { name: 'audit trail', state, waiting, oldestMs }
  }

  /** Resolves when what was recorded before is written, or has failed to be. */
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
    await this.store.close()
  }

  get #hasWork(): boolean {
    return this.#events.length > 0 || this.#unwritten !== undefined || this.#gaps.count > 0
  }

  #writeSoon(): void {
    if (this.#timer === undefined && this.#writing === undefined) this.#writeAfter(FLUSH_AFTER)
  }

  #writeAfter(milliseconds: number): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#write(), milliseconds).unref()
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#writeBlocks().finally(() => {
      this.#writing = undefined
      if (this.#hasWork) this.#writeAfter(this.#fault === undefined ? FLUSH_AFTER : RETRY_AFTER)
    })
    return this.#writing
  }

  async #writeBlocks(): Promise<void> {
    try {
      this.#unwritten ??= this.#pack()
      if (this.#unwritten.blocks.length > 0) await this.store.write(this.#unwritten.blocks)
      this.#unwritten = undefined
      this.#goesOn()
    } catch (error) {
      this.#cannotWrite(error)
    }
  }

  /** What waits, with an event for what is missing. */
  #pack() {
    const events = [...this.#events, ...this.#gaps.take(Date.now(), this.#isClosed)]
    this.#events = []
    this.#characters = 0
    return { blocks: blocksOf(events, this.#keyFor), events: events.length, since: events[0]?.at ?? Date.now() }
  }

  #goesOn(): void {
    if (this.#fault === undefined) return
    this.#fault = undefined
    this.#logger.warn({ lost: this.#gaps.count }, 'the audit trail is written again')
  }

  #cannotWrite(error: unknown): void {
    const reason = error instanceof StoreUnavailable ? error.message : `an unexpected fault (${nameOf(error)})`
    const now = Date.now()
    const isDue = now - (this.#fault?.reportedAt ?? Number.NEGATIVE_INFINITY) >= BETWEEN_REPORTS
    this.#fault = { reason, reportedAt: isDue ? now : (this.#fault?.reportedAt ?? now) }
    if (isDue) this.#logger.error({ reason, lost: this.#gaps.count }, 'the audit trail cannot be written')
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)
