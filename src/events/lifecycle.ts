/**
 * The life of a Subscription: a client asks for it (`requested`) and ends it (`off`); the server activates it, ends it when its
 * time is over, and says in `error` why it is not carried out.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Subscription } from 'fhir/r4'
import type { ClinicAccess, Context } from '../core/context.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { present } from '../fhir/resource.ts'
import { OUTBOX, readRow, subscriptionKey, TRY_FOR } from '../integrations/outbox/rows.ts'
import type { BackgroundLoop } from '../isolation/background-loop.ts'
import { type DueServicesOf, dueRecordLoop } from '../repository/due-records.ts'
import { SUBSCRIBED, SUBSCRIBED_KEY } from '../repository/event-feed.ts'
import { RECENT } from '../repository/repository.ts'
import { channelOff, definitionOf, withHeadersHidden } from './definition.ts'
import { deliveredOf, receiverOf, stageDelivery, stageNotice, takeDeliveryBack } from './delivery-row.ts'
import { KEPT_FOR, removeOld } from './log.ts'
import { ownerOf } from './owner.ts'
import {
  changeStatus,
  type Definition,
  heartbeatAt,
  isListening,
  nextDue,
  type Progress,
  putProgress,
  putState,
  readState,
  type StateRecord,
  SUBSCRIPTION,
  type SubscriptionState,
  SWEEP,
} from './state.ts'

/** Running Subscriptions of a clinic at most. */
const MOST_RUNNING = 1_000

/**
 * Stages the state of a Subscription that is written.
 * @param resource with its id
 * @returns the resource to store
 * @throws FhirError 422
 */
export async function stageSubscription(
  ctx: Context,
  resource: Subscription & { readonly id: string },
): Promise<Subscription> {
  const record = await readState(ctx.unit, resource.id)
  const before = record?.value.status === 'deleted' ? undefined : record?.value
  // The server that it comes from may still carry it out: as in a clone, it is off until somebody asks for it here.
  const isFromElsewhere = ctx.isImport && before === undefined
  const status = isFromElsewhere ? 'off' : statusOf(resource, before)
  if (status === 'off') return await stageOff(ctx, resource, record, before)
  const definition = await definitionOf(ctx, resource, before?.channel)
  if (status === 'requested') await checkRoom(ctx, before)
  const since = before !== undefined && isListening(before) ? before.since : ctx.unit.writtenAt
  const state = {
    ...definition,
    since,
    ...progressOf(ctx, record),
    status,
    owner: await ownerOf(ctx),
    requestedAt: ctx.unit.writtenAt,
  }
  // A definition that has changed is carried out anew.
  const next = isSame(definition, before) ? state : { ...state, status: 'requested' as const }
  await putState(ctx, resource.id, next, nextDue(next, ctx))
  if (next.channel.type === 'websocket') await leaveToReaders(ctx, resource.id)
  const { error, ...rest } = withHeadersHidden(resource)
  return { ...rest, status: next.status, ...(next.status === 'error' && error !== undefined ? { error } : {}) }
}

/** The status that the client may ask for: its own two, and the one that the server has set, which stays. */
function statusOf(
  { status }: Partial<Pick<Subscription, 'status'>>,
  before: SubscriptionState | undefined,
): Exclude<SubscriptionState['status'], 'deleted'> {
  if (status === 'requested' || status === 'off') return status
  if (before !== undefined && status === before.status) return status
  const fault = status === undefined ? 'is missing' : `is '${status}', which only the server sets`
  throw unprocessable(`Subscription.status ${fault}; send 'requested', and it becomes active, or 'off'`, {
    expression: 'Subscription.status',
  })
}

/** It is not carried out, so it may be one that this server could not carry out. */
async function stageOff(
  ctx: Context,
  resource: Subscription & { readonly id: string },
  record: StateRecord | undefined,
  before: SubscriptionState | undefined,
): Promise<Subscription> {
  const state: SubscriptionState = {
    kind: 'r4',
    criteria: '',
    types: [],
    channel: channelOff(resource, before?.channel, ctx.isImport),
    ...progressOf(ctx, record),
    status: 'off',
    owner: await ownerOf(ctx),
    requestedAt: ctx.unit.writtenAt,
    since: ctx.unit.writtenAt,
  }
  await putState(ctx, resource.id, state, nextDue(state, ctx))
  await takeDeliveryBack(ctx, resource.id)
  const { error: _error, ...rest } = withHeadersHidden(resource)
  return { ...rest, status: 'off' }
}

function progressOf({ now }: Context, record: StateRecord | undefined): Progress {
  const { last = 0, delivered = 0, attempts, notifiedAt, sweepAt = now + SWEEP } = record?.value ?? {}
  return { last, delivered, sweepAt, ...present({ attempts, notifiedAt }) }
}

/** Connections read the log themselves: nothing of it waits for the outbox, as it may have done before. */
async function leaveToReaders(ctx: Context, id: string): Promise<void> {
  await takeDeliveryBack(ctx, id)
  const record = await readState(ctx.unit, id)
  if (record !== undefined) putProgress(ctx.unit, record, { delivered: record.value.last })
}

const isSame = (definition: Definition, before: SubscriptionState | undefined): boolean =>
  before !== undefined &&
  (['kind', 'criteria', 'filters', 'channel', 'end'] as const).every(
    (name) => JSON.stringify(definition[name]) === JSON.stringify(before[name]),
  )

async function checkRoom({ unit: { records } }: Context, before: SubscriptionState | undefined): Promise<void> {
  const running = (await records.read(SUBSCRIBED, SUBSCRIBED_KEY))?.value.running ?? 0
  const isRunning = before !== undefined && before.status !== 'off'
  if (isRunning || running < MOST_RUNNING) return
  throw unprocessable(`The clinic has ${MOST_RUNNING} Subscriptions that are not off, the most; turn one off first`, {
    expression: 'Subscription.status',
  })
}

/** Stages the end of a Subscription that is deleted; its log goes in the background. */
export async function stageEnd(ctx: Context, id: string): Promise<void> {
  const record = await readState(ctx.unit, id)
  if (record === undefined) return
  await putState(ctx, id, { ...record.value, status: 'deleted', delivered: record.value.last }, ctx.now)
  await takeDeliveryBack(ctx, id)
}

/**
 * Milliseconds from a request to its activation: by then every process knows that the types are listened to, and changes that were
 * being written without knowing it are written.
 */
const NOTICE = RECENT + 300

export interface LifecycleServices extends DueServicesOf<ClinicAccess> {
  /** Called when deliveries of a clinic may be due. */
  readonly onDue: (clinic: string) => void
}

/** Activates what is requested, ends what has reached its end, and removes old events. */
export const subscriptionLoop = (services: LifecycleServices): BackgroundLoop =>
  dueRecordLoop<SubscriptionState>(
    services,
    {
      kind: SUBSCRIPTION,
      finish: async (clinic, id) => {
        const access = services.accessOf(clinic)
        await activationOf(await access.reader(), id)
        const isDone = await access.change((ctx) => settleDue(ctx, id))
        services.onDue(clinic)
        return isDone
      },
      failure: 'Subscriptions could not be activated',
    },
    { look: 200, pause: 0, atOnce: 8 },
  )

/** Waits until a requested Subscription may become active. */
async function activationOf({ unit }: Context, id: string): Promise<void> {
  const state = (await readState(unit, id))?.value
  if (state?.status !== 'requested') return
  const wait = state.requestedAt + NOTICE - unit.writtenAt
  if (wait > 0) await sleep(Math.min(wait, NOTICE))
}

async function settleDue(ctx: Context, id: string): Promise<boolean> {
  const record = await readState(ctx.unit, id)
  if (record === undefined || record.due === null || record.due > ctx.now) return false
  const { value: state } = record
  if (state.status === 'deleted') await removeLog(ctx, record)
  else if (state.status === 'requested') await activate(ctx, record)
  else if (state.end !== undefined && state.end <= ctx.now && state.status !== 'off') {
    await changeStatus(ctx, record, 'off')
    await takeDeliveryBack(ctx, id)
  } else if ((state.sweepAt ?? 0) > ctx.now && isHeartbeatDue(ctx, state)) await beat(ctx, record)
  else await sweep(ctx, record)
  return true
}

const isHeartbeatDue = ({ now }: Context, state: SubscriptionState): boolean =>
  (heartbeatAt(state) ?? Number.POSITIVE_INFINITY) <= now

async function activate(ctx: Context, record: StateRecord): Promise<void> {
  // Requested again since: the new request waits too.
  if (record.value.requestedAt + NOTICE > ctx.unit.writtenAt) return
  if (needsHandshake(record.value)) await shakeHands(ctx, record)
  else {
    await changeStatus(ctx, record, 'active')
    await continueDelivery(ctx, record)
  }
}

export const needsHandshake = ({ channel: { type, backport } }: SubscriptionState): boolean =>
  backport !== undefined && type === 'rest-hook'

/** The first attempt that the receiver accepts makes it active (delivery.ts). */
async function shakeHands(ctx: Context, { key: id, value: state }: StateRecord): Promise<void> {
  await stageNotice(ctx, id, state, 'handshake')
  ctx.unit.records.put(SUBSCRIPTION, id, state, { due: null })
}

async function beat(ctx: Context, { key: id, value: state }: StateRecord): Promise<void> {
  await stageNotice(ctx, id, state, 'heartbeat')
  const next = { ...state, notifiedAt: ctx.now }
  ctx.unit.records.put(SUBSCRIPTION, id, next, { due: nextDue(next, ctx) })
}

/** Makes the events due that are still to be delivered, also after they were given up. */
async function continueDelivery(ctx: Context, { key: id, value: state }: StateRecord): Promise<void> {
  const row = await readRow(ctx.unit, subscriptionKey(id))
  if (row?.value.subscription !== undefined) {
    const { reason: _reason, ...rest } = row.value
    const subscription = { ...row.value.subscription, receiver: receiverOf(state) }
    const again = { ...rest, subscription, state: 'waiting' as const, tries: 0, tryUntil: ctx.now + TRY_FOR }
    ctx.unit.records.put(OUTBOX, row.key, again, { due: ctx.now })
  } else if (state.delivered < state.last) await stageDelivery(ctx, id, state)
}

async function sweep(ctx: Context, { key: id, value: state }: StateRecord): Promise<void> {
  const upTo = await deliveredOf(ctx, id, state)
  const hasMore = await removeOld(ctx.unit, id, { upTo, before: ctx.unit.writtenAt - KEPT_FOR })
  const next = { ...state, ...(hasMore ? {} : { sweepAt: ctx.now + SWEEP }) }
  ctx.unit.records.put(SUBSCRIPTION, id, next, { due: hasMore ? ctx.now : nextDue(next, ctx) })
}

async function removeLog(ctx: Context, { key: id, value: state }: StateRecord): Promise<void> {
  const hasMore = await removeOld(ctx.unit, id, { upTo: state.last, before: Number.POSITIVE_INFINITY })
  if (hasMore) ctx.unit.records.put(SUBSCRIPTION, id, state, { due: ctx.now })
  else ctx.unit.records.delete(SUBSCRIPTION, id)
}
