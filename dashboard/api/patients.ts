/** Records of patients that the dashboard makes, and removes again. */
import type { Bundle, Patient } from 'fhir/r4'
import { get, send } from './client.ts'
import { ifMatch, put } from './operations.ts'
import { Problem } from './problem.ts'

/** The id of a record that is about to be made: repeating the request makes no second one. */
export const newId = (): string => crypto.randomUUID()

/**
 * Creates the patient under the id that it has. Where an earlier request has arrived, and only its response was lost,
 * the record that it has made is updated.
 * @throws Problem
 */
export async function createPatient(patient: Patient): Promise<Patient> {
  const path = `Patient/${patient.id}`
  try {
    return (await send<Patient>({ method: 'PUT', path, body: patient, headers: { 'if-none-match': '*' } })).body
  } catch (error) {
    if (!(error instanceof Problem && error.status === 412)) throw error
    const { meta } = await get<Patient>(path)
    return put(patient, meta?.versionId)
  }
}

/**
 * Deletes a record that was just made.
 * @throws Problem 412 where it has been changed since; Error where a visit is booked for it
 */
export async function removePatient({ id, meta }: Patient): Promise<void> {
  const visits = await get<Bundle>(`Appointment?patient=Patient/${id}&_count=1&_elements=id`)
  if ((visits.entry ?? []).length > 0) throw new Error('A visit is booked for this patient, so the record stays.')
  await send({ method: 'DELETE', path: `Patient/${id}`, headers: ifMatch(meta?.versionId) })
}
