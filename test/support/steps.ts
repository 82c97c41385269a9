/** The cost of work: the steps that it pays from the budget of its request. */
import { Budget, withBudget } from '../../src/isolation/budget.ts'

/** Counts steps, and pays them from a budget that does not end by itself. */
class CountingBudget extends Budget {
  steps = 0

  override spend(steps: number, what: string): void {
    this.steps += steps
    super.check(what)
  }
}

export function stepsOf(work: () => unknown): number {
  const budget = new CountingBudget({ canMove: false })
  withBudget(budget, work)
  return budget.steps
}

/** Runs `work` as a request that has begun on the event loop. */
export const onEventLoop = <T>(work: () => T): T => withBudget(new Budget({ canMove: true }), work)
