/** Checks whether an outbound call to a patient of the clinic may be placed. */
import type { Patient } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import { unprocessable } from '../../fhir/outcome.ts'
import { telecom } from '../../matching/demographics.ts'
import { isPlaceholder } from '../../matching/placeholder.ts'
import type { UnitOfWork } from '../../repository/repository.ts'
import { spokenPhone } from '../../spoken/spoken-phone.ts'
import { hasOptedOut } from '../record/contact-opt-out.ts'

interface AskedCall {
  /** Patient.id */
  readonly patient: string
  /** Number of the other end, if the request states it. */
  readonly callerNumber: string | undefined
  /** The clinic's region, for phone numbers without a country code. */
  readonly region: string | undefined
}

/**
 * The number called is known only if the request states it, so an opt-out of any of the patient's numbers counts.
 * @throws FhirError 422 if the clinic has no such patient, or the person has opted out of calls
 */
export async function callTo(
  unit: Pick<UnitOfWork, 'read' | 'records'>,
  { patient, callerNumber, region }: AskedCall,
): Promise<Pick<CallSession, 'patient' | 'registers'>> {
  const found = await unit.read('Patient', patient)
  if (found === undefined || found.deleted)
    throw unprocessable('patient: the clinic of the dialled number has no such Patient', {
      reason: 'patient-not-known',
    })
  const person = found.resource as Patient
  const numbers = telecom(person, 'phone').flatMap((value) => {
    const read = spokenPhone(value, region)
    return read.ok ? [read.value] : []
  })
  for (const point of [callerNumber, ...numbers])
    if (await hasOptedOut(unit, 'phone', { point, patient }))
      throw unprocessable('patient: the person has opted out of calls', { reason: 'opted-out' })
  return { patient, ...(isPlaceholder(person) ? { registers: true } : {}) }
}
