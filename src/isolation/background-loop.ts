/**
 * The loop of background work, such as indexing: it looks for jobs and works on one after the other, a few resources at
 * a time, with pauses as long as the last batch took, in which requests are served. One server at a time works on a
 * job. Finished batches survive the death of a server; another server, or the next start, continues.
 */

import { forNoRequest } from './budget.ts'

export interface LoopPace {
  /** Milliseconds between two looks for jobs. */
  readonly look: number
  /** Milliseconds between two batches, in addition to the time that the last one took. */
  readonly pause: number
  /** Number of jobs worked on side by side; absent: one. */
  readonly atOnce?: number
}

export interface Pace extends LoopPace {
  /** Resources of a batch. */
  readonly batch: number
  /** Milliseconds after which another server takes over from one that has died. */
  readonly lease: number
}

/** A source of jobs. */
export interface JobSource {
  /**
   * Called at each look. Unless jobs are worked on side by side, each is done or abandoned before the next is
   * requested.
   */
  jobs(): AsyncIterable<Job>
  /** Reports a fault. False: the remaining jobs would fail as well. */
  failed(error: unknown): boolean
  /** Gives up remaining leases. */
  close?(): Promise<void>
}

export interface Job {
  /** undefined: another server works on it. */
  lease(): Promise<LeasedJob | undefined>
}

export interface LeasedJob {
  /**
   * Works on a few resources. False: the work ends here, as the job is finished, its turn is over, or the lease is
   * lost.
   */
  batch(): Promise<boolean>
  /** Records the progress; not called after a fault. */
  end(): Promise<void>
}

/** Milliseconds from a call of `wake` to the look. */
const WOKEN_AFTER = 50

export class BackgroundLoop {
  readonly #source: JobSource
  readonly #pace: LoopPace
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> = Promise.resolve()
  readonly #resting = new Set<() => void>()
  #closed = false
  /** Set while a look is under way that has perhaps missed a job. */
  #isWoken = false
  /** Set while the next look is one that was asked for. */
  #isLookNear = false

  constructor(source: JobSource, pace: LoopPace) {
    this.#source = source
    this.#pace = pace
  }

  /** Starts the loop. The first look comes after a while, since a starting server is busy enough. */
  start(): void {
    if (this.#closed) return
    const isWoken = this.#isWoken
    this.#isWoken = false
    this.#timer = setTimeout(() => this.#lookOnce(), isWoken ? WOKEN_AFTER : this.#pace.look).unref()
    this.#isLookNear = isWoken
  }

  /** Looks for jobs in a moment, or a moment after the start, or the look under way: several calls meanwhile are one. */
  wake(): void {
    if (this.#timer === undefined) this.#isWoken = true
    if (this.#timer === undefined || this.#isLookNear || this.#closed) return
    clearTimeout(this.#timer)
    this.#isWoken = true
    // The work is not that of the request whose change wakes it.
    forNoRequest(() => this.start())
  }

  #lookOnce(): void {
    this.#timer = undefined
    this.#working = this.#look().then(() => this.start())
  }

  /** Waits for the batches under way. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const wake of this.#resting) wake()
    await this.#working
    await this.#source.close?.()
  }

  async #look(): Promise<void> {
    const jobs = this.#source.jobs()[Symbol.asyncIterator]()
    const shared = { [Symbol.asyncIterator]: () => jobs }
    await Promise.all(Array.from({ length: this.#pace.atOnce ?? 1 }, () => this.#workThrough(shared)))
  }

  async #workThrough(jobs: AsyncIterable<Job>): Promise<void> {
    try {
      for await (const job of jobs) {
        if (this.#closed || !(await this.#attempt(job))) return
      }
    } catch (error) {
      this.#source.failed(error)
    }
  }

  /** False when the remaining jobs should not be attempted. */
  async #attempt(job: Job): Promise<boolean> {
    try {
      await this.#work(job)
      return true
    } catch (error) {
      return this.#source.failed(error)
    }
  }

  async #work(job: Job): Promise<void> {
    const leased = await job.lease()
    if (leased === undefined) return
    while (!this.#closed) {
      const started = performance.now()
      if (!(await leased.batch())) break
      if (!this.#closed) await this.#rest(this.#pace.pause + performance.now() - started)
    }
    await leased.end()
  }

  /** Waits, unless close() ends the wait. */
  #rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#resting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, milliseconds).unref()
      this.#resting.add(wake)
    })
  }
}
