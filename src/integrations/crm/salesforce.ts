/**
 * Salesforce: an upsert of a Contact by an external id, which holds Patient.id.
 * https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/dome_upsert.htm
 */

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { FieldNames, SalesforceCrm } from '../../clinics/crm-settings.ts'
import type { CrmContact, Delivery } from '../../core/ports.ts'
import { type Answer, deliveryOf, exchange, type Failure, permanent, temporary } from '../exchange.ts'
import type { Outbound } from '../outbound-request.ts'
import { addressOf, bearer, CRM, DAILY_LIMIT_WAIT, type Deliver, namedValues, textAt } from './contact-api.ts'

const FIELDS: FieldNames = {
  firstName: 'FirstName',
  lastName: 'LastName',
  email: 'Email',
  phone: 'Phone',
  address: 'MailingStreet',
  dateOfBirth: 'Birthdate',
}

export const toSalesforce: Deliver<SalesforceCrm> = async (settings, contact, outbound) => {
  const ends = performance.now() + outbound.deadlineMs
  const remaining = () => ({ ...outbound, deadlineMs: Math.max(1, Math.ceil(ends - performance.now())) })
  const first = await upsert(settings, contact, remaining)
  if ('delivered' in first || first.status !== 401) return 'delivered' in first ? first : judge(first)
  // A token that was kept may have expired.
  forgetToken(settings)
  const second = await upsert(settings, contact, remaining)
  return 'delivered' in second ? second : judge(second)
}

async function upsert(
  settings: SalesforceCrm,
  contact: CrmContact,
  remaining: () => Outbound,
): Promise<Answer | Failure> {
  const token = await accessToken(settings, remaining())
  if (typeof token !== 'string') return token
  const { url, apiVersion, externalIdField, fields } = settings
  const path = `/services/data/${apiVersion}/sobjects/Contact/${externalIdField}/${encodeURIComponent(contact.patient)}`
  const body = JSON.stringify(namedValues(contact, FIELDS, fields))
  return await exchange({ url: addressOf(url, path), method: 'PATCH', headers: bearer(token), body }, CRM, remaining())
}

function judge(answer: Answer): Delivery {
  const { status, body } = answer
  const errorCode = textAt(Array.isArray(body) ? body[0] : undefined, 'errorCode')
  switch (status) {
    case 300:
      return permanent(`several contacts of ${CRM} have the external id of the patient (300)`)
    case 400:
      if (errorCode === 'UNABLE_TO_LOCK_ROW') return temporary(`${CRM} responded with 400`)
      break
    case 403:
      if (errorCode === 'REQUEST_LIMIT_EXCEEDED')
        return temporary(`${CRM} takes no more requests today`, DAILY_LIMIT_WAIT)
      break
    case 404:
      return permanent(`${CRM} does not know the address, or the field of the external id (404)`)
  }
  return deliveryOf(CRM, answer)
}

type Credentials = Pick<SalesforceCrm, 'url' | 'clientId' | 'clientSecret'>

/** Access tokens, each kept until it is refused. */
const MAX_TOKENS = 1_000
const tokens = new LRUCache<string, string>({ max: MAX_TOKENS })

/** Key of exactly these credentials, so that a clinic never uses the token of another one. */
const keyOf = ({ url, clientId, clientSecret }: Credentials): string =>
  createHash('sha256')
    .update(JSON.stringify([url, clientId, clientSecret]))
    .digest('base64')

export const forgetToken = (credentials: Credentials): void => void tokens.delete(keyOf(credentials))

export async function accessToken(credentials: Credentials, outbound: Outbound): Promise<string | Failure> {
  const key = keyOf(credentials)
  const known = tokens.get(key)
  if (known !== undefined) return known
  const token = await requestToken(credentials, outbound)
  if (typeof token !== 'string') return token
  tokens.set(key, token)
  return token
}

async function requestToken(
  { url, clientId, clientSecret }: Credentials,
  outbound: Outbound,
): Promise<string | Failure> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const request = {
    url: addressOf(url, '/services/oauth2/token'),
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
  } as const
  const answer = await exchange(request, CRM, outbound)
  if ('delivered' in answer) return answer
  // RFC 6749, section 5.2: wrong credentials are 400 or 401.
  if (answer.status === 400) return permanent(`${CRM} refuses the credentials of the clinic (400)`)
  const delivery = deliveryOf(CRM, answer)
  if (!delivery.delivered) return delivery
  return textAt(answer.body, 'access_token') ?? permanent(`${CRM} gave no access token`)
}
