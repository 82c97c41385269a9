/**
 * Actors whose time is reserved: their roles, Schedules and capacities, and the visits that reserve their time within a span,
 * as they will be after the change. Slots are free only while their actors are: those in time reserved by a visit elsewhere are
 * busy-unavailable.
 */
import type { Appointment, PractitionerRole, Schedule, Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { addressOf, localReference } from '../fhir/reference.ts'
import { holdEndOf } from '../scheduling/appointment-status.ts'
import { isOnOffer, isReserved, reserved, unreserved } from '../scheduling/generated-slot.ts'
import { overlap } from '../scheduling/planned-slots.ts'
import {
  capacityOf,
  isFull,
  LONGEST_VISIT,
  RESERVING_STATUSES,
  spanBetween,
  takesPart,
  visitTime,
} from '../scheduling/reserving.ts'
import type { Span } from '../scheduling/zone-clock.ts'
import { afterChange, allOf, type Found, hasCode, isWithin, refersTo } from './all-found.ts'
import {
  claimTime,
  practitionerIn,
  type Reservation,
  reservingActors,
  scheduleIdOf,
  scheduleIdsOf,
} from './reservation.ts'

export interface ActorsAtWork {
  /** Actor by reference (`Type/id`): itself, or the practitioner of a role. */
  readonly actorAt: ReadonlyMap<string, string>
  /** Actors of each of their Schedules, by Schedule.id. */
  readonly schedules: ReadonlyMap<string, readonly string[]>
  /** Number of simultaneous visits, for actors with more than one. */
  readonly capacities: ReadonlyMap<string, number>
}

const THEIR_SCHEDULES = 'the schedules of its actors'

/** Cached by unit of work, as a transaction may write many Slots and visits of the same actors. */
const known = new WeakMap<Context['unit'], Map<string, Promise<ActorsAtWork>>>()

/** @param actors actors of a Reservation */
export function actorsAtWork(ctx: Context, actors: ReadonlySet<string>): Promise<ActorsAtWork> {
  const inUnit = known.get(ctx.unit) ?? new Map<string, Promise<ActorsAtWork>>()
  known.set(ctx.unit, inUnit)
  const written = [ctx.unit.staged('Schedule'), ctx.unit.staged('PractitionerRole')].map(({ length }) => length)
  const key = [...written, ...[...actors].sort()].join()
  const found = inUnit.get(key) ?? lookUp(ctx, actors)
  inUnit.set(key, found)
  return found
}

async function lookUp(ctx: Context, actors: ReadonlySet<string>): Promise<ActorsAtWork> {
  const actorAt = new Map([...Array.from(actors, (actor) => [actor, actor] as const), ...(await rolesOf(ctx, actors))])
  const schedules = new Map<string, readonly string[]>()
  const capacities = new Map<string, number>()
  for (const schedule of await schedulesOf(ctx, actorAt)) {
    const own = new Set(actorsIn(schedule, actorAt, ctx.baseUrl))
    schedules.set(schedule.id ?? '', [...own])
    for (const actor of own) capacities.set(actor, Math.max(capacities.get(actor) ?? 1, capacityOf(schedule)))
  }
  return { actorAt, schedules, capacities }
}

/** The references of practitioners' roles, each with its practitioner. */
async function rolesOf(ctx: Context, actors: ReadonlySet<string>): Promise<readonly (readonly [string, string])[]> {
  const practitioners = [...actors].filter((actor) => actor.startsWith('Practitioner/'))
  if (practitioners.length === 0) return []
  const practitionerBehind = (role: PractitionerRole) => practitionerIn(role, ctx.baseUrl)
  const stored = allOf<PractitionerRole>(
    ctx,
    'PractitionerRole',
    [refersTo('practitioner', practitioners)],
    THEIR_SCHEDULES,
  )
  const roles = await afterChange(ctx, 'PractitionerRole', stored, (role) =>
    practitioners.includes(practitionerBehind(role) ?? ''),
  )
  return roles.flatMap((role) => {
    const practitioner = practitionerBehind(role)
    return practitioner === undefined ? [] : [[`PractitionerRole/${role.id}`, practitioner] as const]
  })
}

const schedulesOf = (ctx: Context, actorAt: ReadonlyMap<string, string>): Promise<readonly Schedule[]> =>
  afterChange(
    ctx,
    'Schedule',
    allOf<Schedule>(ctx, 'Schedule', [refersTo('actor', actorAt.keys())], THEIR_SCHEDULES),
    (schedule) => actorsIn(schedule, actorAt, ctx.baseUrl).length > 0,
  )

const actorsIn = ({ actor }: Schedule, actorAt: ReadonlyMap<string, string>, baseUrl: string): readonly string[] =>
  actor.flatMap(({ reference = '' }) => actorAt.get(addressOf(reference, baseUrl)) ?? [])

export interface ReservingVisit extends Reservation {
  /** Appointment.id */
  readonly id: string
}

const THEIR_VISITS = 'the other visits of its actors'

/** The range of starts of visits that may overlap the span. */
export const reachingInto = ({ start, end }: Span): Span => ({ start: start - LONGEST_VISIT, end })

export async function visitsBeside(ctx: Context, atWork: ActorsAtWork, span: Span): Promise<readonly ReservingVisit[]> {
  const named = await allOf<Appointment>(
    ctx,
    'Appointment',
    [
      refersTo('actor', atWork.actorAt.keys()),
      hasCode('status', RESERVING_STATUSES),
      isWithin('date', reachingInto(span)),
    ],
    THEIR_VISITS,
  )
  const inSlots = await visitsInSlots(ctx, atWork, span, named)
  const stored = [...new Map([...named, ...inSlots].map((found) => [found.id, found])).values()]
  const all = await afterChange(ctx, 'Appointment', Promise.resolve(stored), () => true)
  const visits = await Promise.all(
    all.flatMap((visit) => {
      const time = timeReserved(visit, ctx.now)
      return time !== undefined && overlap(time, span) ? reservingVisit(ctx, atWork, visit, time) : []
    }),
  )
  return visits.flatMap((visit) => visit ?? [])
}

interface WantedSlots {
  readonly span: Span
  readonly statuses: readonly Slot['status'][]
  /** The kind of slots, for the message of `allOf`. */
  readonly what: string
}

/** The stored Slots of some Schedules that may overlap a span. @param schedules Schedule.id */
const slotsReachingInto = (
  ctx: Context,
  schedules: Iterable<string>,
  { span, statuses, what }: WantedSlots,
): Promise<readonly Found<Slot>[]> =>
  allOf<Slot>(
    ctx,
    'Slot',
    [
      refersTo(
        'schedule',
        Array.from(schedules, (id) => `Schedule/${id}`),
      ),
      hasCode('status', statuses),
      isWithin('start', reachingInto(span)),
    ],
    what,
  )

/**
 * Visits that name no actor of the Schedule of their slots. Staff may have blocked a slot under one.
 * @param named visits that do: a Slot held only by one of them needs no search
 */
async function visitsInSlots(
  ctx: Context,
  { schedules }: ActorsAtWork,
  span: Span,
  named: readonly Found<Appointment>[],
): Promise<readonly Found<Appointment>[]> {
  if (schedules.size === 0) return []
  const statuses = ['busy', 'busy-tentative', 'busy-unavailable'] as const
  const busy = await slotsReachingInto(ctx, schedules.keys(), { span, statuses, what: THEIR_VISITS })
  const known = new Set(named.flatMap(({ resource }) => slotIdsOf(resource, ctx.baseUrl)))
  const slots = busy.filter(
    ({ id, resource }) =>
      (!known.has(id) || resource.overbooked === true) &&
      !isReserved(resource) &&
      overlap(spanBetween(resource.start, resource.end), span),
  )
  const found: Found<Appointment>[] = []
  for (let at = 0; at < slots.length; at += AT_ONCE) {
    const addresses = slots.slice(at, at + AT_ONCE).map(({ id }) => `Slot/${id}`)
    const where = [refersTo('slot', addresses), hasCode('status', RESERVING_STATUSES)]
    found.push(...(await allOf<Appointment>(ctx, 'Appointment', where, THEIR_VISITS)))
  }
  return found
}

/** Most Slots whose visits are searched together. */
const AT_ONCE = 50

const slotIdsOf = ({ slot = [] }: Appointment, baseUrl: string): readonly string[] =>
  slot.flatMap(({ reference = '' }) => localReference(reference, baseUrl)?.id ?? [])

/** Returns undefined for a hold that has expired, too. */
const timeReserved = (visit: Appointment, now: number): Span | undefined =>
  (holdEndOf(visit) ?? Number.POSITIVE_INFINITY) > now ? visitTime(visit) : undefined

/** Returns undefined if it reserves no time of these actors. */
async function reservingVisit(
  ctx: Context,
  { actorAt, schedules }: ActorsAtWork,
  visit: Appointment,
  time: Span,
): Promise<ReservingVisit | undefined> {
  const { id = '', participant } = visit
  const named = participant
    .filter(takesPart)
    .flatMap(({ actor }) => actorAt.get(addressOf(actor?.reference ?? '', ctx.baseUrl)) ?? [])
  const ofSlots = (await scheduleIdsOf(ctx, visit)).flatMap((schedule) => schedules.get(schedule) ?? [])
  const actors = new Set([...named, ...ofSlots])
  return actors.size === 0 ? undefined : { id, actors, ...time }
}

/** A Slot written by a client, as it is to be stored. */
export async function asOffered<S extends Slot>(ctx: Context, slot: S): Promise<S> {
  if (!isOnOffer(slot)) return unreserved(slot)
  const schedule = scheduleIdOf(slot, ctx.baseUrl)
  const actors = schedule === undefined ? undefined : await actorsOf(ctx, schedule)
  if (schedule === undefined || actors === undefined) return unreserved(slot)
  await claimTime(ctx, { actors, ...spanOf(slot) })
  const [offered = slot] = await offeredTo(ctx, schedule, actors, [slot])
  return offered
}

/** Generated free Slots of one Schedule, as they are to be stored. */
export async function generatedAsOffered<S extends Slot>(
  ctx: Context,
  schedule: string,
  slots: readonly S[],
): Promise<readonly S[]> {
  const actors = slots.some(isOnOffer) ? await actorsOf(ctx, schedule) : undefined
  return actors === undefined ? slots : await offeredTo(ctx, schedule, actors, slots)
}

/**
 * Claims the time of all actors of reserved Slots that may become free, since a concurrent change that books one of
 * these actors would not update the Slot. Must be called before the visits at that time are looked up.
 */
export async function claimReserved(ctx: Context, slots: readonly Slot[]): Promise<void> {
  for (const slot of slots.filter(isReserved))
    await claimTime(ctx, { actors: await actorsOfSlots(ctx, [slot]), ...spanOf(slot) })
}

/** All actors whose time decides whether these Slots are free. */
export async function actorsOfSlots(ctx: Context, slots: readonly Slot[]): Promise<ReadonlySet<string>> {
  const schedules = new Set(slots.flatMap((slot) => scheduleIdOf(slot, ctx.baseUrl) ?? []))
  const found = await Promise.all(Array.from(schedules, (schedule) => actorsOf(ctx, schedule)))
  return new Set(found.flatMap((actors) => [...(actors ?? [])]))
}

async function actorsOf(ctx: Context, schedule: string): Promise<ReadonlySet<string> | undefined> {
  const found = (await ctx.find<Schedule>('Schedule', schedule))?.resource
  const actors = await reservingActors(ctx, found?.actor ?? [])
  return actors.size === 0 ? undefined : actors
}

async function offeredTo<S extends Slot>(
  ctx: Context,
  schedule: string,
  actors: ReadonlySet<string>,
  slots: readonly S[],
): Promise<readonly S[]> {
  const atWork = await actorsAtWork(ctx, actors)
  const visits = await visitsBeside(ctx, atWork, hullOf(slots.map(spanOf)))
  return slots.map((slot) => (isOnOffer(slot) ? offeredBeside(slot, schedule, atWork, visits) : slot))
}

/**
 * The Slot, free or reserved; the same object if nothing changes.
 * @param atWork at least all actors of its Schedule
 */
export function offeredBeside<S extends Slot>(
  slot: S,
  schedule: string,
  { schedules, capacities }: ActorsAtWork,
  visits: readonly ReservingVisit[],
): S {
  const span = spanOf(slot)
  const isTaken = schedules.get(schedule)?.some((actor) => {
    const own = visits.filter(({ actors }) => actors.has(actor))
    return isFull(own, span, capacities.get(actor) ?? 1)
  })
  return isTaken === true ? reserved(slot) : unreserved(slot)
}

/** The Slots of these actors that overlap a span, and are free or only reserved. */
export async function slotsOnOffer(ctx: Context, { schedules }: ActorsAtWork, span: Span): Promise<readonly Slot[]> {
  if (schedules.size === 0) return []
  const isTheirs = (slot: Slot): boolean =>
    isOnOffer(slot) && schedules.has(scheduleIdOf(slot, ctx.baseUrl) ?? '') && overlap(spanOf(slot), span)
  const statuses = ['free', 'busy-unavailable'] as const
  const stored = slotsReachingInto(ctx, schedules.keys(), { span, statuses, what: 'the slots of its actors' })
  return (await afterChange(ctx, 'Slot', stored, isTheirs)).filter(isTheirs)
}

export const spanOf = ({ start, end }: Slot): Span => spanBetween(start, end)

/** The smallest span that contains all of them. */
export const hullOf = (spans: readonly Span[]): Span => ({
  start: Math.min(...spans.map(({ start }) => start)),
  end: Math.max(...spans.map(({ end }) => end)),
})
