/** The CRM of a clinic by the connector that its settings name. */
import type { CrmConnector, CrmContact } from '../../core/ports.ts'
import { about, type Outbound, telling } from '../outbound-request.ts'
import { type ServedSimulators, webhookOf } from '../simulators/served.ts'
import { CRM } from './contact-api.ts'
import { toHubSpot } from './hubspot.ts'
import { toLeadConnector } from './leadconnector.ts'
import { toSalesforce } from './salesforce.ts'

export function crmConnector(outbound: Outbound, simulators?: ServedSimulators): CrmConnector {
  const post = webhookOf('crm', CRM, { outbound, simulators })
  return {
    deliver: (settings, contact, tell) => {
      const sent = about(telling(outbound, tell), contact.clinic, 'crm')
      switch (settings.kind) {
        case 'hubspot':
          return toHubSpot(settings, contact, sent)
        case 'salesforce':
          return toSalesforce(settings, contact, sent)
        case 'leadconnector':
          return toLeadConnector(settings, contact, sent)
        default:
          return post(settings, eventOf(contact), tell)
      }
    },
  }
}

const eventOf = ({ event, messageId, clinic, patient, fields }: CrmContact) => ({
  messageId,
  type: event,
  data: { clinic, patient, ...fields },
})
