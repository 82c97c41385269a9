/** How a clinic follows up what was begun and not finished. docs/abandonment.md */
import { checkWholeNumber, isHttpAddress, objectOf, reject } from './setting-checks.ts'

export interface RecoverySettings {
  /** When persons may be contacted, `HH:MM` of their local time; absent: 08:00 to 21:00. */
  readonly contactFrom?: string
  readonly contactUntil?: string
  /** Minutes after which a registration that is not complete counts as abandoned, 0 for never; absent: a day. */
  readonly registrationMinutes?: number
  /** Hours for which a resume link is valid; absent: three days. */
  readonly linkHours?: number
  /** The clinic's own form, to which resume links lead with the token as the parameter `resume`; absent: this server. */
  readonly formUrl?: string
}

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/
const NUMBERS = { registrationMinutes: { least: 0, most: 525_600 }, linkHours: { least: 1, most: 720 } } as const
const FIELDS = ['contactFrom', 'contactUntil', 'registrationMinutes', 'linkHours', 'formUrl']

export const recoveryDefaults = (settings: RecoverySettings = {}): Required<Omit<RecoverySettings, 'formUrl'>> => ({
  contactFrom: settings.contactFrom ?? '08:00',
  contactUntil: settings.contactUntil ?? '21:00',
  registrationMinutes: settings.registrationMinutes ?? 1_440,
  linkHours: settings.linkHours ?? 72,
})

/** The settings as a client sent them; null for none. */
export function checkRecovery(value: unknown, problems: string[]): RecoverySettings | undefined {
  if (value === undefined || value === null) return undefined
  const fields = objectOf(value, 'recovery', FIELDS, problems)
  for (const name of ['contactFrom', 'contactUntil'])
    if (fields[name] !== undefined && !(typeof fields[name] === 'string' && TIME.test(fields[name])))
      reject(problems, `recovery.${name} must be a time of day such as "08:00"`)
  for (const [name, bounds] of Object.entries(NUMBERS))
    checkWholeNumber(`recovery.${name}`, fields[name], bounds, problems)
  if (fields.formUrl !== undefined && !isHttpAddress(fields.formUrl))
    reject(problems, 'recovery.formUrl must be an http or https address')
  const { contactFrom, contactUntil } = recoveryDefaults(fields as RecoverySettings)
  if (contactFrom >= contactUntil) reject(problems, 'recovery.contactFrom must be before recovery.contactUntil')
  return fields as RecoverySettings
}
