/** Completeness of a patient's registration (spec 3): every field of update_registration_field is on file. */
import type { Patient } from 'fhir/r4'
import { isPlaceholder, isPlaceholderTag, isReplaced } from '../../matching/placeholder.ts'
import { patientFields } from './patient-fields.ts'

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
