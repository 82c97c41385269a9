/**
 * Repeats pending inquiries at verification systems in the background, until there is a result or the time is up: the
 * record is updated, and staff get a Task. An inquiry is leased (by its record's version) during a request, so if a
 * process dies, another one repeats the request when the lease ends, and the result is recorded once.
 */
import { ownSystem } from '../../clinics/insurance-settings.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import type { InsuranceResult, InsuranceVerification } from '../../core/ports.ts'
import { DueWork, type DueWorkServices, type Leased, lease } from '../../integrations/due-work.ts'
import { waitAfter } from '../../integrations/outbox/rows.ts'
import { updateInsurance } from './coverage.ts'
import { ASK_FOR, followUpLater, INQUIRY, type InsuranceInquiry } from './submitted-insurance.ts'
import { rememberChange } from './written-by-call.ts'

/** Timeout of a request in milliseconds while no caller waits; shorter than the lease. */
const DEADLINE = 15_000

export interface InquiryServices extends DueWorkServices {
  readonly insurance: InsuranceVerification
  readonly accessOf: (clinic: string) => ClinicAccess
}

export const insuranceInquiries = (services: InquiryServices): DueWork<InsuranceInquiry> =>
  new DueWork(services, {
    kind: INQUIRY,
    systemOf: () => 'insurance',
    workOn: async ({ clinic, key }, signal) => {
      const access = services.accessOf(clinic)
      const leased = await lease(access, INQUIRY, key)
      if (leased === undefined) return
      const result = await ask(access, services.insurance, leased.value, signal)
      if (signal.aborted) return
      const isSettled = await settle(access, key, leased, result)
      const { tries } = leased.value
      services.logger.info({ clinic, tries, status: result.status, isSettled }, 'insurance asked again')
    },
    failure: 'the insurance could not be asked again',
  })

async function ask(
  access: ClinicAccess,
  insurance: InsuranceVerification,
  { card, idempotencyKey, ofClinic }: InsuranceInquiry,
  signal: AbortSignal,
): Promise<InsuranceResult> {
  const { insurance: settings } = await readSettings((await access.reader()).unit, access.clinic)
  if (ofClinic && ownSystem(settings) === undefined) return noSystem
  const exchange = { settings, idempotencyKey, deadlineMs: DEADLINE, signal }
  return await insurance.verify({ clinic: access.clinic, ...card }, exchange)
}

const noSystem: InsuranceResult = {
  status: 'ERROR',
  reason: 'the clinic has no verification system any more',
  again: { afterMs: 0 },
}

/** Returns false if the inquiry continues, or another process holds it. */
const settle = (
  access: ClinicAccess,
  coverage: string,
  { value: inquiry, version }: Leased<InsuranceInquiry>,
  result: InsuranceResult,
): Promise<boolean> =>
  access.change(async (ctx) => {
    const { records } = ctx.unit
    const record = await records.read(INQUIRY, coverage)
    if (record === undefined || record.version !== version) return false
    const isPending = result.status === 'PENDING' || result.again !== undefined
    if (isPending && ctx.now < inquiry.tryUntil) {
      records.put(INQUIRY, coverage, inquiry, { due: ctx.now + waitAfter(inquiry.tries, result.again?.afterMs) })
      return false
    }
    records.delete(INQUIRY, coverage)
    await recordResult(ctx, coverage, inquiry, isPending ? withoutResult(result) : result)
    return true
  })

const withoutResult = ({ reason = 'the verification system says that it is pending' }: InsuranceResult) =>
  ({
    status: 'PAYER_UNAVAILABLE',
    errorMessage: `The insurer gave no result within ${ASK_FOR / 3_600_000} hours`,
    reason: `${reason}; it is not asked again`,
  }) as const satisfies InsuranceResult

async function recordResult(
  ctx: Context,
  coverage: string,
  { response, call }: InsuranceInquiry,
  result: InsuranceResult,
): Promise<void> {
  const record = await updateInsurance(ctx, { coverage, response }, result)
  if (record === undefined) return
  const task = await followUpLater(ctx, call, record.patient, result, record)
  if (call !== undefined) await rememberChange(ctx, call, [...record.written, task])
}
