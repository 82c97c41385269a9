/** Effects of time: contact windows, opt-outs of waiting messages, links that expire, registrations left open. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Task } from 'fhir/r4'
import { OPEN_REGISTRATION } from '../../src/calls/recovery/registration-follow-up.ts'
import { defineProvider, standard } from '../../src/core/provider.ts'
import { OUTBOX } from '../../src/integrations/outbox/rows.ts'
import { specialProviders } from '../../src/providers/index.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { attachedTo } from './caller.ts'

const HOUR = 3_600_000
/** 23:00 in New York, the demo clinic's zone. */
const NIGHT = Date.parse('2030-01-08T04:00:00Z')
let now: number
/** Tasks cannot be updated. */
let isBroken: boolean
const update: typeof standard.update = (...args) =>
  isBroken ? Promise.reject(new Error('broken')) : standard.update(...args)
const providers = specialProviders.map((provider) =>
  provider.type === 'Task'
    ? defineProvider('Task', { interactions: { ...standard, update }, operations: provider.operations })
    : provider,
)
let server: TestServer
let receiver: Receiver
beforeEach(async () => {
  now = Date.now()
  receiver = await startReceiver()
  isBroken = false
  server = await startServer({}, { clock: () => now, providers })
})
afterEach(async () => {
  await receiver.close()
  await server.close()
})

async function setRecovery(recovery: object | null) {
  const { body } = await server.fhir('GET', '/clinics/demo-clinic/settings')
  const messages = { enabled: true, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', url: receiver.url }
  const settings = { ...body, timeZone: 'America/New_York', messages, recovery }
  expect((await server.fhir('PUT', '/clinics/demo-clinic/settings', settings)).status).toBe(200)
}

const secret = { 'x-voice-secret': 'demo-secret' }
async function recovery() {
  const contact = { phone: '+12125550155', email: 'ruth@example.com' }
  const form = { kind: 'form', stepReached: 'contact', fields: { plan: 'gold' }, contact, consent: true }
  const { id } = (await request(server.url, 'POST', '/abandonments', form, secret)).body
  const call = { callId: 'night', dialedNumber: '+12125550100', abandonment: id }
  // By the default no message is sent after nine in the evening, and no call placed.
  await setRecovery({ contactFrom: '00:00', contactUntil: '24:00' })
  const registered = await request(server.url, 'POST', '/calls', call, secret)
  expect(registered.status).toBe(201)
  await setRecovery(null)
  return (tool: string, args: object) => server.tool(`/abandonment-recovery/${tool}`, args, { 'x-call-id': 'night' })
}

const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** The background has looked at the row and left it: its due time has moved to the opening of the window. */
const isHeld = async () => {
  const rows = await server.app.repository.records(OUTBOX, { clinic: 'demo-clinic', limit: 10 })
  return rows.some(({ due }) => due === NIGHT + 9 * HOUR)
}

test('a message outside the contact window waits until it opens, and a link that has ended gives nothing', async () => {
  now = NIGHT
  const use = await recovery()
  expect(await use('send_resume_link', { channel: 'sms' })).toMatchObject({ success: true })
  await until(isHeld)
  expect(receiver.received).toEqual([])
  now = NIGHT + 9 * HOUR
  await until(() => receiver.received.length === 1)
  const { link } = JSON.parse(receiver.received[0]?.body ?? '').data
  now = NIGHT + 73 * HOUR
  expect((await fetch(`${server.url}${new URL(link).pathname}`, { method: 'POST' })).status).toBe(404)
})

test.each([
  ['the clinic', undefined, NIGHT, NIGHT + 9 * HOUR],
  ['the person in the west, where it is still day', 'America/Los_Angeles', NIGHT, undefined],
  ['the person in the west, where it is still night', 'America/Los_Angeles', NIGHT + 10 * HOUR, NIGHT + 12 * HOUR],
])(
  'a call about an abandonment is placed within the contact window alone, by the clock of %s',
  async (_, zone, at, from) => {
    now = at
    await setRecovery(null)
    const contact = { phone: '+12125550155' }
    const form = { kind: 'registration', stepReached: 'contact', fields: { firstName: 'Ruth' }, contact, consent: true }
    const { id } = (await request(server.url, 'POST', '/abandonments', form, secret)).body
    if (zone !== undefined) {
      const reference = (await server.fhir('GET', `/Task/${id}`)).body.for.reference
      const { body: patient } = await server.fhir('GET', `/${reference}`)
      const extension = [{ url: 'http://hl7.org/fhir/StructureDefinition/timezone', valueCode: zone }]
      await server.fhir('PUT', `/${reference}`, { ...patient, address: [{ city: 'Fresno', extension }] })
    }
    const register = (callId: string) =>
      request(server.url, 'POST', '/calls', { callId, dialedNumber: '+12125550100', abandonment: id }, secret)
    if (from === undefined) {
      expect((await register('placed')).status).toBe(201)
      return
    }
    expect(await register('early')).toMatchObject({
      status: 422,
      body: { code: 'outside-contact-hours', error: expect.stringContaining(new Date(from).toISOString()) },
    })
    now = from
    expect((await register('early')).status).toBe(201)
  },
)

test('schedule_callback outside the contact window names the next time within it, which it then takes', async () => {
  now = NIGHT
  const use = await recovery()
  expect(await use('schedule_callback', { when: 'tomorrow at three in the morning', phone: 'N/A' })).toMatchObject({
    success: false,
    code: 'outside-contact-hours',
    error: expect.stringContaining('Tuesday, January 8th, at 8 in the morning'),
    say: expect.stringContaining('We could call on Tuesday, January 8th, at 8 in the morning.'),
  })
  expect(await use('schedule_callback', { when: 'Tuesday, January 8th, at 8 in the morning' })).toMatchObject({
    success: true,
    callbackAt: '2030-01-08T08:00:00-05:00',
  })
})

describe('schedule_callback, at any hour of the contact window', () => {
  test.each([
    ['tomorrow', 'Tuesday, January 8th, at 8:30 in the morning'],
    ['whenever', 'Tuesday, January 8th, at 8:30 in the morning'],
    ['tomorrow after five', 'Tuesday, January 8th, at 5 in the evening'],
    ['five to nine tomorrow', 'Tuesday, January 8th, at 8:55 in the morning'],
    ['next week', 'Monday, January 14th, at 8:30 in the morning'],
    // A minute that the caller names is kept, though the clinic is closed then.
    ['tomorrow at eight in the evening', 'Tuesday, January 8th, at 8 in the evening'],
  ])('names a time in the opening hours of the clinic: %s', async (when, label) => {
    now = NIGHT
    const use = await recovery()
    await setRecovery({ contactFrom: '00:00', contactUntil: '24:00' })
    expect(await use('schedule_callback', { when })).toMatchObject({ success: true, label })
  })

  test('names the next day on which the clinic is open where it is closed when it was asked for', async () => {
    now = NIGHT
    const use = await recovery()
    await setRecovery({ contactFrom: '00:00', contactUntil: '24:00' })
    expect(await use('schedule_callback', { when: 'on Saturday' })).toMatchObject({
      code: 'outside-contact-hours',
      say: expect.stringContaining('We could call on Monday, January 14th, at 8:30 in the morning.'),
    })
  })
})

test('a message that waits is dropped after an opt-out', async () => {
  now = NIGHT
  const use = await recovery()
  await use('send_resume_link', { channel: 'sms' })
  await until(isHeld)
  await use('set_contact_preference', { channel: 'sms', optOut: true })
  now = NIGHT + 9 * HOUR
  const dropped = async () => (await server.fhir('GET', '/Task?code=message-not-sent')).body.total === 1
  await until(dropped)
  expect(receiver.received).toEqual([])
})

test('a message that waits is dropped when the call ends as a wrong number', async () => {
  now = NIGHT
  const use = await recovery()
  await use('send_resume_link', { channel: 'sms' })
  await until(isHeld)
  await use('log_call_outcome', { outcome: 'wrong number' })
  now = NIGHT + 9 * HOUR
  const dropped = async () => (await server.fhir('GET', '/Task?code=message-not-sent')).body.total === 1
  await until(dropped)
  expect(receiver.received).toEqual([])
})

test('a registration that stays incomplete becomes an abandonment, which its completion closes', async () => {
  const headers = { 'x-call-id': 'registers' }
  const register = (fields: object) => server.tool('/patient-journey/update_registration_field', fields, headers)
  await register({ firstName: 'Ruth', lastName: 'Abel', phone: '+12125550156' })
  now += 25 * HOUR
  const tasks = async () => (await server.fhir('GET', '/Task?code=abandonment-recovery')).body
  await until(async () => (await tasks()).total === 1)
  const rest = { email: 'ruth@example.com', preferredLocation: 'Downtown', medicareStatus: 'none' }
  await register({ ...rest, healthPlanName: 'Gold', referralSource: 'a friend', commsConsent: true })
  expect((await tasks()).entry[0].resource.status).toBe('completed')
})

const REST = {
  preferredLocation: 'Downtown',
  medicareStatus: 'none',
  healthPlanName: 'Gold',
  referralSource: 'a friend',
}
const abandonments = async (): Promise<readonly Task[]> =>
  ((await server.fhir('GET', '/Task?code=abandonment-recovery')).body.entry ?? []).map(
    ({ resource }: { resource: Task }) => resource,
  )
const registers = (fields: object, callId = 'registers') =>
  server.tool('/patient-journey/update_registration_field', fields, {
    'x-call-id': callId,
    'x-call-to': '+12125550100',
    'x-call-from': '+12125550157',
  })
const ends = (callId: string) => request(server.url, 'POST', `/calls/${callId}/end`, undefined, secret)

describe('the abandonment of a registration that came with POST /abandonments', () => {
  const enter = async (fields: object, contact: object = { phone: '+12125550157' }, consent = true) => {
    await setRecovery({ contactFrom: '00:00', contactUntil: '24:00' })
    const body = { kind: 'registration', stepReached: 'details', fields, contact, consent }
    const { id } = (await request(server.url, 'POST', '/abandonments', body, secret)).body
    return id as string
  }
  const call = (abandonment: string, callId = 'about-it') =>
    request(server.url, 'POST', '/calls', { callId, dialedNumber: '+12125550100', abandonment }, secret)
  const save = (fieldName: string, value: unknown) =>
    server.tool('/abandonment-recovery/save_recovery_field', { fieldName, value }, { 'x-call-id': 'about-it' })

  test('is completed with it, be it in several requests at the same time', async () => {
    const id = await enter({ firstName: 'Ruth', lastName: 'Abel', ...REST })
    expect((await call(id)).status).toBe(201)
    const saved = await Promise.all([save('email', 'ruth@example.com'), save('commsConsent', 'yes')])
    expect(saved).toMatchObject([{ success: true }, { success: true }])
    expect(await abandonments()).toMatchObject([{ id, status: 'completed' }])
    now += 25 * HOUR
    expect(await server.app.repository.records(OPEN_REGISTRATION, { clinic: 'demo-clinic', limit: 10 })).toEqual([])
  })

  test('is the only one, though the registration stays incomplete after a call, or its person calls after it was closed', async () => {
    const id = await enter({ firstName: 'Ruth' })
    expect((await call(id)).status).toBe(201)
    expect(await save('lastName', 'Abel')).toMatchObject({ success: true })
    const due = () => server.app.repository.records(OPEN_REGISTRATION, { clinic: 'demo-clinic', limit: 10 })
    expect(await due()).toEqual([])
    await server.tool('/abandonment-recovery/log_call_outcome', { outcome: 'declined' }, { 'x-call-id': 'about-it' })
    await ends('about-it')
    const said = { firstName: 'Ruth', lastName: 'Abel', email: 'ruth@example.com' }
    expect(await registers(said)).toMatchObject({ success: true })
    expect(await due()).toEqual([])
    expect(await abandonments()).toMatchObject([{ id, status: 'cancelled' }])
  })

  test('takes consent, but no other contact, from a call about it', async () => {
    const id = await enter({ firstName: 'Ruth' })
    expect((await call(id)).status).toBe(201)
    expect(await save('email', 'elsewhere@example.com')).toMatchObject({ success: true })
    expect(await save('commsConsent', 'no')).toMatchObject({ success: true })
    const [task] = await abandonments()
    expect(attachedTo(task)).toMatchObject({ 'contact-phone': ['+12125550157'], 'contact-consent': [false] })
    expect(attachedTo(task)).not.toHaveProperty('contact-email')
  })
})

test('an abandonment without contact or consent has them once the person has told them, and can be called about', async () => {
  await setRecovery({ contactFrom: '00:00', contactUntil: '24:00' })
  const name = { firstName: 'Ruth', lastName: 'Abel' }
  await registers(name)
  await ends('registers')
  now += 25 * HOUR
  await until(async () => (await abandonments()).length === 1)
  const [task] = await abandonments()
  const about = () => {
    const call = { callId: 'at-last', dialedNumber: '+12125550100', abandonment: task?.id }
    return request(server.url, 'POST', '/calls', call, secret)
  }
  expect((await about()).body.code).toBe('no-consent')
  await registers({ ...name, email: 'rut@example.com' }, 'again')
  await registers({ email: 'ruth@example.com', phone: '2125550157', commsConsent: 'yes' }, 'again')
  const [told] = await abandonments()
  expect(attachedTo(told)).toMatchObject({
    'contact-phone': ['+12125550157'],
    'contact-email': ['ruth@example.com'],
    'contact-consent': [true],
    'step-reached': attachedTo(task)['step-reached'],
  })
  expect((await about()).status).toBe(201)
})

test('no message is sent where its Task cannot be written', async () => {
  const use = await recovery()
  isBroken = true
  expect(await use('send_resume_link', { channel: 'sms' })).toMatchObject({ success: false, code: 'internal' })
  expect(await server.app.repository.records(OUTBOX, { clinic: 'demo-clinic', limit: 10 })).toEqual([])
  isBroken = false
  expect(await use('send_resume_link', { channel: 'sms' })).toMatchObject({ success: true })
})
