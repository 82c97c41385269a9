/** Subscriptions to topics for tests. */

import { expect } from '@jest/globals'
import type { Bundle, BundleEntry, Parameters, Subscription } from 'fhir/r4'
import { validate } from '../../src/fhir/validate/validate.ts'

export const TOPIC = 'https://sandbox-emr.example/fhir/SubscriptionTopic'
const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition'

interface Asked {
  readonly topic?: string
  readonly endpoint?: string
  readonly type?: 'rest-hook' | 'websocket' | 'email'
  readonly payload?: string
  readonly content?: string
  readonly filters?: readonly string[]
  readonly heartbeat?: number
  readonly timeout?: number
  readonly maxCount?: number
}

const extension = (name: string, value: object) => ({ url: `${BACKPORT}/backport-${name}`, ...value })

/** A Subscription to a topic as a client asks for it. */
export function toTopic({ topic = 'task-raised', filters = [], ...asked }: Asked, more: object = {}): Subscription {
  const { type = 'rest-hook', endpoint, payload = 'application/fhir+json', content = 'id-only' } = asked
  const { heartbeat, timeout, maxCount } = asked
  const limits = [
    ...(heartbeat === undefined ? [] : [extension('heartbeat-period', { valueUnsignedInt: heartbeat })]),
    ...(timeout === undefined ? [] : [extension('timeout', { valueUnsignedInt: timeout })]),
    ...(maxCount === undefined ? [] : [extension('max-count', { valuePositiveInt: maxCount })]),
  ]
  return {
    resourceType: 'Subscription',
    status: 'requested',
    reason: 'a test',
    criteria: topic.includes(':') ? topic : `${TOPIC}/${topic}`,
    ...(filters.length === 0
      ? {}
      : { _criteria: { extension: filters.map((filter) => extension('filter-criteria', { valueString: filter })) } }),
    channel: {
      type,
      ...(endpoint === undefined ? {} : { endpoint }),
      payload,
      _payload: { extension: [extension('payload-content', { valueCode: content })] },
      ...(limits.length === 0 ? {} : { extension: limits }),
    },
    ...more,
  } as Subscription
}

/** The facts of a notification. */
export interface Notified {
  readonly type: string
  readonly status: string
  readonly topic: string | undefined
  readonly since: number
  readonly numbers: readonly number[]
  readonly focuses: readonly string[]
  readonly context: readonly string[]
  readonly entries: readonly BundleEntry[]
}

/**
 * A notification, which holds to the rules of backport-subscription-notification-r4 and backport-subscription-status-r4.
 * https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/StructureDefinition-backport-subscription-notification-r4.html
 */
export function notifiedIn(bundle: Bundle): Notified {
  expect(validate(bundle)).toEqual([])
  expect(bundle.type).toBe('history')
  expect(bundle.meta?.profile).toEqual([`${BACKPORT}/backport-subscription-notification-r4`])
  const [first, ...entries] = bundle.entry ?? []
  const status = first?.resource as Parameters
  expect(first?.fullUrl).toBe(`urn:uuid:${status.id}`)
  expect(first?.request).toEqual({ method: 'GET', url: expect.stringMatching(/\/Subscription\/[\w.-]+\/\$status$/) })
  // bdl-3 and bdl-4: in a history each entry has its request and its response.
  for (const entry of bundle.entry ?? []) expect([entry.request, entry.response]).not.toContain(undefined)
  return { ...statusIn(status), entries }
}

export function statusIn(status: Parameters): Omit<Notified, 'entries'> {
  expect(status.resourceType).toBe('Parameters')
  expect(status.meta?.profile).toEqual([`${BACKPORT}/backport-subscription-status-r4`])
  const all = (name: string) => (status.parameter ?? []).filter((one) => one.name === name)
  for (const name of ['subscription', 'status', 'type']) expect(all(name).length).toBe(1)
  for (const name of ['topic', 'events-since-subscription-start']) expect(all(name).length).toBeLessThan(2)
  const events = all('notification-event').map(({ part = [] }) => part)
  const references = (name: string) =>
    events.flatMap((part) => part.filter((one) => one.name === name).map((one) => one.valueReference?.reference ?? ''))
  return {
    type: all('type')[0]?.valueCode ?? '',
    status: all('status')[0]?.valueCode ?? '',
    topic: all('topic')[0]?.valueCanonical,
    since: Number(all('events-since-subscription-start')[0]?.valueString),
    numbers: events.map((part) => Number(part.find((one) => one.name === 'event-number')?.valueString)),
    focuses: references('focus').map(withoutBase),
    context: references('additional-context').map(withoutBase),
  }
}

const withoutBase = (address: string): string => address.replace(/^https?:\/\/[^/]+\//, '')
