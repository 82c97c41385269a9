/**
 * The insurance-verification system of a clinic, over HTTP: docs/insurance.md. A clinic without one, or whose settings
 * name the simulator, uses the simulator: over the same HTTP where this server listens, within the process where it
 * does not.
 */
import { hash } from 'node:crypto'
import { DEFAULT_DEADLINE, ownSystem } from '../../clinics/insurance-settings.ts'
import {
  INSURANCE_STATUSES,
  type InsuranceRequest,
  type InsuranceResult,
  type InsuranceStatus,
  type InsuranceVerification,
} from '../../core/ports.ts'
import { isObject } from '../../fhir/resource.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import { deliveryOf, jsonOf, retryAfterMs } from '../exchange.ts'
import { simulated } from '../insurance-simulator.ts'
import {
  type Answer,
  about,
  type Outbound,
  OutboundFailure,
  type OutboundRequest,
  sendOutbound,
} from '../outbound-request.ts'
import { CircuitBreaker } from './circuit-breaker.ts'

/** The name of the system in reasons. */
const SYSTEM = 'the verification system'

/** Milliseconds until a system that was only too slow for the caller is tried again. */
const SOON = 5_000

/** Results for the caller; staff get the reason too. */
const UNAVAILABLE = {
  status: 'PAYER_UNAVAILABLE',
  errorMessage: 'The insurance-verification system cannot be reached at the moment',
} as const satisfies InsuranceResult
const UNUSABLE = {
  status: 'ERROR',
  errorMessage: 'The insurance-verification system gave no answer that can be used',
} as const satisfies InsuranceResult

/** The receiver of a request. */
interface Target {
  readonly url: string
  readonly token?: string | undefined
  readonly apiKeyHeader?: string | undefined
  readonly outbound: Outbound
}

interface ConnectorParts {
  readonly outbound: Omit<Outbound, 'deadlineMs'>
  /** The address at which this server serves the simulator; undefined where it does not. */
  readonly simulator?: () => { readonly url: string; readonly token: string } | undefined
  /** Milliseconds since 1970 UTC. */
  readonly clock?: (() => number) | undefined
}

export function insuranceConnector({ outbound, simulator, clock }: ConnectorParts): InsuranceVerification {
  const breaker = new CircuitBreaker<InsuranceResult>(clock)

  const ask = async (target: Target, request: InsuranceRequest, idempotencyKey: string): Promise<InsuranceResult> => {
    const system = systemOf(request.clinic, target)
    const refused = breaker.refusal(system)
    if (refused !== undefined) return notAsked(refused.last, refused.forMs)
    const { result, hasAnswered } = await resultFrom(target, request, idempotencyKey)
    if (target.outbound.signal?.aborted) return result
    if (hasAnswered) breaker.succeeded(system)
    else breaker.failed(system, result)
    // Many calls of a clinic may wait for a system until the same moment, and record their results then.
    await yieldToEventLoop()
    return result
  }

  return {
    verify: async (request, { settings, idempotencyKey, deadlineMs, signal }) => {
      if (settings?.enabled === false) return switchedOff
      const within = { ...outbound, deadlineMs: deadlineMs ?? settings?.deadlineMs ?? DEFAULT_DEADLINE, signal }
      const system = ownSystem(settings)
      const asked = about(within, request.clinic, 'insurance', system === undefined)
      if (system !== undefined) return await ask({ ...system, outbound: asked }, request, idempotencyKey)
      const served = simulator?.()
      if (served === undefined) return await simulatedWithin(request, within)
      // The simulator has this server's own address, whether clinics may reach it or not.
      return await ask({ ...served, outbound: { ...asked, allowPrivate: true } }, request, idempotencyKey)
    },
  }
}

const switchedOff: InsuranceResult = {
  ...UNUSABLE,
  errorMessage: 'The clinic has switched off insurance verification',
  reason: 'insurance verification is switched off in the settings of the clinic',
  again: { afterMs: 0 },
}

/** Includes the credentials, so that changed ones are tried at once. */
const systemOf = (clinic: string, { url, token, apiKeyHeader }: Target): string =>
  hash('sha256', JSON.stringify([clinic, url, token, apiKeyHeader]))

const notAsked = (last: InsuranceResult, forMs: number): InsuranceResult => ({
  ...last,
  reason: `${last.reason}, as at several tries before; for the moment it is not asked`,
  again: { afterMs: Math.max(forMs, last.again?.afterMs ?? 0) },
})

interface Asked {
  readonly result: InsuranceResult
  /** Whether it gave a valid response, whatever the result. */
  readonly hasAnswered: boolean
}

const failed = (result: InsuranceResult): Asked => ({ result, hasAnswered: false })

async function resultFrom(target: Target, request: InsuranceRequest, idempotencyKey: string): Promise<Asked> {
  const { outbound } = target
  try {
    return read(await sendOutbound(insuranceRequestTo(target, request, idempotencyKey), outbound))
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return failed(withoutAnswer(error.reason, outbound.deadlineMs))
  }
}

export function insuranceRequestTo(
  { url, token = '', apiKeyHeader }: Omit<Target, 'outbound'>,
  request: InsuranceRequest,
  idempotencyKey: string,
): OutboundRequest {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'idempotency-key': idempotencyKey,
    ...(apiKeyHeader === undefined ? { authorization: `Bearer ${token}` } : { [apiKeyHeader]: token }),
  }
  return { url, method: 'POST', headers, body: JSON.stringify(request) }
}

function withoutAnswer(why: OutboundFailure['reason'], deadlineMs: number): InsuranceResult {
  switch (why) {
    case 'late':
      return {
        status: 'PENDING',
        reason: `${SYSTEM} did not answer within ${deadlineMs} ms`,
        again: { afterMs: SOON },
      }
    case 'unreachable':
      return { ...UNAVAILABLE, reason: `${SYSTEM} cannot be reached`, again: { afterMs: 0 } }
    case 'address-not-allowed':
      return { ...UNUSABLE, reason: `the address of ${SYSTEM} is not allowed: it must lead to the public Internet` }
  }
}

function read(answer: Answer): Asked {
  const delivery = deliveryOf(SYSTEM, answer)
  if (!delivery.delivered) {
    const { reason, retry, retryAfterMs = 0 } = delivery
    return failed(retry ? { ...UNAVAILABLE, reason, again: { afterMs: retryAfterMs } } : { ...UNUSABLE, reason })
  }
  const result = answer.status === 200 ? resultOf(jsonOf(answer.text)) : undefined
  if (result === undefined)
    return failed({
      ...UNUSABLE,
      reason: `${SYSTEM} gave an answer that cannot be read (${answer.status})`,
      again: { afterMs: 0 },
    })
  const afterMs = result.status === 'PENDING' ? retryAfterMs(answer.headers) : undefined
  return { result: afterMs === undefined ? result : { ...result, again: { afterMs } }, hasAnswered: true }
}

/** The same without HTTP. */
async function simulatedWithin(
  { memberId }: InsuranceRequest,
  { deadlineMs, signal }: Pick<Outbound, 'deadlineMs' | 'signal'>,
): Promise<InsuranceResult> {
  const { result, afterMs } = simulated(memberId)
  await wait(Math.min(afterMs, deadlineMs), signal)
  return afterMs <= deadlineMs ? result : withoutAnswer('late', deadlineMs)
}

/** Ends early when aborted. */
const wait = (milliseconds: number, signal = new AbortController().signal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
  })

/** Characters of an errorMessage. */
const MAX_MESSAGE = 500

/**
 * The response of a verification system as a result, docs/insurance.md; undefined for an invalid one, of which nothing is
 * kept. @param body the JSON of the response
 */
export function resultOf(body: unknown): InsuranceResult | undefined {
  if (!isObject(body)) return undefined
  const { status, copayCents, errorMessage } = body
  if (!isStatus(status) || !isCopay(copayCents) || !isMessage(errorMessage)) return undefined
  const isFailure = status !== 'VERIFIED' && status !== 'PENDING'
  const message = isFailure ? oneLine(errorMessage ?? '') : ''
  return {
    status,
    ...(copayCents == null ? {} : { copayCents }),
    ...(message === '' ? {} : { errorMessage: message }),
  }
}

const isStatus = (value: unknown): value is InsuranceStatus => INSURANCE_STATUSES.some((status) => status === value)

/** Whole cents. */
const isCopay = (value: unknown): value is number | null | undefined =>
  value == null || (Number.isSafeInteger(value) && Number(value) >= 0)

const isMessage = (value: unknown): value is string | null | undefined =>
  value == null || (typeof value === 'string' && value.length <= MAX_MESSAGE)

/** Makes a text fit to be spoken and stored: without line breaks, control characters and lone surrogates. */
const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
