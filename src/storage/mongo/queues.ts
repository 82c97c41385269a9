/** Queues within a process: what waits is sent together, as one command or transaction, or in the order it came. */
import { checkTimeLimit } from './connection.ts'

/** What became of an item. */
export type Outcome<Result> = { readonly value: Result } | { readonly reason: unknown }

interface Waiting<Item, Result> {
  readonly item: Item
  /** Milliseconds since 1970 UTC. */
  readonly since: number
  readonly resolve: (value: Result) => void
  readonly reject: (reason: unknown) => void
}

/** Refuses what has waited too long. */
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
  /** BatchQueue under way at the same time. */
  readonly atOnce: number
  readonly items: number
  /** Of a batch, about; one item may be larger. */
  readonly bytes?: number
  readonly bytesOf?: (item: Item) => number
}

/** One outcome for each item, in their order. */
type Run<Item, Result> = (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>

export class BatchQueue<Item, Result> {
  readonly #run: Run<Item, Result>
  readonly #limits: BatchLimits<Item>
  readonly #waiting: Waiting<Item, Result>[] = []
  #underWay = 0
  #scheduled = false

  constructor(run: Run<Item, Result>, limits: BatchLimits<Item>) {
    this.#run = run
    this.#limits = limits
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, since: Date.now(), resolve, reject })
      this.#schedule()
    })
  }

  /** After the I/O events of this turn of the event loop, so that the requests they bring can join. */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#underWay >= this.#limits.atOnce) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      void this.#send()
      this.#schedule()
    })
  }

  async #send(): Promise<void> {
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
      return await this.#run(items)
    } catch (reason) {
      return items.map(() => ({ reason }))
    }
  }

  #nextSize(): number {
    const { items: most, bytes: mostBytes = Number.POSITIVE_INFINITY, bytesOf = () => 0 } = this.#limits
    let bytes = 0
    const end = this.#waiting.findIndex(({ item }, index) => {
      bytes += bytesOf(item)
      return index >= most || (index > 0 && bytes > mostBytes)
    })
    return end === -1 ? this.#waiting.length : end
  }
}

/** Work that touches the same things is done in the order it came, other work at the same time. */
export class KeyedQueue {
  /** The end of the last work on each thing. */
  readonly #ends = new Map<string, Promise<void>>()

  /** Starts `work` when all earlier work on any of `things` has ended; at once where there is none. */
  async take<T>(things: readonly string[], work: () => Promise<T>): Promise<T> {
    const earlier = things.flatMap((thing) => this.#ends.get(thing) ?? [])
    const { promise: end, resolve } = Promise.withResolvers<void>()
    for (const thing of things) this.#ends.set(thing, end)
    if (earlier.length > 0) await Promise.all(earlier)
    try {
      return await work()
    } finally {
      for (const thing of things) if (this.#ends.get(thing) === end) this.#ends.delete(thing)
      resolve()
    }
  }
}
