/** State of one SQLite file in memory shared by the threads of a process. */
const RECENT = 0
const EPOCH = 1

export class Signals {
  readonly buffer: SharedArrayBuffer
  /** Counts the changes of records that are cached (storage/recent.ts). */
  readonly recent: Int32Array
  readonly #numbers: Int32Array

  /** @param buffer of another thread's signals; absent: this is the first thread */
  constructor(buffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer
    this.#numbers = new Int32Array(buffer)
    this.recent = this.#numbers.subarray(RECENT, RECENT + 1)
  }

  /** The highest epoch of the search index (index-parts.ts) that any thread has seen. */
  get epoch(): number {
    return Atomics.load(this.#numbers, EPOCH)
  }

  /** @returns `epoch` */
  sawEpoch(epoch: number): number {
    for (let known = this.epoch; known < epoch; ) {
      const found = Atomics.compareExchange(this.#numbers, EPOCH, known, epoch)
      known = found === known ? epoch : found
    }
    return epoch
  }
}
