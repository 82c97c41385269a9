/**
 * Registrations that stay incomplete become abandonments. A record says when; it is written by the change that leaves a
 * registration incomplete, and deleted by the one that completes it, which closes the abandonment too. A registration that has an
 * abandonment already, such as one that came with POST /abandonments, gets no other.
 */
import type { Patient, Task } from 'fhir/r4'
import { recoveryDefaults } from '../../clinics/recovery-settings.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { isPlaceholder, isReplaced } from '../../matching/placeholder.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { registrationAbandonments } from '../record/abandonment.ts'
import { derivedId } from '../record/derived-id.ts'
import { type PatientField, patientFields } from '../record/patient-fields.ts'
import { missingFields } from '../record/registration.ts'
import { attached, attachedText, codeOfInput, completeStaffTask } from '../record/staff-task.ts'
import { raiseRecovery } from './create-abandonment.ts'

interface OpenRegistration {
  /** Patient.id */
  readonly patient: string
}

export const OPEN_REGISTRATION = recordKind<OpenRegistration>('open-registration')

const MINUTE = 60_000

interface RegistrationChange {
  /** Absent for staff. */
  readonly call: CallSession | undefined
  /** The Patient of the call as it was; another one than `after` where somebody else turned out to call. */
  readonly before: Versioned<Patient>
  readonly after: Versioned<Patient>
}

/** To be called by each change of a registration. */
export async function followRegistration(ctx: Context, change: RegistrationChange): Promise<void> {
  const { before, after } = change
  if (!isPlaceholder(before.resource) && !isPlaceholder(after.resource)) return
  const { records } = ctx.unit
  const known = await records.read(OPEN_REGISTRATION, after.id)
  const abandonments = await registrationAbandonments(ctx, after.id)
  const open = abandonments.filter(({ isOpen }) => isOpen)
  if (!isPlaceholder(after.resource)) {
    if (known !== undefined) records.delete(OPEN_REGISTRATION, after.id)
    for (const { task } of open) await completeStaffTask(ctx, task.id, 'The registration was completed.')
    return
  }
  for (const { task } of open) await tellContact(ctx, task.resource, change)
  const { recovery } = await readSettings(ctx.unit, ctx.clinic)
  const { registrationMinutes } = recoveryDefaults(recovery)
  if (registrationMinutes === 0 || abandonments.length > 0) return
  records.put(OPEN_REGISTRATION, after.id, { patient: after.id }, { due: ctx.now + registrationMinutes * MINUTE })
}

/** How the person may be contacted, where the change says something new of it. */
async function tellContact(ctx: Context, task: Task, { call, before, after }: RegistrationChange): Promise<void> {
  const earlier = before.id === after.id ? before.resource : undefined
  const changed = <Value>({ get }: PatientField<Value>): Value | undefined => {
    const value = get(after.resource)
    return earlier !== undefined && get(earlier) === value ? undefined : value
  }
  const consent = changed(patientFields.commsConsent)
  const told = [
    // Whoever answers a call about it cannot have the link sent elsewhere.
    ...(call?.abandonment === undefined
      ? [
          ...attachedText('contact-phone', changed(patientFields.phone)),
          ...attachedText('contact-email', changed(patientFields.email)),
        ]
      : []),
    ...attached('contact-consent', consent === undefined ? undefined : { valueBoolean: consent }),
  ]
  if (told.length === 0) return
  const codes = new Set(told.map(codeOfInput))
  const kept = (task.input ?? []).filter((input) => !codes.has(codeOfInput(input)))
  await ctx.update<Task>({ ...task, input: [...kept, ...told] })
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
  if (next === undefined || (await registrationAbandonments(ctx, id)).length > 0) return true
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
