/** The CRM of a clinic by the connector that its settings name. */
import type { CrmConnector } from '../../core/ports.ts'
import type { Outbound } from '../outbound-request.ts'
import { toHubSpot } from './hubspot.ts'
import { toLeadConnector } from './leadconnector.ts'
import { toSalesforce } from './salesforce.ts'
import { toWebhook } from './webhook.ts'

export const crmConnector = (outbound: Outbound): CrmConnector => ({
  deliver: (settings, contact) => {
    switch (settings.kind) {
      case 'hubspot':
        return toHubSpot(settings, contact, outbound)
      case 'salesforce':
        return toSalesforce(settings, contact, outbound)
      case 'leadconnector':
        return toLeadConnector(settings, contact, outbound)
      default:
        return toWebhook(settings, contact, outbound)
    }
  },
})
