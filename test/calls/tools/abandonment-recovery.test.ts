/** Abandonment recovery: how abandonments are reported, the tools for them, and resume links. docs/abandonment.md */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { CodeableConcept, Communication } from 'fhir/r4'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { request } from '../../support/request.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

let clinics: TwoClinics
let receiver: Receiver
const SECRET = { 'x-voice-secret': 'demo-secret' }
const DEMO_NUMBER = '+12125550100'
const SETTINGS = { enabled: true, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }

beforeAll(async () => {
  clinics = await startTwoClinics()
  receiver = await startReceiver()
  const { body } = await clinics.ours('GET', '/clinics/demo-clinic/settings')
  const recovery = { contactFrom: '00:00', contactUntil: '24:00' }
  const answer = await clinics.ours('PUT', '/clinics/demo-clinic/settings', {
    ...body,
    messages: { ...SETTINGS, url: receiver.url },
    recovery,
  })
  expect(answer.status).toBe(200)
})
afterAll(async () => {
  await receiver.close()
  await clinics.server.close()
})

const FORM = {
  kind: 'checkout',
  stepReached: 'payment',
  fields: { plan: 'gold', email: null, startDate: null },
  contact: { phone: '(212) 555-0155', email: 'ruth@example.com' },
  consent: true,
}

const enter = (body: unknown, headers: Record<string, string> = {}) =>
  request(clinics.server.url, 'POST', '/abandonments', body, { ...SECRET, ...headers })

const register = (call: object) =>
  request(clinics.server.url, 'POST', '/calls', { dialedNumber: DEMO_NUMBER, ...call }, SECRET)

let count = 0
/** A call about a new abandonment. */
async function recovery(changes: object = {}) {
  count += 1
  const { body, status } = await enter({
    ...FORM,
    contact: { phone: `+1212555${1000 + count}`, email: `ruth${count}@example.com` },
    ...changes,
  })
  expect(status).toBe(201)
  const callId = `recovery-${count}`
  const registered = await register({ callId, abandonment: body.id })
  expect(registered.status).toBe(201)
  const use = (tool: string, args: object = {}) =>
    clinics.server.tool(`/abandonment-recovery/${tool}`, args, { 'x-call-id': callId })
  return { id: body.id as string, callId, use, task: async () => (await clinics.ours('GET', `/Task/${body.id}`)).body }
}

const until = async <T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> => {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const messageTo = (to: string) =>
  receiver.received.map(({ body }) => JSON.parse(body).data).find((data) => JSON.stringify(data).includes(to))

describe('an abandonment', () => {
  test('enters once for each key, as a Task with what is known', async () => {
    const headers = { 'idempotency-key': 'checkout-1' }
    const first = await enter(FORM, headers)
    expect(first.status).toBe(201)
    const again = await enter({ ...FORM, stepReached: 'other' }, headers)
    expect([again.status, again.body]).toEqual([200, first.body])
    const { body: task } = await clinics.ours('GET', `/Task/${first.body.id}`)
    expect(task).toMatchObject({ status: 'requested', code: { coding: [{ code: 'abandonment-recovery' }] } })
  })

  test('of a token is of its clinic, and the other clinic does not see it', async () => {
    const { body, status } = await clinics.theirs('POST', '/abandonments', FORM)
    expect(status).toBe(201)
    expect((await clinics.theirs('GET', `/Task/${body.id}`)).status).toBe(200)
    expect((await clinics.ours('GET', `/Task/${body.id}`)).status).toBe(404)
    const call = { callId: 'foreign', dialedNumber: DEMO_NUMBER, abandonment: body.id }
    const answer = await request(clinics.server.url, 'POST', '/calls', call, SECRET)
    expect(answer.status).toBe(422)
  })

  test.each([
    ['no object', []],
    ['another kind', { ...FORM, kind: 'visit' }],
    ['no step', { ...FORM, stepReached: ' ' }],
    ['no contact', { ...FORM, contact: {} }],
    ['a contact that is none', { ...FORM, contact: { phone: 'call me' } }],
    ['no consent', { ...FORM, consent: 'yes' }],
    ['a field of a bad name', { ...FORM, fields: { '1 x': 'a' } }],
    ['a field that is no text', { ...FORM, fields: { a: { b: 1 } } }],
    ['a field that is too long', { ...FORM, fields: { a: 'x'.repeat(1001) } }],
    ['too many fields', { ...FORM, fields: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, 'x'])) }],
    ['an unknown field of a registration', { ...FORM, kind: 'registration', fields: { shoe: '9' } }],
    ['something unknown', { ...FORM, patient: 'abernathy-ruth' }],
  ])('is refused with %s', async (_what, body) => {
    expect((await enter(body)).status).toBe(400)
  })

  test('may have no fields at all', async () => {
    const { fields: _, ...form } = FORM
    const { body, status } = await enter(form)
    expect(status).toBe(201)
    const form2 = await enter({ ...form, fields: {} })
    expect(form2.status).toBe(201)
    const call = { callId: 'no-fields', dialedNumber: DEMO_NUMBER, abandonment: body.id }
    expect((await request(clinics.server.url, 'POST', '/calls', call, SECRET)).status).toBe(201)
    const headers = { 'x-call-id': 'no-fields' }
    expect(await clinics.server.tool('/abandonment-recovery/get_recovery_context', {}, headers)).toMatchObject({
      success: true,
      knownFields: {},
      missingFields: [],
    })
  })

  test('needs the secret or a token', async () => {
    expect((await enter(FORM, { 'x-voice-secret': 'wrong' })).status).toBe(401)
    expect((await request(clinics.server.url, 'POST', '/abandonments', FORM)).status).toBe(401)
  })

  test('without consent is called by nobody', async () => {
    const { body } = await enter({ ...FORM, consent: false })
    const call = { callId: 'no-consent', dialedNumber: DEMO_NUMBER, abandonment: body.id }
    expect((await request(clinics.server.url, 'POST', '/calls', call, SECRET)).status).toBe(422)
  })
})

describe('the tools', () => {
  test.each([
    ['get_recovery_context', {}],
    ['save_recovery_field', { fieldName: 'plan', value: 'silver' }],
    ['send_resume_link', { channel: 'sms' }],
    ['record_abandon_reason', { reason: 'too dear' }],
    ['schedule_callback', { when: 'tomorrow at two in the afternoon' }],
    ['set_contact_preference', { channel: 'all', optOut: true }],
    ['log_call_outcome', { outcome: 'declined' }],
  ])('%s says so where the call is about no abandonment', async (tool, args) => {
    const headers = { 'x-call-id': 'about-nothing' }
    expect(await clinics.server.tool(`/abandonment-recovery/${tool}`, args, headers)).toMatchObject({
      success: false,
      code: 'no-abandonment',
      say: expect.any(String),
    })
  })

  test('get_recovery_context and save_recovery_field know what is missing', async () => {
    const { use } = await recovery()
    expect(await use('get_recovery_context')).toMatchObject({
      success: true,
      kind: 'checkout',
      stepReached: 'payment',
      knownFields: { plan: 'gold' },
      missingFields: ['email', 'startDate'],
    })
    expect(
      await use('save_recovery_field', { fieldName: 'email', value: 'ruth dot a at example dot com' }),
    ).toMatchObject({
      success: true,
      missingFields: ['startDate'],
    })
    expect((await use('get_recovery_context')).knownFields).toEqual({ plan: 'gold', email: 'ruth.a@example.com' })
    expect(await use('save_recovery_field', { fieldName: 'shoe', value: 'nine' })).toMatchObject({
      success: false,
      code: 'invalid-argument',
    })
  })

  test('get_recovery_context sent twice has the same result, though what it tells has changed since', async () => {
    const { use, callId } = await recovery()
    const send = async (id: string) => {
      const call = { message: { toolCalls: [{ id, function: { arguments: {} } }] } }
      const headers = { ...SECRET, 'x-call-id': callId }
      const path = '/abandonment-recovery/get_recovery_context'
      const { body } = await request(clinics.server.url, 'POST', path, call, headers)
      return JSON.parse(body.results[0].result)
    }
    const first = await send('one')
    await use('save_recovery_field', { fieldName: 'email', value: 'ruth@example.com' })
    expect(await send('one')).toEqual(first)
    expect((await send('two')).missingFields).toEqual(['startDate'])
    const { body } = await clinics.ours('GET', `/Communication?identifier=${callId}`)
    const logged = body.entry.map(({ resource }: { resource: Communication }) => resource.topic?.text)
    expect(logged.toSorted()).toEqual(['get_recovery_context', 'get_recovery_context', 'save_recovery_field'])
  })

  test.each([
    ['email', 'jane dot doe at example dot com okay', 'jane.doe@example.com'],
    ['phoneNumber', 'two one two five five five oh one two three', '+12125550123'],
    ['date_of_birth', 'March third nineteen eighty', '1980-03-03'],
    ['firstName', 'J A N E', 'Jane'],
    ['surname', 'my last name is Smith', 'Smith'],
    ['wish', 'J A N E', 'J A N E'],
  ])('save_recovery_field reads %s as it is said elsewhere, and gives it back', async (fieldName, value, stored) => {
    const { use } = await recovery({ fields: { [fieldName]: null } })
    const result = await use('save_recovery_field', { fieldName, value })
    expect(result).toMatchObject({ success: true, missingFields: [] })
    expect(result.values).toEqual(fieldName === 'wish' ? undefined : { [fieldName]: stored })
    expect(result.inWords).toBe(fieldName === 'date_of_birth' ? 'March 3rd, 1980' : undefined)
    expect((await use('get_recovery_context')).knownFields).toEqual({ [fieldName]: stored })
  })

  test.each([
    ['email', 'jane at one dot com'],
    ['phone', 'two one two'],
    ['dob', '3/4/80'],
    ['firstName', 'Jane or Joan'],
  ])('save_recovery_field asks back where %s is not certain', async (fieldName, value) => {
    const { use } = await recovery({ fields: { [fieldName]: null } })
    expect(await use('save_recovery_field', { fieldName, value })).toMatchObject({ code: 'invalid-argument' })
    expect((await use('get_recovery_context')).missingFields).toEqual([fieldName])
  })

  test.each([
    ['phone', 2125550123, '+12125550123'],
    ['plan', true, 'true'],
    ['seats', 4, '4'],
    ['share', 0.5, '0.5'],
  ])('save_recovery_field reads %s of a form as agents send it: %j', async (fieldName, value, stored) => {
    const { use } = await recovery({ fields: { [fieldName]: null } })
    expect(await use('save_recovery_field', { fieldName, value })).toMatchObject({ success: true })
    expect((await use('get_recovery_context')).knownFields).toEqual({ [fieldName]: stored })
  })

  test.each([
    ['phone', 2125550123, '+12125550123'],
    ['commsConsent', true, true],
    ['commsConsent', 'true', true],
    ['commsConsent', false, false],
  ])('save_recovery_field reads %s of a registration as agents send it: %j', async (fieldName, value, stored) => {
    const { use } = await recovery({ kind: 'registration', fields: {} })
    expect(await use('save_recovery_field', { fieldName, value })).toMatchObject({ success: true })
    expect((await use('get_recovery_context')).knownFields).toMatchObject({ [fieldName]: stored })
  })

  test('save_recovery_field takes "none" for an answer in the words of the caller, and for no phone', async () => {
    const { use } = await recovery({ kind: 'registration', fields: {} })
    expect(await use('save_recovery_field', { fieldName: 'healthPlanName', value: 'none' })).toMatchObject({
      success: true,
    })
    expect(await use('save_recovery_field', { fieldName: 'phone', value: 'none' })).toMatchObject({
      success: false,
      code: 'invalid-argument',
      error: 'value: it holds no phone number',
    })
    expect((await use('get_recovery_context')).knownFields).toMatchObject({ healthPlanName: 'none' })
  })

  test.each([
    [{ value: 'gold' }, 'missing-argument', 'fieldName'],
    [{ fieldName: 'plan' }, 'missing-argument', 'value'],
    [{ fieldName: 'plan', value: ['gold'] }, 'invalid-argument', 'value'],
    [{ fieldName: { name: 'plan' }, value: 'gold' }, 'invalid-argument', 'fieldName'],
    [{ fieldName: 'plan', value: { is: 'gold' } }, 'invalid-argument', 'value'],
  ])('save_recovery_field names what is missing or wrong: %j', async (args, code, named) => {
    const { use } = await recovery()
    expect(await use('save_recovery_field', args)).toMatchObject({
      success: false,
      code,
      error: expect.stringContaining(named),
    })
  })

  test('save_recovery_field writes a registration to its Patient', async () => {
    const { use, task } = await recovery({ kind: 'registration', fields: { firstName: 'Ruth' } })
    expect(await use('save_recovery_field', { fieldName: 'lastName', value: 'A B E L' })).toMatchObject({
      success: true,
      values: { lastName: 'Abel' },
    })
    const patient = (await task()).for.reference
    expect((await clinics.ours('GET', `/${patient}`)).body.name).toMatchObject([{ given: ['Ruth'], family: 'Abel' }])
  })

  test('send_resume_link sends one message, though the same call is sent twice, and the link works once', async () => {
    const { use, callId, task } = await recovery()
    const call = { message: { toolCalls: [{ id: 'twice', function: { arguments: { channel: 'email' } } }] } }
    const send = async () => {
      const headers = { ...SECRET, 'x-call-id': callId }
      const { body } = await request(
        clinics.server.url,
        'POST',
        '/abandonment-recovery/send_resume_link',
        call,
        headers,
      )
      return JSON.parse(body.results[0].result)
    }
    const [one, other] = await Promise.all([send(), send()])
    expect(one).toEqual(other)
    const address = `ruth${count}@example.com`
    expect(one).toMatchObject({ success: true, sentTo: 'r***@example.com', expiresAt: expect.any(String) })
    const message = await until(() => messageTo(address))
    await use('get_recovery_context')
    expect(receiver.received.filter(({ body }) => body.includes(address))).toHaveLength(1)
    expect((await task()).output).toHaveLength(1)

    const path = new URL(message.link).pathname
    const preview = await fetch(`${clinics.server.url}${path}`)
    expect(preview.status).toBe(200)
    expect(await preview.text()).not.toContain('gold')
    const redeem = () => fetch(`${clinics.server.url}${path}`, { method: 'POST' })
    const answers = await Promise.all([redeem(), redeem()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
    const won = answers.find(({ status }) => status === 200)
    expect(await won?.json()).toMatchObject({ kind: 'checkout', fields: { plan: 'gold' } })
  })

  test('an abandonment has five links at most, however many of them were used', async () => {
    const { use, task } = await recovery()
    const email = `ruth${count}@example.com`
    const outputs = async (code: string) =>
      (await task()).output.filter(({ type }: { type: CodeableConcept }) => type.coding?.[0]?.code === code).length
    for (let sent = 1; sent <= 5; sent++) {
      expect(await use('send_resume_link', { channel: 'email' })).toMatchObject({ success: true })
      const messages = await until(() => {
        const found = receiver.received.map(({ body }) => JSON.parse(body).data).filter(({ to }) => to === email)
        return found.length === sent ? found : undefined
      })
      const { pathname } = new URL(messages.at(-1).link)
      expect((await fetch(`${clinics.server.url}${pathname}`, { method: 'POST' })).status).toBe(200)
    }
    expect([await outputs('resume-link'), await outputs('resume-link-used')]).toEqual([5, 5])
    expect(await use('send_resume_link', { channel: 'email' })).toMatchObject({
      success: false,
      code: 'too-many-links',
      say: expect.stringContaining('several times'),
    })
    expect(await outputs('resume-link')).toBe(5)
  })

  test('an opt-out is final for calls, and only staff end it', async () => {
    const { use, callId, id } = await recovery()
    expect(await use('set_contact_preference', { channel: 'all', optOut: true })).toMatchObject({
      success: true,
      preferences: { phone: 'opted-out', sms: 'opted-out', email: 'opted-out' },
    })
    expect(await use('set_contact_preference', { channel: 'sms', optOut: false })).toMatchObject({
      success: false,
      code: 'opted-out',
    })
    expect(await use('send_resume_link', { channel: 'sms' })).toMatchObject({ success: false, code: 'opted-out' })
    const call = { callId: `${callId}-again`, dialedNumber: DEMO_NUMBER, abandonment: id }
    expect((await request(clinics.server.url, 'POST', '/calls', call, SECRET)).status).toBe(422)
    const { body } = await clinics.ours('GET', '/Consent?category=contact-opt-out')
    for (const { resource } of body.entry)
      await clinics.ours('PUT', `/Consent/${resource.id}`, { ...resource, status: 'inactive' })
    expect(await use('send_resume_link', { channel: 'sms' })).toMatchObject({ success: true })
  })

  test('who does not agree to be contacted any more is not called, and is sent no link', async () => {
    const { use, callId, id } = await recovery({ kind: 'registration', fields: { firstName: 'Ruth' } })
    const consent = (value: string) => use('save_recovery_field', { fieldName: 'commsConsent', value })
    const call = (name: string) => register({ callId: `${callId}-${name}`, abandonment: id })
    expect(await consent('no thanks')).toMatchObject({ success: true })
    expect(await call('after-no')).toMatchObject({ status: 422, body: { code: 'no-consent' } })
    const refused = await use('send_resume_link', { channel: 'sms' })
    expect(refused).toMatchObject({ success: false, code: 'no-consent', say: expect.stringContaining('cannot send') })
    expect(await consent('yes please')).toMatchObject({ success: true })
    expect((await call('after-yes')).status).toBe(201)
    expect(await use('send_resume_link', { channel: 'sms' })).toMatchObject({ success: true })
  })

  test.each([
    ['a number of the patient', { telecom: [{ system: 'phone', value: '(212) 555-0171' }] }, {}, '+12125550171', 422],
    ['the number that is called', {}, { callerNumber: '+12125550172' }, '+12125550172', 422],
    ['an old number', { telecom: [{ system: 'phone', value: '2125550173', use: 'old' }] }, {}, '+12125550173', 201],
  ])(
    'an opt-out of calls holds for a call to a patient of the clinic: by %s',
    async (what, of, called, phone, status) => {
      const { use } = await recovery({ contact: { phone } })
      expect(await use('set_contact_preference', { channel: 'call', optOut: true })).toMatchObject({ success: true })
      const { body: patient } = await clinics.ours('POST', '/Patient', { resourceType: 'Patient', ...of })
      const answer = await register({ callId: `by-${what.replaceAll(' ', '-')}`, patient: patient.id, ...called })
      expect([answer.status, answer.body.code]).toEqual([status, status === 422 ? 'opted-out' : undefined])
    },
  )

  test('an opt-out of calls holds for other calls to the Patient of the abandonment, and one of messages for none', async () => {
    const { use, callId, task } = await recovery()
    const patient = (await task()).for.reference
    expect(await use('set_contact_preference', { channel: 'sms', optOut: true })).toMatchObject({ success: true })
    expect((await register({ callId: `${callId}-allowed`, patient })).status).toBe(201)
    expect(await use('set_contact_preference', { channel: 'all', optOut: true })).toMatchObject({ success: true })
    const answer = await register({ callId: `${callId}-refused`, patient })
    expect(answer).toMatchObject({ status: 422, body: { code: 'opted-out' } })
    // A person who has opted out may still call.
    expect((await register({ callId: `${callId}-incoming`, callerNumber: `+1212555${1000 + count}` })).status).toBe(201)
  })

  test.each([
    [{ channel: 'SMS', optOut: 'true' }, 'sms'],
    [{ channel: 'text message', optOut: true }, 'sms'],
    [{ channel: 'E-mail', optOut: 'True' }, 'email'],
    [{ channel: 'calls', optOut: true }, 'phone'],
    [{ channel: 'sms', optOut: 1 }, 'sms'],
    [{ channel: 'email', optOut: 'Opted out' }, 'email'],
    [{ channel: 'sms', optOut: 'yes' }, 'sms'],
    [{ channel: 'sms', optOut: 'Y' }, 'sms'],
    [{ channel: 'sms', optOut: 'opt_out' }, 'sms'],
    [{ channel: 'sms', optOut: "don't contact me" }, 'sms'],
  ])('an opt-out is understood as agents send it: %j', async (args, channel) => {
    const { use } = await recovery()
    const all = { phone: 'allowed', sms: 'allowed', email: 'allowed' }
    expect(await use('set_contact_preference', args)).toMatchObject({
      success: true,
      preferences: { ...all, [channel]: 'opted-out' },
    })
  })

  test.each([0, '0', 'opted in', 'opt in', 'no', 'N', 'off'])(
    'no opt-out is understood as agents send it: %j',
    async (optOut) => {
      const { use } = await recovery()
      expect(await use('set_contact_preference', { channel: 'sms', optOut })).toMatchObject({
        success: true,
        preferences: { phone: 'allowed', sms: 'allowed', email: 'allowed' },
      })
    },
  )

  test.each([
    [{ channel: 'pigeon', optOut: true }, 'invalid-argument', 'channel'],
    [{ channel: 'sms', optOut: 'no thanks' }, 'invalid-argument', 'optOut'],
    [{ channel: 'sms' }, 'missing-argument', 'optOut'],
    [{ optOut: true }, 'missing-argument', 'channel'],
    [{ channel: ['sms'], optOut: 2 }, 'invalid-argument', 'optOut'],
    [{ channel: 'sms', optOut: [true] }, 'invalid-argument', 'optOut'],
    [{ channel: 'sms', optOut: 'declined' }, 'invalid-argument', 'optOut'],
    [{ channel: 'sms', optOut: 'yes and no' }, 'invalid-argument', 'optOut'],
  ])('what is no preference changes none: %j', async (args, code, named) => {
    const { use } = await recovery()
    expect(await use('set_contact_preference', args)).toMatchObject({
      success: false,
      code,
      error: expect.stringContaining(named),
    })
    expect(await use('set_contact_preference', { channel: 'all', optOut: false })).toMatchObject({ success: true })
  })

  test('schedule_callback raises a Task that is due when the person says', async () => {
    const { use } = await recovery()
    const result = await use('schedule_callback', { when: 'tomorrow at two in the afternoon' })
    expect(result).toMatchObject({ success: true, label: expect.stringContaining('2 in the afternoon') })
    const { body } = await clinics.ours('GET', '/Task?code=callback')
    expect(body.entry[0].resource.restriction.period.end).toBe(result.callbackAt)
    expect(result).not.toHaveProperty('values')
  })

  test('schedule_callback gives back the number that was said, and none that it has from elsewhere', async () => {
    const { use } = await recovery()
    const said = { when: 'tomorrow at two in the afternoon', phone: 'two one two five five five oh one two three' }
    expect((await use('schedule_callback', said)).values).toEqual({ phone: '+12125550123' })
  })

  test('save_recovery_field knows the field however its name is written', async () => {
    const { use } = await recovery({ fields: { first_name: null, plan: null } })
    const saved = await use('save_recovery_field', { fieldName: 'First name', value: 'Ruth' })
    expect(saved).toMatchObject({ success: true, missingFields: ['plan'], values: { first_name: 'Ruth' } })
    expect(await use('save_recovery_field', { fieldName: 'plans', value: 'gold' })).toMatchObject({
      code: 'invalid-argument',
      error: expect.stringContaining('it has first_name, plan'),
    })
  })

  test('schedule_callback reads a phone that is sent as a number', async () => {
    const { use } = await recovery()
    const result = await use('schedule_callback', { when: 'tomorrow at two in the afternoon', phone: 2125550174 })
    expect(result).toMatchObject({ success: true })
    const { body } = await clinics.ours('GET', '/Task?code=callback&_sort=-_lastUpdated&_count=1')
    expect(JSON.stringify(body.entry[0].resource.input)).toContain('+12125550174')
  })

  test.each([
    [{ phone: 2125550174 }, 'missing-argument', 'when'],
    [{ when: ['tomorrow'] }, 'invalid-argument', 'when'],
    [{ when: 'tomorrow at two in the afternoon', phone: ['2125550174'] }, 'invalid-argument', 'phone'],
    [{ when: 'tomorrow at two in the afternoon', phone: true }, 'invalid-argument', 'phone'],
  ])('schedule_callback names what is missing or wrong: %j', async (args, code, named) => {
    const { use } = await recovery()
    expect(await use('schedule_callback', args)).toMatchObject({
      success: false,
      code,
      error: expect.stringContaining(named),
    })
  })

  test('record_abandon_reason and log_call_outcome tell staff, and an outcome closes the recovery', async () => {
    const { use, task } = await recovery()
    expect(await use('record_abandon_reason', { reason: 'x'.repeat(3_000) })).toMatchObject({ success: true })
    expect(await use('log_call_outcome', { outcome: 'no answer' })).toMatchObject({ success: true })
    expect((await task()).status).toBe('in-progress')
    expect(await use('log_call_outcome', { outcome: 'declined', note: 'maybe later' })).toMatchObject({ success: true })
    expect((await task()).status).toBe('cancelled')
    expect(await use('send_resume_link', { channel: 'sms' })).toMatchObject({ code: 'abandonment-closed' })
  })

  test('log_call_outcome notes an outcome that it does not know as it was told, with its note', async () => {
    const { use, task } = await recovery()
    expect(await use('log_call_outcome', { outcome: 'flew away', note: 'to Peru' })).toMatchObject({
      success: true,
      code: 'outcome-unknown',
    })
    expect(await use('log_call_outcome', { outcome: 'x'.repeat(300) })).toMatchObject({ code: 'outcome-unknown' })
    const { status, output } = await task()
    expect(status).toBe('in-progress')
    const noted = output.map(({ valueString }: { valueString: string }) => valueString)
    expect(noted).toEqual(['flew away: to Peru', expect.stringMatching(/^x+ \[…\]$/)])
  })
})

test('a link that is unknown gives nothing', async () => {
  for (const token of ['x', 'a'.repeat(32), '%00'])
    expect((await fetch(`${clinics.server.url}/resume/${token}`, { method: 'POST' })).status).toBe(404)
})
