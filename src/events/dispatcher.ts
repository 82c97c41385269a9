/**
 * The dispatcher: it takes changes from the feed, some of one clinic in one change of its own, appends each to the log of the
 * Subscriptions that it is an event of, and makes their deliveries due. Of two processes that take the same changes the store lets
 * one have them.
 */
import type { ClinicAccess, Context } from '../core/context.ts'
import { instantOf } from '../fhir/dates.ts'
import { FhirError } from '../fhir/outcome.ts'
import { present } from '../fhir/resource.ts'
import type { BackgroundLoop } from '../isolation/background-loop.ts'
import { yieldingWhenLong } from '../isolation/long-work.ts'
import { type DueServicesOf, dueRecordLoop } from '../repository/due-records.ts'
import { EVENT, eventKey, type FedEvent, type Indexed, subjectOf } from '../repository/event-feed.ts'
import type { KindRecord, Versioned } from '../repository/repository.ts'
import { ifReadable } from '../repository/restriction.ts'
import { deliveredOf, stageDelivery, takeDeliveryBack } from './delivery-row.ts'
import { type Listener, listenersOf } from './listeners.ts'
import { putEvent, trimDelivered } from './log.ts'
import type { Match, MatchableVersion, ResourceEvent } from './resource-event.ts'
import { changeStatus, isListening, putProgress, readState } from './state.ts'

export interface DispatcherServices extends DueServicesOf<ClinicAccess> {
  /** Called after a change that has made deliveries of a clinic due. */
  readonly onDue: (clinic: string) => void
}

/** Milliseconds between two looks for the changes of other processes. */
const LOOK = 500

export const eventDispatcher = (services: DispatcherServices): BackgroundLoop =>
  dueRecordLoop<FedEvent>(
    services,
    {
      kind: EVENT,
      finish: async (clinic, key) => {
        const { isMore, matches } = await services.accessOf(clinic).change((ctx) => dispatch(ctx, key))
        if (matches > 0) services.onDue(clinic)
        return isMore
      },
      failure: 'events could not be matched with Subscriptions',
      together: MOST_CHANGES,
    },
    { look: LOOK, pause: 0 },
  )

/** Changes of the feed that one change takes, and events of Subscriptions that it logs: a few more, where one has many. */
const MOST_CHANGES = 100
const MOST_MATCHES = 500
/** Milliseconds after which it takes no further one: the longer it works, the more likely another change comes between. */
const MOST_TIME = 200

interface Dispatched {
  /** Whether it may have left changes. */
  readonly isMore: boolean
  readonly matches: number
}

async function dispatch(ctx: Context, key: string): Promise<Dispatched> {
  const { records } = ctx.unit
  if ((await records.read(EVENT, key)) === undefined) return { isMore: false, matches: 0 }
  const fed = await records.list(EVENT, { after: '', limit: MOST_CHANGES })
  const listeners = await listenersOf(ctx)
  let [events, matches] = [0, 0]
  const began = performance.now()
  const pause = yieldingWhenLong()
  for (const record of fed) {
    const subject = { ...subjectOf(record.key), method: record.value.method }
    const found = await matchesOf(ctx, record.key, subject, { listeners: listeners.get(subject.type) ?? [], pause })
    if (found.length > 0 && (await isBehindAnother(ctx, subject))) break
    for (const [id, match] of found) await append(ctx, id, record, match)
    records.delete(EVENT, record.key, { expect: record.version })
    events += 1
    matches += found.length
    if (matches >= MOST_MATCHES || performance.now() - began > MOST_TIME) break
  }
  return { isMore: events > 0 && (events === MOST_CHANGES || events < fed.length), matches }
}

type Subject = Omit<ResourceEvent, 'current' | 'previous'>
type Found = readonly (readonly [id: string, match: Match])[]

interface Listening {
  readonly listeners: readonly Listener[]
  readonly pause: () => Promise<void> | undefined
}

async function matchesOf(ctx: Context, key: string, subject: Subject, { listeners, pause }: Listening): Promise<Found> {
  if (listeners.length === 0) return []
  try {
    const asksPrevious = listeners.some((listener) => listener.asksPrevious)
    const previous = asksPrevious ? await matchable(ctx, await readOf(ctx, subject, subject.version - 1)) : undefined
    const event = { ...subject, previous, current: await currentOf(ctx, key, subject) }
    const found: (readonly [string, Match])[] = []
    for (const { id, match } of listeners) {
      // One of them may compare hundreds of values with hundreds.
      const others = pause()
      if (others !== undefined) await others
      const matched = match(event)
      if (matched !== undefined) found.push([id, matched])
    }
    return found
  } catch (error) {
    // A version that can't be indexed, as one with too many values for a search parameter that was added since.
    if (error instanceof FhirError && error.status < 500) return []
    throw error
  }
}

/**
 * Whether the change of the version before waits still: a list that was read while others wrote may have the later one alone.
 */
async function isBehindAnother(ctx: Context, event: Subject): Promise<boolean> {
  if (event.version === 1) return false
  const earlier = await readOf(ctx, event, event.version - 1)
  if (earlier === undefined) return false
  return (await ctx.unit.records.read(EVENT, eventKey(earlier))) !== undefined
}

async function append(ctx: Context, id: string, { key, value }: KindRecord<FedEvent>, match: Match): Promise<void> {
  const record = await readState(ctx.unit, id)
  const { type, id: of, version, lastUpdated: at } = subjectOf(key)
  if (record === undefined || !isListening(record.value) || at < record.value.since) return
  const number = record.value.last + 1
  const event = { focus: `${type}/${of}`, version, method: value.method, at }
  putEvent(ctx.unit, id, number, { ...event, ...match, ...present({ trace: value.trace }) })
  // Its connections read the log themselves, from where they are.
  const isRead = record.value.channel.type === 'websocket'
  if (isRead) trimDelivered(ctx.unit, id, number - 1, number)
  putProgress(ctx.unit, record, { last: number, ...(isRead ? { delivered: number } : {}) })
  if (isRead) return
  if (record.value.status === 'active') await stageDelivery(ctx, id, record.value)
  if (number - (await deliveredOf(ctx, id, record.value)) > MOST_WAITING) await giveUp(ctx, id)
}

/** Events that wait to be delivered at most, unless a few more come in one change. */
const MOST_WAITING = 50_000

async function giveUp(ctx: Context, id: string): Promise<void> {
  const record = await readState(ctx.unit, id)
  if (record === undefined) return
  const sentence = `More than ${MOST_WAITING} events wait for the receiver: later ones are not kept, since`
  await changeStatus(ctx, record, 'off', `${sentence} ${instantOf(ctx.now)}`)
  await takeDeliveryBack(ctx, id)
}

async function currentOf(ctx: Context, key: string, subject: Subject): Promise<MatchableVersion | undefined> {
  const recent = ctx.unit.recentlyFed(key)
  return recent === undefined ? await matchable(ctx, await readOf(ctx, subject, subject.version)) : matchableOf(recent)
}

/** Undefined for a version that there isn't, and for one that nobody may see: it is no event. */
async function readOf({ unit }: Context, { type, id }: Subject, version: number): Promise<Versioned | undefined> {
  return version < 1 ? undefined : await ifReadable(unit.readVersion(type, id, version))
}

async function matchable(ctx: Context, version: Versioned | undefined): Promise<MatchableVersion | undefined> {
  if (version === undefined || version.deleted) return undefined
  return matchableOf({ version, entries: await ctx.unit.indexEntries(version.resource) })
}

const matchableOf = ({ version, entries }: Indexed): MatchableVersion => {
  const { type, id, lastUpdated, resource } = version
  return { type, id, version: version.version, lastUpdated, resource, entries }
}
