/**
 * HubSpot: a batch upsert of one contact, identified by its e-mail address.
 * https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/batch/post-crm-v3-objects-contacts-batch-upsert
 */
import type { FieldNames, HubSpotCrm } from '../../clinics/crm-settings.ts'
import type { Delivery } from '../../core/ports.ts'
import { isObject } from '../../fhir/resource.ts'
import { type Answer, deliveryOf, exchange, permanent, temporary } from '../exchange.ts'
import { addressOf, bearer, CRM, DAILY_LIMIT_WAIT, type Deliver, namedValues, textAt } from './contact-api.ts'

const FIELDS: FieldNames = {
  firstName: 'firstname',
  lastName: 'lastname',
  email: 'email',
  phone: 'phone',
  address: 'address',
  dateOfBirth: 'date_of_birth',
}

export const toHubSpot: Deliver<HubSpotCrm> = async ({ url, token, fields }, contact, outbound) => {
  const { email } = contact.fields
  if (email === undefined) return permanent('a contact without an e-mail address cannot be sent to the CRM')
  const input = {
    idProperty: 'email',
    id: email,
    objectWriteTraceId: contact.messageId,
    properties: namedValues(contact, FIELDS, fields),
  }
  const request = {
    url: addressOf(url, '/crm/v3/objects/contacts/batch/upsert'),
    method: 'POST',
    headers: bearer(token),
    body: JSON.stringify({ inputs: [input] }),
  } as const
  const answer = await exchange(request, CRM, outbound)
  return 'delivered' in answer ? answer : judge(answer)
}

/** Errors of a batch that may be temporary. */
const PASSING = ['RATE_LIMITS', 'INTERNAL_ERROR', 'CONFLICT']

function judge(answer: Answer): Delivery {
  const { status, body } = answer
  switch (status) {
    case 207:
      return judgeErrors(body)
    // Another request writes the same contact: 409 while it is created, 423 while it is locked.
    case 409:
    case 423:
      return temporary(`${CRM} responded with ${status}`)
    case 429:
      if (textAt(body, 'policyName') === 'DAILY')
        return temporary(`${CRM} takes no more requests today`, DAILY_LIMIT_WAIT)
  }
  return deliveryOf(CRM, answer)
}

/** Judges the response to a batch of one, which has failed if there is an error. */
function judgeErrors(body: unknown): Delivery {
  const errors: unknown = isObject(body) ? ((body as { readonly errors?: unknown }).errors ?? []) : undefined
  if (!Array.isArray(errors)) return temporary(`${CRM} gave a response that cannot be read (207)`)
  if (errors.length === 0) return { delivered: true }
  const isPassing = errors.every((error) => PASSING.includes(textAt(error, 'category') ?? ''))
  return (isPassing ? temporary : permanent)(`${CRM} did not take the contact (207)`)
}
