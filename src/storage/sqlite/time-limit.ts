/**
 * The time limit of a connection's statements. SQLite has none of its own, so statements that may be long call the
 * function `within_time` for each row that they visit (visited-rows.ts): it throws when the time is up, which ends the
 * statement.
 */

/** Milliseconds. */
export interface Times {
  /** Limit of a read on the event loop. */
  readonly allowance: number
  /** Limit of a read outside requests. */
  readonly inBackground: number
  /** Limit of the guards of a change set: all other writes wait for them. */
  readonly guards: number
}

export const TIMES: Times = { allowance: 5, inBackground: 60_000, guards: 1_000 }

/** A statement took longer than it may. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
  /** `left`: the client has left. */
  readonly reason: 'late' | 'left'

  constructor(reason: OutOfTime['reason']) {
    super(reason === 'late' ? 'The time of a statement is up' : 'The client of a statement has left')
    this.reason = reason
  }
}

export interface Limit {
  /** Milliseconds since 1970 UTC. */
  readonly endsAt: number
  /** True once the client has left. */
  readonly isAbandoned?: (() => boolean) | undefined
  /** Called when the time is up; false: the work continues, with a later `endsAt`. */
  readonly isOver?: (() => boolean) | undefined
}

const ALWAYS = (): boolean => true

const NONE: Limit = { endsAt: Number.POSITIVE_INFINITY }

export class TimeLimit {
  #limit = NONE

  /**
   * Ends the statements of `work` when the time is up. A nested limit replaces the outer one.
   * @throws OutOfTime, and whatever `work` throws
   */
  during<T>(limit: Limit, work: () => T): T {
    const before = this.#limit
    this.#limit = limit
    try {
      return work()
    } finally {
      this.#limit = before
    }
  }

  /** @throws OutOfTime */
  check(): void {
    const limit = this.#limit
    if (limit === NONE) return
    const { isAbandoned, isOver = ALWAYS } = limit
    if (Date.now() > limit.endsAt && isOver()) throw new OutOfTime('late')
    if (isAbandoned?.()) throw new OutOfTime('left')
  }
}

/**
 * Most time by the clock, as a multiple of the allowance: while a read waits for the disk, the thread does not work.
 */
const MAX_WAITING = 4

/**
 * An allowance of working time of a thread. Other programs may have the processor meanwhile: the clock then advances
 * without work, but restarting the work in another thread would not help, as that has no processor either.
 */
export class WorkingTime implements Limit {
  endsAt: number
  readonly #latest: number
  readonly #allowance: number
  readonly #began: number
  readonly #worked: () => number
  readonly #clock: () => number

  /**
   * @param allowance milliseconds
   * @param worked microseconds that this thread has worked so far
   * @param clock milliseconds since 1970 UTC
   */
  constructor(allowance: number, worked: () => number, clock: () => number = Date.now) {
    const now = clock()
    this.endsAt = now + allowance
    this.#latest = now + allowance * MAX_WAITING
    this.#clock = clock
    this.#allowance = allowance
    this.#began = worked()
    this.#worked = worked
  }

  readonly isOver = (): boolean => {
    const left = this.#allowance - (this.#worked() - this.#began) / 1000
    const now = this.#clock()
    if (left <= 0 || now > this.#latest) return true
    this.endsAt = Math.min(now + left, this.#latest)
    return false
  }
}
