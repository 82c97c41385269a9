/** The messaging service of a clinic: one signed request for each text message or e-mail. */
import type { MessageConnector } from '../core/ports.ts'
import type { Outbound } from './outbound-request.ts'
import { type ServedSimulators, webhookOf } from './simulators/served.ts'

export function messageWebhook(outbound: Outbound, simulators?: ServedSimulators): MessageConnector {
  const post = webhookOf('messages', 'the messaging service', { outbound, simulators })
  return {
    deliver: (settings, { event, messageId, abandonment: _, ...data }, tell) =>
      post(settings, { messageId, type: event, data }, tell),
  }
}
