/** The demo clinic: loaded into an empty store from resources/sandbox; free slots are added at every start. */
import type { Appointment, Organization } from 'fhir/r4'
import { DateTime } from 'luxon'
import { type Role, removeDemoAccounts, stageAccount } from '../clinics/accounts.ts'
import { stageClinic } from '../clinics/clinics.ts'
import { hashPassword, type PasswordCost } from '../clinics/passwords.ts'
import { SIMULATOR } from '../clinics/setting-checks.ts'
import { type ClinicSettings, clinicExists, findSettings } from '../clinics/settings.ts'
import type { AccessOf } from '../core/clinic-access.ts'
import type { Context } from '../core/context.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { slotIdAt } from '../scheduling/generated-slot.ts'
import { demoHolidays, fillDemoSchedules, load, loadSchedules, stagePastSlots, withSlotDays } from './demo-schedules.ts'

export const DEMO_CLINIC = 'demo-clinic'

const SETTINGS: ClinicSettings = {
  name: 'Maple Street Family Clinic',
  timeZone: 'America/New_York',
  dialedNumbers: ['+12125550100'],
  defaultRegion: 'US',
  policies: { overbooking: false, slotTakenStatus: 409 },
  crm: { kind: 'webhook', enabled: true, url: SIMULATOR },
  messages: { enabled: true, url: SIMULATOR },
  insurance: { enabled: true, url: SIMULATOR },
  // Permits trial calls at any hour.
  recovery: { contactFrom: '00:00', contactUntil: '24:00' },
}

/** Accounts whose passwords are their user names; they exist in demo mode only. */
const ACCOUNTS: readonly { readonly username: string; readonly name: string; readonly role: Role }[] = [
  { username: 'demo', name: 'Demo Staff', role: 'staff' },
  { username: 'admin', name: 'Demo Admin', role: 'admin' },
]

/** The date of the appointments in appointments.json; they are moved to the day of seeding, or the next working day. */
const APPOINTMENTS_DAY = '2024-01-08'
/** After this hour the appointments are moved to the next working day. */
const CLOSING_HOUR = 17

interface DemoParts {
  readonly repository: Repository
  readonly access: AccessOf
}

interface DemoSize {
  /** Cost of hashing the passwords of its accounts; absent: the default. */
  readonly passwordCost?: PasswordCost
  /** Number of days with Slots, from today, also maintained later; absent: as in the Schedules in resources/sandbox. */
  readonly slotDays?: number
}

/**
 * Loads the demo clinic atomically if the store is empty, and then returns true. In a store with other clinics the
 * demo accounts are removed, as their passwords are published.
 */
export async function seedDemo(
  { repository, access }: DemoParts,
  { passwordCost, slotDays }: DemoSize = {},
): Promise<boolean> {
  if (!(await repository.isEmpty())) {
    if (await hasOtherClinics(repository)) {
      await repository.change(SERVICE, (unit) => removeDemoAccounts(repository, unit))
    }
    return false
  }
  const accounts = await Promise.all(
    ACCOUNTS.map(async (account) => ({ ...account, passwordHash: await hashPassword(account.username, passwordCost) })),
  )
  return access(DEMO_CLINIC, { kind: 'server' }).change(async (ctx) => {
    // Another process may have seeded the store since it was checked.
    if ((await findSettings(ctx.unit, DEMO_CLINIC)) !== undefined) return false
    for (const { passwordHash, ...account } of accounts) {
      stageAccount(ctx.unit, { ...account, clinic: DEMO_CLINIC, demoOnly: true }, passwordHash)
    }
    const [organization] = await load<Organization>('organization')
    await stageClinic(ctx.unit, SETTINGS, organization)
    await stageResources(ctx, slotDays)
    return true
  })
}

/** Whether the store has clinics other than the demo clinic. */
export async function hasOtherClinics(repository: Repository): Promise<boolean> {
  for (const clinic of await repository.clinics()) {
    if (clinic !== SERVICE && clinic !== DEMO_CLINIC && (await clinicExists(repository, clinic))) return true
  }
  return false
}

async function stageResources(ctx: Context, slotDays: number | undefined): Promise<void> {
  for (const file of ['locations', 'practitioners', 'practitioner-roles', 'patients', 'coverages'])
    for (const resource of await load(file)) await ctx.update(resource)
  for (const schedule of await loadSchedules(ctx.now))
    await ctx.update(slotDays === undefined ? schedule : withSlotDays(schedule, slotDays))
  const today = DateTime.fromMillis(ctx.now, { zone: SETTINGS.timeZone })
  const appointments = movedTo(workingDay(today), await load<Appointment>('appointments'), ctx.now)
  await fillDemoSchedules(ctx)
  const held = new Set(appointments.flatMap(({ slot = [] }) => slot.map(({ reference = '' }) => reference.slice(5))))
  const midnight = today.startOf('day')
  await stagePastSlots(ctx, { start: midnight.toMillis(), end: midnight.plus({ days: 1 }).toMillis() }, held)
  for (const appointment of appointments) await ctx.update(appointment)
  for (const document of await load('documents')) await ctx.update(document)
}

/**
 * Adds free slots for days that have come within the horizon since the last start, and returns their number. Only for
 * demo schedules that still exist.
 */
export const topUpSlots = ({ access }: Pick<DemoParts, 'access'>): Promise<number> =>
  access(DEMO_CLINIC, { kind: 'server' }).change(fillDemoSchedules)

/** Today; on weekends, holidays and after closing time, the next working day. */
function workingDay(now: DateTime): DateTime {
  let day = now.hour < CLOSING_HOUR ? now : now.plus({ days: 1 })
  const holidays = new Set(demoHolidays(now.toMillis()).map(({ date }) => date))
  while (day.isWeekend || holidays.has(day.toISODate() ?? '')) day = day.plus({ days: 1 })
  return day.startOf('day')
}

/** The appointments moved to another day at the same time; booked ones in the past become arrived or fulfilled. */
function movedTo(day: DateTime, appointments: readonly Appointment[], now: number): readonly Appointment[] {
  const reference = DateTime.fromISO(APPOINTMENTS_DAY, { zone: day.zone })
  const days = Math.round(day.diff(reference, 'days').days)
  const move = (time: string | undefined) => isoOf(DateTime.fromISO(time ?? '', { zone: day.zone }).plus({ days }))
  return appointments.map((appointment) => {
    const start = move(appointment.start)
    const end = move(appointment.end)
    return {
      ...appointment,
      status: appointment.status === 'booked' ? statusAt(now, start, end) : appointment.status,
      start,
      end,
      created: move(appointment.created),
      ...(appointment.slot && {
        slot: appointment.slot.map(({ reference }) => ({ reference: moveSlot(reference, day, days) })),
      }),
    }
  })
}

/** The slot at the same time on the other day. */
function moveSlot(reference: string | undefined, { zone }: DateTime, days: number): string {
  const [, schedule = '', time = ''] = /^Slot\/slot-(.+)-(\d{8}T\d{4}Z)$/.exec(reference ?? '') ?? []
  return `Slot/${slotIdAt(schedule, DateTime.fromISO(time, { zone }).plus({ days }).toMillis())}`
}

function statusAt(now: number, start: string, end: string): Appointment['status'] {
  if (Date.parse(end) <= now) return 'fulfilled'
  return Date.parse(start) <= now ? 'arrived' : 'booked'
}

const isoOf = (time: DateTime): string => time.toFormat("yyyy-MM-dd'T'HH:mm:ssZZ")
