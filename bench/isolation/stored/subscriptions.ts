/** Subscriptions that are expensive to compare with. */
import type { Subscription } from 'fhir/r4'

/** The most of a clinic. */
export const MOST_SUBSCRIPTIONS = 1_000

/** No Patient meets its criteria, for which all values have to be looked at. */
export function expensiveSubscription(n: number): Subscription {
  const values = Array.from({ length: 95 }, (_, value) => `none-${n}-${value}`)
  return {
    resourceType: 'Subscription',
    id: `expensive-${n}`,
    status: 'requested',
    reason: 'to be compared with everything',
    criteria: `Patient?name:contains=${values.join(',')}&gender=female`,
    channel: { type: 'websocket' },
  }
}
