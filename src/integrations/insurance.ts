/**
 * The insurance-verification system of a clinic, over HTTP: docs/insurance.md. A clinic without one, or whose settings
 * name the simulator, uses the simulator: over the same HTTP where this server listens, within the process where it
 * does not. Callers are spared the wait for a system that has just failed several times in a row: during a pause they get the
 * last failure at once; then one request tries the system, and its result decides for the others.
 */

import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { DEFAULT_DEADLINE, ownSystem } from '../clinics/insurance-settings.ts'
import {
  INSURANCE_STATUSES,
  type InsuranceRequest,
  type InsuranceResult,
  type InsuranceStatus,
  type InsuranceVerification,
} from '../core/ports.ts'
import { upTo } from '../fhir/memoize.ts'
import { isObject } from '../fhir/resource.ts'
import { yieldToEventLoop } from '../isolation/fair-queue.ts'
import { deliveryOf, jsonOf, retryAfterMs } from './exchange.ts'
import {
  about,
  type Outbound,
  OutboundFailure,
  type OutboundRequest,
  sendOutbound,
  sentenceOf,
  type TextAnswer,
} from './outbound-request.ts'
import { simulated } from './simulators/insurance.ts'
import { type ServedSimulators, toOwn } from './simulators/served.ts'

/** Failures in a row, within WINDOW milliseconds, after which a system is paused. */
export const FAILURES = 5
const WINDOW = 60_000
/** Milliseconds of a pause; also those after which another request may try, should the first one never end. */
export const PAUSE = 30_000
/** Most systems that are remembered. */
const MOST_SYSTEMS = 10_000

interface Failing<Failure> {
  readonly count: number
  /** Milliseconds since 1970 UTC of the first failure. */
  readonly since: number
  readonly last: Failure
  /** Milliseconds since 1970 UTC until which it is paused. */
  readonly pausedUntil?: number
}

export class CircuitBreaker<Failure> {
  readonly #clock: () => number
  /** Systems that have failed since their last success. */
  readonly #failing = new LRUCache<string, Failing<Failure>>(upTo(MOST_SYSTEMS))

  /** @param clock milliseconds since 1970 UTC */
  constructor(clock: () => number = Date.now) {
    this.#clock = clock
  }

  /** The last failure of a paused system, and the remaining milliseconds of its pause. */
  refusal(system: string): { readonly last: Failure; readonly forMs: number } | undefined {
    const failing = this.#failing.get(system)
    const now = this.#clock()
    if (failing?.pausedUntil === undefined) return undefined
    if (failing.pausedUntil > now) return { last: failing.last, forMs: failing.pausedUntil - now }
    // This request tries the system; the others wait for its result.
    this.#failing.set(system, { ...failing, pausedUntil: now + PAUSE })
    return undefined
  }

  succeeded(system: string): void {
    this.#failing.delete(system)
  }

  failed(system: string, last: Failure): void {
    const now = this.#clock()
    const known = this.#failing.get(system)
    const isRow = known !== undefined && (known.pausedUntil !== undefined || now - known.since <= WINDOW)
    const { count, since } = isRow ? known : { count: 0, since: now }
    const pausedUntil = count + 1 >= FAILURES ? { pausedUntil: now + PAUSE } : {}
    this.#failing.set(system, { count: count + 1, since, last, ...pausedUntil })
  }
}

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
  errorMessage: 'The insurance-verification system gave no response that can be used',
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
  /** Absent: there are none. */
  readonly simulators?: ServedSimulators | undefined
  /** Milliseconds since 1970 UTC. */
  readonly clock?: (() => number) | undefined
}

export function insuranceConnector({ outbound, simulators, clock }: ConnectorParts): InsuranceVerification {
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
      if (system !== undefined)
        return await ask({ ...system, outbound: about(within, request.clinic, 'insurance') }, request, idempotencyKey)
      const served = simulators?.('insurance')
      if (served === undefined) return await simulatedWithin(request, within)
      return await ask({ ...served, outbound: toOwn(within, request.clinic, 'insurance') }, request, idempotencyKey)
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
  const reason = sentenceOf(why, SYSTEM, deadlineMs)
  if (why === 'late') return { status: 'PENDING', reason, again: { afterMs: SOON } }
  return why === 'unreachable' ? { ...UNAVAILABLE, reason, again: { afterMs: 0 } } : { ...UNUSABLE, reason }
}

function read(answer: TextAnswer): Asked {
  const delivery = deliveryOf(SYSTEM, answer)
  if (!delivery.delivered) {
    const { reason, retry, retryAfterMs = 0 } = delivery
    return failed(retry ? { ...UNAVAILABLE, reason, again: { afterMs: retryAfterMs } } : { ...UNUSABLE, reason })
  }
  const result = answer.status === 200 ? resultOf(jsonOf(answer.text)) : undefined
  if (result === undefined)
    return failed({
      ...UNUSABLE,
      reason: `${SYSTEM} gave a response that cannot be read (${answer.status})`,
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
