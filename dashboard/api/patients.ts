/** Records of patients that the dashboard has made, and removes again. */
import type { Bundle, Patient } from 'fhir/r4'
import { get, send } from './client.ts'
import { ifMatch } from './operations.ts'

/**
 * Deletes a record that was just made.
 * @throws Problem 412 where it has been changed since; Error where a visit is booked for it
 */
export async function removePatient({ id, meta }: Patient): Promise<void> {
  const visits = await get<Bundle>(`Appointment?patient=Patient/${id}&_count=1&_elements=id`)
  if ((visits.entry ?? []).length > 0) throw new Error('A visit is booked for this patient, so the record stays.')
  await send({ method: 'DELETE', path: `Patient/${id}`, headers: ifMatch(meta?.versionId) })
}
