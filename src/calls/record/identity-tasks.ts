/**
 * Tasks for staff about who calls: a caller who turns out to be someone else, or states something that differs from the record,
 * with the data of the call that go along to the caller's own record; and the outcome of a verification, on the record of
 * the verified patient and on that of the call's own patient.
 */
import type { Appointment, CoverageEligibilityResponse, Patient, Task, TaskInput } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { isOpenTask } from '../../fhir/task-status.ts'
import type { Versioned } from '../../repository/repository.ts'
import { AMENDED_FIELDS, type Difference } from './amended-patient.ts'
import { escalateToBilling } from './billing-escalation.ts'
import { writeSelfPay } from './coverage.ts'
import {
  attached,
  attachedReference,
  attachedText,
  codeOfInput,
  completeStaffTask,
  goesAlong,
  inputCodeOf,
  isTaskOf,
  moveStaffTask,
  type StaffTask,
  upsertStaffTask,
} from './staff-task.ts'
import { personOf, type StatedPerson } from './stated-person.ts'
import { endInquiry, recordInsurance } from './submitted-insurance.ts'
import type { TakenBack, WrittenByCall } from './written-by-call.ts'

/** One Task for each call and patient, with all additions and differences. */
export async function recordChange(
  ctx: Context,
  call: CallSession,
  patient: Versioned<Patient>,
  differences: readonly Difference[],
): Promise<Versioned<Task>> {
  const id = derivedId('record-change', call.callId, patient.id)
  const earlier = (await ctx.find<Task>('Task', id))?.resource.input ?? []
  return await upsertStaffTask(ctx, call, patient, {
    id,
    code: 'record-change',
    priority: 'routine',
    description:
      'A caller stated what this record did not have, or had otherwise. A name and a birth date are only completed; what was replaced is kept as old. Please check.',
    input: distinct([...earlier.filter(isDifference), ...differences.flatMap(bothSides)]),
  })
}

const bothSides = ({ field, recorded, stated }: Difference): readonly TaskInput[] => [
  ...attachedText(`recorded-${inputCodeOf(field)}`, recorded),
  ...attachedText(`stated-${inputCodeOf(field)}`, stated),
]

const DIFFERENCE_CODES: ReadonlySet<string> = new Set(
  AMENDED_FIELDS.map(inputCodeOf).flatMap((code) => [`recorded-${code}`, `stated-${code}`]),
)
const isDifference = (input: TaskInput): boolean => DIFFERENCE_CODES.has(codeOfInput(input))

/** More would not help staff to compare. */
const MAX_DIFFERENCES = 60

/** Distinct inputs; if there are too many, the latest. */
const distinct = (inputs: readonly TaskInput[]): readonly TaskInput[] =>
  [...new Map(inputs.map((input) => [`${codeOfInput(input)} ${input.valueString}`, input])).values()].slice(
    -MAX_DIFFERENCES,
  )

interface OtherPerson {
  /** The patient to whom the call was assigned before. */
  readonly recorded: Versioned<Patient>
  readonly stated: StatedPerson
  /** Arguments that were stated before the mistake was noticed. */
  readonly earlierFields: readonly string[]
  /** The call's earlier changes to the record: undone, left in place, or moved. */
  readonly earlier: TakenBack & GoneAlong
}

/** @param own the patient with whom the call continues; the Task is for the one to whom it was assigned before */
export async function recordOtherPerson(
  ctx: Context,
  call: CallSession,
  own: Versioned<Patient>,
  { recorded, stated, earlierFields, earlier: { back, left, along, verification } }: OtherPerson,
): Promise<Versioned<Task>> {
  return await raiseContradiction(ctx, call, own, {
    description:
      'The caller is not the patient whom the call was taken for: name or birth date differ. Nothing was replaced, and the call goes on with a record of its own; what it had put on the other one before anybody said who they are is taken back unless somebody else has changed it since. Please compare both records.',
    recorded,
    stated,
    input: [
      ...earlierFields.flatMap((field) => attachedText('stated-before', field)),
      ...addressesOf(back).flatMap((address) => attachedReference('taken-back', address)),
      ...left.flatMap((address) => attachedReference('not-taken-back', address)),
      ...addressesOf(along).flatMap((address) => attachedReference('went-along', address)),
    ],
    verification,
  })
}

/** @param own the placeholder of the call; the Task is for the patient of an earlier call from the number */
export const recordOtherCaller = (
  ctx: Context,
  call: CallSession,
  own: Versioned<Patient>,
  earlier: Versioned<Patient>,
): Promise<Versioned<Task>> =>
  raiseContradiction(ctx, call, own, {
    description:
      'Another person has called from the number of this placeholder: name or birth date differ. The call has a placeholder of its own, and nothing was replaced. Please compare both records.',
    recorded: earlier,
    stated: personOf(own.resource),
    input: [],
    verification: undefined,
  })

interface Contradiction {
  readonly description: string
  readonly recorded: Versioned<Patient>
  readonly stated: StatedPerson
  readonly input: readonly TaskInput[]
  readonly verification: CoverageEligibilityResponse | undefined
}

/** One Task for each call and contradicted record. */
async function raiseContradiction(
  ctx: Context,
  call: CallSession,
  own: Versioned<Patient>,
  { description, recorded, stated, input, verification }: Contradiction,
): Promise<Versioned<Task>> {
  return await upsertStaffTask(ctx, call, own, {
    id: derivedId('other-person', call.callId, recorded.id),
    code: 'identity-contradiction',
    priority: 'routine',
    description,
    beneficiary: recorded.id,
    input: [
      ...attachedReference('recorded-patient', `Patient/${recorded.id}`),
      ...personInput('recorded', personOf(recorded.resource)),
      ...attachedReference('call-patient', `Patient/${own.id}`),
      ...personInput('stated', stated),
      ...input,
    ],
    ...(verification === undefined ? {} : { verification }),
  })
}

const personInput = (side: 'recorded' | 'stated', person: StatedPerson): readonly TaskInput[] =>
  (['firstName', 'lastName', 'dateOfBirth'] as const).flatMap((field) =>
    attachedText(`${side}-${inputCodeOf(field)}`, person[field]),
  )

/** Distinct addresses, even of resources written twice. */
const addressesOf = (written: readonly Versioned[]): readonly string[] => [
  ...new Set(written.map(({ type, id }) => `${type}/${id}`)),
]

export interface GoneAlong {
  readonly along: readonly Versioned[]
  /** The latest response, which a search in the same change would miss. */
  readonly verification: CoverageEligibilityResponse | undefined
}

/**
 * Writes the same data again for `own`, so that no data of the other patient is copied. Open Tasks of the call are
 * about `own` from then on.
 */
export async function goAlong(
  ctx: Context,
  call: CallSession,
  own: Versioned<Patient>,
  { patient, insurance, selfPay, written }: WrittenByCall,
): Promise<GoneAlong> {
  const along: Versioned[] = []
  let verification: CoverageEligibilityResponse | undefined
  for (const { asked, coverage } of insurance) {
    await endInquiry(ctx, call, coverage)
    const recorded = await recordInsurance(ctx, call, own, asked)
    verification = recorded.response.resource
    along.push(...recorded.written)
  }
  if (selfPay !== undefined) along.push(await writeSelfPay(ctx, own.id, selfPay))
  for (const { type, id } of written) {
    if (type === 'Appointment') along.push(...(await moveVisit(ctx, id, { from: patient, to: own.id })))
    const task = type === 'Task' ? await ctx.find<Task>('Task', id) : undefined
    if (task === undefined || !goesAlong(task.resource)) continue
    along.push(
      isTaskOf(task.resource, 'billing-escalation')
        ? await escalateToBilling(ctx, call, own, undefined, { verification, from: patient })
        : await moveStaffTask(ctx, task.resource, own, { from: patient, verification }),
    )
  }
  return { along, verification }
}

/** Moves an appointment or a waitlist entry. */
async function moveVisit(
  ctx: Context,
  id: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly Versioned[]> {
  const visit = await ctx.find<Appointment>('Appointment', id)
  if (visit === undefined) return []
  const participant = visit.resource.participant.map((one) =>
    one.actor?.reference === `Patient/${from}` ? { ...one, actor: { reference: `Patient/${to}` } } : one,
  )
  return [await ctx.update<Appointment>({ ...visit.resource, id, participant })]
}

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
