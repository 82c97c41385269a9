/**
 * Queues within one process: BatchQueue sends waiting items together, as one command or one transaction; KeyedQueue
 * keeps the order of work on the same resource or record. A FairQueue would not do for either: there each job has its
 * own turn, and a change set would wait for all of its keys one by one.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { checkTimeLimit } from './connection.ts'

/** The outcome of an item. */
export type Outcome<Result> = { readonly value: Result } | { readonly reason: unknown }

interface Waiting<Item, Result> {
  readonly item: Item
  /** Milliseconds since 1970 UTC. */
  readonly since: number
  readonly resolve: (value: Result) => void
  readonly reject: (reason: unknown) => void
}

/** False for an item that has waited too long, which is rejected. */
function isInTime({ since, reject }: Waiting<unknown, never>): boolean {
  try {
    checkTimeLimit(since)
    return true
  } catch (error) {
    reject(error)
    return false
  }
}

export interface BatchLimits<Item> {
  /** Most batches under way at the same time. */
  readonly concurrency: number
  /** Most items of a batch. */
  readonly items: number
  /** Approximate size limit of a batch; a single item may be larger. */
  readonly bytes?: number
  readonly bytesOf?: (item: Item) => number
}

/** Sends a batch. @returns one outcome for each item, in their order */
type SendBatch<Item, Result> = (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>

/** Collects items while earlier batches are under way. */
export class BatchQueue<Item, Result> {
  readonly #sendBatch: SendBatch<Item, Result>
  readonly #limits: BatchLimits<Item>
  /** Runs work outside the request that happens to complete a batch, so that its budget does not pay for it. */
  readonly #outside = AsyncLocalStorage.snapshot()
  readonly #waiting: Waiting<Item, Result>[] = []
  #underWay = 0
  #scheduled = false

  constructor(sendBatch: SendBatch<Item, Result>, limits: BatchLimits<Item>) {
    this.#sendBatch = sendBatch
    this.#limits = limits
  }

  /** @throws StoreUnavailable when the item has waited longer than TIME_LIMIT; and the error of its batch */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, since: Date.now(), resolve, reject })
      this.#schedule()
    })
  }

  /**
   * Schedules a batch after the I/O events of this turn of the event loop, so that the requests they bring can join.
   */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#underWay >= this.#limits.concurrency) return
    this.#scheduled = true
    this.#outside(setImmediate, () => {
      this.#scheduled = false
      void this.#sendNext()
      this.#schedule()
    })
  }

  async #sendNext(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#nextSize()).filter(isInTime)
    if (batch.length === 0) return this.#schedule()
    this.#underWay += 1
    const outcomes = await this.#outcomesOf(batch.map(({ item }) => item))
    this.#underWay -= 1
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index] ?? { reason: new Error('A batch lost one of its items') }
      if ('value' in outcome) resolve(outcome.value)
      else reject(outcome.reason)
    }
    this.#schedule()
  }

  async #outcomesOf(items: readonly Item[]): Promise<readonly Outcome<Result>[]> {
    try {
      return await this.#sendBatch(items)
    } catch (reason) {
      return items.map(() => ({ reason }))
    }
  }

  #nextSize(): number {
    const { items: maxItems, bytes: maxBytes = Number.POSITIVE_INFINITY, bytesOf = () => 0 } = this.#limits
    let bytes = 0
    const end = this.#waiting.findIndex(({ item }, index) => {
      bytes += bytesOf(item)
      return index >= maxItems || (index > 0 && bytes > maxBytes)
    })
    return end === -1 ? this.#waiting.length : end
  }
}

/** Runs work that shares a key in order of arrival, and all other work at the same time. */
export class KeyedQueue {
  /** By key, the end of the last work on it. */
  readonly #ends = new Map<string, Promise<void>>()

  /** Starts `work` when all earlier work on any of `keys` has ended; at once where there is none. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const earlier = keys.flatMap((key) => this.#ends.get(key) ?? [])
    const { promise: end, resolve } = Promise.withResolvers<void>()
    for (const key of keys) this.#ends.set(key, end)
    if (earlier.length > 0) await Promise.all(earlier)
    try {
      return await work()
    } finally {
      for (const key of keys) if (this.#ends.get(key) === end) this.#ends.delete(key)
      resolve()
    }
  }
}
