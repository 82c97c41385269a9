/** The settings of a clinic: their shape, validation and storage. */
import type { Organization } from 'fhir/r4'
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'
import { IANAZone } from 'luxon'
import { unprocessable } from '../fhir/outcome.ts'
import { recordKind, SERVICE } from '../repository/record-kinds.ts'
import { type KindRecord, Repository, type UnitOfWork } from '../repository/repository.ts'
import { type CallSecurity, checkCallSecurity, withoutCallSecrets } from './call-security.ts'
import { type CrmSettings, checkCrm, credentialsIn, withoutCredentials } from './crm-settings.ts'
import { checkDocuments, type DocumentSettings } from './document-settings.ts'
import { checkInsurance, type InsuranceSettings, withoutToken } from './insurance-settings.ts'
import { checkRecovery, type RecoverySettings } from './recovery-settings.ts'
import {
  type Bounds,
  checkOneOf,
  checkWholeNumber,
  isWebhookSecret,
  objectOf,
  reject,
  SECRET_IS_SET,
  secretOr,
  withSecretsHidden,
} from './setting-checks.ts'
import { checkWebhook, type WebhookSettings } from './webhook-settings.ts'

export interface ClinicSettings {
  readonly name: string
  /** IANA name, e.g. `America/New_York`. */
  readonly timeZone: string
  /** Numbers that callers dial to reach this clinic, in E.164; a number belongs to one clinic only. */
  readonly dialedNumbers: readonly string[]
  /** ISO 3166 alpha-2; the country assumed for phone numbers without a country code. */
  readonly defaultRegion: string
  /** How 03/04/1980 is read; absent: as in `defaultRegion`. */
  readonly dateOrder?: DateOrder
  readonly policies: ClinicPolicies
  readonly crm?: CrmSettings
  /** The service that sends the clinic's text messages and e-mails. */
  readonly messages?: WebhookSettings
  /** Absent: the simulator is used. */
  readonly insurance?: InsuranceSettings
  /** Absent: calls need only the webhook secret of the service. */
  readonly callSecurity?: CallSecurity
  readonly recovery?: RecoverySettings
  /** Rules for documents; absent: the defaults of document-settings.ts. */
  readonly documents?: DocumentSettings
  /**
   * How much the journal keeps of the clinic's exchanges, for how many days, and how many; absent: the defaults of the
   * server.
   */
  readonly journal?: JournalMode
  readonly journalDays?: number
  readonly journalEntries?: number
  /** Whether clients of the Model Context Protocol may create and update resources; absent: no. docs/mcp.md */
  readonly mcpWrites?: boolean
  /** Whether responses say which faults they have met; absent: yes. docs/faults.md */
  readonly faultLabels?: boolean
  /** Standard Webhooks secret by which notifications of Subscriptions are signed; absent: they are not. docs/subscriptions.md */
  readonly eventSecret?: string
}

export interface ClinicPolicies {
  /** Whether a slot that is taken may be booked again. */
  readonly overbooking: boolean
  /** HTTP status when a slot is already taken. */
  readonly slotTakenStatus: 409 | 422
  /** Least minutes between the booking of a visit and its start; absent: no limit, as for the next three. */
  readonly minimumNoticeMinutes?: number
  /** Most days of 24 hours between now and the start of a visit that is booked. */
  readonly bookingHorizonDays?: number
  /** Hours before its start after which a booked visit can no longer be cancelled or moved. */
  readonly cancellationWindowHours?: number
  /** Most future appointments of one patient that are held or booked. */
  readonly maxOpenAppointments?: number
  /** Whether patients who call are offered freed slots that match their entry of the waitlist; absent: no. */
  readonly waitlistOffersByPhone?: boolean
  /** Minutes after which a hold of $hold expires; absent: DEFAULT_HOLD_MINUTES (scheduling/appointment-status.ts). */
  readonly holdMinutes?: number
  /** Treatment of a resource that violates a profile it declares; absent: the default of the server. */
  readonly profiles?: ProfilePolicy
  /**
   * The response to an update with a part of a resource, as _summary and _elements return it; absent: it is refused.
   */
  readonly subsetted?: (typeof SUBSETTED_POLICIES)[number]
  /** Treatment of a search with an unknown parameter; absent: the default of the server. */
  readonly searchHandling?: SearchHandling
}

export const PROFILE_POLICIES = ['off', 'warn', 'reject'] as const
export type ProfilePolicy = (typeof PROFILE_POLICIES)[number]

const SEARCH_HANDLINGS = ['strict', 'lenient'] as const
export type SearchHandling = (typeof SEARCH_HANDLINGS)[number]

/** In which order a clinic's callers give day and month in figures: 03/04/1980. */
export const DATE_ORDERS = ['month-first', 'day-first'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

/** @param region ISO 3166 code of the clinic's country */
export const dateOrderOf = (region: string): DateOrder => (region === 'US' ? 'month-first' : 'day-first')

/** How much the journal keeps of a clinic's exchanges: everything, everything but bodies, or nothing. docs/journal.md */
const JOURNAL_MODES = ['full', 'headers', 'off'] as const
export type JournalMode = (typeof JOURNAL_MODES)[number]

const SUBSETTED_POLICIES = ['reject', 'accept'] as const

/** The limits of booking, and their ranges of whole numbers. */
const BOOKING_LIMITS = {
  minimumNoticeMinutes: { least: 0, most: 525_600 },
  bookingHorizonDays: { least: 1, most: 3_650 },
  cancellationWindowHours: { least: 0, most: 8_760 },
  maxOpenAppointments: { least: 1, most: 500 },
  holdMinutes: { least: 1, most: 1_440, absent: 'the usual five minutes' },
} as const satisfies Partial<Record<keyof ClinicPolicies, BookingLimit>>

interface BookingLimit extends Bounds {
  /** Default where the setting is absent; undefined: no limit. */
  readonly absent?: string
}

/** The default of what a clinic leaves to the server. */
const OF_SERVER = 'what the server has'

/** Policies with a fixed set of values. */
const WORDS: Readonly<Record<string, { readonly words: readonly string[]; readonly absent: string }>> = {
  profiles: { words: PROFILE_POLICIES, absent: OF_SERVER },
  searchHandling: { words: SEARCH_HANDLINGS, absent: OF_SERVER },
  subsetted: { words: SUBSETTED_POLICIES, absent: 'reject' },
}

const DEFAULT_POLICIES: ClinicPolicies = { overbooking: false, slotTakenStatus: 409 }

const POLICIES = [
  ...[DEFAULT_POLICIES, BOOKING_LIMITS, WORDS].flatMap((policies) => Object.keys(policies)),
  'waitlistOffersByPhone',
]

/** For a clinic without settings, which a token of another issuer may name. */
const DEFAULTS: ClinicSettings = {
  name: '',
  timeZone: 'UTC',
  dialedNumbers: [],
  defaultRegion: 'US',
  policies: DEFAULT_POLICIES,
}

export const SETTINGS = recordKind<Partial<ClinicSettings>>('settings')
export const SETTINGS_KEY = 'settings'
export type SettingsRecord = KindRecord<Partial<ClinicSettings>>

/** The clinic that a dialled number reaches. */
interface DialedClinic {
  readonly clinic: string
}

const DIALED_NUMBER = recordKind<DialedClinic>('dialed-number')

type Source = Repository | UnitOfWork

/** The effective settings, with defaults, from a cache that may be slightly stale when another process changes them. */
export async function readSettings(source: Source, clinic: string): Promise<ClinicSettings> {
  if (source instanceof Repository) return (await recentSettings(source, clinic)) ?? DEFAULTS
  return effectiveSettings(await source.records.readRecent(SETTINGS, SETTINGS_KEY)) ?? DEFAULTS
}

/** The same, known at once where they are in memory; undefined where there is no such clinic. They are one object until they change. */
export function recentSettings(
  repository: Repository,
  clinic: string,
): ClinicSettings | undefined | Promise<ClinicSettings | undefined> {
  const found = repository.readRecent(clinic, SETTINGS, SETTINGS_KEY)
  return found instanceof Promise ? found.then(effectiveSettings) : effectiveSettings(found)
}

/** Effective settings by their stored records: a record is the same object while it is remembered. */
const effective = new WeakMap<SettingsRecord, ClinicSettings>()

export function effectiveSettings(record: SettingsRecord): ClinicSettings
export function effectiveSettings(record: SettingsRecord | undefined): ClinicSettings | undefined
export function effectiveSettings(record: SettingsRecord | undefined): ClinicSettings | undefined {
  if (record === undefined) return undefined
  const settings = effective.get(record) ?? withDefaults(record.value)
  effective.set(record, settings)
  return settings
}

/**
 * The current settings, to show or change them. Undefined when there is no such clinic: a clinic exists if it has
 * settings.
 */
export const findSettings = async (source: Source, clinic: string): Promise<ClinicSettings | undefined> =>
  (await findVersionedSettings(source, clinic))?.settings

export interface VersionedSettings {
  readonly settings: ClinicSettings
  /** 1 for the first settings; each change increments it. */
  readonly version: number
}

/** The same with their version; in a unit that has changed them, the future one. */
export async function findVersionedSettings(source: Source, clinic: string): Promise<VersionedSettings | undefined> {
  const record =
    source instanceof Repository
      ? await source.readRecord(clinic, SETTINGS, SETTINGS_KEY)
      : await source.records.read(SETTINGS, SETTINGS_KEY)
  const settings = effectiveSettings(record)
  return record && settings && { settings, version: record.version }
}

/**
 * Encrypts the settings of all clinics that are stored in clear or with an earlier key, where there is a key.
 * @returns the number of clinics whose settings were encrypted
 * @throws Error when settings were encrypted with a key that the server does not have
 */
export async function encryptSettings(repository: Repository): Promise<number> {
  let encrypted = 0
  for (const clinic of await repository.clinics()) {
    if (clinic !== SERVICE && (await repository.encryptRecord(clinic, SETTINGS, SETTINGS_KEY))) encrypted += 1
  }
  return encrypted
}

/** Whether there is such a clinic, from a cache that may be slightly stale when another process creates it. */
export const clinicExists = async (repository: Repository, clinic: string): Promise<boolean> =>
  (await recentSettings(repository, clinic)) !== undefined

export interface DialedNumber {
  /** E.164. */
  readonly number: string
  readonly clinic: string
}

/** The clinic that a dialled number reaches; `number` in E.164. */
export const dialedNumber = async (source: Source, number: string): Promise<DialedNumber | undefined> =>
  dialedNumberOf(
    source instanceof Repository
      ? await source.readRecord(SERVICE, DIALED_NUMBER, number)
      : await source.records.read(DIALED_NUMBER, number),
  )

/** The dialled numbers of all clinics. */
export async function dialedNumbers(repository: Repository, limit: number): Promise<readonly DialedNumber[]> {
  const records = await repository.records(DIALED_NUMBER, { clinic: SERVICE, limit })
  return records.map(dialedNumberOf).filter((dialed) => dialed !== undefined)
}

const dialedNumberOf = (record: KindRecord<DialedClinic> | undefined): DialedNumber | undefined =>
  record && { number: record.key, clinic: record.value.clinic }

/**
 * Stages the settings of the unit's clinic, its dialled numbers and the name of its Organization.
 * @throws FhirError 422 when a number belongs to another clinic
 */
export async function writeSettings(unit: UnitOfWork, settings: ClinicSettings): Promise<void> {
  const problems = await problemsOfNumbers(unit, settings)
  if (problems.length > 0) throw unprocessable(problems.join('; '))
  const current = await unit.records.read(SETTINGS, SETTINGS_KEY)
  for (const number of settings.dialedNumbers) await takeNumber(unit, number)
  for (const number of effectiveSettings(current)?.dialedNumbers ?? []) {
    if (!settings.dialedNumbers.includes(number)) await releaseNumber(unit, number)
  }
  await renameOrganization(unit, settings.name)
  unit.records.put(SETTINGS, SETTINGS_KEY, settings)
}

/** Stages the end of the unit's clinic: without settings it does not exist, and its numbers are free. */
export async function removeSettings(unit: UnitOfWork): Promise<void> {
  const current = await unit.records.read(SETTINGS, SETTINGS_KEY)
  for (const number of effectiveSettings(current)?.dialedNumbers ?? []) await releaseNumber(unit, number)
  if (current !== undefined) unit.records.delete(SETTINGS, SETTINGS_KEY)
}

/** The clinic's Organization has the clinic's id; a deleted one is not restored. */
async function renameOrganization(unit: UnitOfWork, name: string): Promise<void> {
  const found = await unit.read<Organization>('Organization', unit.clinic)
  if (found === undefined || found.deleted || found.resource.name === name) return
  await unit.put({ ...found.resource, name }, 'PUT')
}

/** A number of another clinic is refused like an invalid one: clinics learn nothing about each other. */
async function problemsOfNumbers(unit: UnitOfWork, { dialedNumbers }: ClinicSettings): Promise<readonly string[]> {
  const problems: string[] = []
  for (const [index, number] of dialedNumbers.entries()) {
    const holder = (await dialedNumber(unit, number))?.clinic
    if (holder !== undefined && holder !== unit.clinic) problems.push(numberRefused(index))
  }
  return problems
}

const numberRefused = (index: number): string =>
  `dialedNumbers[${index}] must be a phone number in E.164 that can lead to this clinic, e.g. "+12125550100"`

/** Assigns a number to the clinic unless it is taken. */
async function takeNumber(unit: UnitOfWork, number: string): Promise<void> {
  if ((await dialedNumber(unit, number)) === undefined) unit.records.put(DIALED_NUMBER, number, { clinic: unit.clinic })
}

async function releaseNumber(unit: UnitOfWork, number: string): Promise<void> {
  if ((await unit.records.read(DIALED_NUMBER, number)) !== undefined) unit.records.delete(DIALED_NUMBER, number)
}

const withDefaults = (stored: Partial<ClinicSettings>): ClinicSettings => ({
  ...DEFAULTS,
  ...stored,
  policies: { ...DEFAULT_POLICIES, ...stored.policies },
})

/** The settings for clients, which can set the secrets but not read them. */
export const withoutSecrets = ({
  crm,
  messages,
  insurance,
  callSecurity,
  eventSecret,
  ...settings
}: ClinicSettings): object => ({
  ...settings,
  ...(eventSecret && { eventSecret: SECRET_IS_SET }),
  ...(crm && { crm: withoutCredentials(crm) }),
  ...(messages && { messages: withSecretsHidden(messages, ['secret']) }),
  ...(insurance && { insurance: withoutToken(insurance) }),
  ...(callSecurity && { callSecurity: withoutCallSecrets(callSecurity) }),
})

/** All secrets in the settings: those that calls must present, and the credentials for the clinic's systems. */
export const secretsIn = ({
  crm,
  messages,
  insurance,
  callSecurity,
  eventSecret,
}: Partial<ClinicSettings>): readonly string[] => [
  ...(eventSecret === undefined ? [] : [eventSecret]),
  ...(crm === undefined ? [] : credentialsIn(crm)),
  ...(messages?.secret === undefined ? [] : [messages.secret]),
  ...(insurance?.token === undefined ? [] : [insurance.token]),
  ...(callSecurity?.secrets ?? []),
]

export type ParsedSettings = { readonly settings: ClinicSettings } | { readonly problems: readonly string[] }

/**
 * Parses the complete settings sent by a client; absent ones get their default. A secret that is absent or `set` keeps
 * the value in `current`.
 */
export function parseSettings(body: unknown, current?: ClinicSettings): ParsedSettings {
  const problems: string[] = []
  const fields = objectOf(body, 'the settings', Object.keys(CHECKS), problems)
  const settings: Record<string, unknown> = {}
  for (const [name, check] of Object.entries(CHECKS)) {
    const value = check(fields[name], problems, current)
    if (value !== undefined) settings[name] = value
  }
  return problems.length > 0 ? { problems } : { settings: settings as unknown as ClinicSettings }
}

/** The same for the unit's clinic, whose dialled numbers must not belong to another one. */
export async function parseSettingsFor(
  unit: UnitOfWork,
  body: unknown,
  current?: ClinicSettings,
): Promise<ParsedSettings> {
  const parsed = parseSettings(body, current)
  if ('problems' in parsed) return parsed
  const problems = await problemsOfNumbers(unit, parsed.settings)
  return problems.length > 0 ? { problems } : parsed
}

type Check = (value: unknown, problems: string[], current: ClinicSettings | undefined) => unknown

/** null stands for the default too. */
const journalNumber =
  (name: string, bounds: Bounds): Check =>
  (value, problems) => {
    checkWholeNumber(name, value ?? undefined, { ...bounds, absent: OF_SERVER }, problems)
    return value ?? undefined
  }

/** A switch. @param absent its value where it is absent */
function switchOf(name: string, absent: boolean): Check {
  return (value, problems) => {
    if (value === undefined || typeof value === 'boolean') return value
    return reject(problems, `${name} must be true or false, or absent for ${absent}`)
  }
}

export const isClinicName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 200

/** A check per setting, which returns its value and adds problems to the list. */
const CHECKS: Readonly<Record<keyof ClinicSettings, Check>> = {
  name: (value, problems) => {
    if (isClinicName(value)) return value.trim()
    return reject(problems, 'name must be a text of 1 to 200 characters')
  },
  timeZone: (value, problems) => {
    // JavaScript accepts offsets such as +05:00 as zones, but they have no daylight saving.
    if (typeof value === 'string' && /^[A-Za-z]/.test(value) && IANAZone.isValidZone(value)) return value
    return reject(problems, 'timeZone must be an IANA time zone, e.g. "America/New_York"')
  },
  dialedNumbers: (value, problems) => {
    if (value === undefined) return []
    if (!Array.isArray(value)) return reject(problems, 'dialedNumbers must be a list of phone numbers')
    for (const [index, number] of value.entries()) {
      if (!isDialable(number)) reject(problems, numberRefused(index))
    }
    return [...new Set(value)]
  },
  defaultRegion: (value, problems) => {
    if (typeof value === 'string' && isSupportedCountry(value)) return value
    return reject(problems, 'defaultRegion must be a country as two capital letters of ISO 3166, e.g. "US"')
  },
  dateOrder: (value, problems) => {
    checkOneOf('dateOrder', value, DATE_ORDERS, problems, 'the order of defaultRegion')
    return value
  },
  policies: (value, problems) => {
    const fields: Record<string, unknown> = {
      ...DEFAULT_POLICIES,
      ...objectOf(value ?? {}, 'policies', POLICIES, problems),
    }
    for (const name of ['overbooking', 'waitlistOffersByPhone'])
      if (fields[name] !== undefined && typeof fields[name] !== 'boolean') {
        reject(problems, `policies.${name} must be true or false`)
      }
    if (fields.slotTakenStatus !== 409 && fields.slotTakenStatus !== 422) {
      reject(problems, 'policies.slotTakenStatus must be 409 or 422')
    }
    for (const [name, limit] of Object.entries<BookingLimit>(BOOKING_LIMITS))
      checkWholeNumber(`policies.${name}`, fields[name], { absent: 'no limit', ...limit }, problems)
    for (const [name, { words, absent }] of Object.entries(WORDS))
      checkOneOf(`policies.${name}`, fields[name], words, problems, absent)
    return fields
  },
  crm: (value, problems, current) => checkCrm(value, problems, current?.crm),
  messages: (value, problems, current) => checkWebhook('messages', value, problems, current?.messages),
  insurance: (value, problems, current) => checkInsurance(value, problems, current?.insurance),
  callSecurity: (value, problems, current) => checkCallSecurity(value, problems, current?.callSecurity),
  recovery: checkRecovery,
  documents: checkDocuments,
  journal: (value, problems) => {
    checkOneOf('journal', value ?? undefined, JOURNAL_MODES, problems, OF_SERVER)
    return value ?? undefined
  },
  journalDays: journalNumber('journalDays', { least: 1, most: 3_650 }),
  journalEntries: journalNumber('journalEntries', { least: 100, most: 1_000_000 }),
  mcpWrites: switchOf('mcpWrites', false),
  faultLabels: switchOf('faultLabels', true),
  eventSecret: (value, problems, current) => {
    if (value === null) return undefined
    const kept = secretOr(current?.eventSecret, value)
    if (kept === undefined || isWebhookSecret(kept)) return kept
    return reject(problems, 'eventSecret must be "whsec_" followed by 24 to 64 bytes in base64, or null for none')
  },
}

const isDialable = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^\+[1-9]\d{6,14}$/.test(value) &&
  parsePhoneNumberFromString(value)?.isPossible() === true
