/**
 * The CRM by a signed webhook: https://www.standardwebhooks.com. One POST for each contact, with a signature of its
 * exact body.
 */
import { Webhook } from 'standardwebhooks'
import type { CrmSettings } from '../clinics/settings.ts'
import type { CrmConnector, CrmContact, Delivery } from '../core/ports.ts'

/** Milliseconds: a caller is waiting on the line. */
const DEADLINE = 3_000

/** Statuses after which the same request may succeed later; 5xx too. */
const RETRY = [408, 425, 429]

export const crmWebhook = (deadlineMs = DEADLINE): CrmConnector => ({
  deliver: async (settings, contact) => {
    const request = signed(settings, contact)
    return request === undefined
      ? permanentFailure('the webhook secret of the clinic is not "whsec_" followed by base64')
      : await post(settings.url, request, deadlineMs)
  },
})

interface SignedRequest {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Undefined when the secret cannot be used to sign. */
function signed(
  { secret }: CrmSettings,
  { event, messageId, clinic, patient, fields }: CrmContact,
): SignedRequest | undefined {
  const now = new Date()
  const body = JSON.stringify({ type: event, timestamp: now.toISOString(), data: { clinic, patient, ...fields } })
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

async function post(url: string, request: SignedRequest, deadlineMs: number): Promise<Delivery> {
  try {
    const signal = AbortSignal.timeout(deadlineMs)
    const response = await fetch(url, { method: 'POST', ...request, redirect: 'manual', signal })
    await response.body?.cancel()
    return deliveryOf(response.status, response.headers.get('retry-after'), Date.now())
  } catch (error) {
    const timeout = error instanceof Error && error.name === 'TimeoutError'
    return temporaryFailure(timeout ? `the CRM did not answer within ${deadlineMs} ms` : 'the CRM cannot be reached')
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
export function deliveryOf(status: number, retryAfter: string | null, now: number): Delivery {
  if (status >= 200 && status < 300) return { delivered: true }
  const reason = `the CRM answered ${status}`
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
