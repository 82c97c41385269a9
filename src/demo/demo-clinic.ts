/** The demo clinic: loaded into an empty store from resources/sandbox; free slots are added at every start. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Appointment, Bundle, Organization, PractitionerRole, Schedule, Slot } from 'fhir/r4'
import { DateTime } from 'luxon'
import { hashPassword, type PasswordCost, type Role, stageAccount } from '../clinics/accounts.ts'
import { stageClinic } from '../clinics/clinics.ts'
import { type ClinicSettings, findSettings, readSettings } from '../clinics/settings.ts'
import type { Agent, ClinicAccess, Context } from '../core/context.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { type BookableTime, bookableTimes } from '../scheduling/working-day.ts'

export const DEMO_CLINIC = 'demo-clinic'

const SETTINGS: ClinicSettings = {
  name: 'Maple Street Family Clinic',
  timeZone: 'America/New_York',
  dialedNumbers: ['+12125550100'],
  defaultRegion: 'US',
  policies: { overbooking: false, slotTakenStatus: 409 },
}

/** Their passwords are their user names; they work in demo mode only. */
const ACCOUNTS: readonly { readonly username: string; readonly name: string; readonly role: Role }[] = [
  { username: 'demo', name: 'Demo Staff', role: 'staff' },
  { username: 'admin', name: 'Demo Admin', role: 'admin' },
]

/** Number of days that have free slots, starting today. */
const HORIZON_DAYS = 30
const SLOT_MINUTES = 30
/** The date of the appointments in appointments.json; they are moved to the day of seeding, or the next working day. */
const APPOINTMENTS_DAY = '2024-01-08'
/** After this hour the appointments are moved to the next working day. */
const CLOSING_HOUR = 17

/** Remembers, per demo schedule, the last day that got slots: a day is filled once, whatever becomes of its slots. */
const DEMO_SLOTS = recordKind<Filled>('demo-slots')

interface DemoParts {
  readonly repository: Repository
  readonly access: (clinic: string, agent: Agent) => ClinicAccess
}

/**
 * Loads the demo clinic atomically when the store is empty. True when it did.
 * @param cost of hashing the passwords of its accounts; absent: the usual
 */
export async function seedDemo({ repository, access }: DemoParts, cost?: PasswordCost): Promise<boolean> {
  if (!(await repository.isEmpty())) return false
  const accounts = await Promise.all(
    ACCOUNTS.map(async (account) => ({ ...account, passwordHash: await hashPassword(account.username, cost) })),
  )
  return access(DEMO_CLINIC, { kind: 'server' }).change(async (ctx) => {
    // Another process may have seeded the store since it was checked.
    if ((await findSettings(ctx.unit, DEMO_CLINIC)) !== undefined) return false
    for (const { passwordHash, ...account } of accounts) {
      stageAccount(ctx.unit, { ...account, clinic: DEMO_CLINIC, demoOnly: true }, passwordHash)
    }
    const [organization] = await load<Organization>('organization')
    await stageClinic(ctx.unit, SETTINGS, organization)
    await stageResources(ctx)
    return true
  })
}

async function stageResources(ctx: Context): Promise<void> {
  for (const file of ['locations', 'practitioners', 'practitioner-roles', 'schedules', 'patients', 'coverages']) {
    for (const resource of await load(file)) await ctx.update(resource)
  }
  const today = DateTime.fromMillis(ctx.now, { zone: SETTINGS.timeZone })
  const appointments = movedTo(workingDay(today), await load<Appointment>('appointments'), ctx.now)
  const held = new Set(appointments.flatMap(({ slot = [] }) => slot.map(({ reference = '' }) => reference)))
  for (const calendar of await calendars()) await fill(ctx, calendar, today.startOf('day'), held)
  for (const appointment of appointments) await ctx.update(appointment)
  for (const document of await load('documents')) await ctx.update(document)
}

/**
 * Adds free slots for days that have come within the next 30 days since the last start, and returns their number. Only
 * for demo schedules that still exist, and never on a day that has or had slots.
 */
export async function topUpSlots({ access }: Pick<DemoParts, 'access'>): Promise<number> {
  return access(DEMO_CLINIC, { kind: 'server' }).change(async (ctx) => {
    const { timeZone } = await readSettings(ctx.unit, DEMO_CLINIC)
    const today = DateTime.fromMillis(ctx.now, { zone: timeZone }).startOf('day')
    let added = 0
    for (const calendar of await calendars()) added += await topUp(ctx, calendar, today)
    return added
  })
}

/** A demo schedule with the opening hours of its practitioner. */
interface Calendar {
  readonly schedule: string
  readonly openings: NonNullable<PractitionerRole['availableTime']>
}

async function calendars(): Promise<readonly Calendar[]> {
  const roles = await load<PractitionerRole>('practitioner-roles')
  const schedules = await load<Schedule>('schedules')
  return schedules.map(({ id = '', actor }) => {
    const role = roles.find(({ practitioner }) => actor.some(({ reference }) => reference === practitioner?.reference))
    return { schedule: id, openings: role?.availableTime ?? [] }
  })
}

async function topUp(ctx: Context, calendar: Calendar, today: DateTime): Promise<number> {
  const { schedule } = calendar
  const filled = await ctx.unit.records.read(DEMO_SLOTS, schedule)
  // Without a record the schedule was not created by the demo. A deleted schedule gets no slots.
  if (filled === undefined || (await ctx.find<Schedule>('Schedule', schedule)) === undefined) return 0
  const next = DateTime.fromISO(filled.value.through, { zone: today.zone }).plus({ days: 1 })
  return fill(ctx, calendar, DateTime.max(today, next), new Set())
}

interface Filled {
  /** Local date, yyyy-mm-dd. */
  readonly through: string
}

/** Stages slots from the day `from` to the horizon. In the past, only those in `held`. */
async function fill(ctx: Context, calendar: Calendar, from: DateTime, held: ReadonlySet<string>): Promise<number> {
  const { schedule, openings } = calendar
  const today = DateTime.fromMillis(ctx.now, { zone: from.zone }).startOf('day')
  const last = today.plus({ days: HORIZON_DAYS - 1 })
  if (from > last) return 0
  const occupied = await daysWithSlots(ctx, schedule, from)
  let added = 0
  for (let day = from; day <= last; day = day.plus({ days: 1 })) {
    if (occupied.has(dateOf(day))) continue
    for (const time of bookableTimes(day, openings, SLOT_MINUTES)) {
      if (await stageSlot(ctx, schedule, time, held)) added++
    }
  }
  await ctx.unit.records.read(DEMO_SLOTS, schedule)
  ctx.unit.records.put(DEMO_SLOTS, schedule, { through: dateOf(last) })
  return added
}

/** Days that already have slots. */
async function daysWithSlots(ctx: Context, schedule: string, from: DateTime): Promise<ReadonlySet<string>> {
  const query = new URLSearchParams({ schedule: `Schedule/${schedule}`, start: `ge${isoOf(from)}` })
  const slots = await ctx.search<Slot>('Slot', query.toString())
  return new Set(slots.map(({ resource }) => dateOf(DateTime.fromISO(resource.start, { zone: from.zone }))))
}

async function stageSlot(
  ctx: Context,
  schedule: string,
  { start, end }: BookableTime,
  held: ReadonlySet<string>,
): Promise<boolean> {
  const id = `slot-${schedule}-${start.toFormat('yyyyMMddHHmm')}`
  if (start.toMillis() <= ctx.now && !held.has(`Slot/${id}`)) return false
  if ((await ctx.unit.read('Slot', id)) !== undefined) return false
  const slot: Slot = {
    resourceType: 'Slot',
    id,
    schedule: { reference: `Schedule/${schedule}` },
    status: 'free',
    start: isoOf(start),
    end: isoOf(end),
  }
  await ctx.unit.put(slot, 'PUT')
  return true
}

/** Today, or the next working day after closing time and on weekends. */
function workingDay(now: DateTime): DateTime {
  let day = now.hour < CLOSING_HOUR ? now : now.plus({ days: 1 })
  while (day.isWeekend) day = day.plus({ days: 1 })
  return day.startOf('day')
}

/** The appointments moved to another day at the same time; booked ones in the past become arrived or fulfilled. */
function movedTo(day: DateTime, appointments: readonly Appointment[], now: number): readonly Appointment[] {
  const reference = DateTime.fromISO(APPOINTMENTS_DAY, { zone: day.zone })
  const days = Math.round(day.diff(reference, 'days').days)
  const move = (time: string | undefined) => isoOf(DateTime.fromISO(time ?? '', { zone: day.zone }).plus({ days }))
  const moveSlot = (slot: string | undefined) =>
    slot?.replace(reference.toFormat('yyyyMMdd'), day.toFormat('yyyyMMdd')) ?? ''
  return appointments.map((appointment) => {
    const start = move(appointment.start)
    const end = move(appointment.end)
    return {
      ...appointment,
      status: appointment.status === 'booked' ? statusAt(now, start, end) : appointment.status,
      start,
      end,
      created: move(appointment.created),
      ...(appointment.slot && { slot: appointment.slot.map(({ reference }) => ({ reference: moveSlot(reference) })) }),
    }
  })
}

function statusAt(now: number, start: string, end: string): Appointment['status'] {
  if (Date.parse(end) <= now) return 'fulfilled'
  return Date.parse(start) <= now ? 'arrived' : 'booked'
}

const dateOf = (time: DateTime): string => time.toFormat('yyyy-MM-dd')

const isoOf = (time: DateTime): string => time.toFormat("yyyy-MM-dd'T'HH:mm:ssZZ")

/** The resources of a file in resources/sandbox, which is a Bundle of type collection. */
async function load<R extends AnyResource = AnyResource>(name: string): Promise<readonly R[]> {
  const path = join(import.meta.dirname, '../../resources/sandbox', `${name}.json`)
  const { entry = [] } = JSON.parse(await readFile(path, 'utf8')) as Bundle
  return entry.map(({ resource }) => resource as unknown as R)
}
