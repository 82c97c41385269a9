/**
 * A Subscription as the staff of its clinic watch it: how far its deliveries are, its events and attempts. Events are sent again, and a
 * test event is made. The values of its headers are never shown.
 */
import type { Context } from '../core/context.ts'
import { instantOf } from '../fhir/dates.ts'
import { conflict, notFound, unprocessable } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import { present } from '../fhir/resource.ts'
import { shownAttempt } from '../integrations/outbox/dead-letters.ts'
import {
  newestAttempts,
  OUTBOX,
  type OutboxRow,
  readRow,
  subscriptionKey,
  TRY_FOR,
} from '../integrations/outbox/rows.ts'
import type { KindRecord, UnitOfWork } from '../repository/repository.ts'
import { stageDelivery, stageNotice } from './delivery-row.ts'
import { needsHandshake } from './lifecycle.ts'
import { eventsAfter, type NumberedEvent, putEvent } from './log.ts'
import { isListening, putProgress, readState, type StateRecord } from './state.ts'

/** Subscriptions of one request, and events of a page. */
export const MOST_WATCHED = 100
const PAGE = 50

/** How far each of them is; those that are not there are left out. */
export async function watchAll(unit: UnitOfWork, ids: readonly string[]): Promise<readonly object[]> {
  const shown: object[] = []
  for (const id of ids) {
    const record = await readState(unit, id)
    if (record !== undefined && record.value.status !== 'deleted') shown.push(progressOf(record, await rowOf(unit, id)))
  }
  return shown
}

/** How far one is, its attempts, and a page of its events, the newest first. @param before the number of an event. @throws FhirError 404 */
export async function watchOne(unit: UnitOfWork, id: string, before: number): Promise<object> {
  const record = await knownState(unit, id)
  const row = await rowOf(unit, id)
  const next = Math.min(before, record.value.last + 1)
  const events = await eventsAfter(unit, id, Math.max(0, next - 1 - PAGE), Math.min(PAGE, next - 1))
  const delivered = deliveredBy(record, row)
  const attempts = newestAttempts(record.value.attempts, row?.value.attempts)
  const [oldest] = events
  return {
    ...progressOf(record, row),
    attempts: attempts.map(shownAttempt).toReversed(),
    log: events.map((event) => shownEvent(event, delivered)).toReversed(),
    ...present({ before: oldest !== undefined && oldest.number > 1 ? oldest.number : undefined }),
  }
}

type Row = KindRecord<OutboxRow> | undefined

const rowOf = (unit: UnitOfWork, id: string): Promise<Row> => readRow(unit, subscriptionKey(id))

const deliveredBy = ({ value }: StateRecord, row: Row): number => row?.value.subscription?.delivered ?? value.delivered

/** @throws FhirError 404 */
async function knownState(unit: UnitOfWork, id: string): Promise<StateRecord> {
  const record = await readState(unit, id)
  if (record === undefined || record.value.status === 'deleted') throw notFound('There is no such Subscription')
  return record
}

function progressOf(record: StateRecord, row: Row) {
  const { key: id, value } = record
  const delivered = deliveredBy(record, row)
  const last = newestAttempts(value.attempts, row?.value.attempts).at(-1)
  return {
    ...{ id, status: value.status, events: value.last, undelivered: value.last - delivered },
    ...present({ lastAttempt: last && shownAttempt(last), delivery: row && deliveryOf(row) }),
  }
}

const deliveryOf = ({ value: { state, tries, reason }, due }: NonNullable<Row>) => ({
  ...{ state, tries },
  ...present({ reason, nextTry: due === null ? undefined : instantOf(due) }),
})

const shownEvent = ({ number, focus, version, method, at, topic, isTest }: NumberedEvent, delivered: number) => ({
  ...{ number, focus: { reference: `${focus}/_history/${version}` }, method, time: instantOf(at) },
  ...{ isDelivered: number <= delivered },
  ...present({ topic, isTest }),
})

/**
 * Stages that the events from a number on are sent again, in their order.
 * @throws FhirError 404; 409 where the Subscription is off, or has no receiver
 */
export async function stageResend(ctx: Context, id: string, from: number): Promise<void> {
  const record = await listeningState(ctx, id)
  if (record.value.channel.type === 'websocket')
    throw conflict('The events of a websocket go to those who are connected')
  const [first] = await eventsAfter(ctx.unit, id, from - 1, 1)
  if (first?.number !== from) throw notFound(`The Subscription has no event ${from}, or not any more`)
  await stageDeliveryNow(ctx, record, from - 1)
}

/** @throws FhirError 404; 409 */
async function listeningState({ unit }: Context, id: string): Promise<StateRecord> {
  const record = await knownState(unit, id)
  if (isListening(record.value)) return record
  throw conflict(
    `The Subscription is '${record.value.status}', so nothing is sent; it has to be active, which it is once requested`,
  )
}

/** Stages an attempt that is due at once, also where the last one has failed. @param delivered the event before the first of it, at most */
async function stageDeliveryNow(ctx: Context, record: StateRecord, delivered: number): Promise<void> {
  const { key: id, value: state } = record
  const row = (await rowOf(ctx.unit, id))?.value
  if (row?.subscription === undefined) {
    const before = Math.min(state.delivered, delivered)
    if (before !== state.delivered) putProgress(ctx.unit, record, { delivered: before })
    const staged = { ...state, delivered: before }
    // A receiver that has not accepted the handshake is asked again before it gets any event.
    if (state.status !== 'active' && needsHandshake(state)) return await stageNotice(ctx, id, staged, 'handshake')
    return await stageDelivery(ctx, id, staged)
  }
  const { reason: _reason, subscription, ...rest } = row
  const again = { ...subscription, delivered: Math.min(subscription.delivered, delivered) }
  const value = { ...rest, state: 'waiting', tries: 0, tryUntil: ctx.now + TRY_FOR, subscription: again } as const
  // An attempt under way loses its lease with this change.
  ctx.unit.records.put(OUTBOX, subscriptionKey(id), value, { due: ctx.now })
}

/**
 * Stages an event as if the resource had just been changed; it need not meet the criteria.
 * @param focus `Patient/1`
 * @throws FhirError 404; 409; 422 for a resource of another type
 */
export async function stageTestEvent(ctx: Context, id: string, focus: string): Promise<void> {
  const record = await listeningState(ctx, id)
  const { types, last, kind, criteria, channel } = record.value
  const target = localReference(focus, ctx.baseUrl)
  if (target === undefined || !types.includes(target.type)) {
    throw unprocessable(`A test event is about a resource of the type ${types.join(' or ')}, such as ${types[0]}/1`)
  }
  const { version, method } = await ctx.read(target.type, target.id)
  const event = { focus: `${target.type}/${target.id}`, version, method, at: ctx.unit.writtenAt, isTest: true } as const
  putEvent(ctx.unit, id, last + 1, { ...event, ...present({ topic: kind === 'backport' ? criteria : undefined }) })
  // Connections of a websocket read the log themselves.
  const isRead = channel.type === 'websocket'
  putProgress(ctx.unit, record, { last: last + 1, ...(isRead ? { delivered: last + 1 } : {}) })
  if (!isRead) await stageDeliveryNow(ctx, record, last)
}
