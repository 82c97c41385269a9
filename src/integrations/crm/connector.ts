/** The CRM of a clinic by the connector that its settings name. */
import type { WebhookCrm } from '../../clinics/crm-settings.ts'
import type { CrmConnector } from '../../core/ports.ts'
import { postSigned } from '../exchange.ts'
import { about, type Outbound } from '../outbound-request.ts'
import { CRM, type Deliver } from './contact-api.ts'
import { toHubSpot } from './hubspot.ts'
import { toLeadConnector } from './leadconnector.ts'
import { toSalesforce } from './salesforce.ts'

export const crmConnector = (outbound: Outbound): CrmConnector => ({
  deliver: (settings, contact) => {
    const sent = about(outbound, contact.clinic, 'crm')
    switch (settings.kind) {
      case 'hubspot':
        return toHubSpot(settings, contact, sent)
      case 'salesforce':
        return toSalesforce(settings, contact, sent)
      case 'leadconnector':
        return toLeadConnector(settings, contact, sent)
      default:
        return toWebhook(settings, contact, sent)
    }
  },
})

/** One signed request for each contact. */
const toWebhook: Deliver<WebhookCrm> = (settings, { event, messageId, clinic, patient, fields }, outbound) =>
  postSigned(settings, { messageId, type: event, data: { clinic, patient, ...fields } }, CRM, outbound)
