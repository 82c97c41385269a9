/** Moves data of a call to the record of its caller, after it was written to another person's record. */
import type { Appointment, CoverageEligibilityResponse, Patient, Task } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { Versioned } from '../../repository/repository.ts'
import { escalateToBilling } from './billing-escalation.ts'
import { endInquiry } from './insurance-inquiry.ts'
import { writeSelfPay } from './self-pay.ts'
import { goesAlong, isTaskOf, moveStaffTask } from './staff-task.ts'
import { recordInsurance } from './submitted-insurance.ts'
import type { WrittenByCall } from './written-by-call.ts'

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
