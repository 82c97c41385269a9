/** A CRM by a signed webhook: one for each contact. */
import type { WebhookCrm } from '../../clinics/crm-settings.ts'
import { postSigned } from '../signed-webhook.ts'
import { CRM, type Deliver } from './contact-api.ts'

export const toWebhook: Deliver<WebhookCrm> = (settings, { event, messageId, clinic, patient, fields }, outbound) =>
  postSigned(settings, { messageId, type: event, data: { clinic, patient, ...fields } }, CRM, outbound)
