/** The time that a visit reserves of its actors: docs/appointment.md, docs/adr/026-reserved-time.md. */
import type { Appointment, Location, PractitionerRole, Reference, Schedule, Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { localReference } from '../fhir/reference.ts'
import { spend } from '../isolation/budget.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { AppointmentStatus } from '../scheduling/appointment-status.ts'
import { isRoom, RESERVING_TYPES, takesPart, visitTime } from '../scheduling/reserving.ts'
import type { Span } from '../scheduling/zone-clock.ts'

export interface Reservation extends Span {
  /** As `Type/id`; a PractitionerRole is replaced by its practitioner. */
  readonly actors: ReadonlySet<string>
}

export interface Reading {
  /** Statuses in which a visit counts; absent: those that reserve time. */
  readonly statuses?: readonly AppointmentStatus[]
  /** Finds its slots; absent: as they are after the change. */
  readonly find?: FindSlot
}

/** Budget steps to look up one actor. */
const LOOKED_UP = 10

/**
 * Returns undefined for a visit that reserves no time: by its status, without times, or without actors whose time
 * counts. Actors of its slots' Schedule count as participants.
 */
export async function reservationOf(
  ctx: Context,
  appointment: Appointment | undefined,
  { statuses, find }: Reading = {},
): Promise<Reservation | undefined> {
  const time = appointment && visitTime(appointment, statuses)
  if (appointment === undefined || time === undefined) return undefined
  const schedules = await schedulesOf(ctx, appointment, find)
  const named = appointment.participant.filter(takesPart).flatMap(({ actor }) => actor ?? [])
  const actors = await reservingActors(ctx, [...named, ...schedules.flatMap(({ actor }) => actor)])
  return actors.size === 0 ? undefined : { actors, ...time }
}

/** The actors among these whose time is reserved. */
export async function reservingActors(ctx: Context, actors: readonly Reference[]): Promise<ReadonlySet<string>> {
  const addresses = new Set(actors.flatMap(({ reference = '' }) => reservingAddress(reference, ctx.baseUrl) ?? []))
  spend(addresses.size * LOOKED_UP, 'whose time the visit reserves')
  const found = await Promise.all(Array.from(addresses, (address) => reservingActor(ctx, address)))
  return new Set(found.flatMap((actor) => actor ?? []))
}

function reservingAddress(reference: string, baseUrl: string): string | undefined {
  const { type = '', id } = localReference(reference, baseUrl) ?? {}
  return RESERVING_TYPES.has(type) ? `${type}/${id}` : undefined
}

async function reservingActor(ctx: Context, address: string): Promise<string | undefined> {
  const [type, id = ''] = address.split('/')
  switch (type) {
    case 'PractitionerRole':
      return (await practitionerOf(ctx, id)) ?? address
    case 'Location': {
      const location = (await ctx.find<Location>('Location', id))?.resource
      return location !== undefined && isRoom(location) ? address : undefined
    }
    default:
      return address
  }
}

async function practitionerOf(ctx: Context, roleId: string): Promise<string | undefined> {
  const role = (await ctx.find<PractitionerRole>('PractitionerRole', roleId))?.resource
  return practitionerIn(role, ctx.baseUrl)
}

/** `Practitioner/<id>`; undefined for a role that is vacant, or whose practitioner is elsewhere. */
export function practitionerIn(role: PractitionerRole | undefined, baseUrl: string): string | undefined {
  const { type, id } = localReference(role?.practitioner?.reference ?? '', baseUrl) ?? {}
  return type === 'Practitioner' ? `Practitioner/${id}` : undefined
}

async function schedulesOf(
  ctx: Context,
  appointment: Appointment,
  find: FindSlot | undefined,
): Promise<readonly Schedule[]> {
  const ids = await scheduleIdsOf(ctx, appointment, find)
  const found = await Promise.all(Array.from(new Set(ids), (id) => ctx.find<Schedule>('Schedule', id)))
  return found.flatMap((schedule) => (schedule === undefined ? [] : [schedule.resource]))
}

/** Schedule.id of each of its slots that exists. */
export async function scheduleIdsOf(
  ctx: Context,
  { slot = [] }: Appointment,
  find: FindSlot = slotAfterChange,
): Promise<readonly string[]> {
  const slots = await Promise.all(
    slot.map(({ reference = '' }) => {
      const { type, id } = localReference(reference, ctx.baseUrl) ?? {}
      return type === 'Slot' && id !== undefined ? find(ctx, id) : undefined
    }),
  )
  return slots.flatMap((one) => (one && scheduleIdOf(one, ctx.baseUrl)) ?? [])
}

type FindSlot = (ctx: Context, id: string) => Promise<Slot | undefined>

const slotAfterChange: FindSlot = async (ctx, id) => (await ctx.find<Slot>('Slot', id))?.resource

/**
 * Finds a Slot in its earlier state, as the same change may end a visit and delete its Slot, or move both to another
 * Schedule.
 */
export const slotBeforeChange: FindSlot = async (ctx, id) => {
  const written = ctx.unit.staged<Slot>('Slot').find((one) => one.id === id)
  if (written === undefined) return await slotAfterChange(ctx, id)
  const stored = await ctx.unit.readVersion('Slot', id, written.version - 1)
  return stored === undefined || stored.deleted ? undefined : (stored.resource as Slot)
}

/** Schedule.id; undefined for a Schedule on another server. */
export function scheduleIdOf({ schedule: { reference = '' } }: Slot, baseUrl: string): string | undefined {
  const { type, id } = localReference(reference, baseUrl) ?? {}
  return type === 'Schedule' ? id : undefined
}

/** Returns undefined if it is on another server, or not stored. */
export async function scheduleOf(ctx: Context, slot: Slot): Promise<Schedule | undefined> {
  const id = scheduleIdOf(slot, ctx.baseUrl)
  return id === undefined ? undefined : (await ctx.find<Schedule>('Schedule', id))?.resource
}

const RESERVED_TIME = recordKind<ReservedTime>('reserved-time')

/** Empty, as only its version matters. */
type ReservedTime = Readonly<Record<string, never>>

const HOUR = 3_600_000
const HOURS_OF_WEEK = 168

/**
 * Writes a record for each actor and hour of the week. Changes that reserve, free or offer the actor's time in that hour
 * write it, so that of two concurrent ones, one is retried and sees the other. Must be called before the visits at that
 * time are looked up.
 */
export async function claimTime({ unit: { records } }: Context, { actors, start, end }: Reservation): Promise<void> {
  const first = Math.floor(start / HOUR)
  const hours = Math.min(HOURS_OF_WEEK, Math.ceil(end / HOUR) - first)
  const keys = Array.from(actors, (actor) =>
    Array.from({ length: hours }, (_, index) => `${actor} ${(first + index) % HOURS_OF_WEEK}`),
  )
  await Promise.all(
    keys.flat().map(async (key) => {
      await records.read(RESERVED_TIME, key)
      records.put(RESERVED_TIME, key, {})
    }),
  )
}
