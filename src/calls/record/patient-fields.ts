/**
 * Tool arguments (spec 2.3) as elements of a Patient, and the completeness of a registration (spec 3). Each setter changes
 * one element and keeps all others, so that an existing record loses nothing.
 */
import type { Address, ContactPoint, HumanName, Patient } from 'fhir/r4'
import { isPlaceholder, isPlaceholderTag, isReplaced } from '../../matching/placeholder.ts'
import type { StatedField } from '../../spoken/stated-values.ts'
import { extensionOf, withExtension } from './vocabulary.ts'

/** Getter and setter of one argument on a Patient. */
export interface PatientField<Value> {
  readonly get: (patient: Patient) => Value | undefined
  /** Returns the same Patient if it already has the value. */
  readonly set: (patient: Patient, value: Value) => Patient
}

function field<Value>(get: PatientField<Value>['get'], set: PatientField<Value>['set']): PatientField<Value> {
  return { get, set: (patient, value) => (get(patient) === value ? patient : set(patient, value)) }
}

const textExtension = (id: string): PatientField<string> =>
  field(
    (patient) => extensionOf(patient, id)?.valueString,
    (patient, value) => withExtension(patient, id, { valueString: value }),
  )

/**
 * Index of the name in use: official before usual before any other; never an old or maiden one. -1 if there is none.
 */
function nameIndex({ name = [] }: Patient): number {
  const uses: readonly HumanName['use'][] = ['official', 'usual', undefined]
  const byUse = uses.map((use) => name.findIndex((entry) => entry.use === use)).find((index) => index >= 0)
  return byUse ?? name.findIndex(({ use }) => use !== 'old' && use !== 'maiden')
}

/** The name in use. */
export const currentName = (patient: Patient): HumanName | undefined => patient.name?.[nameIndex(patient)]

/** Replaces the name in use. */
export function withCurrentName(patient: Patient, change: (name: HumanName) => HumanName): Patient {
  const names = patient.name ?? []
  const at = nameIndex(patient)
  // `text` would still contain the previous name.
  const { text: _text, ...current } = names[at] ?? {}
  return { ...patient, name: at < 0 ? [...names, change(current)] : names.with(at, change(current)) }
}

const firstName = field(
  (patient) => currentName(patient)?.given?.[0] ?? undefined,
  (patient, value) => withCurrentName(patient, (name) => ({ ...name, given: [value, ...(name.given ?? []).slice(1)] })),
)

const lastName = field(
  (patient) => currentName(patient)?.family,
  (patient, value) => withCurrentName(patient, (name) => ({ ...name, family: value })),
)

const dateOfBirth = field<string>(
  (patient) => patient.birthDate,
  (patient, value) => ({ ...patient, birthDate: value }),
)

type TelecomSystem = 'phone' | 'email'

const inUse = (system: TelecomSystem, point: ContactPoint): boolean =>
  point.system === system && point.use !== 'old' && point.value !== undefined

/** Index of the contact point in use with the best rank, else of the first one in use. -1 if there is none. */
export function telecomIndex({ telecom = [] }: Patient, system: TelecomSystem): number {
  const best = telecom
    .filter((point) => inUse(system, point))
    .reduce<ContactPoint | undefined>(
      (a, b) => (a === undefined || (b.rank ?? Infinity) < (a.rank ?? Infinity) ? b : a),
      undefined,
    )
  return best === undefined ? -1 : telecom.indexOf(best)
}

const telecom = (system: TelecomSystem): PatientField<string> =>
  field(
    (patient) => patient.telecom?.[telecomIndex(patient, system)]?.value,
    (patient, value) => {
      const points = patient.telecom ?? []
      // A second number already on file stays the second number.
      if (points.some((point) => inUse(system, point) && point.value === value)) return patient
      const at = telecomIndex(patient, system)
      const point: ContactPoint = { ...points[at], system, value }
      return { ...patient, telecom: at < 0 ? [...points, point] : points.with(at, point) }
    },
  )

/** The address in one line: its text if it has one, else its parts. */
function addressText({ text, line = [], city, state, postalCode, country }: Address): string | undefined {
  return text ?? ([...line, city, state, postalCode, country].filter(Boolean).join(', ') || undefined)
}

function addressIndex({ address = [] }: Patient): number {
  const home = address.findIndex(({ use }) => use === 'home')
  return home >= 0 ? home : address.findIndex(({ use }) => use !== 'old' && use !== 'billing')
}

/** The address in use. */
export const currentAddress = (patient: Patient): Address | undefined => patient.address?.[addressIndex(patient)]

const address = field(
  (patient) => {
    const current = currentAddress(patient)
    return current && addressText(current)
  },
  (patient, value) => {
    const addresses = patient.address ?? []
    const at = addressIndex(patient)
    // The street and city of the previous address must not remain beside the new text.
    const next: Address = { use: addresses[at]?.use ?? 'home', text: value }
    return { ...patient, address: at < 0 ? [...addresses, next] : addresses.with(at, next) }
  },
)

const commsConsent = field(
  (patient) => extensionOf(patient, 'communication-consent')?.valueBoolean,
  (patient, value) => withExtension(patient, 'communication-consent', { valueBoolean: value }),
)

export const patientFields = {
  firstName,
  lastName,
  dateOfBirth,
  phone: telecom('phone'),
  email: telecom('email'),
  address,
  preferredLocation: textExtension('preferred-location'),
  medicareStatus: textExtension('medicare-status'),
  healthPlanName: textExtension('health-plan-name'),
  referralSource: textExtension('referral-source'),
  reasonForVisit: textExtension('reason-for-visit'),
  commsConsent,
} as const satisfies Readonly<Record<StatedField, unknown>>

/** In the order of spec 2.3, in which missing fields are listed. */
export const REGISTRATION_FIELDS = [
  'firstName',
  'lastName',
  'phone',
  'email',
  'preferredLocation',
  'medicareStatus',
  'healthPlanName',
  'referralSource',
  'commsConsent',
] as const

export type RegistrationField = (typeof REGISTRATION_FIELDS)[number]
export type RegistrationStatus = 'ACTION_REQUIRED' | 'COMPLETE'

/** A refused consent is on file too: `false` is a value. */
export const missingFields = (patient: Patient): readonly RegistrationField[] =>
  REGISTRATION_FIELDS.filter((name) => patientFields[name].get(patient) === undefined)

export const registrationStatus = (patient: Patient): RegistrationStatus =>
  missingFields(patient).length === 0 ? 'COMPLETE' : 'ACTION_REQUIRED'

/** A patient of the clinic: not a placeholder, not inactive, and not replaced by another record. */
export const isReal = (patient: Patient): boolean =>
  !isPlaceholder(patient) && patient.active !== false && !isReplaced(patient)

/** A placeholder whose registration is complete becomes a real record: active and without the tag (spec 2.4). */
export function activateWhenComplete(patient: Patient): Patient {
  if (!isPlaceholder(patient) || registrationStatus(patient) !== 'COMPLETE') return patient
  const { tag = [], ...meta } = patient.meta ?? {}
  const kept = tag.filter((entry) => !isPlaceholderTag(entry))
  return { ...patient, active: true, meta: { ...meta, ...(kept.length === 0 ? {} : { tag: kept }) } }
}
