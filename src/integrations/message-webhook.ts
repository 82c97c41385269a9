/** The messaging service of a clinic by a signed webhook: one for each text message or e-mail. */
import type { MessageConnector } from '../core/ports.ts'
import { about, type Outbound } from './outbound-request.ts'
import { postSigned } from './signed-webhook.ts'

export const messageWebhook = (outbound: Outbound): MessageConnector => ({
  deliver: (settings, { event, messageId, abandonment: _, ...data }) =>
    postSigned(
      settings,
      { messageId, type: event, data },
      'the messaging service',
      about(outbound, data.clinic, 'messages'),
    ),
})
