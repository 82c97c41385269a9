/** Which exchange brings about what this server asks of other systems. */
import { type Budget, currentBudget } from '../../isolation/budget.ts'

export interface Cause {
  readonly id: string
  readonly run?: string
  readonly call?: string
}

const causes = new WeakMap<Budget, () => Cause>()

/** What is paid from the budget is brought about by this exchange. */
export const causedBy = (budget: Budget, cause: () => Cause): void => void causes.set(budget, cause)

/** Undefined in the background. */
export function currentCause(): Cause | undefined {
  const budget = currentBudget()
  return budget && causes.get(budget)?.()
}
