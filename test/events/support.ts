/** Subscriptions for tests of events. */
import type { Subscription } from 'fhir/r4'
import type { Receiver } from '../support/receiver.ts'
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
  for (let tries = 0; tries < 800; tries += 1) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`There is not ${what}`)
}

export const read = async ({ fhir }: Pick<TestServer, 'fhir'>, id: string): Promise<Subscription> =>
  (await fhir('GET', `/Subscription/${id}`)).body

/** The Subscription when it has this status. */
export const inStatus = (
  server: Pick<TestServer, 'fhir'>,
  id: string,
  status: Subscription['status'],
): Promise<Subscription> =>
  eventually(async () => {
    const found = await read(server, id)
    return found.status === status ? found : undefined
  }, `the status ${status}`)

/** Creates a Subscription, and waits until it is active. @returns its id */
export async function subscribe(server: Pick<TestServer, 'fhir'>, subscription: Subscription): Promise<string> {
  const created = await server.fhir('POST', '/Subscription', subscription)
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  await inStatus(server, created.body.id, 'active')
  return created.body.id
}

/** Waits until the receiver has so many requests. */
export const arrived = (receiver: Receiver, count: number) =>
  eventually(() => receiver.received.length >= count || undefined, `notification ${count}`)

export const patient = (family: string, more: object = {}) => ({ resourceType: 'Patient', name: [{ family }], ...more })

/** Changes one element of a Subscription, as a client does: it reads it whole, and writes it. */
export async function change({ fhir }: Pick<TestServer, 'fhir'>, id: string, more: Partial<Subscription>) {
  const { body } = await fhir('GET', `/Subscription/${id}`)
  return await fhir('PUT', `/Subscription/${id}`, { ...body, ...more })
}

/** Resources of one transaction. */
const OF_TRANSACTION = 100

/** Writes resources, each hundred in one transaction: by PUT those that have an id. */
export async function writeMany({ fhir }: Pick<TestServer, 'fhir'>, resources: readonly Written[]): Promise<void> {
  for (let from = 0; from < resources.length; from += OF_TRANSACTION) {
    const entry = resources.slice(from, from + OF_TRANSACTION).map((resource) => ({ resource, request: to(resource) }))
    const { status, text } = await fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    if (status !== 200) throw new Error(text)
  }
}

interface Written {
  readonly resourceType: string
  readonly id?: string | undefined
}

const to = ({ resourceType, id }: Written) =>
  id === undefined ? { method: 'POST', url: resourceType } : { method: 'PUT', url: `${resourceType}/${id}` }
