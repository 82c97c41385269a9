/** Subscriptions for tests of events. */
import type { Subscription } from 'fhir/r4'
import type { TestServer } from '../support/server.ts'

type Channel = Partial<Subscription['channel']>

/** A Subscription as a client asks for it. */
export const wanted = (criteria: string, channel: Channel, more: Partial<Subscription> = {}): Subscription => ({
  resourceType: 'Subscription',
  status: 'requested',
  reason: 'a test',
  criteria,
  channel: { type: 'rest-hook', ...channel },
  ...more,
})

/** Tries until `look` finds something; fails when it has found nothing for long. */
export async function eventually<Found>(
  look: () => Found | undefined | Promise<Found | undefined>,
  what = 'what is expected',
): Promise<Found> {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`There is not ${what}`)
}

/** The Subscription when it has this status. */
const inStatus = (server: TestServer, id: string, status: Subscription['status']): Promise<Subscription> =>
  eventually(async () => {
    const { body } = await server.fhir('GET', `/Subscription/${id}`)
    return body.status === status ? body : undefined
  }, `the status ${status}`)

/** Creates a Subscription, and waits until it is active. @returns its id */
export async function subscribe(server: TestServer, subscription: Subscription): Promise<string> {
  const created = await server.fhir('POST', '/Subscription', subscription)
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  await inStatus(server, created.body.id, 'active')
  return created.body.id
}
