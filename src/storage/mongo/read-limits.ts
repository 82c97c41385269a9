/**
 * The limits of a read: the time that its request has left, and whether its client is still there. MongoDB ends a
 * command whose time is up (https://www.mongodb.com/docs/manual/reference/method/cursor.maxTimeMS/), and one whose
 * connection is closed.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { MongoServerError } from 'mongodb'
import { type Budget, BudgetError, currentBudget } from '../../isolation/budget.ts'
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
export const until = <T>(endsAt: number, read: () => Promise<T>): Promise<T> => deadline.run(endsAt, read)

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
