/** Batches: what comes while others are under way is sent together, as one command or transaction. */
import { checkPatience } from './time-limit.ts'

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
    checkPatience(since)
    return true
  } catch (error) {
    reject(error)
    return false
  }
}

export interface BatchLimits<Item> {
  /** Batches under way at the same time. */
  readonly atOnce: number
  readonly items: number
  /** Of a batch, about; one item may be larger. */
  readonly bytes?: number
  readonly bytesOf?: (item: Item) => number
}

/** One outcome for each item, in their order. */
type Run<Item, Result> = (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>

export class Batches<Item, Result> {
  private readonly run: Run<Item, Result>
  private readonly limits: BatchLimits<Item>
  private readonly waiting: Waiting<Item, Result>[] = []
  private underWay = 0
  private scheduled = false

  constructor(run: Run<Item, Result>, limits: BatchLimits<Item>) {
    this.run = run
    this.limits = limits
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, since: Date.now(), resolve, reject })
      this.schedule()
    })
  }

  /** After the I/O events of this turn of the event loop, so that the requests they bring can join. */
  private schedule(): void {
    if (this.scheduled || this.waiting.length === 0 || this.underWay >= this.limits.atOnce) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      void this.send()
      this.schedule()
    })
  }

  private async send(): Promise<void> {
    const batch = this.waiting.splice(0, this.nextSize()).filter(isInTime)
    if (batch.length === 0) return this.schedule()
    this.underWay += 1
    const outcomes = await this.outcomesOf(batch.map(({ item }) => item))
    this.underWay -= 1
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index] ?? { reason: new Error('A batch lost one of its items') }
      if ('value' in outcome) resolve(outcome.value)
      else reject(outcome.reason)
    }
    this.schedule()
  }

  private async outcomesOf(items: readonly Item[]): Promise<readonly Outcome<Result>[]> {
    try {
      return await this.run(items)
    } catch (reason) {
      return items.map(() => ({ reason }))
    }
  }

  private nextSize(): number {
    const { items: most, bytes: mostBytes = Number.POSITIVE_INFINITY, bytesOf = () => 0 } = this.limits
    let bytes = 0
    const end = this.waiting.findIndex(({ item }, index) => {
      bytes += bytesOf(item)
      return index >= most || (index > 0 && bytes > mostBytes)
    })
    return end === -1 ? this.waiting.length : end
  }
}
