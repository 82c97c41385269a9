/** The faults that have fired for the current request, beside the budget that pays for it. */
import { type Budget, currentBudget } from '../../isolation/budget.ts'
import type { Values } from './named.ts'

/** A fault that a request has met. It can be sent to another thread. */
export interface Fired {
  /** Its name in the catalogue. */
  readonly name: string
  /** How often it has fired by the same rule, or in the same way: 1 is the first time. */
  readonly number: number
  readonly with: Values
  /** The response says that it has fired, unless the clinic wants a blind test. */
  readonly isTold: boolean
  /** The only tool whose calls it is for; absent: all of the request. */
  readonly tool?: string
}

const fired = new WeakMap<Budget, readonly Fired[]>()

/** Undefined where it has not been decided yet, and outside requests. */
export function firedNow(budget = currentBudget()): readonly Fired[] | undefined {
  return budget && fired.get(budget)
}

/** Adds faults to those of the current request; none at all shows that it has been decided. */
export function fire(faults: readonly Fired[], budget = currentBudget()): void {
  if (budget === undefined) return
  fired.set(budget, [...(fired.get(budget) ?? []), ...faults])
  if (faults.length > 0) budget.isFaulted = true
}

export const firedAs = (name: string, faults = firedNow()): Fired | undefined =>
  faults?.find((fault) => fault.name === name)

/** The fault as it meets the calls of a tool. */
export const firedFor = (name: string, tool: string): Fired | undefined =>
  firedNow()?.find((fault) => fault.name === name && (fault.tool === undefined || fault.tool === tool))

/** Ends the work on a request that a fault answers; every stage passes it on to the one that answers. */
export class AnsweredByFault extends Error {
  readonly fired: Fired

  constructor(fired: Fired) {
    super(`The fault '${fired.name}' gives the response`)
    this.name = 'AnsweredByFault'
    this.fired = fired
  }
}

/** `slot-gone#2, slow#1` */
export const labelOf = (faults: readonly Fired[]): string =>
  faults.map(({ name, number }) => `${name}#${number}`).join(', ')
