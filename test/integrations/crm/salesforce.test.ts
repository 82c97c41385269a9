/** Salesforce's upsert by external id, with tokens of the client credentials flow, as its reference describes them. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { SalesforceCrm } from '../../../src/clinics/crm-settings.ts'
import { crmConnector } from '../../../src/integrations/crm/connector.ts'
import { CONTACT } from './contact.ts'
import { isOnlyOf, jsonOf, startVendor, type Vendor, type VendorAnswer, type VendorRequest } from './vendor.ts'

const FIELDS = ['FirstName', 'LastName', 'Email', 'Phone', 'MailingStreet', 'Birthdate', 'Reason__c']
const CREDENTIALS = { clientId: 'client-of-the-clinic', clientSecret: 'secret-of-the-clinic' }
const CONTACT_PATH = '/services/data/v61.0/sobjects/Contact/Patient_Id__c/'

let contacts: Map<string, unknown>
/** The token that is valid now. */
let token: string
let vendor: Vendor

function respond(request: VendorRequest): VendorAnswer {
  if (request.path === '/services/oauth2/token') return giveToken(request)
  if (request.method !== 'PATCH' || !request.path.startsWith(CONTACT_PATH)) return error(404, 'NOT_FOUND')
  if (request.headers.authorization !== `Bearer ${token}`) return error(401, 'INVALID_SESSION_ID')
  const body = jsonOf(request)
  if (!isOnlyOf(body, FIELDS)) return error(400, 'INVALID_FIELD')
  const id = decodeURIComponent(request.path.slice(CONTACT_PATH.length))
  const created = !contacts.has(id)
  contacts.set(id, body)
  return created ? { status: 201, body: { id: '003', success: true, errors: [], created } } : { status: 204 }
}

function giveToken({ method, headers, body }: VendorRequest): VendorAnswer {
  const form = Object.fromEntries(new URLSearchParams(body))
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded' && method === 'POST'
  if (!isForm || form.grant_type !== 'client_credentials') return oauthError('unsupported_grant_type')
  if (form.client_id !== CREDENTIALS.clientId || form.client_secret !== CREDENTIALS.clientSecret)
    return oauthError('invalid_client')
  return { status: 200, body: { access_token: token, token_type: 'Bearer', instance_url: 'https://elsewhere.example' } }
}

const error = (status: number, errorCode: string): VendorAnswer => ({
  status,
  body: [{ message: `about ${CONTACT.fields.email}`, errorCode }],
})
const oauthError = (code: string): VendorAnswer => ({ status: 400, body: { error: code } })

beforeEach(async () => {
  contacts = new Map()
  token = 'first-token'
  vendor = await startVendor(respond)
})
afterEach(() => vendor.close())

const deliver = (change: Partial<SalesforceCrm> = {}, contact = CONTACT) =>
  crmConnector({ deadlineMs: 500, allowPrivate: true }).deliver(
    {
      kind: 'salesforce',
      enabled: true,
      url: vendor.url,
      apiVersion: 'v61.0',
      externalIdField: 'Patient_Id__c',
      ...CREDENTIALS,
      ...change,
    },
    contact,
  )
const tokensAsked = () => vendor.requests.filter(({ path }) => path === '/services/oauth2/token').length

test('a contact is there by the id of the patient, however often it is sent; one token does for all', async () => {
  expect([await deliver(), await deliver()]).toEqual([{ delivered: true }, { delivered: true }])
  expect([...contacts]).toEqual([
    [
      'p1',
      {
        FirstName: 'Zoë',
        LastName: 'Roe',
        Email: 'zoe@example.com',
        Phone: '+12125550124',
        MailingStreet: '12 Elm Street, Springfield',
        Birthdate: '1980-03-03',
      },
    ],
  ])
  expect(tokensAsked()).toBe(1)
})

test('the id of the patient cannot lead to another address', async () => {
  await deliver({}, { ...CONTACT, patient: '../../x?y' })
  expect([...contacts.keys()]).toEqual(['../../x?y'])
})

test('a token that has expired is replaced within the same try', async () => {
  await deliver()
  token = 'second-token'
  expect(await deliver()).toEqual({ delivered: true })
  expect(tokensAsked()).toBe(2)
})

test('credentials of another clinic get no token of this one', async () => {
  await deliver()
  expect(await deliver({ clientSecret: 'secret-of-another' })).toEqual({
    delivered: false,
    retry: false,
    reason: 'the CRM refuses the credentials of the clinic (400)',
  })
})

test('fields go where the clinic says', async () => {
  expect(await deliver({ fields: { reasonForVisit: 'Reason__c', dateOfBirth: null } })).toEqual({ delivered: true })
  expect(contacts.get('p1')).toMatchObject({ Reason__c: 'a cough' })
})

describe('an answer', () => {
  beforeEach(() => deliver())

  test.each<[string, VendorAnswer, object]>([
    ['503 is tried again', error(503, 'SERVER_UNAVAILABLE'), {}],
    ['429 is tried again', { status: 429, headers: { 'retry-after': '9' } }, { retryAfterMs: 9_000 }],
    ['400 of a locked row is tried again', error(400, 'UNABLE_TO_LOCK_ROW'), {}],
    [
      '403 of the daily limit is tried again hours later',
      error(403, 'REQUEST_LIMIT_EXCEEDED'),
      { retryAfterMs: 6 * 3_600_000 },
    ],
  ])('%s', async (_what, answer, more) => {
    vendor.answerOnce(answer)
    expect(await deliver()).toMatchObject({ delivered: false, retry: true, ...more })
  })

  test.each<[string, VendorAnswer, string]>([
    ['300: several contacts have the id', { status: 300, body: ['/a', '/b'] }, 'several contacts'],
    ['400: a bad value', error(400, 'INVALID_EMAIL_ADDRESS'), 'responded with 400'],
    ['403: no access', error(403, 'INSUFFICIENT_ACCESS'), 'credentials'],
    ['404: no such field', error(404, 'NOT_FOUND'), 'field of the external id'],
  ])('%s is given up, without a word of what it said', async (_what, answer, reason) => {
    vendor.answerOnce(answer)
    const delivery = await deliver()
    expect(delivery).toMatchObject({ delivered: false, retry: false, reason: expect.stringContaining(reason) })
    expect(JSON.stringify(delivery)).not.toContain('zoe')
  })
})
