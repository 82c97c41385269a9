/**
 * Notifications of R4 by a rest-hook, one request for each event: without a payload an empty POST to the endpoint, with one the
 * resource as it was after the change, by PUT at its address below the endpoint. https://hl7.org/fhir/R4/subscription.html#2.46.7.1
 */
import type { Delivery } from '../core/ports.ts'
import { deliveryOf, exchange, permanent, signatureOf } from '../integrations/exchange.ts'
import type { Outbound, OutboundRequest } from '../integrations/outbound-request.ts'
import type { Channel } from './state.ts'

interface Notification {
  /** The same for each try: the idempotency key of the receiver. */
  readonly messageId: string
  readonly channel: Channel
  /** Type and id of the resource. */
  readonly focus: string
  /** Empty without a payload. */
  readonly body: string
  /** The secret of the clinic; absent: it is not signed. */
  readonly secret: string | undefined
}

export function sendRestHook(
  { messageId, channel, focus, body, secret }: Notification,
  outbound: Outbound,
): Promise<Delivery | 'gone'> {
  const { endpoint = '', payload } = channel
  const address =
    payload === undefined
      ? ({ method: 'POST', url: endpoint } as const)
      : ({ method: 'PUT', url: below(endpoint, focus) } as const)
  return postSigned({ ...address, body, payload }, { messageId, channel, secret }, outbound)
}

interface SignedRequest extends Pick<OutboundRequest, 'method' | 'url' | 'body'> {
  readonly payload: string | undefined
}

/** A request with the headers of the channel, signed where the clinic has a secret. */
export async function postSigned(
  { payload, ...request }: SignedRequest,
  { messageId, channel, secret }: Pick<Notification, 'messageId' | 'channel' | 'secret'>,
  outbound: Outbound,
): Promise<Delivery | 'gone'> {
  const own = Object.fromEntries(channel.headers.map(nameAndValue))
  const type = payload === undefined ? {} : { 'content-type': payload }
  const { body } = request
  const signature = secret === undefined ? { 'webhook-id': messageId } : signatureOf({ messageId, body, secret })
  if (signature === undefined) return permanent('the event secret of the clinic is not "whsec_" followed by base64')
  const answer = await exchange({ ...request, headers: { ...own, ...type, ...signature } }, 'the receiver', outbound)
  if ('delivered' in answer) return answer
  return answer.status === 410 ? 'gone' : deliveryOf('the receiver', answer)
}

/** The address of a resource, as if the endpoint were the base of a FHIR server. */
function below(endpoint: string, focus: string): string {
  const url = new URL(endpoint)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${focus}`
  return url.href
}

const nameAndValue = (line: string): readonly [string, string] => {
  const [name = '', ...value] = line.split(':')
  return [name, value.join(':').trim()]
}
