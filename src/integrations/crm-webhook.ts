/** The CRM by a signed webhook: one for each contact. */
import type { CrmConnector } from '../core/ports.ts'
import { DEADLINE, postSigned } from './signed-webhook.ts'

export const crmWebhook = (deadlineMs = DEADLINE): CrmConnector => ({
  deliver: (settings, { event, messageId, clinic, patient, fields }) =>
    postSigned(settings, { messageId, type: event, data: { clinic, patient, ...fields } }, 'the CRM', deadlineMs),
})
