/**
 * The limits of a read: the time that its request has left, and whether its client still waits for the answer. MongoDB
 * ends a command whose time is up (https://www.mongodb.com/docs/manual/reference/method/cursor.maxTimeMS/), and one
 * whose connection is closed.
 */
import { MongoServerError } from 'mongodb'
import { type Budget, BudgetError, currentBudget } from '../../budget/budget.ts'
import { TIME_LIMIT } from './connection.ts'

/** Milliseconds between two looks whether a client has left. */
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

/** The limits of the request under way. */
export function readLimits(): ReadLimits {
  const budget = currentBudget()
  if (budget === undefined) return { maxTimeMS: TIME_LIMIT }
  const maxTimeMS = Math.max(1, Math.ceil(Math.min(TIME_LIMIT, budget.endsAt - Date.now())))
  const watch = watches.get(budget)
  return { maxTimeMS, ...(watch === undefined ? {} : { signal: watch.controller.signal }) }
}

/**
 * Reads for the request under way, and ends the commands when its client leaves.
 * @param what as BudgetError has it
 * @throws BudgetError when the time is up, or the client has left
 */
export async function withinLimits<T>(what: string, read: () => Promise<T>): Promise<T> {
  const budget = currentBudget()
  budget?.check(what)
  const watch = budget === undefined ? undefined : watchOf(budget, what)
  try {
    return await read()
  } catch (error) {
    if (error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED) throw new BudgetError('too late', what)
    throw error
  } finally {
    if (budget !== undefined && watch !== undefined) leave(budget, watch)
  }
}

function watchOf(budget: Budget, what: string): Watch {
  const watch = watches.get(budget) ?? newWatch(budget, what)
  watch.reads += 1
  watches.set(budget, watch)
  return watch
}

function newWatch(budget: Budget, what: string): Watch {
  const controller = new AbortController()
  const timer = setInterval(() => {
    if (budget.isAbandoned) controller.abort(new BudgetError('left', what))
  }, LOOK)
  return { controller, timer, reads: 0 }
}

function leave(budget: Budget, watch: Watch): void {
  watch.reads -= 1
  if (watch.reads > 0) return
  clearInterval(watch.timer)
  watches.delete(budget)
}
