/** The CRM of a clinic by the connector that its settings name. */
import type { CrmConnector } from '../../core/ports.ts'
import { DEADLINE } from '../exchange.ts'
import { toHubSpot } from './hubspot.ts'
import { toLeadConnector } from './leadconnector.ts'
import { toSalesforce } from './salesforce.ts'
import { toWebhook } from './webhook.ts'

export const crmConnector = (deadlineMs = DEADLINE): CrmConnector => ({
  deliver: (settings, contact) => {
    switch (settings.kind) {
      case 'hubspot':
        return toHubSpot(settings, contact, deadlineMs)
      case 'salesforce':
        return toSalesforce(settings, contact, deadlineMs)
      case 'leadconnector':
        return toLeadConnector(settings, contact, deadlineMs)
      default:
        return toWebhook(settings, contact, deadlineMs)
    }
  },
})
