/** What a call has put on a patient who is somebody else, on the record of its caller instead. */
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
  /** The latest of them, which no search of the same change finds. */
  readonly verification: CoverageEligibilityResponse | undefined
}

/** Said again for `own`, so that nothing of the other patient comes along; Tasks of the call are about `own` from then on. */
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

/** A visit, or an entry of the waitlist. */
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
