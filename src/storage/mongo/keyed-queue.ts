/** Turns: work that touches the same things is done in the order it came, other work at the same time. */

export class Turns {
  /** The end of the last work on each thing. */
  private readonly ends = new Map<string, Promise<void>>()

  /** Starts `work` when all earlier work on any of `things` has ended; at once where there is none. */
  async take<T>(things: readonly string[], work: () => Promise<T>): Promise<T> {
    const earlier = things.flatMap((thing) => this.ends.get(thing) ?? [])
    const { promise: end, resolve } = Promise.withResolvers<void>()
    for (const thing of things) this.ends.set(thing, end)
    if (earlier.length > 0) await Promise.all(earlier)
    try {
      return await work()
    } finally {
      for (const thing of things) if (this.ends.get(thing) === end) this.ends.delete(thing)
      resolve()
    }
  }
}
