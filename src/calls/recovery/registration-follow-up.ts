/**
 * Turns incomplete registrations into abandonments after a while. A record holds the due time: the change that leaves a
 * registration incomplete writes it, and the change that completes the registration deletes it and closes the
 * abandonment. A registration that already has an abandonment, for example from POST /abandonments, gets no second one.
 */
import type { Patient, Task } from 'fhir/r4'
import { recoveryDefaults } from '../../clinics/recovery-settings.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import type { BackgroundLoop, LoopPace } from '../../isolation/background-loop.ts'
import { isPlaceholder, isReplaced } from '../../matching/placeholder.ts'
import { type DueServicesOf, dueRecordLoop } from '../../repository/due-records.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { registrationAbandonments } from '../record/abandonment.ts'
import { missingFields, type PatientField, patientFields } from '../record/patient-fields.ts'
import { attached, attachedText, codeOfInput, completeStaffTask } from '../record/staff-task.ts'
import { raiseRecovery } from './create-abandonment.ts'

interface OpenRegistration {
  /** Patient.id */
  readonly patient: string
}

export const OPEN_REGISTRATION = recordKind<OpenRegistration>('open-registration')

const MINUTE = 60_000

interface RegistrationChange {
  /** Absent if staff made the change. */
  readonly call: CallSession | undefined
  /**
   * The Patient of the call before the change; it differs from `after` in id if the caller turned out to be someone
   * else.
   */
  readonly before: Versioned<Patient>
  readonly after: Versioned<Patient>
}

/** Must be called by each change to a registration. */
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

/** Updates the contact details in the Task, if the change has new ones. */
async function tellContact(ctx: Context, task: Task, { call, before, after }: RegistrationChange): Promise<void> {
  const earlier = before.id === after.id ? before.resource : undefined
  const changed = <Value>({ get }: PatientField<Value>): Value | undefined => {
    const value = get(after.resource)
    return earlier !== undefined && get(earlier) === value ? undefined : value
  }
  const consent = changed(patientFields.commsConsent)
  const told = [
    // A person called about an abandonment must not be able to redirect its link.
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

/** Task.id of the abandonment that the service creates for a registration. */
const recoveryOf = (patient: string): string => derivedId('abandonment', 'registration', patient)

/**
 * Stages the abandonment of a registration that is due, unless it was completed.
 * @returns whether it was due
 */
async function abandonIfDue(ctx: Context, id: string): Promise<boolean> {
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

const PACE: LoopPace = { look: 1_000, pause: 0 }

/**
 * Turns registrations that stayed incomplete into abandonments, in the background; includes those that fell due while
 * no server was running.
 */
export const abandonedRegistrations = (services: DueServicesOf<ClinicAccess>): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: OPEN_REGISTRATION,
      finish: (clinic, id) => services.accessOf(clinic).change((ctx) => abandonIfDue(ctx, id)),
      failure: 'a registration that is due could not be followed up',
    },
    PACE,
  )
