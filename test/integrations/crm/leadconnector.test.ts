/** LeadConnector's contacts/upsert, as its reference describes it. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { LeadConnectorCrm } from '../../../src/clinics/crm-settings.ts'
import { crmConnector } from '../../../src/integrations/crm/connector.ts'
import { CONTACT, TOKEN } from './contact.ts'
import { isOnlyOf, jsonOf, startVendor, type Vendor, type VendorAnswer, type VendorRequest } from './vendor.ts'

const LOCATION = 've9EPM428h8vShlRW1KT'
const KEYS = ['locationId', 'firstName', 'lastName', 'email', 'phone', 'address1', 'dateOfBirth', 'customFields']

let contacts: Map<unknown, object>
let vendor: Vendor

function respond(request: VendorRequest): VendorAnswer {
  const { method, path, headers } = request
  if (path !== '/contacts/upsert' || method !== 'POST') return { status: 404 }
  if (headers.authorization !== `Bearer ${TOKEN}` || headers.version !== '2021-07-28') return error(401)
  const body = jsonOf(request) as Readonly<Record<string, unknown>>
  if (body === undefined) return error(400)
  const { locationId, email, customFields = [] } = body
  const areCustom =
    Array.isArray(customFields) &&
    customFields.every((field) => isOnlyOf(field, ['key', 'field_value']) && typeof field.key === 'string')
  if (!isOnlyOf(body, KEYS) || !areCustom || locationId !== LOCATION) return error(422)
  const isNew = !contacts.has(email)
  contacts.set(email, body)
  return { status: isNew ? 201 : 200, body: { new: isNew, contact: { id: 'seD4PfOuKoVMLkEZqohJ' }, traceId: 't' } }
}

const error = (statusCode: number): VendorAnswer => ({
  status: statusCode,
  body: { statusCode, message: [`about ${CONTACT.fields.email}`], error: 'x' },
})

beforeEach(async () => {
  contacts = new Map()
  vendor = await startVendor(respond)
})
afterEach(() => vendor.close())

const deliver = (change: Partial<LeadConnectorCrm> = {}) =>
  crmConnector({ deadlineMs: 1_000, allowPrivate: true }).deliver(
    { kind: 'leadconnector', enabled: true, url: vendor.url, token: TOKEN, locationId: LOCATION, ...change },
    CONTACT,
  )

test('a contact is there once in its location, however often it is sent', async () => {
  expect([await deliver(), await deliver()]).toEqual([{ delivered: true }, { delivered: true }])
  expect([...contacts.values()]).toEqual([
    {
      locationId: LOCATION,
      firstName: 'Zoë',
      lastName: 'Roe',
      email: 'zoe@example.com',
      phone: '+12125550124',
      address1: '12 Elm Street, Springfield',
      dateOfBirth: '1980-03-03',
    },
  ])
})

test('a field that the location has added is sent as a custom field', async () => {
  const fields = { reasonForVisit: 'customFields.reason', patient: 'customFields.patient_id', address: null }
  expect(await deliver({ fields })).toEqual({ delivered: true })
  expect([...contacts.values()]).toMatchObject([
    {
      customFields: [
        { key: 'reason', field_value: 'a cough' },
        { key: 'patient_id', field_value: 'p1' },
      ],
    },
  ])
})

describe('an answer', () => {
  test.each<[string, VendorAnswer, object]>([
    ['429 is tried again', { status: 429, headers: { 'retry-after': '10' } }, { retryAfterMs: 10_000 }],
    [
      '429 of the daily limit is tried again hours later',
      { status: 429, headers: { 'x-ratelimit-daily-remaining': '0' } },
      { retryAfterMs: 6 * 3_600_000 },
    ],
    ['500 is tried again', { status: 500 }, {}],
  ])('%s', async (_what, answer, more) => {
    vendor.answerOnce(answer)
    expect(await deliver()).toMatchObject({ delivered: false, retry: true, ...more })
  })

  test.each([
    ['another location', { locationId: 'another' }, 422],
    ['a wrong token', { token: 'another-token' }, 401],
  ])('to %s is given up, without a word of what it said', async (_what, change, status) => {
    const delivery = await deliver(change)
    expect(delivery).toMatchObject({ retry: false, reason: expect.stringContaining(String(status)) })
    expect(JSON.stringify(delivery)).not.toContain('zoe')
  })
})
