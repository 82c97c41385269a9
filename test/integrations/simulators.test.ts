/** The simulators of a CRM and of a messaging service within the process, where no server serves them: docs/simulators.md. */
import { describe, expect, test } from '@jest/globals'
import type { Delivery } from '../../src/core/ports.ts'
import { crmConnector } from '../../src/integrations/crm/connector.ts'
import { messageWebhook } from '../../src/integrations/messages.ts'
import { SPECIAL_RECIPIENTS } from '../../src/integrations/simulators/recipients.ts'

const OUTBOUND = { deadlineMs: 3_000, allowPrivate: false }
const SIMULATOR = { enabled: true, url: 'simulator' }

const sendTo = (to: string): Promise<Delivery> =>
  messageWebhook(OUTBOUND).deliver(SIMULATOR, {
    clinic: 'a',
    event: 'message.requested',
    messageId: 'message-1',
    channel: to.includes('@') ? 'email' : 'sms',
    to,
    text: 'Hello',
  })

const sync = (fields: Readonly<Record<string, string>>): Promise<Delivery> =>
  crmConnector(OUTBOUND).deliver(SIMULATOR, {
    clinic: 'a',
    patient: 'p1',
    event: 'intake.submitted',
    messageId: 'contact-1',
    fields,
  })

const later = (reason: string, more: object = {}) => ({ delivered: false, retry: true, reason, ...more })
const never = (reason: string) => ({ delivered: false, retry: false, reason })

/** By the mailbox: what is said of the receiver. */
const DELIVERIES: Readonly<Record<string, (receiver: string) => object>> = {
  bounce: (receiver) => never(`${receiver} responded with 400`),
  slow: (receiver) => later(`${receiver} did not respond within 3000 ms`),
  throttle: (receiver) => later(`${receiver} responded with 429`, { retryAfterMs: 60_000 }),
  denied: (receiver) => never(`${receiver} refuses the credentials of the clinic (401)`),
  down: (receiver) => later(`${receiver} responded with 503`),
  silent: (receiver) => later(`${receiver} cannot be reached`),
}

describe('the recipient decides', () => {
  test.each(SPECIAL_RECIPIENTS)('$mailbox@ and $number', async ({ mailbox, number }) => {
    const [ofMessages, ofCrm] = ['the messaging service', 'the CRM'].map((receiver) => DELIVERIES[mailbox]?.(receiver))
    const email = `${mailbox}@example.com`
    expect(await Promise.all([sendTo(email), sendTo(number)])).toEqual([ofMessages, ofMessages])
    const contacts = [{ email }, { email: 'john@example.com', phone: number }]
    expect(await Promise.all(contacts.map(sync))).toEqual([ofCrm, ofCrm])
  })

  test('any other one has it', async () => {
    const sent = [sendTo('john@example.com'), sendTo('+12125550161'), sync({ email: 'john@example.com' }), sync({})]
    expect(await Promise.all(sent)).toEqual(sent.map(() => ({ delivered: true })))
  })
})
