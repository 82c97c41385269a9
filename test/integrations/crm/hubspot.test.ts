/** HubSpot's batch upsert of contacts, as its reference describes it. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { HubSpotCrm } from '../../../src/clinics/crm-settings.ts'
import { crmConnector } from '../../../src/integrations/crm/connector.ts'
import { CONTACT, TOKEN } from './contact.ts'
import { isOnlyOf, jsonOf, startVendor, type Vendor, type VendorAnswer, type VendorRequest } from './vendor.ts'

interface Input {
  readonly id: string
  readonly idProperty: string
  readonly properties: Record<string, string>
}

const PROPERTIES = ['firstname', 'lastname', 'email', 'phone', 'address', 'date_of_birth', 'visit_reason', 'emr_id']

let contacts: Map<string, Record<string, string>>
let vendor: Vendor

function respond(request: VendorRequest): VendorAnswer {
  const { method, path, headers } = request
  if (path !== '/crm/v3/objects/contacts/batch/upsert' || method !== 'POST') return { status: 404 }
  if (headers.authorization !== `Bearer ${TOKEN}`) return error(401, 'INVALID_AUTHENTICATION')
  const body = jsonOf(request) as { readonly inputs?: readonly Input[] } | undefined
  const inputs = body?.inputs
  if (!isOnlyOf(body, ['inputs']) || !Array.isArray(inputs) || inputs.length === 0 || inputs.length > 100)
    return error(400, 'VALIDATION_ERROR')
  const isRight = (input: Input) =>
    isOnlyOf(input, ['id', 'idProperty', 'objectWriteTraceId', 'properties']) &&
    input.idProperty === 'email' &&
    isOnlyOf(input.properties, PROPERTIES) &&
    Object.values(input.properties).every((value) => typeof value === 'string')
  if (!inputs.every(isRight)) return error(400, 'VALIDATION_ERROR')
  const results = inputs.map(({ id, properties }: Input) => {
    const isNew = !contacts.has(id)
    contacts.set(id, { ...contacts.get(id), ...properties })
    return { id: '1', new: isNew, archived: false, properties }
  })
  return { status: 200, body: { status: 'COMPLETE', results } }
}

const error = (status: number, category: string, more: object = {}): VendorAnswer => ({
  status,
  body: { status: 'error', category, message: `about ${CONTACT.fields.email}`, correlationId: 'c', ...more },
})
const partly = (category: string): VendorAnswer => ({
  status: 207,
  body: { status: 'COMPLETE', results: [], numErrors: 1, errors: [{ status: 'error', category, message: 'zoe' }] },
})

beforeEach(async () => {
  contacts = new Map()
  vendor = await startVendor(respond)
})
afterEach(() => vendor.close())

const deliver = (change: Partial<HubSpotCrm> = {}) =>
  crmConnector({ deadlineMs: 1_000, allowPrivate: true }).deliver(
    { kind: 'hubspot', enabled: true, url: vendor.url, token: TOKEN, ...change },
    CONTACT,
  )

test('a contact is there by its e-mail address, without the reason for the visit, however often it is sent', async () => {
  expect([await deliver(), await deliver()]).toEqual([{ delivered: true }, { delivered: true }])
  expect([...contacts]).toEqual([
    [
      'zoe@example.com',
      {
        firstname: 'Zoë',
        lastname: 'Roe',
        email: 'zoe@example.com',
        phone: '+12125550124',
        address: '12 Elm Street, Springfield',
        date_of_birth: '1980-03-03',
      },
    ],
  ])
  const traces = vendor.requests.map(({ body }) => JSON.parse(body).inputs[0].objectWriteTraceId)
  expect(traces).toEqual(['message-1', 'message-1'])
})

test('fields go where the clinic says, and those that are null stay here', async () => {
  const fields = { dateOfBirth: null, address: null, reasonForVisit: 'visit_reason', patient: 'emr_id' }
  expect(await deliver({ fields })).toEqual({ delivered: true })
  expect(contacts.get('zoe@example.com')).toMatchObject({ visit_reason: 'a cough', emr_id: 'p1' })
  expect(Object.keys(contacts.get('zoe@example.com') ?? {})).not.toContain('date_of_birth')
})

describe('an answer', () => {
  test.each<[string, VendorAnswer | 'silent', object]>([
    ['429 is tried again when it says', { status: 429, headers: { 'retry-after': '7' } }, { retryAfterMs: 7_000 }],
    [
      '429 of the daily limit is tried again hours later',
      error(429, 'RATE_LIMITS', { policyName: 'DAILY' }),
      { retryAfterMs: 6 * 3_600_000 },
    ],
    ['409 is tried again: another request makes the contact', error(409, 'CONFLICT'), {}],
    ['423 is tried again: the contact is locked', error(423, 'LOCKED'), {}],
    ['207 with an error that may pass is tried again', partly('RATE_LIMITS'), {}],
    ['207 that cannot be read is tried again', { status: 207 }, {}],
    ['502 is tried again', { status: 502 }, {}],
    ['that does not come is waited for in later tries', 'silent', {}],
  ])('%s', async (_what, answer, more) => {
    vendor.answerOnce(answer)
    expect(await deliver()).toMatchObject({ delivered: false, retry: true, ...more })
    expect(await deliver()).toEqual({ delivered: true })
  })

  test.each<[string, VendorAnswer]>([
    ['207 with an error of the contact', partly('VALIDATION_ERROR')],
    ['400', error(400, 'VALIDATION_ERROR')],
    ['403: a scope is missing', error(403, 'MISSING_SCOPES')],
  ])('%s is given up, without a word of what it said', async (_what, answer) => {
    vendor.answerOnce(answer)
    const delivery = await deliver()
    expect(delivery).toMatchObject({ delivered: false, retry: false })
    expect(JSON.stringify(delivery)).not.toContain('zoe')
  })

  test('207 without errors means that it is there', async () => {
    vendor.answerOnce({ status: 207, body: { status: 'COMPLETE', results: [{}] } })
    expect(await deliver()).toEqual({ delivered: true })
  })
})

test('a wrong token is not tried again, and the reason names the credentials', async () => {
  expect(await deliver({ token: 'another-token' })).toEqual({
    delivered: false,
    retry: false,
    reason: 'the CRM refuses the credentials of the clinic (401)',
  })
})
