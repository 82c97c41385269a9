/** Requests of this server to the systems of clinics, as outbound exchanges, and the exchanges that cause them. */
import { type Budget, currentBudget } from '../../isolation/budget.ts'
import {
  type ExchangeOutcome,
  MAX_BODY,
  type OutboundSystem,
  type SeenBody,
  type SeenExchange,
  type SeenHeaders,
} from './exchange.ts'

/** The exchange that caused a request to another system. */
export interface Cause {
  readonly id: string
  readonly run?: string
  readonly call?: string
}

const causes = new WeakMap<Budget, () => Cause>()

/** Names the exchange that causes all requests paid from the budget. */
export const causedBy = (budget: Budget, cause: () => Cause): void => void causes.set(budget, cause)

/** Undefined in background work. */
export function currentCause(): Cause | undefined {
  const budget = currentBudget()
  return budget && causes.get(budget)?.()
}

/** One request to a system of a clinic and its result. It can be sent to another thread. */
export interface SentRequest {
  readonly id: string
  readonly clinic: string
  readonly system: OutboundSystem
  /** Milliseconds since 1970 UTC, and its length in milliseconds. */
  readonly at: number
  readonly duration: number
  readonly url: string
  readonly method: string
  readonly headers: SeenHeaders
  readonly body: string
  readonly cause?: Cause
  /** Undefined where there was no response. */
  readonly answer?: {
    readonly status: number
    readonly headers: SeenHeaders
    /** Absent where it is not shown, or too long. */
    readonly text?: string
  }
  /** Why there was no response. */
  readonly failure?: string
}

const FAILURES: Readonly<Record<string, string>> = {
  'address-not-allowed': 'The address is not allowed: it must lead to the public Internet',
  unreachable: 'The system cannot be reached',
  late: 'The system did not answer in time',
}

export function seenOf(sent: SentRequest): SeenExchange {
  const { id, clinic, system, at, duration, url, method, headers, body, cause, answer, failure } = sent
  const status = answer?.status ?? 0
  const responseBody = answer?.text === undefined ? undefined : beginningOf(answer.text)
  return {
    id,
    direction: 'out',
    at,
    duration,
    clinic,
    ...(cause === undefined ? {} : { cause: cause.id }),
    ...(cause?.run === undefined ? {} : { run: cause.run }),
    ...(cause?.call === undefined ? {} : { call: cause.call }),
    method,
    address: url,
    system,
    status,
    outcome: answer === undefined ? 'failed' : outcomeOf(status),
    ...(failure === undefined ? {} : { reason: { code: failure, text: FAILURES[failure] ?? failure } }),
    requestHeaders: headers,
    responseHeaders: answer?.headers ?? {},
    requestBody: beginningOf(body),
    ...(responseBody === undefined ? {} : { responseBody }),
  }
}

export const outcomeOf = (status: number): ExchangeOutcome =>
  status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'ok'

/** The part of a text that is kept. */
export function beginningOf(text: string): SeenBody {
  if (text.length <= MAX_BODY / 4) return { text, size: Buffer.byteLength(text) }
  const size = Buffer.byteLength(text)
  if (size <= MAX_BODY) return { text, size }
  // A slice of a long text would keep all of it in memory.
  return { text: Buffer.from(text.slice(0, MAX_BODY)).toString('utf8', 0, MAX_BODY), size, isCut: true }
}

/** The same for bytes. @param size of all of them, where these are only the first */
export function beginningOfBytes(bytes: Uint8Array, size = bytes.byteLength): SeenBody {
  const first = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, MAX_BODY))
  return { text: first.toString(), size, ...(size > MAX_BODY ? { isCut: true as const } : {}) }
}
