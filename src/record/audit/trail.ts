/**
 * The audit trail: events go into a bounded queue and are written in blocks beside the requests, which never wait for
 * it. Events that cannot be written, or exceed the queue, are missing, and their gap is an event too. See
 * docs/adr/019-audit-trail.md.
 */
import { randomInt } from 'node:crypto'
import type { Logger } from 'pino'
import { type ComponentHealth, noteOfSetAside } from '../../isolation/fair-queue.ts'
import type { AuditBlock, AuditStore } from '../../storage/audit-port.ts'
import { Gaps } from '../../storage/gaps.ts'
import { RETRY_AFTER, WriteBehind } from '../../storage/write-behind.ts'
import { blockKeys, blocksOf, PROCESS_LENGTH } from './block.ts'
import { type AuditedEvent, charactersOf, gapEvent } from './event.ts'

/** Milliseconds from an event until it is written. */
const FLUSH_AFTER = 200
/** Milliseconds between two events that report missing ones. */
const BETWEEN_GAPS = 10_000
/** Events that wait at most, and the characters of their queries and patients. */
const MAX_WAITING = 20_000
const MAX_CHARACTERS = 16_000_000

export interface TrailOptions {
  readonly store: AuditStore
  readonly logger: Logger
}

interface Batch {
  readonly blocks: readonly AuditBlock[]
  readonly events: number
  /** Milliseconds since 1970 UTC. */
  readonly since: number
}

export class AuditTrail {
  readonly store: AuditStore
  readonly #writing: WriteBehind<Batch>
  readonly #keyFor = blockKeys(
    randomInt(36 ** PROCESS_LENGTH)
      .toString(36)
      .padStart(PROCESS_LENGTH, '0'),
  )
  readonly #gaps = new Gaps(BETWEEN_GAPS)
  #events: AuditedEvent[] = []
  #characters = 0

  constructor({ store, logger }: TrailOptions) {
    this.store = store
    this.#writing = new WriteBehind<Batch>({
      what: 'the audit trail',
      logger,
      flushAfter: FLUSH_AFTER,
      hasWork: () => this.#events.length > 0 || this.#gaps.count > 0,
      pack: (isLast) => this.#pack(isLast),
      write: ({ blocks }) => store.write(blocks),
      lost: () => this.#gaps.count,
    })
  }

  /** Costs next to nothing, and never fails. */
  record(event: AuditedEvent): void {
    const characters = charactersOf(event)
    const waiting = this.#events.length + (this.#writing.unwritten?.events ?? 0)
    if (waiting >= MAX_WAITING || this.#characters + characters > MAX_CHARACTERS) {
      this.#gaps.add(event.clinic, event.at, 'more happened than could be written')
      return
    }
    this.#characters += characters
    this.#events.push(event)
    this.#writing.writeSoon()
  }

  /** Leaves an event out on purpose. @param why the reason, as the end of a sentence */
  leaveOut({ clinic, at }: Pick<AuditedEvent, 'clinic' | 'at'>, why: string): void {
    this.#gaps.add(clinic, at, why)
    this.#writing.writeSoon()
  }

  /** For /health/ready. Requests are served while the trail cannot be written. */
  get load(): ComponentHealth {
    const waiting = this.#events.length + (this.#writing.unwritten?.events ?? 0)
    const since = this.#writing.unwritten?.since ?? this.#events[0]?.at
    const oldestMs = since === undefined ? 0 : Math.max(0, Date.now() - since)
    const state = this.#writing.isFailing ? 'degraded' : oldestMs > RETRY_AFTER ? 'behind' : 'ok'
    return { name: 'audit trail', state, waiting, oldestMs, ...noteOfSetAside(this.store.setAsideAt?.()) }
  }

  /** Resolves when everything recorded before is written, or writing it has failed. */
  async flush(): Promise<void> {
    await this.#writing.flush()
  }

  async close(): Promise<void> {
    await this.#writing.close()
    await this.store.close()
  }

  /** The waiting events, with an event for each gap. */
  #pack(isLast: boolean): Batch | undefined {
    const now = Date.now()
    const events = [...this.#events, ...this.#gaps.take(now, isLast).map((gap) => gapEvent(gap, now))]
    this.#events = []
    this.#characters = 0
    if (events.length === 0) return undefined
    return { blocks: blocksOf(events, this.#keyFor), events: events.length, since: events[0]?.at ?? now }
  }
}
