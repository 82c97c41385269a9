/** Persons and things in a word or two. */
import type { Address, CodeableConcept, ContactPoint, HumanName, Patient, Reference } from 'fhir/r4'
import { phoneText } from './phones.ts'

/** "Ruth Abernathy"; the official name first, then the usual one. */
export function nameOf(names: readonly HumanName[] | undefined): string {
  const best = bestName(names)
  return best === undefined ? '' : humanNameText(best)
}

/** The official name, else the usual one, else any that is in use. */
export function bestName(names: readonly HumanName[] | undefined): HumanName | undefined {
  const current = (names ?? []).filter(({ use }) => use !== 'old')
  return current.find(({ use }) => use === 'official') ?? current.find(({ use }) => use === 'usual') ?? current[0]
}

export const humanNameText = ({ text, prefix = [], given = [], family = '', suffix = [] }: HumanName): string =>
  [...prefix, ...given, family, ...suffix].filter(Boolean).join(' ') || text || ''

/** The patient's name for lists; "Unnamed" and the id where no name is known. */
export const patientName = ({ name, id }: Pick<Patient, 'name' | 'id'>): string => nameOf(name) || `Unnamed ${id ?? ''}`

/** The first contact point of the system that is in use, as people read it. */
export const telecomOf = (telecom: readonly ContactPoint[] | undefined, system: ContactPoint['system']): string =>
  contactText((telecom ?? []).find((one) => one.system === system && one.use !== 'old') ?? {})

/** The values of all contact points of the system. */
export const telecomsOf = (
  { telecom = [] }: Pick<Patient, 'telecom'>,
  wanted: ContactPoint['system'],
): readonly string[] => telecom.flatMap(({ system, value }) => (system === wanted && value ? [value] : []))

export const contactText = ({ value = '' }: ContactPoint): string => phoneText(value)

export function addressText(address: Address | undefined): string {
  if (address === undefined) return ''
  const { text, line = [], city, state, postalCode, country } = address
  const place = [[city, state].filter(Boolean).join(', '), postalCode].filter(Boolean).join(' ')
  return [...line, place, country].filter(Boolean).join(', ') || text || ''
}

/**
 * A status as the texts say it, else its code. An extension may stand in place of the value
 * (https://hl7.org/fhir/R4/json.html#primitive).
 */
export const statusText = (status: string | undefined, texts: Readonly<Record<string, string>> = {}): string =>
  status === undefined ? 'No status' : (texts[status] ?? status)

/** Short names for the types of appointments of HL7 v2, whose displays are sentences (https://terminology.hl7.org/CodeSystem-v2-0276.html). */
const APPOINTMENT_TYPES: Readonly<Record<string, string>> = {
  CHECKUP: 'Check-up',
  EMERGENCY: 'Emergency',
  FOLLOWUP: 'Follow-up',
  ROUTINE: 'Routine visit',
  WALKIN: 'Walk-in',
}

const appointmentType = ({ coding = [] }: CodeableConcept): string | undefined =>
  APPOINTMENT_TYPES[coding.find(({ system }) => system?.endsWith('/v2-0276'))?.code ?? '']

export const conceptText = (concept: CodeableConcept | undefined): string =>
  concept?.text ??
  (concept && appointmentType(concept)) ??
  concept?.coding?.find(({ display }) => display)?.display ??
  concept?.coding?.[0]?.code ??
  ''

/** `Patient/p1` of a relative or absolute reference to it. */
export function referenceParts(
  reference: string | undefined,
): { readonly type: string; readonly id: string } | undefined {
  const found = /(?:^|\/)([A-Z][A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/[^/]+)?$/.exec(reference ?? '')
  return found === null ? undefined : { type: found[1] ?? '', id: found[2] ?? '' }
}

export const referenceText = (reference: Reference | undefined): string =>
  reference?.display ?? reference?.reference ?? reference?.identifier?.value ?? ''

/** The id of the participant or party that is of a type. */
export const idOfType = (references: readonly (Reference | undefined)[], type: string): string | undefined =>
  references.map((one) => referenceParts(one?.reference)).find((parts) => parts?.type === type)?.id
