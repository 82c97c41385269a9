/** Batches: what comes while others are being written is written together, with one command or transaction. */

/** Why an item was refused; undefined: it was written. */
export type Refusal = { readonly reason: unknown } | undefined

interface Waiting<Item> {
  readonly item: Item
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

export interface BatchLimits<Item> {
  /** Batches under way at the same time. */
  readonly atOnce: number
  readonly items: number
  /** Bytes, about, of a batch; one item may be larger. */
  readonly bytes: number
  readonly bytesOf: (item: Item) => number
}

export class Batches<Item> {
  private readonly run: (items: readonly Item[]) => Promise<readonly Refusal[]>
  private readonly limits: BatchLimits<Item>
  private readonly waiting: Waiting<Item>[] = []
  private underWay = 0
  private scheduled = false

  /** `run` never rejects: it says of each item whether it was refused. */
  constructor(run: (items: readonly Item[]) => Promise<readonly Refusal[]>, limits: BatchLimits<Item>) {
    this.run = run
    this.limits = limits
  }

  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject })
      this.schedule()
    })
  }

  /** After the I/O events of this turn of the event loop, so that the requests they bring can join. */
  private schedule(): void {
    if (this.scheduled || this.waiting.length === 0 || this.underWay >= this.limits.atOnce) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      void this.write()
      this.schedule()
    })
  }

  private async write(): Promise<void> {
    const batch = this.waiting.splice(0, this.nextSize())
    if (batch.length === 0) return
    this.underWay += 1
    const refusals = await this.run(batch.map(({ item }) => item))
    this.underWay -= 1
    for (const [index, { resolve, reject }] of batch.entries()) {
      const refusal = refusals[index]
      if (refusal === undefined) resolve()
      else reject(refusal.reason)
    }
    this.schedule()
  }

  private nextSize(): number {
    let bytes = 0
    const end = this.waiting.findIndex(({ item }, index) => {
      bytes += this.limits.bytesOf(item)
      return index >= this.limits.items || (index > 0 && bytes > this.limits.bytes)
    })
    return end === -1 ? this.waiting.length : end
  }
}
