/** Trying a connector gives the class of the outcome, and nothing of the system's response. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let receiver: Receiver
beforeAll(async () => {
  server = await startServer()
  receiver = await startReceiver()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})
/** One try of a connector a second. */
beforeEach(() => new Promise((resolve) => setTimeout(resolve, 1_050)))

const SETTINGS = '/clinics/demo-clinic/settings'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const base = () => new URL(receiver.url).origin

async function set(settings: object): Promise<void> {
  const before = (await server.fhir('GET', SETTINGS)).body
  const { status, text } = await server.fhir('PUT', SETTINGS, { ...before, ...settings })
  if (status !== 200) throw new Error(text)
}

const attempt = (connector: string) => server.fhir('POST', `/clinics/demo-clinic/connectors/${connector}/$try`)

describe('trying a connector', () => {
  test.each([
    [204, {}, 'ok'],
    [302, { location: 'http://127.0.0.1/' }, 'refused'],
    [401, {}, 'credentials-refused'],
    [404, {}, 'refused'],
    [429, {}, 'busy'],
    [503, {}, 'failed'],
  ] as const)('tells the class of the status %i', async (status, headers, outcome) => {
    await set({ messages: { enabled: true, url: receiver.url, secret: SECRET } })
    receiver.answer(status, { ...headers, 'x-said': 'the words of the far side' })
    const { body, text } = await attempt('messages')
    expect(body).toEqual({
      connector: 'messages',
      outcome,
      status,
      reason: expect.stringContaining(String(status)),
      duration: expect.any(Number),
    })
    expect(text).not.toContain('the words of the far side')
    expect(text).not.toContain(SECRET)
    const sent = JSON.parse(receiver.received.at(-1)?.body ?? '')
    expect(sent).toEqual({ type: 'connection.test', timestamp: expect.any(String), data: { clinic: 'demo-clinic' } })
  })

  test.each([
    ['webhook', { kind: 'webhook', secret: SECRET }, 200, 'ok'],
    ['hubspot', { kind: 'hubspot', token: 'pat-na1-token' }, 200, 'ok'],
    ['hubspot that may only write', { kind: 'hubspot', token: 'pat-na1-token' }, 403, 'accepted'],
    ['leadconnector', { kind: 'leadconnector', token: 'pit-token-1', locationId: 'abc' }, 401, 'credentials-refused'],
  ] as const)('works with the CRM %s', async (_name, settings, status, outcome) => {
    await set({ crm: { enabled: true, url: base(), ...settings } })
    receiver.answer(status)
    expect((await attempt('crm')).body).toMatchObject({ connector: 'crm', outcome, status })
  })

  test('asks Salesforce for a token', async () => {
    const secrets = { clientId: 'client-id-1', clientSecret: 'client-secret-1' }
    const salesforce = { kind: 'salesforce', apiVersion: 'v61.0', externalIdField: 'Patient_Id__c', ...secrets }
    await set({ crm: { enabled: true, url: base(), ...salesforce } })
    receiver.answer(400)
    expect((await attempt('crm')).body).toMatchObject({ outcome: 'credentials-refused' })
    expect(receiver.received.at(-1)?.body).toContain('grant_type=client_credentials')
  })

  test('asks an insurance system for a member that nobody is, and the simulator where there is none', async () => {
    await set({ insurance: { enabled: true, url: receiver.url, token: 'insurance-token' } })
    receiver.answer(200)
    expect((await attempt('insurance')).body).toMatchObject({ outcome: 'ok', status: 200 })
    expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toMatchObject({ memberId: 'TEST-0000' })
    await set({ insurance: null })
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    expect((await attempt('insurance')).body).toMatchObject({ outcome: 'ok', status: 200 })
  })

  test.each(['crm', 'messages'] as const)('asks the simulator of %s that the settings name', async (connector) => {
    await set({ [connector]: { enabled: true, url: 'simulator' } })
    const before = receiver.received.length
    expect((await attempt(connector)).body).toMatchObject({ connector, outcome: 'ok', status: 204 })
    expect(receiver.received).toHaveLength(before)
  })

  test('that is not set, is switched off, or cannot be reached says so', async () => {
    await set({ messages: null, crm: { enabled: false, url: receiver.url, secret: SECRET } })
    expect((await attempt('messages')).body).toMatchObject({ outcome: 'not-set' })
    expect((await attempt('crm')).body).toMatchObject({ outcome: 'switched-off' })
    await set({ insurance: { enabled: true, url: 'http://127.0.0.1:1/', token: 'insurance-token' } })
    expect((await attempt('insurance')).body).toMatchObject({ outcome: 'unreachable' })
  })

  test('twice within a second is 429, of an unknown one 404, of another clinic 403', async () => {
    const [first, second] = [await attempt('messages'), await attempt('messages')]
    expect([first.status, second.status, second.headers.get('retry-after')]).toEqual([200, 429, '1'])
    expect((await attempt('fax')).status).toBe(404)
    expect((await server.fhir('POST', '/clinics/other/connectors/crm/$try')).status).toBe(403)
  })
})
