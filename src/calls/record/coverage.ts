/**
 * Coverages of a patient: the result of an insurance verification, with its CoverageEligibilityRequest and
 * CoverageEligibilityResponse; and the self-pay decision, one Coverage of type self-pay, whose history shows every decision.
 */
import { isDeepStrictEqual } from 'node:util'
import type {
  Coverage,
  CoverageEligibilityRequest,
  CoverageEligibilityResponse,
  Extension,
  Patient,
  Reference,
} from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import type { InsuranceRequest, InsuranceResult, InsuranceStatus } from '../../core/ports.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { fold } from '../../fhir/text-folding.ts'
import type { Versioned } from '../../repository/repository.ts'
import {
  COVERAGE_COST_SYSTEM,
  concept,
  extensionOf,
  extensionUrl,
  hasCoding,
  INSURANCE_STATUS_SYSTEM,
  SELF_PAY_SYSTEM,
  withExtension,
} from './vocabulary.ts'

export type InsuranceCard = Omit<InsuranceRequest, 'clinic'>

/** The subscriberName of a card whose subscriber is the patient, whoever that turns out to be. */
export const SELF = 'self'

export interface InsuranceRecord {
  /** Coverage.id. */
  readonly coverage: string
  readonly response: Versioned<CoverageEligibilityResponse>
  readonly written: readonly Versioned[]
}

/** Stages all three resources. Repeated submissions of the same insurer and member id write to the same Coverage. */
export async function writeInsurance(
  ctx: Context,
  patient: Versioned<Patient>,
  card: InsuranceCard,
  result: InsuranceResult,
): Promise<InsuranceRecord> {
  const coverage = await writeCoverage(ctx, patient, card, result.status)
  const common = {
    status: 'active',
    purpose: ['validation', 'benefits'],
    patient: { reference: `Patient/${patient.id}` },
    created: new Date(ctx.now).toISOString(),
    insurer: insurer(card),
  } as const satisfies Partial<CoverageEligibilityRequest>
  const request = await ctx.create<CoverageEligibilityRequest>({
    ...common,
    purpose: [...common.purpose],
    resourceType: 'CoverageEligibilityRequest',
    insurance: [{ focal: true, coverage: { reference: `Coverage/${coverage.id}` } }],
  })
  const response = await ctx.create<CoverageEligibilityResponse>({
    ...common,
    purpose: [...common.purpose],
    resourceType: 'CoverageEligibilityResponse',
    request: { reference: `CoverageEligibilityRequest/${request.id}` },
    ...outcomeOf(result, coverage.id),
  })
  return { coverage: coverage.id, response, written: [...coverage.written, request, response] }
}

/**
 * Stages a late result, in place of that in the queued response.
 * @returns undefined if staff have since deleted one of the resources or the patient
 */
export async function updateInsurance(
  ctx: Context,
  { coverage: coverageId, response: responseId }: { readonly coverage: string; readonly response: string },
  result: InsuranceResult,
): Promise<(InsuranceRecord & { readonly patient: Versioned<Patient> }) | undefined> {
  const coverage = await ctx.find<Coverage>('Coverage', coverageId)
  const queued = await ctx.find<CoverageEligibilityResponse>('CoverageEligibilityResponse', responseId)
  // The current beneficiary: two patients may have been merged since.
  const beneficiary = coverage?.resource.beneficiary.reference?.replace(/^Patient\//, '')
  const patient = beneficiary === undefined ? undefined : await ctx.find<Patient>('Patient', beneficiary)
  if (coverage === undefined || queued === undefined || patient === undefined) return undefined
  const verified =
    result.status === 'VERIFIED' && coverage.resource.status !== 'active'
      ? [await ctx.update<Coverage>({ ...coverage.resource, status: 'active' })]
      : []
  const { error: _error, ...rest } = queued.resource
  const response = await ctx.update<CoverageEligibilityResponse>({ ...rest, ...outcomeOf(result, coverageId) })
  return { coverage: coverageId, response, patient, written: [...verified, response] }
}

/** A reference by display only: the sandbox has no resources for the clinic's insurers. */
const insurer = ({ payerName }: InsuranceCard): Reference => ({ type: 'Organization', display: payerName })

async function writeCoverage(
  ctx: Context,
  patient: Versioned<Patient>,
  card: InsuranceCard,
  status: InsuranceStatus,
): Promise<{ readonly id: string; readonly written: readonly Versioned[] }> {
  const found = await findCoverage(ctx, patient, card)
  const current = found?.resource ?? newCoverage(patient.id, card)
  const next: Coverage = {
    ...current,
    // Only a successful verification makes it active. No result makes it inactive: that is a decision for staff.
    status: status === 'VERIFIED' ? 'active' : current.status,
    ...subscriberOf(card, current, patient.id),
    ...groupOf(card, current),
  }
  // Unchanged content needs no new version.
  if (found !== undefined && isDeepStrictEqual(next, current)) return { id: found.id, written: [] }
  const saved = await ctx.update<Coverage>(next)
  return { id: saved.id, written: [saved] }
}

const isInError = ({ resource }: Versioned<Coverage>): boolean => resource.status === 'entered-in-error'

const newCoverage = (patient: string, card: InsuranceCard): Coverage => ({
  resourceType: 'Coverage',
  id: coverageId(patient, card),
  status: 'draft',
  subscriberId: card.memberId,
  beneficiary: { reference: `Patient/${patient}` },
  payor: [insurer(card)],
})

/** A member id said aloud lacks the dashes and spaces of the card. */
const signs = (memberId: string): string => fold(memberId).replace(/[\s/-]+/g, '')

const coverageId = (patient: string, { payerName, memberId }: InsuranceCard): string =>
  derivedId('coverage', patient, fold(payerName), signs(memberId))

/** The Coverage with that insurer and member id, whoever wrote it, unless it was entered in error. */
async function findCoverage(
  ctx: Context,
  { id, created }: Versioned<Patient>,
  card: InsuranceCard,
): Promise<Versioned<Coverage> | undefined> {
  if (created) return undefined
  const own = await ctx.find<Coverage>('Coverage', coverageId(id, card))
  if (own !== undefined && !isInError(own)) return own
  const all = await ctx.search<Coverage>('Coverage', `beneficiary=Patient/${id}`)
  return all.find((coverage) => !isInError(coverage) && isOfCard(coverage.resource, card))
}

const isOfCard = ({ subscriberId = '', payor }: Coverage, card: InsuranceCard): boolean =>
  signs(subscriberId) === signs(card.memberId) &&
  payor.some(({ display = '' }) => fold(display) === fold(card.payerName))

function subscriberOf({ subscriberName }: InsuranceCard, current: Coverage, patient: string): Partial<Coverage> {
  if (subscriberName === SELF) return { subscriber: { reference: `Patient/${patient}` } }
  return subscriberName === undefined || subscriberName === current.subscriber?.display
    ? {}
    : { subscriber: { display: subscriberName } }
}

const GROUP = { system: 'http://terminology.hl7.org/CodeSystem/coverage-class', code: 'group' }

function groupOf({ groupId }: InsuranceCard, current: Coverage): Partial<Coverage> {
  if (groupId === undefined) return {}
  const others = (current.class ?? []).filter(({ type }) => !hasCoding(type, GROUP))
  return { class: [...others, { type: concept(GROUP.system, GROUP.code, 'Group'), value: groupId }] }
}

type Outcome = Pick<CoverageEligibilityResponse, 'extension' | 'outcome' | 'disposition' | 'insurance' | 'error'>

function outcomeOf({ status, copayCents, errorMessage }: InsuranceResult, coverage: string): Outcome {
  const { outcome, inforce } = IN_FHIR[status]
  const failed = outcome === 'error'
  return {
    extension: [{ url: extensionUrl('insurance-status'), valueCode: status }],
    outcome,
    disposition: errorMessage ?? status,
    insurance: [
      {
        coverage: { reference: `Coverage/${coverage}` },
        ...(inforce === undefined ? {} : { inforce }),
        ...(copayCents === undefined ? {} : { item: [copay(copayCents)] }),
      },
    ],
    ...(failed
      ? { error: [{ code: { ...concept(INSURANCE_STATUS_SYSTEM, status), text: errorMessage ?? status } }] }
      : {}),
  }
}

/** The status of the verification system, mapped to CoverageEligibilityResponse. */
const IN_FHIR: Readonly<
  Record<InsuranceStatus, { readonly outcome: CoverageEligibilityResponse['outcome']; readonly inforce?: boolean }>
> = {
  VERIFIED: { outcome: 'complete', inforce: true },
  PENDING: { outcome: 'queued' },
  INACTIVE: { outcome: 'complete', inforce: false },
  NOT_COVERED: { outcome: 'complete', inforce: false },
  MEMBER_NOT_FOUND: { outcome: 'error' },
  INVALID_MEMBER_INFO: { outcome: 'error' },
  PAYER_NOT_SUPPORTED: { outcome: 'error' },
  PAYER_UNAVAILABLE: { outcome: 'error' },
  ERROR: { outcome: 'error' },
}

type Item = NonNullable<NonNullable<CoverageEligibilityResponse['insurance']>[number]['item']>[number]

const copay = (cents: number): Item => ({
  category: concept('http://terminology.hl7.org/CodeSystem/ex-benefitcategory', '30', 'Health Benefit Plan Coverage'),
  benefit: [
    {
      type: concept('http://terminology.hl7.org/CodeSystem/benefit-type', 'copay', 'Copayment per service'),
      allowedMoney: { value: cents / 100 },
    },
  ],
})

/** Spec 3, self-pay decision. */
export const SELF_PAY_DECISIONS = ['self_pay_continue', 'billing_escalation'] as const
export type SelfPayDecision = (typeof SELF_PAY_DECISIONS)[number]

export interface SelfPay {
  readonly decision: SelfPayDecision
  /** The price quoted to the caller. */
  readonly priceCents?: number
}

const isSelfPayDecision = (value: unknown): value is SelfPayDecision =>
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
  const price = extensionOf(coverage?.costToBeneficiary?.[0], 'self-pay-price-cents')
  const priceCents = price?.valueInteger ?? price?.valueDecimal
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

/** A price with parts of a cent is a decimal. */
export const centsValue = (cents: number): Pick<Extension, 'valueInteger' | 'valueDecimal'> =>
  Number.isInteger(cents) ? { valueInteger: cents } : { valueDecimal: cents }

/**
 * A FHIR Money has no cents: the extension keeps the number as given, while valueMoney is understood by any FHIR
 * client.
 */
const quotedPrice = (cents: number): NonNullable<Coverage['costToBeneficiary']>[number] => ({
  extension: [{ url: extensionUrl('self-pay-price-cents'), ...centsValue(cents) }],
  type: concept(COVERAGE_COST_SYSTEM, 'self-pay-price', 'Self-pay price quoted to the caller'),
  valueMoney: { value: cents / 100 },
})
