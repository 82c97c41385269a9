/** Small costs, collected and paid from the budget of the request in larger amounts. */
import { spend } from './budget.ts'

/** Steps that are paid at a time: paying costs some hundred nanoseconds itself. */
const STEPS_AT_A_TIME = 250

/** Collects small costs and pays them in larger amounts. */
export class Meter {
  readonly #what: string
  #owed = 0

  /** @param what see BudgetError */
  constructor(what: string) {
    this.#what = what
  }

  /** @throws BudgetError */
  pay(steps: number): void {
    this.#owed += steps
    if (this.#owed < STEPS_AT_A_TIME) return
    const owed = this.#owed
    this.#owed = 0
    spend(owed, this.#what)
  }
}
