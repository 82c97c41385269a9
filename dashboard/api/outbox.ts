/** Deliveries to the systems of a clinic: docs/crm.md#what-was-given-up. */
import { queryOptions } from '@tanstack/react-query'
import type { Reference } from 'fhir/r4'
import { get, send } from './client.ts'

export interface Delivery {
  readonly messageId: string
  readonly type: string
  readonly state: string
  readonly tries: number
  readonly patient?: Reference
  readonly task?: Reference
  readonly reason?: string
  /** FHIR instants. */
  readonly stagedAt?: string
  readonly nextTry?: string
}

interface Page {
  readonly messages: readonly Delivery[]
  readonly next?: string
}

/** Pages, which may each be short. */
const MOST = 10

/** @param state `dead` or `waiting` */
export const outboxOf = (clinic: string, state: string) =>
  queryOptions({
    queryKey: ['outbox', clinic, state],
    queryFn: ({ signal }) => allOf(`clinics/${clinic}/outbox?state=${encodeURIComponent(state)}`, signal),
  })

async function allOf(first: string, signal: AbortSignal) {
  const messages: Delivery[] = []
  let next: string | undefined = first
  for (let page = 0; next !== undefined && page < MOST; page += 1) {
    const answer: Page = await get<Page>(next, signal)
    messages.push(...answer.messages)
    next = answer.next
  }
  return { messages, isCut: next !== undefined }
}

const one = (clinic: string, messageId: string): string => `clinics/${clinic}/outbox/${encodeURIComponent(messageId)}`

/** @throws Problem 409 where it still waits, or a later one has been delivered */
export const resendDelivery = (clinic: string, messageId: string) =>
  send({ method: 'POST', path: `${one(clinic, messageId)}/$resend` })

export const removeDelivery = (clinic: string, messageId: string) =>
  send({ method: 'DELETE', path: one(clinic, messageId) })
