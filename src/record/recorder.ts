/**
 * Records requests in a store beside that of the resources, such as events of the audit trail. Items wait in a bounded
 * queue and are written in batches, one at a time, so that requests never wait; a batch is retried while the store
 * is away, and given up when the store refuses what is in it. Items that are not recorded are missing, and their gap is recorded too.
 */

import type { Logger } from 'pino'
import { forNoRequest } from '../isolation/budget.ts'
import { atMost, type ComponentHealth, noteOfSetAside } from '../isolation/fair-queue.ts'
import type { Rate } from '../isolation/token-bucket.ts'
import type { RecordStore } from '../storage/audit-port.ts'
import { StoreUnavailable } from '../storage/store-errors.ts'

/** The clinic and the time of a request; milliseconds since 1970 UTC. */
interface Happened {
  readonly clinic: string
  readonly at: number
}

export interface RecorderOptions<Store extends RecordStore> {
  readonly store: Store
  readonly logger: Logger
}

export interface Recording {
  /** Name for the log and for /health/ready: `audit trail`. */
  readonly name: string
  /** Milliseconds from recording to writing: a process that is killed loses this much. */
  readonly flushAfter: number
  /** Least milliseconds between two reports of gaps. */
  readonly betweenGaps: number
  /** Limits of the queue: items, with those being written, and the size of those that wait. */
  readonly most: { readonly items: number; readonly size: number }
  /** The part of both that a clinic may take. */
  readonly partOfClinic: number
  /** Milliseconds after which the oldest waiting item is late; absent: it never is. */
  readonly lateAfter?: number
}

/** Requests without a known agent, which may be anybody's: all of a process together. */
export const OF_STRANGERS: Rate = { rate: 10, burst: 600 }

/** Milliseconds before a failed write is retried, and between two log lines about it. */
const RETRY_AFTER = 1_000
const BETWEEN_REPORTS = 60_000
/** Milliseconds that a stopping server waits for a store that does not respond. */
const CLOSING_TIME = 3_000

interface Batch<Packed> {
  readonly packed: readonly Packed[]
  /** Items and gaps. */
  readonly count: number
  readonly since: number
}

export abstract class Recorder<Item extends Happened, Packed, Store extends RecordStore> {
  readonly store: Store
  protected readonly logger: Logger
  readonly #recording: Recording
  readonly #gaps: Gaps
  #waiting: Item[] = []
  #size = 0
  readonly #ofClinics = new Map<string, { items: number; size: number }>()
  /** The batch that is being written, or that could not be written yet. */
  #unwritten: Batch<Packed> | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #reportedAt: number | undefined
  #isClosed = false
  #missed = 0

  constructor({ store, logger }: RecorderOptions<Store>, recording: Recording) {
    this.store = store
    this.logger = logger
    this.#recording = recording
    this.#gaps = new Gaps(recording.betweenGaps)
  }

  /** @param takeGaps gives the gaps to be recorded after the items: those reported by then */
  protected abstract pack(
    items: readonly Item[],
    takeGaps: () => readonly Gap[],
  ): readonly Packed[] | Promise<readonly Packed[]>

  protected abstract write(packed: readonly Packed[]): Promise<void>

  /** The items in what was packed, for those that the store refuses. */
  protected abstract itemsIn(packed: Packed): readonly Happened[]

  /** For /health/ready. Requests are served while the record cannot be written. */
  get load(): ComponentHealth {
    const { name, lateAfter = Number.POSITIVE_INFINITY } = this.#recording
    const since = this.#unwritten?.since ?? this.#waiting[0]?.at
    const oldestMs = since === undefined ? 0 : Math.max(0, Date.now() - since)
    const state = this.isFailing ? 'degraded' : oldestMs > lateAfter ? 'behind' : 'ok'
    const missing = this.#missed === 0 ? {} : { missing: this.#missed }
    return { name, state, waiting: this.#count, oldestMs, ...missing, ...noteOfSetAside(this.store.setAsideAt?.()) }
  }

  /** Resolves when everything recorded before the call is written, or its write has failed. */
  async flush(): Promise<void> {
    await this.#writing
    const isRetry = this.#unwritten !== undefined
    if (this.#hasWork) await this.#write()
    // Items that came while the store was away follow the batch that had failed.
    if (isRetry && this.#unwritten === undefined && this.#hasWork) await this.#write()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await atMost(CLOSING_TIME, this.flush())
    clearTimeout(this.#timer)
    await this.store.close()
  }

  /** Called when a batch has been written. */
  protected written(): void {}

  /** True when the last batch could not be written. */
  protected get isFailing(): boolean {
    return this.#reportedAt !== undefined
  }

  protected hasRoomFor(clinic: string, size: number): boolean {
    const { most, partOfClinic } = this.#recording
    const own = this.#ofClinics.get(clinic) ?? NOTHING
    return (
      this.#count < most.items &&
      this.#size + size <= most.size &&
      own.items < most.items * partOfClinic &&
      own.size + size <= most.size * partOfClinic
    )
  }

  protected add(item: Item, size: number): void {
    const own = this.#ofClinics.get(item.clinic) ?? { ...NOTHING }
    this.#ofClinics.set(item.clinic, own)
    own.items += 1
    own.size += size
    this.#size += size
    this.#waiting.push(item)
    this.#writeSoon()
  }

  /** Counts an item that is not recorded. @param why the reason, as the end of a sentence */
  protected miss({ clinic, at }: Happened, why: string): void {
    this.#missed += 1
    this.#gaps.add(clinic, at, why)
    this.#writeSoon()
  }

  get #count(): number {
    return this.#waiting.length + (this.#unwritten?.count ?? 0)
  }

  get #hasWork(): boolean {
    return this.#unwritten !== undefined || this.#waiting.length > 0 || this.#gaps.count > 0
  }

  #writeSoon(): void {
    if (this.#timer === undefined && this.#writing === undefined) this.#writeAfter(this.#recording.flushAfter)
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
      if (this.#hasWork) this.#writeAfter(this.isFailing ? RETRY_AFTER : this.#recording.flushAfter)
    })
    return this.#writing
  }

  async #writeBatch(): Promise<void> {
    try {
      this.#unwritten ??= await this.#batch()
      if (this.#unwritten !== undefined) await this.write(this.#unwritten.packed)
      this.#unwritten = undefined
      this.#reportRecovery()
      this.written()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.#giveUp()
      this.#reportFailure(error)
    }
  }

  /** A batch that the store refuses because of its content would be retried for ever. */
  #giveUp(): void {
    const refused = this.#unwritten?.packed ?? []
    this.#unwritten = undefined
    for (const item of refused.flatMap((one) => this.itemsIn(one))) this.miss(item, 'the store refused them')
  }

  /** Everything that waits; undefined: none of it is to be written. */
  async #batch(): Promise<Batch<Packed> | undefined> {
    const items = this.#waiting
    this.#waiting = []
    this.#ofClinics.clear()
    this.#size = 0
    let gaps: readonly Gap[] = []
    const takeGaps = () => {
      gaps = this.#gaps.take(Date.now(), this.#isClosed)
      return gaps
    }
    const packed = await this.pack(items, takeGaps)
    const since = items[0]?.at ?? Date.now()
    return packed.length === 0 ? undefined : { packed, count: items.length + gaps.length, since }
  }

  #reportRecovery(): void {
    if (this.#reportedAt === undefined) return
    this.#reportedAt = undefined
    this.logger.warn({ lost: this.#gaps.count }, `the ${this.#recording.name} is written again`)
  }

  #reportFailure(error: unknown): void {
    const reason = error instanceof StoreUnavailable ? error.message : `an unexpected fault (${nameOf(error)})`
    const now = Date.now()
    if (this.#reportedAt !== undefined && now - this.#reportedAt < BETWEEN_REPORTS) return
    this.#reportedAt = now
    this.logger.error({ reason, lost: this.#gaps.count }, `the ${this.#recording.name} cannot be written`)
  }
}

const NOTHING = { items: 0, size: 0 }

export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)

/** Items of one clinic that are missing for one reason. */
export interface Gap {
  readonly clinic: string
  /** The reason, as the end of a sentence. */
  readonly why: string
  /** Milliseconds since 1970 UTC. */
  readonly from: number
  readonly to: number
  /** Number of missing items. */
  readonly count: number
}

/** The gaps that have not been reported yet. */
class Gaps {
  readonly #between: number
  #gaps = new Map<string, Gap>()
  #takenAt = Number.NEGATIVE_INFINITY

  /** @param between least milliseconds between two reports */
  constructor(between: number) {
    this.#between = between
  }

  /** Number of missing items. */
  get count(): number {
    return this.#gaps.values().reduce((sum, { count }) => sum + count, 0)
  }

  add(clinic: string, at: number, why: string): void {
    const key = `${clinic} ${why}`
    const { from = at, count = 0 } = this.#gaps.get(key) ?? {}
    this.#gaps.set(key, { clinic, why, from, to: at, count: count + 1 })
  }

  /**
   * The gaps to be reported now. While losses continue they are reported at intervals, rather than once for each write.
   * @param now milliseconds since 1970 UTC
   * @param isLast there will be no later report
   */
  take(now: number, isLast: boolean): readonly Gap[] {
    if (this.#gaps.size === 0 || (now - this.#takenAt < this.#between && !isLast)) return []
    this.#takenAt = now
    const gaps = [...this.#gaps.values()]
    this.#gaps = new Map()
    return gaps
  }
}
