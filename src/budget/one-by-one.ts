/**
 * What ends at the same moment, such as many waits with one deadline, goes on one after the other, so that the event loop
 * does other work in between.
 */
export class OneByOne {
  #last: Promise<unknown> = Promise.resolve()

  /** Resolves a turn of the event loop after that of the call before. */
  turn(): Promise<unknown> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)))
    return this.#last
  }
}
