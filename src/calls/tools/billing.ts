/** The tools for bills: the insurance card, the decision to pay oneself, and the escalation to billing staff. */

import { randomUUID } from 'node:crypto'
import { ownSystem } from '../../clinics/insurance-settings.ts'
import { readSettings } from '../../clinics/settings.ts'
import { defineOperation, type OperationOutput } from '../../core/operation.ts'
import type { InsuranceResult, InsuranceStatus } from '../../core/ports.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { currentBudget } from '../../isolation/budget.ts'
import { readBack } from '../../spoken/say.ts'
import { KEPT_LENGTH, keptText, lettersOf, type ParsedValue, understood } from '../../spoken/spoken.ts'
import { spokenIdentifier } from '../../spoken/spoken-identifier.ts'
import { spokenCents } from '../../spoken/spoken-money.ts'
import { readAll, readLine, readOneOf, readPersonName } from '../../spoken/stated-values.ts'
import { escalateToBilling } from '../record/billing-escalation.ts'
import { recordCall } from '../record/call-record.ts'
import { type InsuranceCard, SELF, SELF_PAY_DECISIONS, type SelfPay, writeSelfPay } from '../record/coverage.ts'
import { recordInsurance } from '../record/submitted-insurance.ts'
import { remember } from '../record/written-by-call.ts'
import { patientOfRequest, requirePatient } from '../session/patient-of-call.ts'

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

/**
 * submit_insurance_info (spec 2.3, 3 rule 1): sends the card to the clinic's insurance-verification system, records its
 * result and relays it. Nothing is decided here. `success` means that the status is VERIFIED or PENDING.
 */
export const submitInsuranceInfo = defineOperation('patient-submit-insurance-info', async (request) => {
  const { access, integrations } = request
  const { payerName, memberId, ...optional } = readAll(CARD, request.input, {
    optional: ['groupId', 'subscriberName'],
  })
  const card: InsuranceCard = { payerName, memberId, ...optional }
  requirePatient(request)
  if (request.id !== undefined) await (await access.reader()).read('Patient', request.id)
  // The request to the system precedes the change, which may be retried, while the system must get one request only.
  // After that, this request must not restart on a worker.
  currentBudget()?.pinToThread()
  const { insurance: settings } = await readSettings((await access.reader()).unit, access.clinic)
  // A repeat in another process, or after a crash, may send it twice all the same: with the same key.
  const idempotencyKey = derivedId('insurance', request.repeatKey ?? randomUUID())
  const verification = await integrations.insurance.verify(
    { clinic: access.clinic, ...card },
    { settings, idempotencyKey },
  )
  return await access.change(async (ctx) => {
    const patient = await patientOfRequest(ctx, request)
    const asked = { card, idempotencyKey, ofClinic: ownSystem(settings) !== undefined, result: verification }
    const { coverage, written } = await recordInsurance(ctx, request.call, patient, asked)
    await remember(ctx, request.call, patient, { written, insurance: { asked, coverage } })
    await recordCall(ctx, request.call, patient, { activity: submitInsuranceInfo.code, written })
    return { ...relayed(verification), ...readBack(request.call, { memberId, ...optional }) }
  })
})

/** Fields of the insurance card; ids as printed on it, or spelled. */
const CARD = {
  payerName: (value: unknown) => readLine(value, MAX_PAYER_LENGTH),
  memberId: spokenIdentifier,
  groupId: spokenIdentifier,
  subscriberName: readSubscriber,
} as const

/** Length in characters. */
const MAX_PAYER_LENGTH = 200

/** Words for the patient as the subscriber, by their letters. */
const PATIENT_WORDS: ReadonlySet<string> = new Set(['self', 'myself', 'me', 'patient', 'thepatient'])

/** A name, or SELF. */
function readSubscriber(value: unknown): ParsedValue {
  const isPatient = typeof value === 'string' && PATIENT_WORDS.has(lettersOf(value))
  return isPatient ? understood(SELF) : readPersonName(value)
}

function relayed({ status, copayCents, errorMessage }: InsuranceResult): OperationOutput {
  const success = status === 'VERIFIED' || status === 'PENDING'
  return {
    success,
    status,
    ...(copayCents === undefined ? {} : { copayCents }),
    ...(success ? {} : { errorMessage: errorMessage ?? INSURANCE_SENTENCES[status] }),
    code: status.toLowerCase().replaceAll('_', '-'),
    say: INSURANCE_SENTENCES[status],
  }
}

const INSURANCE_SENTENCES: Readonly<Record<InsuranceStatus, string>> = {
  VERIFIED: 'Thank you, your insurance is verified.',
  PENDING: 'Thank you. Your insurance is being checked, and we will let you know the result.',
  INACTIVE: 'The insurer says that this coverage is not active.',
  NOT_COVERED: 'The insurer says that this visit is not covered.',
  MEMBER_NOT_FOUND: 'The insurer could not find that member ID. Could you read it to me again?',
  INVALID_MEMBER_INFO: 'The insurer could not read those details. Could you read them to me again?',
  PAYER_NOT_SUPPORTED: 'We cannot check that insurer by phone. Our staff will look into it.',
  PAYER_UNAVAILABLE: 'The insurer cannot be reached at the moment. Our staff will check again later.',
  ERROR: 'Your insurance could not be checked just now. Our staff will look into it.',
}
