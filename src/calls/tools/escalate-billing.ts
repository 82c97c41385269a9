/** escalate_billing (spec 4.1 rule 6): collects the facts of the call for staff. The call is not transferred. */
import { defineOperation } from '../../core/operation.ts'
import { KEPT_LENGTH, keptText } from '../../spoken/kept-text.ts'
import { escalateToBilling } from '../record/billing-escalation.ts'
import { recordCall } from '../record/call-record.ts'
import { remember } from '../record/written-by-call.ts'
import { patientOfRequest } from '../session/patient-of-call.ts'

export const escalateBilling = defineOperation('patient-escalate-billing', async (request) => {
  const reason = keptText(request.input.reason, KEPT_LENGTH)
  return request.access.change(async (ctx) => {
    const patient = await patientOfRequest(ctx, request)
    const task = await escalateToBilling(ctx, request.call, patient, reason)
    await remember(ctx, request.call, patient, { written: [task] })
    await recordCall(ctx, request.call, patient, { activity: escalateBilling.code, written: [task] })
    return {
      success: true,
      code: 'escalated',
      say: 'I have passed this on to our billing team. They will get back to you.',
    }
  })
})
