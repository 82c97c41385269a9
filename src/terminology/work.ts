/** The work on one question about value sets, such as their codes: limited, and paid from the budget of the request. */
import { Meter } from '../isolation/budget.ts'

/**
 * Codes, includes and value sets visited for one question: ten value sets that each import the next one twice visit a
 * thousand.
 */
const MAX_VISITED = 1_000_000

export class TermWork {
  readonly #meter = new Meter('the codes of its value sets')
  #left = MAX_VISITED

  /** False when more has been visited than one question may. @throws BudgetError */
  visit(count: number): boolean {
    this.#meter.pay(count)
    this.#left -= count
    return this.#left >= 0
  }

  /** For work that is not a visit: the tests of filters. @throws BudgetError */
  pay(steps: number): void {
    this.#meter.pay(steps)
  }
}
