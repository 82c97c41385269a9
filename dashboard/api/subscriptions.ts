/** Subscriptions: the resources over FHIR, and what they have sent. docs/subscriptions.md */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Basic, Bundle, Subscription } from 'fhir/r4'
import { matchesIn } from '../fhir/bundles.ts'
import { topicIn } from '../fhir/topics.ts'
import { get, send } from './client.ts'
import { put } from './operations.ts'
import { searchPath } from './queries.ts'

export interface DeliveryAttempt {
  /** FHIR's instant. */
  readonly time: string
  /** Why it failed. */
  readonly reason?: string
  /** The ids of its requests in the journal. */
  readonly exchanges?: readonly string[]
  /** The numbers of the events that it was to deliver. */
  readonly events?: { readonly from: number; readonly to: number }
  /** The notification without events that it was. */
  readonly notice?: 'handshake' | 'heartbeat'
}

export interface Progress {
  readonly id: string
  readonly status: string
  /** The number of the newest event. */
  readonly events: number
  readonly undelivered: number
  readonly lastAttempt?: DeliveryAttempt
  /** Absent where nothing is to be delivered. */
  readonly delivery?: {
    readonly state: 'waiting' | 'dead'
    readonly tries: number
    readonly reason?: string
    readonly nextTry?: string
  }
}

export interface LoggedEvent {
  readonly number: number
  readonly focus: { readonly reference: string }
  readonly method: string
  readonly time: string
  readonly isTest?: boolean
  readonly isDelivered: boolean
}

/** The newest first. */
export interface Watched extends Progress {
  readonly attempts: readonly DeliveryAttempt[]
  readonly log: readonly LoggedEvent[]
  /** The next page has the events before this number. */
  readonly before?: number
}

/** Begins the keys of all queries about what Subscriptions have sent. */
export const SENT = 'sent events'

/** Milliseconds between two looks while something is to be delivered. */
const WHILE_WAITING = 1_000

const pathOf = (clinic: string, id = ''): string =>
  `clinics/${clinic}/subscriptions${id && `/${encodeURIComponent(id)}`}`

/** How far they are, by their ids. */
export const progressOf = (clinic: string, ids: readonly string[]) =>
  queryOptions({
    queryKey: [SENT, clinic, 'progress', ids],
    queryFn: async ({ signal }) => {
      const path = `${pathOf(clinic)}?ids=${ids.map(encodeURIComponent).join()}`
      const { subscriptions } = await get<{ readonly subscriptions: readonly Progress[] }>(path, signal)
      return new Map(subscriptions.map((one) => [one.id, one]))
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })

/** The events and attempts of one, page by page. */
export const watchedOf = (clinic: string, id: string) =>
  infiniteQueryOptions({
    queryKey: [SENT, clinic, id],
    queryFn: ({ pageParam, signal }) =>
      get<Watched>(`${pathOf(clinic, id)}${pageParam === undefined ? '' : `?before=${pageParam}`}`, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ before }) => before,
    refetchInterval: ({ state: { data } }) => (data?.pages[0]?.delivery?.state === 'waiting' ? WHILE_WAITING : false),
  })

/** Sends the events from a number on again. @throws Problem 409 where the Subscription is off */
export const resendEvents = (clinic: string, id: string, from: number) =>
  send({ method: 'POST', path: `${pathOf(clinic, id)}/$resend`, body: { from } })

/** @param focus `Patient/1`. @returns how far it is then. @throws Problem 404, 409, 422 */
export const sendTestEvent = async (clinic: string, id: string, focus: string): Promise<Progress> =>
  (await send<Progress>({ method: 'POST', path: `${pathOf(clinic, id)}/$test`, body: { focus } })).body

/** Asks for it, or switches it off. @throws Problem 412 where somebody has changed it since */
export const switchSubscription = (subscription: Subscription, isOn: boolean): Promise<Subscription> =>
  put<Subscription>({ ...subscription, status: isOn ? 'requested' : 'off' })

export const deleteSubscription = ({ id }: Subscription) => send({ method: 'DELETE', path: `Subscription/${id}` })

/** The topics of the server. */
export const topics = queryOptions({
  queryKey: ['Basic', 'topics'],
  queryFn: async ({ signal }) => {
    const path = searchPath('Basic', [
      ['code', 'http://hl7.org/fhir/fhir-types|SubscriptionTopic'],
      ['_count', '200'],
    ])
    const found = matchesIn<Basic>(await get<Bundle>(path, signal))
    return found.flatMap((basic) => topicIn(basic) ?? []).toSorted((one, other) => (one.title < other.title ? -1 : 1))
  },
  staleTime: 60_000,
})
