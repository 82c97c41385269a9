/** The tools for bills: the decision to pay oneself, and the escalation to billing staff. */
import { defineOperation } from '../../core/operation.ts'
import { readBack } from '../../spoken/say.ts'
import { KEPT_LENGTH, keptText } from '../../spoken/spoken.ts'
import { spokenCents } from '../../spoken/spoken-money.ts'
import { readAll, readOneOf } from '../../spoken/stated-values.ts'
import { escalateToBilling } from '../record/billing-escalation.ts'
import { recordCall } from '../record/call-record.ts'
import { SELF_PAY_DECISIONS, type SelfPay, writeSelfPay } from '../record/self-pay.ts'
import { remember } from '../record/written-by-call.ts'
import { patientOfRequest } from '../session/patient-of-call.ts'

/** record_self_pay_decision (spec 2.3, 3, 4.1 rule 5): the caller's choice after a self-pay price was quoted. */
export const recordSelfPayDecision = defineOperation('patient-record-self-pay-decision', async (request) => {
  const { decision, selfPayPriceCents } = readAll(DECISION, request.input, { optional: ['selfPayPriceCents'] })
  const selfPay: SelfPay = { decision, ...(selfPayPriceCents === undefined ? {} : { priceCents: selfPayPriceCents }) }
  return request.access.change(async (ctx) => {
    const patient = await patientOfRequest(ctx, request)
    const coverage = await writeSelfPay(ctx, patient.id, selfPay)
    const escalated = selfPay.decision === 'billing_escalation'
    const tasks = escalated ? [await escalateToBilling(ctx, request.call, patient, ESCALATION)] : []
    const written = [coverage, ...tasks]
    await remember(ctx, request.call, patient, { written, selfPay })
    await recordCall(ctx, request.call, patient, { activity: recordSelfPayDecision.code, written })
    return {
      success: true,
      code: CODES[selfPay.decision],
      say: SENTENCES[selfPay.decision],
      ...readBack(request.call, { selfPayPriceCents: selfPay.priceCents }),
    }
  })
})

const ESCALATION = 'was quoted a self-pay price and wants to talk to billing'

const CODES = { self_pay_continue: 'self-pay-continue', billing_escalation: 'billing-escalation' } as const

const SENTENCES = {
  self_pay_continue: 'Thank you, I have noted that you will pay for this yourself.',
  billing_escalation: 'Thank you, I have passed this on to our billing team. They will get back to you.',
} as const

const DECISION = { decision: readOneOf(SELF_PAY_DECISIONS), selfPayPriceCents: spokenCents }

/** escalate_billing (spec 4.1 rule 6): collects the facts of the call for staff. The call is not transferred. */
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
