/** The self-pay decision of a patient: one Coverage of type self-pay, whose history shows every decision. */
import type { Coverage } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import type { Versioned } from '../../repository/repository.ts'
import {
  COVERAGE_COST_SYSTEM,
  concept,
  extensionOf,
  extensionUrl,
  SELF_PAY_SYSTEM,
  withExtension,
} from './vocabulary.ts'

/** Spec 3, self-pay decision. */
export const SELF_PAY_DECISIONS = ['self_pay_continue', 'billing_escalation'] as const
export type SelfPayDecision = (typeof SELF_PAY_DECISIONS)[number]

export interface SelfPay {
  readonly decision: SelfPayDecision
  /** The price quoted to the caller. */
  readonly priceCents?: number
}

export const isSelfPayDecision = (value: unknown): value is SelfPayDecision =>
  SELF_PAY_DECISIONS.some((decision) => decision === value)

const selfPayId = (patient: string): string => derivedId('self-pay', patient)

/** A Coverage entered in error is ignored. */
async function findSelfPay(ctx: Context, patient: string): Promise<Coverage | undefined> {
  const coverage = (await ctx.find<Coverage>('Coverage', selfPayId(patient)))?.resource
  return coverage?.status === 'entered-in-error' ? undefined : coverage
}

export async function readSelfPay(ctx: Context, patient: string): Promise<SelfPay | undefined> {
  const coverage = await findSelfPay(ctx, patient)
  const decision = extensionOf(coverage, 'self-pay-decision')?.valueCode
  const priceCents = extensionOf(coverage?.costToBeneficiary?.[0], 'self-pay-price-cents')?.valueInteger
  return isSelfPayDecision(decision) ? { decision, ...(priceCents === undefined ? {} : { priceCents }) } : undefined
}

/** A decision without a price keeps the price recorded before. */
export async function writeSelfPay(
  ctx: Context,
  patient: string,
  { decision, priceCents }: SelfPay,
): Promise<Versioned<Coverage>> {
  const current = (await findSelfPay(ctx, patient)) ?? newSelfPay(patient)
  const coverage = withExtension(current, 'self-pay-decision', { valueCode: decision })
  return await ctx.update<Coverage>({
    ...coverage,
    // Nothing is agreed until billing has spoken to the caller.
    status: decision === 'self_pay_continue' ? 'active' : 'draft',
    ...(priceCents === undefined ? {} : { costToBeneficiary: [quotedPrice(priceCents)] }),
  })
}

const newSelfPay = (patient: string): Coverage => ({
  resourceType: 'Coverage',
  id: selfPayId(patient),
  status: 'draft',
  type: concept(SELF_PAY_SYSTEM, 'pay', 'Pay'),
  beneficiary: { reference: `Patient/${patient}` },
  payor: [{ reference: `Patient/${patient}` }],
})

/**
 * A FHIR Money has no cents: the extension keeps the number as given, while valueMoney is understood by any FHIR
 * client.
 */
const quotedPrice = (cents: number): NonNullable<Coverage['costToBeneficiary']>[number] => ({
  extension: [{ url: extensionUrl('self-pay-price-cents'), valueInteger: cents }],
  type: concept(COVERAGE_COST_SYSTEM, 'self-pay-price', 'Self-pay price quoted to the caller'),
  valueMoney: { value: cents / 100 },
})
