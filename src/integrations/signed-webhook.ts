/** One POST signed over its exact body: https://www.standardwebhooks.com. */
import { Webhook } from 'standardwebhooks'
import type { WebhookSettings } from '../clinics/webhook-settings.ts'
import type { Delivery, MessageConnector } from '../core/ports.ts'
import { deliveryOf, exchange, permanent } from './exchange.ts'
import { about, type Outbound, type OutboundRequest } from './outbound-request.ts'

export interface WebhookEvent {
  /** Stable over all tries: the idempotency key of the receiver. */
  readonly messageId: string
  readonly type: string
  readonly data: object
}

/** @param receiver its name in reasons, such as `the CRM` */
export async function postSigned(
  settings: WebhookSettings,
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
  { url, secret }: Pick<WebhookSettings, 'url' | 'secret'>,
  { messageId, type, data }: WebhookEvent,
): OutboundRequest | undefined {
  const now = new Date()
  const body = JSON.stringify({ type, timestamp: now.toISOString(), data })
  try {
    const headers = {
      'content-type': 'application/json',
      'webhook-id': messageId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(messageId, now, body),
    }
    return { url, method: 'POST', body, headers }
  } catch {
    return undefined
  }
}

/** The messaging service of a clinic: one signed request for each text message or e-mail. */
export const messageWebhook = (outbound: Outbound): MessageConnector => ({
  deliver: (settings, { event, messageId, abandonment: _, ...data }) =>
    postSigned(
      settings,
      { messageId, type: event, data },
      'the messaging service',
      about(outbound, data.clinic, 'messages'),
    ),
})
