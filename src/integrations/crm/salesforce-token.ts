/**
 * Access tokens of Salesforce, by the OAuth 2.0 client credentials flow; each is kept until it is refused.
 * https://help.salesforce.com/s/articleView?id=sf.remoteaccess_oauth_client_credentials_flow.htm
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { SalesforceCrm } from '../../clinics/crm-settings.ts'
import { deliveryOf, exchange, type Failure, permanent } from '../exchange.ts'
import type { Outbound } from '../outbound-request.ts'
import { addressOf, CRM, textAt } from './contact-api.ts'

type Credentials = Pick<SalesforceCrm, 'url' | 'clientId' | 'clientSecret'>

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
