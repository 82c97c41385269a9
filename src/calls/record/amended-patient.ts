/**
 * Changes that a call may make to a record that is not a placeholder: names and birth date are completed but never
 * replaced; phone, e-mail and address are added, and the values they replace are kept with the use `old`.
 */
import type { Address, ContactPoint, Patient } from 'fhir/r4'
import { valuesIn } from '../../fhir/resource.ts'
import { fold } from '../../fhir/text-folding.ts'
import { sharesPhone, telecom } from '../../matching/demographics.ts'
import { currentAddress, currentName, patientFields, telecomIndex, withCurrentName } from './patient-fields.ts'

/** Tool arguments that state identity or contact details. */
export const AMENDED_FIELDS = ['firstName', 'lastName', 'dateOfBirth', 'phone', 'email', 'address'] as const
export type AmendedField = (typeof AMENDED_FIELDS)[number]

/**
 * The recorded and the stated value, for staff to compare. The stated one is not saved where the field may not be
 * replaced.
 */
export interface Difference {
  readonly field: AmendedField
  readonly recorded: string | undefined
  readonly stated: string
}

interface Reading {
  /** End of use of replaced values, in milliseconds since 1970 UTC. */
  readonly now: number
  /** The clinic's region, for phone numbers without a country code. */
  readonly region: string | undefined
}

/** Returns the same Patient if nothing is new. */
export function amended(
  patient: Patient,
  stated: Readonly<Partial<Record<AmendedField, string>>>,
  reading: Reading,
): { readonly patient: Patient; readonly differences: readonly Difference[] } {
  let next = patient
  const differences: Difference[] = []
  for (const field of AMENDED_FIELDS) {
    const value = stated[field]
    if (value === undefined || isOnFile[field](next, value, reading)) continue
    differences.push({ field, recorded: recordedValue(next, field), stated: value })
    next = amend[field](next, value, reading)
  }
  return { patient: next, differences }
}

const recordedValue = (patient: Patient, field: AmendedField): string | undefined =>
  field === 'firstName' ? currentName(patient)?.given?.join(' ') : patientFields[field].get(patient)

type OnFile = (patient: Patient, value: string, reading: Reading) => boolean
type Amend = (patient: Patient, value: string, reading: Reading) => Patient

const sameText = (one: string | undefined, other: string): boolean => one !== undefined && fold(one) === fold(other)

/** A first name counts as on file even without the middle names that follow it on the record. */
const isOnFile: Readonly<Record<AmendedField, OnFile>> = {
  firstName: (patient, value) => {
    const said = words(value)
    const given = valuesIn(currentName(patient)?.given).flatMap(words)
    return said.length <= given.length && said.every((word, at) => given[at] !== undefined && !adds(given[at], word))
  },
  lastName: (patient, value) => {
    const family = patientFields.lastName.get(patient)
    return family !== undefined && !adds(family, value)
  },
  dateOfBirth: (patient, value) => patient.birthDate === value,
  phone: (patient, value, { region }) => sharesPhone([value], telecom(patient, 'phone'), region),
  email: (patient, value) => telecom(patient, 'email').some((email) => email.toLowerCase() === value.toLowerCase()),
  address: (patient, value) => sameText(patientFields.address.get(patient), value),
}

const words = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean)

/** True for a different text, or for the same text with accents that are not on file. */
const adds = (recorded: string, stated: string): boolean => !sameText(recorded, stated) || withAccents(recorded, stated)

const withAccents = (recorded: string, stated: string): boolean =>
  stated !== recorded && stated.normalize('NFD').replace(/\p{M}/gu, '') === recorded

const amend: Readonly<Record<AmendedField, Amend>> = {
  firstName: (patient, value) => {
    const { given: names, text } = currentName(patient) ?? {}
    const given = valuesIn(names)
    if (given.length === 0) return text === undefined ? patientFields.firstName.set(patient, value) : patient
    const said = words(value)
    const isLonger = given.every((name, at) => sameText(name, said[at] ?? ''))
    if (!isLonger) return patient
    return withCurrentName(patient, (name) => ({
      ...name,
      given: said.map((word, at) => (given[at] === undefined || withAccents(given[at], word) ? word : given[at])),
    }))
  },
  lastName: (patient, value) => {
    const { family, text } = currentName(patient) ?? {}
    const isComplete = family === undefined ? text !== undefined : !withAccents(family, value)
    return isComplete ? patient : patientFields.lastName.set(patient, value)
  },
  dateOfBirth: (patient, value) =>
    patient.birthDate === undefined || value.startsWith(patient.birthDate) ? { ...patient, birthDate: value } : patient,
  phone: (patient, value, reading) => withContact(patient, 'phone', value, reading),
  email: (patient, value, reading) => withContact(patient, 'email', value, reading),
  address: withAddress,
}

const ended = <T extends { period?: { start?: string | undefined } | undefined }>({ period }: T, now: number) => ({
  use: 'old' as const,
  period: { ...period, end: new Date(now).toISOString() },
})

function withContact(patient: Patient, system: 'phone' | 'email', value: string, { now }: Reading): Patient {
  const points = patient.telecom ?? []
  const at = telecomIndex(patient, system)
  const current = points[at]
  if (current === undefined) return { ...patient, telecom: [...points, { system, value }] }
  const { use, rank, ...rest } = current
  const next: ContactPoint = {
    system,
    value,
    ...(use === undefined ? {} : { use }),
    ...(rank === undefined ? {} : { rank }),
  }
  return { ...patient, telecom: [...points.with(at, next), { ...rest, ...ended(current, now) }] }
}

function withAddress(patient: Patient, value: string, { now }: Reading): Patient {
  const current = currentAddress(patient)
  const changed = patientFields.address.set(patient, value)
  if (current === undefined) return changed
  const old: Address = { ...current, ...ended(current, now) }
  return { ...changed, address: [...(changed.address ?? []), old] }
}
