/** One request to an external system: its response, or the reason why there was none. */
import type { Delivery } from '../core/ports.ts'
import { type Outbound, OutboundFailure, type OutboundRequest, sendOutbound, sentenceOf } from './outbound-request.ts'

/** Milliseconds: a caller may be waiting on the line. */
export const DEADLINE = 3_000

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The JSON of the response; undefined for anything else. Never shown to users. */
  readonly body: unknown
}

export type Failure = Delivery & { readonly delivered: false }

/** @param receiver its name in reasons, such as `the CRM` */
export async function exchange(
  request: OutboundRequest,
  receiver: string,
  outbound: Outbound,
): Promise<Answer | Failure> {
  try {
    const { status, headers, text } = await sendOutbound(request, outbound)
    return { status, headers, body: jsonOf(text) }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const reason = sentenceOf(error.reason, receiver, outbound.deadlineMs)
    return error.reason === 'address-not-allowed' ? permanent(reason) : temporary(reason)
  }
}

/** Undefined for a text that is not JSON. */
export function jsonOf(text = ''): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const permanent = (reason: string): Failure => ({ delivered: false, retry: false, reason })

export const temporary = (reason: string, retryAfterMs?: number): Failure => ({
  delivered: false,
  retry: true,
  reason,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})

/** Statuses after which the same request may succeed later; 5xx too. */
const RETRY = [408, 425, 429]

/** The delivery that a status means. @param now milliseconds since 1970 UTC, for a Retry-After that is a date */
export function deliveryOf(
  receiver: string,
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  now = Date.now(),
): Delivery {
  if (status >= 200 && status < 300) return { delivered: true }
  if (status === 401 || status === 403)
    return permanent(`${receiver} refuses the credentials of the clinic (${status})`)
  const reason = `${receiver} answered ${status}`
  return RETRY.includes(status) || status >= 500 ? temporary(reason, retryAfterMs(headers, now)) : permanent(reason)
}

/** Retry-After is seconds or an HTTP date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after. */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
