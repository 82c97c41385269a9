/** Checks whether an outbound call may be placed: about an abandonment, or to a patient of the clinic. */
import type { Patient } from 'fhir/r4'
import type { ClinicSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import { unprocessable } from '../../fhir/outcome.ts'
import { telecom } from '../../matching/demographics.ts'
import { isPlaceholder } from '../../matching/placeholder.ts'
import type { UnitOfWork } from '../../repository/repository.ts'
import { spokenPhone } from '../../spoken/spoken-phone.ts'
import { findAbandonment } from '../record/abandonment.ts'
import { firstOpen, hasOptedOut, refusesCommunication, windowOf } from '../record/contact-consent.ts'

interface CallAbout {
  /** Task.id of the abandonment. */
  readonly id: string
  /** Patient.id stated in the request. */
  readonly patient: string | undefined
  readonly settings: ClinicSettings
}

/**
 * Checks a call about an abandonment, and finds its patient.
 * @throws FhirError 422 if the clinic has no such open abandonment, or its person must not be called, or not now
 */
export async function callAbout(
  unit: Pick<UnitOfWork, 'read' | 'records' | 'now'>,
  { id, patient, settings }: CallAbout,
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

interface CallTo {
  /** Patient.id */
  readonly patient: string
  /** Number of the other end, if the request states it. */
  readonly callerNumber: string | undefined
  /** The clinic's region, for phone numbers without a country code. */
  readonly region: string | undefined
}

/**
 * Checks a call to a patient. The number called is known only if the request states it, so an opt-out of any of the patient's numbers counts.
 * @throws FhirError 422 if the clinic has no such patient, or the person has opted out of calls
 */
export async function callTo(
  unit: Pick<UnitOfWork, 'read' | 'records'>,
  { patient, callerNumber, region }: CallTo,
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
