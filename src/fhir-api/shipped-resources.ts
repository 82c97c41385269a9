/** A clinic has the conformance resources that the server ships before its first FHIR request is answered. */
import type { Middleware } from 'koa'
import type { ClinicAccess } from '../core/context.ts'
import { ensureShipped } from '../core/shipped.ts'
import { userOf } from '../http/exchange.ts'
import { Budget, withBudget } from '../isolation/budget.ts'
import { SERVICE } from '../repository/record-kinds.ts'

/**
 * Runs after `authenticate`. Each process checks each clinic once; requests that arrive meanwhile wait for that check.
 * @param goOn runs for each waiting request after it, as all would continue at once
 */
export function shipResources(accessOf: (clinic: string) => ClinicAccess, goOn: Middleware): Middleware {
  const complete = new Set<string>()
  const underWay = new Map<string, Promise<void>>()
  const ship = async (clinic: string): Promise<void> => {
    try {
      // Not paid from the budget of the first request: others wait for it too.
      await withBudget(new Budget({ canMove: false }), () => ensureShipped(accessOf(clinic)))
      complete.add(clinic)
    } finally {
      // After a failure the next request tries again.
      underWay.delete(clinic)
    }
  }
  return (koa, next) => {
    const { clinic } = userOf(koa)
    if (clinic === SERVICE || complete.has(clinic)) return next()
    const shipping = underWay.get(clinic) ?? ship(clinic)
    underWay.set(clinic, shipping)
    return shipping.then(() => goOn(koa, next))
  }
}
