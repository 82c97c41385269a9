/** Messages outside the contact hours, and reasons for not sending them. docs/abandonment.md */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { DateTime } from 'luxon'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { request, startServer, type TestServer } from '../../support/server.ts'

const SECRET = { 'x-voice-secret': 'demo-secret' }
const ZONE = 'America/New_York'
/** Six in the morning in the clinic, tomorrow. */
const EARLY = DateTime.now().setZone(ZONE).plus({ days: 1 }).startOf('day').set({ hour: 6 }).toMillis()
const HOUR = 3_600_000

let now = EARLY
let server: TestServer
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  server = await startServer({}, { clock: () => now })
})
afterAll(async () => {
  await receiver.close()
  await server.close()
})

const settings = async (recovery: object | null) => {
  const path = '/clinics/demo-clinic/settings'
  const { body } = await server.fhir('GET', path)
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const messages = { enabled: true, secret, url: receiver.url }
  return await server.fhir('PUT', path, { ...body, timeZone: ZONE, messages, recovery })
}
beforeEach(() => {
  now = EARLY
})

const BY_DAY = { contactFrom: '08:00', contactUntil: '20:00' }

let count = 0
/** A call about something new that was left unfinished, by somebody who wants a link; it is placed at any hour. */
async function linked(recovery: object = BY_DAY) {
  count += 1
  expect((await settings({ contactFrom: '00:00', contactUntil: '24:00' })).status).toBe(200)
  const email = `held${count}@example.com`
  const contact = { phone: `+1212555${2000 + count}`, email }
  const body = { kind: 'registration', stepReached: 'details', fields: { firstName: 'Ruth' }, contact, consent: true }
  const entered = await request(server.url, 'POST', '/abandonments', body, SECRET)
  const callId = `held-${count}`
  const call = { callId, dialedNumber: '+12125550100', abandonment: entered.body.id }
  const registered = await request(server.url, 'POST', '/calls', call, SECRET)
  expect([entered.status, registered.status]).toEqual([201, 201])
  expect((await settings(recovery)).status).toBe(200)
  const use = (tool: string, args: object) =>
    server.tool(`/abandonment-recovery/${tool}`, args, { 'x-call-id': callId })
  expect(await use('send_resume_link', { channel: 'email' })).toMatchObject({ success: true })
  const patient = (await server.fhir('GET', `/Task/${entered.body.id}`)).body.for.reference as string
  return { email, use, patient }
}

const messageTo = (email: string) =>
  receiver.received.map(({ body }) => JSON.parse(body).data).find((data) => JSON.stringify(data).includes(email))

async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The Task that informs staff of an unsent message and the reason. */
const toldTo = async (patient: string): Promise<string | undefined> => {
  const { body } = await server.fhir('GET', `/Task?patient=${patient}&status=completed`)
  const told = (body.entry ?? []).map(({ resource }: { resource: { description?: string } }) => resource.description)
  return told.find((text: string | undefined) => text?.includes('was not sent'))
}

describe('a message at six in the morning', () => {
  test('waits until persons may be contacted', async () => {
    const { email } = await linked()
    expect(messageTo(email)).toBeUndefined()
    now = EARLY + 2 * HOUR
    expect(await until(() => messageTo(email))).toMatchObject({ channel: 'email', to: email })
  })

  test('is never sent to one who opts out before that', async () => {
    const { email, use, patient } = await linked()
    expect(await use('set_contact_preference', { channel: 'email', optOut: true })).toMatchObject({ success: true })
    now = EARLY + 2 * HOUR
    expect(await until(() => toldTo(patient))).toContain('the person has opted out')
    expect(messageTo(email)).toBeUndefined()
  })

  test('is never sent to one who does not agree any more', async () => {
    const { email, use, patient } = await linked()
    expect(await use('save_recovery_field', { fieldName: 'commsConsent', value: 'no thanks' })).toMatchObject({
      success: true,
    })
    now = EARLY + 2 * HOUR
    expect(await until(() => toldTo(patient))).toContain('does not agree to be contacted any more')
    expect(messageTo(email)).toBeUndefined()
  })
})

test('a clinic with a form of its own has its address in the link', async () => {
  const { email } = await linked({ contactFrom: '00:00', formUrl: 'https://clinic.example/form?from=call' })
  const { link } = await until(() => messageTo(email))
  expect(link).toMatch(/^https:\/\/clinic\.example\/form\?from=call&resume=[\w-]{20,}$/)
})

test.each([
  ['a time that is none', { contactFrom: '8 am' }, 'recovery.contactFrom'],
  ['an end before the beginning', { contactFrom: '20:00', contactUntil: '08:00' }, 'before recovery.contactUntil'],
  ['a link for ever', { linkHours: 100_000 }, 'recovery.linkHours'],
  ['half a minute', { registrationMinutes: 0.5 }, 'recovery.registrationMinutes'],
  ['a form that is no address', { formUrl: 'javascript:alert(1)' }, 'recovery.formUrl'],
  ['a setting that there is not', { contactAt: '08:00' }, "'contactAt' is not known in recovery"],
])('settings with %s are refused', async (_, recovery, message) => {
  const { status, text } = await settings(recovery)
  expect([status, text]).toEqual([422, expect.stringContaining(message)])
})
