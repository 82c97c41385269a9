/**
 * Tasks for staff about a verification, on the record of the verified patient and on that of the call's own patient.
 */
import type { Patient, Task } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { isOpenTask } from '../../fhir/task-status.ts'
import type { Versioned } from '../../repository/repository.ts'
import {
  attached,
  attachedReference,
  attachedText,
  completeStaffTask,
  type StaffTask,
  upsertStaffTask,
} from './staff-task.ts'

export interface StatedForStaff {
  readonly name: string
  readonly birthDate: string
  readonly phone?: string
  /** The stated phone number, if it could not be read. */
  readonly unreadablePhone?: string
}

/** One Task for all failed attempts of a call; urgent once no further attempt is possible. */
const failedTaskId = (call: CallSession): string => derivedId('not-verified', call.callId)

/** @param own the patient of the call, in the Task's focus; the verified patient is its beneficiary */
export async function recordVerified(
  ctx: Context,
  call: CallSession,
  own: Versioned<Patient>,
  verified: { readonly patient: string; readonly stated: StatedForStaff },
): Promise<readonly Versioned<Task>[]> {
  const { patient, stated } = verified
  const task = await upsertStaffTask(ctx, call, own, {
    id: derivedId('verified', call.callId, patient),
    code: 'identity-outcome',
    priority: 'routine',
    status: 'completed',
    description: 'The caller was verified as this patient by full name and date of birth.',
    beneficiary: patient,
    input: outcome('verified', stated),
  })
  const closed = await completeStaffTask(ctx, failedTaskId(call), 'The caller was verified at a later attempt.')
  return closed === undefined ? [task] : [task, closed]
}

/** @param failed the number of attempts so far, and whether another one is possible */
export async function recordNotVerified(
  ctx: Context,
  call: CallSession,
  own: Versioned<Patient>,
  failed: {
    readonly attempts: number
    readonly isLast: boolean
    readonly stated: StatedForStaff
    /** Patient.id of each person who may have been meant. */
    readonly candidates: readonly string[]
  },
): Promise<Versioned<Task>> {
  const { attempts, isLast, stated, candidates } = failed
  return await upsertStaffTask(ctx, call, own, {
    id: failedTaskId(call),
    code: 'identity-outcome',
    ...(isLast ? ENDED : OPEN),
    input: [
      ...outcome('not-verified', stated),
      ...attached('failed-attempts', { valueInteger: attempts }),
      ...candidates.flatMap((id) => attachedReference('candidate', `Patient/${id}`)),
    ],
  })
}

/** A limit of failed attempts that was reached: see session/verification.ts. */
export interface ReachedLimit {
  /** The property shared by all attempts: the number of the caller, the patient or name meant, or only the clinic. */
  readonly of: 'number' | 'patient' | 'name' | 'clinic'
  readonly key: string
  /** Patient.id of the guessed patient. */
  readonly patient?: string
  readonly failures: number
}

/** The text for staff, by the property shared by the attempts. */
const GUESSING = {
  number:
    'Many callers from this number could not be verified. Further attempts from it have to wait. Please find out who calls.',
  patient:
    'Many callers from numbers that are not on the record could not be verified as this patient. Further attempts from such numbers have to wait. Please warn the patient.',
  clinic:
    'More callers than usual could not be verified at this clinic. Further attempts have to wait, unless the number is on the record. Please find out who calls.',
} as const

/**
 * One Task per day (UTC) for each number, patient or clinic with too many failed attempts. An open one is left
 * unchanged, so that a long series of guesses does not make a long history.
 */
export async function recordGuessing(
  ctx: Context,
  call: CallSession,
  own: Versioned<Patient>,
  reached: readonly ReachedLimit[],
): Promise<readonly Versioned<Task>[]> {
  const tasks: Versioned<Task>[] = []
  for (const { of, key, patient, failures } of reached) {
    if (of === 'name') continue
    const id = derivedId('guessing', key, new Date(ctx.now).toISOString().slice(0, 10))
    const current = await ctx.find<Task>('Task', id)
    if (current !== undefined && isOpenTask(current.resource)) continue
    const task = await upsertStaffTask(ctx, call, own, {
      id,
      code: 'identity-guessing',
      priority: 'urgent',
      description: GUESSING[of],
      ...(patient === undefined ? {} : { beneficiary: patient }),
      input: attached('failed-attempts', { valueInteger: failures }),
    })
    tasks.push(task)
  }
  return tasks
}

const OPEN: Pick<StaffTask, 'priority' | 'description'> = {
  priority: 'routine',
  description: 'The caller could not be verified by name and date of birth so far.',
}

const ENDED: Pick<StaffTask, 'priority' | 'description'> = {
  priority: 'urgent',
  description: 'The caller could not be verified, and was offered to speak with a person. Please call back.',
}

const outcome = (
  code: 'verified' | 'not-verified',
  { name, birthDate, phone, unreadablePhone }: StatedForStaff,
): StaffTask['input'] => [
  ...attached('verification', { valueCode: code }),
  ...attachedText('stated-name', name),
  ...attachedText('stated-date-of-birth', birthDate),
  ...attachedText('stated-phone', phone),
  ...attachedText('unreadable-phone', unreadablePhone),
]
