/**
 * The limits of a read: the time that its request has left, and whether its client is still there. MongoDB ends a
 * command whose time is up (https://www.mongodb.com/docs/manual/reference/method/cursor.maxTimeMS/), and one whose
 * connection is closed.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { MongoServerError } from 'mongodb'
import { type Budget, BudgetError, currentBudget } from '../../isolation/budget.ts'
import { type ComponentHealth, FairQueue, loadOfQueue } from '../../isolation/fair-queue.ts'
import { TIME_LIMIT } from './connection.ts'

/** Milliseconds between two checks whether a client has left. */
const LOOK = 200

const MAX_TIME_EXPIRED = 50

/** Options of a command that reads. */
export interface ReadLimits {
  readonly maxTimeMS: number
  readonly signal?: AbortSignal
}

/** Reads under way for one request. */
interface Watch {
  readonly controller: AbortController
  readonly timer: NodeJS.Timeout
  reads: number
}

const watches = new WeakMap<Budget, Watch>()

/** The deadline of the current read, milliseconds since 1970 UTC. */
const deadline = new AsyncLocalStorage<number>()

/** The limits of the current request. */
export function readLimits(): ReadLimits {
  const budget = currentBudget()
  if (budget === undefined) return { maxTimeMS: TIME_LIMIT }
  const now = Date.now()
  const endsAt = Math.min(budget.endsAt, deadline.getStore() ?? now + TIME_LIMIT)
  const maxTimeMS = Math.max(1, Math.ceil(endsAt - now))
  const watch = watches.get(budget)
  return { maxTimeMS, ...(watch === undefined ? {} : { signal: watch.controller.signal }) }
}

/** The signal of reads outside requests. */
const NEVER = new AbortController().signal

/** @param endsAt the deadline of `read`, milliseconds since 1970 UTC */
const until = <T>(endsAt: number, read: () => Promise<T>): Promise<T> => deadline.run(endsAt, read)

/**
 * Reads for the current request, and ends the commands when its client leaves.
 * @param what see BudgetError; called only when needed
 * @param read receives a signal that is aborted when the time of the request is up, or its client has left
 * @throws BudgetError when the time is up, or the client has left
 */
export async function withinLimits<T>(what: () => string, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const budget = currentBudget()
  if (budget !== undefined) check(budget, what)
  const watch = budget && watchOf(budget, what)
  try {
    return await read(watch?.controller.signal ?? NEVER)
  } catch (error) {
    throw isTimeUp(error) ? new BudgetError('too late', what()) : error
  } finally {
    if (budget !== undefined && watch !== undefined) leave(budget, watch)
  }
}

const isTimeUp = (error: unknown): boolean => error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED

/** @throws BudgetError */
function check(budget: Budget, what: () => string): void {
  if (Date.now() > budget.endsAt || budget.isAbandoned) budget.check(what())
}

function watchOf(budget: Budget, what: () => string): Watch {
  const watch = watches.get(budget) ?? newWatch(budget, what)
  watch.reads += 1
  watches.set(budget, watch)
  return watch
}

function newWatch(budget: Budget, what: () => string): Watch {
  const controller = new AbortController()
  const timer = setInterval(() => {
    if (budget.isAbandoned) controller.abort(new BudgetError('left', what()))
    else if (Date.now() > budget.endsAt) controller.abort(new BudgetError('too late', what()))
  }, LOOK)
  return { controller, timer, reads: 0 }
}

function leave(budget: Budget, watch: Watch): void {
  watch.reads -= 1
  if (watch.reads > 0) return
  clearInterval(watch.timer)
  watches.delete(budget)
}

/** Milliseconds; a longer read is paid by the time that its request has for reads. */
const BRIEF = 50

interface Slots {
  /** Most reads at once. The number of waiting requests is limited where they arrive. */
  readonly slots: number
  /** Most reads of one clinic at once. */
  readonly slotsPerClinic: number
}

/**
 * Reads whose length depends on what is stored and requested. Clinics share the connections fairly, and each read is
 * within the limits of its request.
 */
export class FairReads {
  readonly #queue: FairQueue

  constructor(slots: Slots) {
    this.#queue = new FairQueue({ ...slots, total: Number.POSITIVE_INFINITY, perClinic: Number.POSITIVE_INFINITY })
  }

  get load(): ComponentHealth {
    return loadOfQueue('searches', this.#queue)
  }

  /**
   * @param what see BudgetError; called only when needed
   * @throws BudgetError when it takes longer than the request may, or its client has left; QueueFull when it has waited
   *   for half of its time, as it would have too little left; and whatever `read` throws
   */
  async read<T>(clinic: string, what: () => string, read: () => Promise<T>): Promise<T> {
    const budget = currentBudget()
    const endsAt = budget?.readEndsAt ?? Number.POSITIVE_INFINITY
    return await withinLimits(what, async (signal) => {
      const longestWait = budget && Math.max(0, (endsAt - Date.now()) / 2)
      const release = await this.#queue.enter({ clinic, token: budget?.token ?? '', signal }, longestWait)
      // The wait is not paid: side by side, the reads of a request would pay it many times.
      const since = Date.now()
      try {
        return await until(endsAt, read)
      } finally {
        release()
        if (Date.now() - since > BRIEF) budget?.hasReadSince(since)
      }
    })
  }
}
