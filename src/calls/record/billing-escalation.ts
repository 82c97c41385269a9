/**
 * The Task for the billing staff: one for each patient of a call, with all facts of the call; repeats in the same call
 * add to it.
 */
import type { CoverageEligibilityResponse, Patient, Task, TaskInput } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import type { Versioned } from '../../repository/repository.ts'
import { callBundle } from './call-bundle.ts'
import {
  attachedText,
  codeOfInput,
  createStaffTask,
  latestVerification,
  type StaffTask,
  upsertStaffTask,
} from './staff-task.ts'

/** Most reasons of one call, each a sentence or two; the latest are kept. */
const MAX_REASONS = 50

/** Maximum length, in characters, of the list of reasons in Task.description; Task.input has all of them in full. */
const MAX_DESCRIPTION = 2_000

interface Moved {
  /** The latest response; absent: the one found by a search, which misses one written by the same change. */
  readonly verification?: CoverageEligibilityResponse | undefined
  /** Patient.id of the Task's previous patient. */
  readonly from?: string | undefined
}

/**
 * Reopens a Task that staff have closed. Without a call (raised by staff), each escalation is a new Task.
 * @param reason absent: the caller gave none
 */
export async function escalateToBilling(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  reason: string | undefined,
  { verification, from }: Moved = {},
): Promise<Versioned<Task>> {
  if (call === undefined)
    return await createStaffTask(
      ctx,
      call,
      patient,
      await escalation(ctx, call, patient, { given: [reason], verification, from }),
    )
  const id = await idFor(ctx, call, from ?? patient.id)
  const earlier = (await ctx.find<Task>('Task', id))?.resource
  const reasons = [...(earlier?.input ?? []).filter(isReason).map(({ valueString }) => valueString), reason]
  return await upsertStaffTask(ctx, call, patient, {
    id,
    ...(await escalation(ctx, call, patient, { given: reasons, verification, from })),
  })
}

/**
 * Id of the call's Task if that is about the patient; otherwise another id, for the patient with whom the call
 * continued.
 */
async function idFor(ctx: Context, { callId }: CallSession, patient: string): Promise<string> {
  const ofCall = derivedId('billing-escalation', callId)
  const focus = (await ctx.find<Task>('Task', ofCall))?.resource.focus?.reference
  return focus === undefined || focus === `Patient/${patient}`
    ? ofCall
    : derivedId('billing-escalation', callId, patient)
}

const isReason = (input: TaskInput): boolean => codeOfInput(input) === 'reason'

interface Given extends Moved {
  readonly given: readonly (string | undefined)[]
}

async function escalation(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  { given, verification: latest, from }: Given,
): Promise<StaffTask> {
  const reasons = [...new Set(given.filter((reason) => reason !== undefined))].slice(-MAX_REASONS)
  const text = reasons.join('; ')
  const verification = latest ?? (await latestVerification(ctx, patient))
  const shown = text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION).toWellFormed()} […]`
  return {
    code: 'billing-escalation',
    priority: 'urgent',
    description:
      reasons.length === 0
        ? 'The caller asks for help with billing.'
        : `The caller asks for help with billing: ${shown}`,
    input: [
      ...reasons.flatMap((reason) => attachedText('reason', reason)),
      ...(await callBundle(ctx, call, { patient, from, verification })),
    ],
    ...(verification === undefined ? {} : { verification }),
  }
}
