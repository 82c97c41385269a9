/**
 * The simulators of a CRM and of a messaging service: the recipient decides how a signed webhook is answered, by the table
 * of magic values. docs/simulators.md
 */
import type { Delivery } from '../../core/ports.ts'
import { isObject } from '../../fhir/resource.ts'
import { magic } from '../../rehearsal/magic/table.ts'
import { deliveryOf, temporary, type WebhookEvent } from '../exchange.ts'
import { sentenceOf } from '../outbound-request.ts'

export type WebhookSystem = 'crm' | 'messages'

export interface SimulatedAnswer {
  /** Absent: the connection ends without a response. */
  readonly status?: number
  /** Seconds. */
  readonly retryAfter?: number
  /** Milliseconds. */
  readonly afterMs?: number
}

interface SpecialRecipient {
  /** The e-mail address before the `@`, or before a `+` in it. */
  readonly mailbox: string
  /** E.164; of the area code 500, which leads to no place. */
  readonly number: string
  readonly answer: SimulatedAnswer
}

const TAKEN: SimulatedAnswer = { status: 204 }

export const SPECIAL_RECIPIENTS: readonly SpecialRecipient[] = magic.values.flatMap(
  ({ with: { mailbox, phone: number }, expect: answer }) =>
    mailbox === undefined || number === undefined ? [] : [{ mailbox, number, answer }],
)

/** Most characters of a text message, which is sent in parts. */
export const MAX_SMS = 1_600

const EVENTS: Readonly<Record<WebhookSystem, string>> = { crm: 'intake.submitted', messages: 'message.requested' }

/** The answer to the JSON of a webhook; undefined where it is no event of the system. */
export function simulatedAnswer(system: WebhookSystem, body: unknown): SimulatedAnswer | undefined {
  if (!isObject(body) || !isObject(body.data)) return undefined
  const { type, data } = body as { readonly type?: unknown; readonly data: Readonly<Record<string, unknown>> }
  if (type === 'connection.test') return TAKEN
  if (type !== EVENTS[system] || (system === 'messages' && !isMessage(data))) return undefined
  if (data.channel === 'sms' && String(data.text).length > MAX_SMS) return { status: 413 }
  const recipients = [data.to, data.email, data.phone]
  return recipients.map(answerTo).find((answer) => answer !== undefined) ?? TAKEN
}

const isMessage = ({ channel, to, text }: Readonly<Record<string, unknown>>): boolean =>
  (channel === 'sms' || channel === 'email') && typeof to === 'string' && typeof text === 'string'

function answerTo(recipient: unknown): SimulatedAnswer | undefined {
  const [, mailbox] = /^([^@+]+)[^@]*@/.exec(String(recipient).toLowerCase()) ?? []
  return SPECIAL_RECIPIENTS.find((one) => recipient === one.number || mailbox === one.mailbox)?.answer
}

/** The delivery that the answer means, within the process. @param receiver its name in reasons, such as `the CRM` */
export function simulatedDelivery(
  system: WebhookSystem,
  event: WebhookEvent,
  { receiver, deadlineMs }: { readonly receiver: string; readonly deadlineMs: number },
): Delivery {
  const { status, retryAfter, afterMs = 0 } = simulatedAnswer(system, event) ?? { status: 400 }
  if (status === undefined) return temporary(sentenceOf('unreachable', receiver, deadlineMs))
  if (afterMs > deadlineMs) return temporary(sentenceOf('late', receiver, deadlineMs))
  const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) })
  return deliveryOf(receiver, { status, headers })
}
