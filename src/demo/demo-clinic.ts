/** The demo clinic: its accounts and settings, and the scenario `quiet-week`, loaded into an empty store. */
import type { Schedule } from 'fhir/r4'
import { type Role, removeDemoAccounts, stageAccount } from '../clinics/accounts.ts'
import { hashPassword, type PasswordCost } from '../clinics/passwords.ts'
import { SIMULATOR } from '../clinics/setting-checks.ts'
import { type ClinicSettings, clinicExists, findSettings, writeSettings } from '../clinics/settings.ts'
import type { AccessOf } from '../core/clinic-access.ts'
import { isCloneOf } from '../rehearsal/generations/clones.ts'
import { builtInScenario } from '../rehearsal/scenarios/built-in.ts'
import { loadScenario } from '../rehearsal/scenarios/load-scenario.ts'
import type { ClinicDay } from '../rehearsal/scenarios/moments.ts'
import { resolved } from '../rehearsal/scenarios/placeholders.ts'
import type { Scenario, ScenarioResource } from '../rehearsal/scenarios/scenario.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { fillSchedules, withSlotDays } from './demo-schedules.ts'

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

export const DEMO_USERS = ACCOUNTS.map(({ username }) => username)

interface DemoParts {
  readonly repository: Repository
  readonly access: AccessOf
}

interface DemoSize {
  /** Cost of hashing the passwords of its accounts; absent: the default. */
  readonly passwordCost?: PasswordCost
  /** Number of days with Slots, from today, also maintained later; absent: as in the Schedules of the scenario. */
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
    await writeSettings(ctx.unit, SETTINGS)
    // All in this change, so that no client sees an incomplete clinic.
    for await (const _done of loadScenario(demoScenario(slotDays), dayAt(ctx.now), (work) => work(ctx)));
    return true
  })
}

const dayAt = (now: number): ClinicDay => ({
  clinic: DEMO_CLINIC,
  clinicName: SETTINGS.name,
  timeZone: SETTINGS.timeZone,
  now,
})

function demoScenario(slotDays: number | undefined): Scenario {
  const scenario = builtInScenario('quiet-week')
  if (slotDays === undefined) return scenario
  const shorter = (resource: ScenarioResource) => (isSchedule(resource) ? withSlotDays(resource, slotDays) : resource)
  return { ...scenario, resources: () => scenario.resources().map(shorter) }
}

const isSchedule = (resource: ScenarioResource): resource is Schedule & ScenarioResource =>
  resource.resourceType === 'Schedule'

/** Whether the store has clinics other than the demo clinic and its clones. */
export async function hasOtherClinics(repository: Repository): Promise<boolean> {
  for (const clinic of await repository.clinics()) {
    if (clinic === SERVICE || clinic === DEMO_CLINIC || (await isCloneOf(repository, clinic, DEMO_CLINIC))) continue
    if (await clinicExists(repository, clinic)) return true
  }
  return false
}

/**
 * Adds free slots for days that have come within the horizon since the last start, and returns their number. Only for
 * demo schedules that still exist.
 */
export const topUpSlots = ({ access }: Pick<DemoParts, 'access'>): Promise<number> =>
  access(DEMO_CLINIC, { kind: 'server' }).change((ctx) => {
    const schedules = builtInScenario('quiet-week').resources().filter(isSchedule)
    return fillSchedules(
      ctx,
      schedules.map((schedule) => resolved(schedule, dayAt(ctx.now)) as Schedule),
    )
  })
