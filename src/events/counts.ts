/** How many Subscriptions there are by status, of all clinics together, from the records of those who listen. docs/metrics.md */
import { SUBSCRIBED, SUBSCRIBED_KEY } from '../repository/event-feed.ts'
import type { Repository } from '../repository/repository.ts'
import type { SubscriptionState } from './state.ts'

const STATUSES = ['requested', 'active', 'error'] as const satisfies readonly SubscriptionState['status'][]

export async function subscriptionCounts(
  repository: Pick<Repository, 'clinics' | 'readRecent'>,
): Promise<Readonly<Record<string, number>>> {
  const counts = new Map<string, number>(STATUSES.map((status) => [status, 0]))
  for (const clinic of await repository.clinics()) {
    const { statuses = {} } = (await repository.readRecent(clinic, SUBSCRIBED, SUBSCRIBED_KEY))?.value ?? {}
    for (const status of STATUSES) counts.set(status, (counts.get(status) ?? 0) + (statuses[status] ?? 0))
  }
  return Object.fromEntries(counts)
}
