/** An outbound call to a patient of the clinic: whether it may be placed. */
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
  /** Of the other end, where the request names it. */
  readonly callerNumber: string | undefined
  /** Of the clinic: how a phone number without a country code is read. */
  readonly region: string | undefined
}

/**
 * Which number is called is known only where the request names it, so an opt-out of any number of the patient counts.
 * @throws FhirError 422 when the clinic has no such patient, or the person has opted out of calls
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
