/** One POST signed over its exact body: https://www.standardwebhooks.com. */
import { Webhook } from 'standardwebhooks'
import type { WebhookSettings } from '../clinics/webhook-settings.ts'
import type { Delivery } from '../core/ports.ts'

/** Milliseconds: a caller may be waiting on the line. */
export const DEADLINE = 3_000

/** Statuses after which the same request may succeed later; 5xx too. */
const RETRY = [408, 425, 429]

export interface WebhookEvent {
  /** Stable over all tries: the idempotency key of the receiver. */
  readonly messageId: string
  readonly type: string
  readonly data: object
}

/** @param receiver whom reasons name, such as `the CRM` */
export async function postSigned(
  { url, secret }: WebhookSettings,
  event: WebhookEvent,
  receiver: string,
  deadlineMs: number,
): Promise<Delivery> {
  const request = signed(secret, event)
  return request === undefined
    ? permanentFailure(`the webhook secret for ${receiver} is not "whsec_" followed by base64`)
    : await post(url, request, receiver, deadlineMs)
}

interface SignedRequest {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Undefined when the secret cannot be used to sign. */
function signed(secret: string, { messageId, type, data }: WebhookEvent): SignedRequest | undefined {
  const now = new Date()
  const body = JSON.stringify({ type, timestamp: now.toISOString(), data })
  try {
    const headers = {
      'content-type': 'application/json',
      'webhook-id': messageId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(messageId, now, body),
    }
    return { body, headers }
  } catch {
    return undefined
  }
}

async function post(url: string, request: SignedRequest, receiver: string, deadlineMs: number): Promise<Delivery> {
  try {
    const signal = AbortSignal.timeout(deadlineMs)
    const response = await fetch(url, { method: 'POST', ...request, redirect: 'manual', signal })
    await response.body?.cancel()
    return deliveryOf(receiver, response.status, response.headers.get('retry-after'), Date.now())
  } catch (error) {
    const timeout = error instanceof Error && error.name === 'TimeoutError'
    return temporaryFailure(
      timeout ? `${receiver} did not answer within ${deadlineMs} ms` : `${receiver} cannot be reached`,
    )
  }
}

const permanentFailure = (reason: string): Delivery => ({ delivered: false, retry: false, reason })

const temporaryFailure = (reason: string, retryAfterMs?: number): Delivery => ({
  delivered: false,
  retry: true,
  reason,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})

/** What a response means. @param now milliseconds since 1970 UTC, for a Retry-After that is a date */
export function deliveryOf(receiver: string, status: number, retryAfter: string | null, now: number): Delivery {
  if (status >= 200 && status < 300) return { delivered: true }
  const reason = `${receiver} answered ${status}`
  return RETRY.includes(status) || status >= 500
    ? temporaryFailure(reason, retryAfterMs(retryAfter, now))
    : permanentFailure(reason)
}

/** Retry-After is seconds or an HTTP date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after. */
function retryAfterMs(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
