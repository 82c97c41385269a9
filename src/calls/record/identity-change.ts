/**
 * A caller who turns out to be someone else, or states something that differs from the record: Tasks for staff, and the data
 * of the call that go along to the caller's own record.
 */
import type { Appointment, CoverageEligibilityResponse, Patient, Task, TaskInput } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { AmendedField, Difference } from './amended-patient.ts'
import { escalateToBilling } from './billing-escalation.ts'
import { writeSelfPay } from './self-pay.ts'
import {
  attachedReference,
  attachedText,
  codeOfInput,
  goesAlong,
  isTaskOf,
  moveStaffTask,
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

const CODES: Readonly<Record<AmendedField, string>> = {
  firstName: 'first-name',
  lastName: 'last-name',
  dateOfBirth: 'date-of-birth',
  phone: 'phone',
  email: 'email',
  address: 'address',
}

const bothSides = ({ field, recorded, stated }: Difference): readonly TaskInput[] => [
  ...attachedText(`recorded-${CODES[field]}`, recorded),
  ...attachedText(`stated-${CODES[field]}`, stated),
]

const DIFFERENCE_CODES: ReadonlySet<string> = new Set(
  Object.values(CODES).flatMap((code) => [`recorded-${code}`, `stated-${code}`]),
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

const personInput = (side: 'recorded' | 'stated', { firstName, lastName, dateOfBirth }: StatedPerson) => [
  ...attachedText(`${side}-${CODES.firstName}`, firstName),
  ...attachedText(`${side}-${CODES.lastName}`, lastName),
  ...attachedText(`${side}-${CODES.dateOfBirth}`, dateOfBirth),
]

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
