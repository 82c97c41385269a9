/** The signed CRM webhook: Standard Webhooks headers, and the meaning of each response. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import type { CrmContact } from '../../../src/core/ports.ts'
import { crmConnector } from '../../../src/integrations/crm/connector.ts'
import { deliveryOf } from '../../../src/integrations/exchange.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
const CONTACT: CrmContact = {
  clinic: 'a',
  patient: 'p1',
  event: 'intake.submitted',
  messageId: 'message-1',
  fields: { firstName: 'Zoë', email: 'zoe@example.com' },
}

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const deliver = (settings: { url?: string; secret?: string } = {}) =>
  crmConnector({ deadlineMs: 1_000, allowPrivate: true }).deliver(
    { enabled: true, url: receiver.url, secret: SECRET, ...settings },
    CONTACT,
  )

describe('a delivery', () => {
  test('is signed over its exact body, so that the receiver can check it', async () => {
    expect(await deliver()).toEqual({ delivered: true })
    const { headers = {}, body = '' } = receiver.received[0] ?? {}
    expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'intake.submitted',
      data: { clinic: 'a', patient: 'p1', firstName: 'Zoë', email: 'zoe@example.com' },
    })
    expect(headers['webhook-id']).toBe('message-1')
  })

  test('that gets no answer within the deadline is to be tried again', async () => {
    receiver.answer('silent')
    expect(await deliver()).toEqual({ delivered: false, retry: true, reason: 'the CRM did not respond within 1000 ms' })
  })

  test('to nobody is to be tried again', async () => {
    expect(await deliver({ url: 'http://127.0.0.1:1/' })).toEqual({
      delivered: false,
      retry: true,
      reason: 'the CRM cannot be reached',
    })
  })

  test('with a secret that cannot sign is given up without being sent', async () => {
    expect(await deliver({ secret: 'whsec_???' })).toMatchObject({ delivered: false, retry: false })
    expect(receiver.received).toHaveLength(0)
  })

  test('does not follow a redirect with the patient data', async () => {
    receiver.answer(307, { location: receiver.url })
    expect(await deliver()).toMatchObject({ delivered: false, retry: false })
    expect(receiver.received).toHaveLength(1)
  })
})

const answerOf = (status: number, retryAfter: string | null) => ({
  status,
  headers: new Headers(retryAfter === null ? {} : { 'retry-after': retryAfter }),
})

describe('the status of the answer', () => {
  test.each([200, 201, 202, 204])('%i: delivered', (status) => {
    expect(deliveryOf('the CRM', answerOf(status, null), 0)).toEqual({ delivered: true })
  })
  test.each([408, 425, 429, 500, 502, 503, 504])('%i: tried again', (status) => {
    expect(deliveryOf('the CRM', answerOf(status, null), 0)).toEqual({
      delivered: false,
      retry: true,
      reason: `the CRM responded with ${status}`,
    })
  })
  test.each([301, 307, 400, 404, 409, 410, 413, 422])('%i: given up', (status) => {
    expect(deliveryOf('the CRM', answerOf(status, null), 0)).toEqual({
      delivered: false,
      retry: false,
      reason: `the CRM responded with ${status}`,
    })
  })
  test.each([401, 403])('%i: given up until staff have looked at the credentials', (status) => {
    expect(deliveryOf('the CRM', answerOf(status, null), 0)).toMatchObject({
      retry: false,
      reason: expect.stringContaining('credentials'),
    })
  })
  test.each([
    ['120', 120_000],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 59_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ])('Retry-After %s is %i ms', (retryAfter, retryAfterMs) => {
    expect(deliveryOf('the CRM', answerOf(503, retryAfter), 1000)).toMatchObject({ retryAfterMs })
  })
  test('a Retry-After that is neither seconds nor a date does not count', () => {
    expect(deliveryOf('the CRM', answerOf(503, 'soon'), 0)).not.toHaveProperty('retryAfterMs')
  })
})
