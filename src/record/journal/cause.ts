/** Which exchange caused a request of this server to another system. */
import { type Budget, currentBudget } from '../../isolation/budget.ts'

export interface Cause {
  readonly id: string
  readonly run?: string
  readonly call?: string
}

const causes = new WeakMap<Budget, () => Cause>()

/** Names the exchange that causes all requests paid from the budget. */
export const causedBy = (budget: Budget, cause: () => Cause): void => void causes.set(budget, cause)

/** Undefined in background work. */
export function currentCause(): Cause | undefined {
  const budget = currentBudget()
  return budget && causes.get(budget)?.()
}
