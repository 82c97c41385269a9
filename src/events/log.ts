/** The log of a Subscription: its events by their numbers, until they are delivered and old. */

import type { TraceContext } from '../isolation/trace-context.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { KindRecord, StoredResource, UnitOfWork } from '../repository/repository.ts'

export interface LoggedEvent {
  /** Type and id. */
  readonly focus: string
  readonly version: number
  readonly method: StoredResource['method']
  /** Milliseconds since 1970 UTC: when the change was made. */
  readonly at: number
  /** The canonical url of the topic that it is an event of; absent for criteria. */
  readonly topic?: string
  /** Staff have made it to try the receiver (watch.ts). */
  readonly isTest?: true
  /** The span of the change. */
  readonly trace?: TraceContext
}

const SUBSCRIPTION_EVENT = recordKind<LoggedEvent>('subscription-event')

/** Delivered events that are kept. */
const MOST_DELIVERED = 1_000
/** Milliseconds for which a delivered event is kept. */
export const KEPT_FOR = 7 * 24 * 3_600_000

const DIGITS = 12

const logKey = (id: string, number: number): string => `${id}/${String(number).padStart(DIGITS, '0')}`

export interface NumberedEvent extends LoggedEvent {
  readonly number: number
}

/** The events after the one of that number, in their order. */
export async function eventsAfter(
  { records }: UnitOfWork,
  id: string,
  number: number,
  limit: number,
): Promise<readonly NumberedEvent[]> {
  const found = await records.list(SUBSCRIPTION_EVENT, { after: logKey(id, number), limit })
  return found.filter(({ key }) => key.startsWith(`${id}/`)).map(numbered)
}

const numbered = ({ key, value }: KindRecord<LoggedEvent>): NumberedEvent => ({
  number: Number(key.slice(-DIGITS)),
  ...value,
})

export const putEvent = ({ records }: UnitOfWork, id: string, number: number, event: LoggedEvent): void =>
  records.put(SUBSCRIPTION_EVENT, logKey(id, number), event, { expect: 'any' })

/** Stages the removal of the events that are no longer among the newest delivered ones. @param from, to numbers delivered now */
export function trimDelivered({ records }: UnitOfWork, id: string, from: number, to: number): void {
  for (let number = Math.max(1, from - MOST_DELIVERED + 1); number <= to - MOST_DELIVERED; number += 1) {
    records.delete(SUBSCRIPTION_EVENT, logKey(id, number), { expect: 'any' })
  }
}

/** Events of one change that removes old ones. */
const AT_ONCE = 200

/** Stages the removal of some events up to a number that are old. @returns whether there may be more */
export async function removeOld(
  unit: UnitOfWork,
  id: string,
  { upTo, before }: { readonly upTo: number; readonly before: number },
): Promise<boolean> {
  const oldest = await eventsAfter(unit, id, 0, AT_ONCE)
  const old = oldest.filter(({ number, at }) => number <= upTo && at < before)
  for (const { number } of old) unit.records.delete(SUBSCRIPTION_EVENT, logKey(id, number), { expect: 'any' })
  return old.length === AT_ONCE
}
