/** Checks whether an outbound call about an abandonment may be placed, and for which patient. */
import type { Patient } from 'fhir/r4'
import type { ClinicSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import { unprocessable } from '../../fhir/outcome.ts'
import { isPlaceholder } from '../../matching/placeholder.ts'
import type { UnitOfWork } from '../../repository/repository.ts'
import { findAbandonment } from '../record/abandonment.ts'
import { refusesCommunication } from '../record/communication-consent.ts'
import { hasOptedOut } from '../record/contact-opt-out.ts'
import { firstOpen, windowOf } from '../record/contact-window.ts'

interface AskedCall {
  /** Task.id of the abandonment. */
  readonly id: string
  /** Patient.id stated in the request. */
  readonly patient: string | undefined
  readonly settings: ClinicSettings
}

/** @throws FhirError 422 if the clinic has no such open abandonment, or its person must not be called, or not now */
export async function callAbout(
  unit: Pick<UnitOfWork, 'read' | 'records' | 'now'>,
  { id, patient, settings }: AskedCall,
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
  if (!found.consent || (await refusesCommunication(unit, found.patient)))
    throw unprocessable('abandonment: its person has not agreed to be contacted', { reason: 'no-consent' })
  if (await hasOptedOut(unit, 'phone', { point: found.contact.phone, patient: found.patient }))
    throw unprocessable('abandonment: its person has opted out of calls', { reason: 'opted-out' })
  const subject = await unit.read('Patient', found.patient)
  const person = subject === undefined || subject.deleted ? undefined : (subject.resource as Patient)
  const opens = firstOpen(windowOf(settings, person), unit.now)
  if (opens > unit.now)
    throw unprocessable(
      `abandonment: its person may be called from ${new Date(opens).toISOString()} on; see recovery.contactFrom and contactUntil`,
      { reason: 'outside-contact-hours' },
    )
  const registers = person !== undefined && isPlaceholder(person)
  return { abandonment: id, patient: found.patient, ...(registers ? { registers } : {}) }
}
