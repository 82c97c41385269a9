/** An outbound call about an abandonment: whether it may be placed, and for whom. */
import type { CallSession } from '../../core/call-session.ts'
import { unprocessable } from '../../fhir/outcome.ts'
import { isPlaceholder } from '../../matching/placeholder.ts'
import type { UnitOfWork } from '../../repository/repository.ts'
import { findAbandonment } from '../record/abandonment.ts'
import { hasOptedOut } from '../record/contact-opt-out.ts'

/**
 * @param patient as the request names it
 * @throws FhirError 422 when the clinic has no such open abandonment, or its person is not to be called
 */
export async function callAbout(
  unit: Pick<UnitOfWork, 'read' | 'records'>,
  id: string,
  patient: string | undefined,
): Promise<Pick<CallSession, 'abandonment' | 'patient' | 'registers'>> {
  const found = await findAbandonment(unit, id)
  if (found?.isOpen !== true)
    throw unprocessable('abandonment: the clinic of the dialled number has no such open abandonment', {
      reason: 'abandonment-not-known',
    })
  if (patient !== undefined && patient !== found.patient)
    throw unprocessable('patient: the abandonment is of another Patient; leave patient out', {
      reason: 'patient-not-known',
    })
  if (!found.consent)
    throw unprocessable('abandonment: its person has not agreed to be contacted', { reason: 'no-consent' })
  if (await hasOptedOut(unit, 'phone', { point: found.contact.phone, patient: found.patient }))
    throw unprocessable('abandonment: its person has opted out of calls', { reason: 'opted-out' })
  const subject = await unit.read('Patient', found.patient)
  const registers = subject !== undefined && !subject.deleted && isPlaceholder(subject.resource)
  return { abandonment: id, patient: found.patient, ...(registers ? { registers } : {}) }
}
