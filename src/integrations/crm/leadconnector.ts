/**
 * LeadConnector (HighLevel): contacts/upsert, whose location decides by which of e-mail and phone it knows a contact.
 * https://marketplace.gohighlevel.com/docs/ghl/contacts/upsert-contact
 */
import type { FieldNames, LeadConnectorCrm } from '../../clinics/crm-settings.ts'
import type { Delivery } from '../../core/ports.ts'
import { type Answer, deliveryOf, exchange, temporary } from '../exchange.ts'
import { addressOf, bearer, CRM, DAILY_LIMIT_WAIT, type Deliver, namedValues } from './contact-api.ts'

export const LEADCONNECTOR_VERSION = '2021-07-28'

const FIELDS: FieldNames = {
  firstName: 'firstName',
  lastName: 'lastName',
  email: 'email',
  phone: 'phone',
  address: 'address1',
  dateOfBirth: 'dateOfBirth',
}

/** Before the key of a field that the location has added. */
const CUSTOM = 'customFields.'

export const toLeadConnector: Deliver<LeadConnectorCrm> = async (settings, contact, outbound) => {
  const { url, token, locationId, fields } = settings
  const values = Object.entries(namedValues(contact, FIELDS, fields))
  const own = values.filter(([name]) => !name.startsWith(CUSTOM))
  const customFields = values
    .filter(([name]) => name.startsWith(CUSTOM))
    .map(([name, value]) => ({ key: name.slice(CUSTOM.length), field_value: value }))
  const body = { ...Object.fromEntries(own), ...(customFields.length === 0 ? {} : { customFields }), locationId }
  const request = {
    url: addressOf(url, '/contacts/upsert'),
    method: 'POST',
    headers: { ...bearer(token), accept: 'application/json', version: LEADCONNECTOR_VERSION },
    body: JSON.stringify(body),
  } as const
  const answer = await exchange(request, CRM, outbound)
  return 'delivered' in answer ? answer : judge(answer)
}

function judge(answer: Answer): Delivery {
  if (answer.status === 429 && answer.headers.get('x-ratelimit-daily-remaining') === '0')
    return temporary(`${CRM} takes no more requests today`, DAILY_LIMIT_WAIT)
  return deliveryOf(CRM, answer)
}
