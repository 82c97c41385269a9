/**
 * Registrations that stay incomplete become abandonments. A record says when; it is written by the change that leaves a
 * registration incomplete, and deleted by the one that completes it, which closes the abandonment too.
 */
import type { Patient, Task } from 'fhir/r4'
import { recoveryDefaults } from '../../clinics/recovery-settings.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { isPlaceholder, isReplaced } from '../../matching/placeholder.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { derivedId } from '../record/derived-id.ts'
import { patientFields } from '../record/patient-fields.ts'
import { missingFields } from '../record/registration.ts'
import { completeStaffTask } from '../record/staff-task.ts'
import { raiseRecovery } from './create-abandonment.ts'

interface OpenRegistration {
  /** Patient.id */
  readonly patient: string
}

export const OPEN_REGISTRATION = recordKind<OpenRegistration>('open-registration')

const MINUTE = 60_000

/**
 * To be called by each change of a registration.
 * @param before the Patient of the call as it was; another one than `after` where somebody else turned out to call
 */
export async function followRegistration(ctx: Context, before: Patient, after: Versioned<Patient>): Promise<void> {
  if (!isPlaceholder(before) && !isPlaceholder(after.resource)) return
  const { records } = ctx.unit
  const known = await records.read(OPEN_REGISTRATION, after.id)
  if (!isPlaceholder(after.resource)) {
    if (known !== undefined) records.delete(OPEN_REGISTRATION, after.id)
    await completeStaffTask(ctx, recoveryOf(after.id), 'The registration was completed.')
    return
  }
  const { recovery } = await readSettings(ctx.unit, ctx.clinic)
  const { registrationMinutes } = recoveryDefaults(recovery)
  if (registrationMinutes === 0 || (await ctx.find<Task>('Task', recoveryOf(after.id))) !== undefined) return
  records.put(OPEN_REGISTRATION, after.id, { patient: after.id }, { due: ctx.now + registrationMinutes * MINUTE })
}

/** Task.id of the abandonment that the service makes of a registration. */
const recoveryOf = (patient: string): string => derivedId('abandonment', 'registration', patient)

/**
 * Stages the abandonment of a registration that is due, unless it has been completed.
 * @returns whether it was due
 */
export async function abandonIfDue(ctx: Context, id: string): Promise<boolean> {
  const record = await ctx.unit.records.read(OPEN_REGISTRATION, id)
  if (record?.due == null || record.due > ctx.now) return false
  ctx.unit.records.delete(OPEN_REGISTRATION, id)
  const patient = await ctx.find<Patient>('Patient', id)
  if (patient === undefined || !isPlaceholder(patient.resource) || isReplaced(patient.resource)) return true
  const [next] = missingFields(patient.resource)
  if (next === undefined) return true
  const phone = patientFields.phone.get(patient.resource)
  const email = patientFields.email.get(patient.resource)
  await raiseRecovery(ctx, recoveryOf(id), patient, {
    kind: 'registration',
    stepReached: `before ${next}`,
    contact: { ...(phone === undefined ? {} : { phone }), ...(email === undefined ? {} : { email }) },
    consent: patientFields.commsConsent.get(patient.resource) === true,
  })
  return true
}
