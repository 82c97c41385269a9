/** Deliveries to the systems of a clinic: docs/crm.md#what-was-given-up, docs/simulators.md#what-was-sent. */
import { queryOptions } from '@tanstack/react-query'
import type { Reference } from 'fhir/r4'
import { send } from './client.ts'
import { pagesFrom } from './lists.ts'

export interface Delivery {
  readonly messageId: string
  readonly type: string
  readonly state: string
  readonly tries: number
  readonly patient?: Reference
  readonly task?: Reference
  /** The Subscription whose events they are. */
  readonly subscription?: Reference
  readonly reason?: string
  /** FHIR instants. */
  readonly stagedAt?: string
  readonly nextTry?: string
  readonly sentAt?: string
  /** In their order. */
  readonly attempts?: readonly Attempt[]
  /** Set for a delivery to a simulator. */
  readonly message?: SimulatedMessage
  readonly contact?: Readonly<Record<string, string>>
}

export interface Attempt {
  readonly time: string
  /** Why it failed. */
  readonly reason?: string
  /** The ids of its exchanges in the journal. */
  readonly exchanges?: readonly string[]
}

export interface SimulatedMessage {
  readonly channel: string
  readonly to: string
  readonly text: string
  readonly link?: string
  readonly expiresAt?: string
}

interface Page {
  readonly messages: readonly Delivery[]
  readonly next?: string
}

/** Pages, which may each be short. */
const MOST = 10

const STATES = ['dead', 'waiting', 'sent']
/** In place of a state. */
export const ALL_STATES = 'all'

/** The newest first. @param state `dead`, `waiting`, `sent`, or ALL_STATES */
export const outboxOf = (clinic: string, state: string) =>
  queryOptions({
    queryKey: ['outbox', clinic, state],
    queryFn: async ({ signal }) => {
      const states = state === ALL_STATES ? STATES : [state]
      const lists = await Promise.all(states.map((one) => allOf(pathOf(clinic, one), signal)))
      return { messages: lists.flatMap(({ messages }) => messages).sort(byId), isCut: lists.some(({ isCut }) => isCut) }
    },
  })

const pathOf = (clinic: string, state: string): string => `clinics/${clinic}/outbox?state=${encodeURIComponent(state)}`

/** The id of a later one is smaller. */
const byId = (one: Delivery, other: Delivery): number => (one.messageId < other.messageId ? -1 : 1)

async function allOf(first: string, signal?: AbortSignal) {
  const { pages, isCut } = await pagesFrom<Page>(first, MOST, signal)
  return { messages: pages.flatMap(({ messages }) => messages), isCut }
}

const one = (clinic: string, messageId: string): string => `clinics/${clinic}/outbox/${encodeURIComponent(messageId)}`

/** @throws Problem 409 where it still waits, or a later one has been delivered */
export const resendDelivery = (clinic: string, messageId: string) =>
  send({ method: 'POST', path: `${one(clinic, messageId)}/$resend` })

/** Milliseconds between two looks at a delivery that is sent again, and how many there are. */
const PAUSE = 1_000
const LOOKS = 15

/**
 * Waits for the next try of a delivery that has been sent again.
 * @returns undefined: its system has taken it; with the state `waiting` and no tries: it has not been tried yet
 */
export async function resultOf(clinic: string, messageId: string): Promise<Delivery | undefined> {
  for (let look = 0; ; look += 1) {
    const lists = await Promise.all(['waiting', 'dead'].map((state) => allOf(pathOf(clinic, state))))
    const found = lists.flatMap(({ messages }) => messages).find((one) => one.messageId === messageId)
    const isTried = found === undefined || found.state === 'dead' || found.tries > 0
    if (isTried || look === LOOKS) return found
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

export const removeDelivery = (clinic: string, messageId: string) =>
  send({ method: 'DELETE', path: one(clinic, messageId) })
