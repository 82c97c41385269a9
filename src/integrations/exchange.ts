/**
 * One request to an external system, and its response, or the reason why there was none; among them one POST signed over its
 * exact body: https://www.standardwebhooks.com.
 */

import { Webhook } from 'standardwebhooks'
import type { WebhookSettings } from '../clinics/webhook-settings.ts'
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
  const reason = `${receiver} responded with ${status}`
  return RETRY.includes(status) || status >= 500 ? temporary(reason, retryAfterMs(headers, now)) : permanent(reason)
}

/** Retry-After is seconds or an HTTP date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after. */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

export interface WebhookEvent {
  /** Stable over all tries: the idempotency key of the receiver. */
  readonly messageId: string
  readonly type: string
  readonly data: object
}

/** @param receiver its name in reasons, such as `the CRM` */
export async function postSigned(
  settings: Pick<WebhookSettings, 'url' | 'secret'>,
  event: WebhookEvent,
  receiver: string,
  outbound: Outbound,
): Promise<Delivery> {
  const request = signedRequest(settings, event)
  if (request === undefined) return permanent(`the webhook secret for ${receiver} is not "whsec_" followed by base64`)
  const answer = await exchange(request, receiver, outbound)
  return 'delivered' in answer ? answer : deliveryOf(receiver, answer)
}

/** Undefined when the secret cannot be used to sign. */
export function signedRequest(
  { url, secret = '' }: Pick<WebhookSettings, 'url' | 'secret'>,
  { messageId, type, data }: WebhookEvent,
): OutboundRequest | undefined {
  const now = new Date()
  const body = JSON.stringify({ type, timestamp: now.toISOString(), data })
  const signature = signatureOf({ messageId, body, secret }, now)
  return signature && { url, method: 'POST', body, headers: { 'content-type': 'application/json', ...signature } }
}

/** The headers of a signature; undefined when the secret cannot be used to sign. */
export function signatureOf(
  { messageId, body, secret }: { readonly messageId: string; readonly body: string; readonly secret: string },
  now = new Date(),
): Readonly<Record<string, string>> | undefined {
  try {
    return {
      'webhook-id': messageId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(messageId, now, body),
    }
  } catch {
    return undefined
  }
}
