/** A clinic's own check of its calls (settings.callSecurity), beside the secret that all clinics share. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { createClinic } from '../../src/clinics/clinics.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'

const ESCALATE = '/patient-journey/escalate_billing'
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const OLD = newSecret()
const NEW = newSecret()
const OTHERS = newSecret()
const KEY = 'key_0123456789abcdef'
const TEXT = 'a-secret-of-the-clinic'

const CLINICS = {
  signed: { number: '+12125550201', callSecurity: { method: 'standard-webhooks', secrets: [OLD, NEW] } },
  others: { number: '+12125550202', callSecurity: { method: 'standard-webhooks', secrets: [OTHERS] } },
  retell: { number: '+12125550203', callSecurity: { method: 'retell', secrets: [KEY] } },
  header: { number: '+12125550204', callSecurity: { method: 'header', secrets: [TEXT] } },
} as const
type Clinic = keyof typeof CLINICS

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  for (const [id, { number, callSecurity }] of Object.entries(CLINICS)) {
    await createClinic(server.app.repository, id, {
      name: id,
      timeZone: 'UTC',
      defaultRegion: 'US',
      dialedNumbers: [number],
      policies: { overbooking: false, slotTakenStatus: 409 },
      callSecurity,
    })
  }
})
afterAll(() => server.close())

const bodyOf = (id: unknown, reason: string) =>
  JSON.stringify({ message: { toolCalls: [{ id, function: { arguments: { reason } } }] } })

const headersOf = (clinic: Clinic, callId: string) => ({
  'x-voice-secret': 'demo-secret',
  'content-type': 'application/json',
  'x-call-id': callId,
  'x-call-to': CLINICS[clinic].number,
})

/** @param age seconds ago */
function signature(
  secret: string,
  body: string,
  { id = randomUUID() as string, age = 0 } = {},
): Record<string, string> {
  const at = new Date(Date.now() - age * 1000)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
}

const retellSignature = (key: string, body: string, at = Date.now()) => ({
  'x-retell-signature': `v=${at},d=${createHmac('sha256', key).update(`${body}${at}`).digest('hex')}`,
})

/** The decoded result of one tool call. */
async function escalate(clinic: Clinic, callId: string, body: string, headers: Record<string, string> = {}) {
  const response = await request(server.url, 'POST', ESCALATE, body, { ...headersOf(clinic, callId), ...headers })
  expect(response.status).toBe(200)
  return JSON.parse(response.body.results[0].result)
}

const tasksOf = async (clinic: Clinic) =>
  (await server.app.access(clinic, { kind: 'server' }).reader().search('Task', '_count=100')).length

describe('a clinic whose calls are signed (Standard Webhooks)', () => {
  test.each([
    ['its secret', OLD],
    ['the second of its two secrets', NEW],
  ])('takes a tool call that %s signs', async (_what, secret) => {
    const body = bodyOf('1', 'a bill')
    expect(await escalate('signed', randomUUID(), body, signature(secret, body))).toMatchObject({ success: true })
  })

  test.each<[string, (body: string) => Record<string, string>]>([
    ['no signature', () => ({})],
    ["another clinic's secret", (body) => signature(OTHERS, body)],
    ['a signature of another body', () => signature(OLD, '{}')],
    ['a signature older than five minutes', (body) => signature(OLD, body, { age: 301 })],
    ['a signature five minutes ahead', (body) => signature(OLD, body, { age: -310 })],
    ['a signature without its id', (body) => ({ ...signature(OLD, body), 'webhook-id': '' })],
    ['a signature of no time', (body) => ({ ...signature(OLD, body), 'webhook-timestamp': 'now' })],
    ['the signature of a Retell account', (body) => retellSignature(KEY, body)],
  ])('refuses a tool call with %s, and keeps nothing of its call', async (_what, headers) => {
    const body = bodyOf('1', 'a bill')
    const before = await tasksOf('signed')
    const callId = randomUUID()
    expect(await escalate('signed', callId, body, headers(body))).toMatchObject({
      success: false,
      code: 'call-not-signed',
    })
    expect(await tasksOf('signed')).toBe(before)
    // Had the call been stored, it could not begin in another clinic.
    const otherBody = bodyOf('1', 'x')
    expect(await escalate('others', callId, otherBody, signature(OTHERS, otherBody))).toMatchObject({ success: true })
  })

  test('gives the stored result to the same request again, and refuses its id with another body', async () => {
    const callId = randomUUID()
    const body = bodyOf('1', 'a bill')
    const headers = signature(OLD, body)
    const before = await tasksOf('signed')
    const first = await escalate('signed', callId, body, headers)
    expect(await escalate('signed', callId, body, headers)).toEqual(first)
    expect(await tasksOf('signed')).toBe(before + 1)
    const other = bodyOf('2', 'another bill')
    expect(
      await escalate('signed', callId, other, signature(OLD, other, { id: headers['webhook-id'] ?? '' })),
    ).toMatchObject({ code: 'signature-used' })
    expect(await tasksOf('signed')).toBe(before + 1)
  })

  test('refuses a tool call without an id, of which a repeat would have a second effect', async () => {
    const body = bodyOf(null, 'a bill')
    expect(await escalate('signed', randomUUID(), body, signature(OLD, body))).toMatchObject({
      code: 'call-without-id',
    })
  })

  test('its calls are registered and ended by signed requests alone', async () => {
    const callId = randomUUID()
    const body = JSON.stringify({ callId, dialedNumber: CLINICS.signed.number })
    const send = (path: string, text: string, headers: Record<string, string>) =>
      request(server.url, 'POST', path, text, {
        'x-voice-secret': 'demo-secret',
        'content-type': 'application/json',
        ...headers,
      })
    const end = `/calls/${callId}/end`
    const report = JSON.stringify({ event: 'call_ended', call: { call_id: callId } })
    expect([
      (await send('/calls', body, {})).status,
      (await send('/calls', body, signature(OTHERS, body))).status,
      (await send('/calls', body, signature(OLD, body))).status,
      (await send(end, '{}', {})).status,
      (await send(end, '{}', signature(OTHERS, '{}'))).status,
      (await send('/calls/events', report, {})).status,
      (await send('/calls/events', report, signature(OLD, report))).status,
      (await send(end, '{}', signature(OLD, '{}'))).status,
    ]).toEqual([403, 403, 201, 403, 403, 403, 200, 200])
  })
})

test('a clinic with an account of Retell takes what that has signed, and nothing else', async () => {
  const args = { name: 'escalate_billing', args: { reason: 'a bill' } }
  const call = {
    transcript_with_tool_calls: [{ role: 'tool_call_invocation', tool_call_id: 't1', name: 'escalate_billing' }],
  }
  const body = JSON.stringify({ ...args, call })
  const with_ = (headers: Record<string, string>) => escalate('retell', 'retell-call', body, headers)
  expect(await with_(retellSignature(KEY, body))).toMatchObject({ success: true })
  expect(await with_(retellSignature(KEY, body))).toMatchObject({ success: true })
  expect(await tasksOf('retell')).toBe(1)
  for (const wrong of [
    {},
    retellSignature('another-key-0000', body),
    retellSignature(KEY, body, Date.now() - 301_000),
    retellSignature(KEY, '{}'),
    { 'x-retell-signature': 'v=,d=' },
  ])
    expect(await with_(wrong)).toMatchObject({ code: 'call-not-signed' })
})

test('a clinic with a secret of its own takes calls that carry it', async () => {
  const body = bodyOf(null, 'a bill')
  expect(await escalate('header', 'h1', body, { 'x-clinic-secret': TEXT })).toMatchObject({ success: true })
  for (const wrong of ['', 'wrong', TEXT.toUpperCase()])
    expect(await escalate('header', 'h1', body, { 'x-clinic-secret': wrong })).toMatchObject({
      code: 'call-not-signed',
    })
})

test('the shared secret is asked for first, whatever the clinic has', async () => {
  const body = bodyOf('1', 'x')
  const headers = { ...headersOf('signed', 'c'), ...signature(OLD, body), 'x-voice-secret': 'wrong' }
  expect((await request(server.url, 'POST', ESCALATE, body, headers)).status).toBe(401)
})

describe('POST /abandonments for a clinic with a check of its own', () => {
  const ENTERED = JSON.stringify({
    kind: 'form',
    stepReached: 'contact',
    fields: { plan: null },
    contact: { phone: '+12125550166' },
    consent: true,
  })
  const enter = (clinic: Clinic, headers: Record<string, string>, body = ENTERED) =>
    request(server.url, 'POST', '/abandonments', body, {
      'x-voice-secret': 'demo-secret',
      'content-type': 'application/json',
      'x-call-to': CLINICS[clinic].number,
      ...headers,
    })
  const byKey = (key = randomUUID() as string) => ({ 'idempotency-key': key })

  test.each<[string, Clinic, () => Record<string, string>]>([
    ['no signature', 'signed', () => ({})],
    ["another clinic's signature", 'signed', () => signature(OTHERS, ENTERED)],
    ['a signature of another body', 'signed', () => signature(OLD, '{}')],
    ['an old signature', 'signed', () => signature(OLD, ENTERED, { age: 301 })],
    ['no signature of its Retell account', 'retell', () => ({})],
    ['the signature of another Retell account', 'retell', () => retellSignature('another-key-0000', ENTERED)],
    ['no secret of the clinic', 'header', () => ({})],
    ['a wrong secret of the clinic', 'header', () => ({ 'x-clinic-secret': 'wrong' })],
  ])('with %s is 403, and enters nothing', async (_what, clinic, headers) => {
    const before = await tasksOf(clinic)
    const { status, body } = await enter(clinic, { ...byKey(), ...headers() })
    expect([status, body.code]).toEqual([403, 'call-not-signed'])
    expect(await tasksOf(clinic)).toBe(before)
  })

  test('is entered once by a request that is signed and has an Idempotency-Key, though it is sent again', async () => {
    const before = await tasksOf('signed')
    const headers = { ...byKey(), ...signature(NEW, ENTERED) }
    const first = await enter('signed', headers)
    expect(first.status).toBe(201)
    const again = await enter('signed', headers)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await tasksOf('signed')).toBe(before + 1)
  })

  test('is refused without an Idempotency-Key, by which a repeat of the signed request is told', async () => {
    const before = await tasksOf('signed')
    const unkeyed = await enter('signed', signature(OLD, ENTERED))
    expect([unkeyed.status, unkeyed.body]).toEqual([
      400,
      expect.objectContaining({ code: 'call-without-id', error: expect.stringContaining('Idempotency-Key') }),
    ])
    expect((await enter('retell', retellSignature(KEY, ENTERED))).body.code).toBe('call-without-id')
    expect(await tasksOf('signed')).toBe(before)
  })

  test('is refused where the id of its signature came with another body or another Idempotency-Key', async () => {
    const before = await tasksOf('signed')
    const id = randomUUID()
    const key = byKey()
    const other = ENTERED.replace('contact', 'payment')
    expect((await enter('signed', { ...key, ...signature(OLD, ENTERED, { id }) })).status).toBe(201)
    for (const answer of [
      await enter('signed', { ...byKey(), ...signature(OLD, ENTERED, { id }) }),
      await enter('signed', { ...key, ...signature(OLD, other, { id }) }, other),
    ])
      expect([answer.status, answer.body.code]).toEqual([409, 'signature-used'])
    expect(await tasksOf('signed')).toBe(before + 1)
  })

  test('needs no Idempotency-Key where the clinic has a secret that signs nothing', async () => {
    expect((await enter('header', { 'x-clinic-secret': TEXT })).status).toBe(201)
  })

  test('with a token of its staff needs no signature', async () => {
    const staff = withToken(server, await logInAs(server, { username: randomUUID(), clinic: 'signed', role: 'staff' }))
    expect((await staff.fhir('POST', '/abandonments', JSON.parse(ENTERED))).status).toBe(201)
  })

  test('is asked for the shared secret first', async () => {
    const headers = { ...byKey(), ...signature(OLD, ENTERED), 'x-voice-secret': 'wrong' }
    expect((await enter('signed', headers)).status).toBe(401)
  })
})

describe('the setting callSecurity', () => {
  test('shows no secret, and keeps one that is sent back as set', async () => {
    const admin = withToken(server, await logInAs(server, { username: 'admin', clinic: 'header', role: 'admin' }))
    const path = '/clinics/header/settings'
    const { body } = await admin.fhir('GET', path)
    expect(body.callSecurity).toEqual({ method: 'header', secrets: ['set'] })
    const next = { method: 'header', secrets: ['set', 'the-next-secret-of-it'] }
    expect((await admin.fhir('PUT', path, { ...body, callSecurity: next })).body.callSecurity.secrets).toEqual([
      'set',
      'set',
    ])
    for (const secret of [TEXT, 'the-next-secret-of-it'])
      expect(await escalate('header', 'h2', bodyOf('1', 'x'), { 'x-clinic-secret': secret })).toMatchObject({
        success: true,
      })
  })

  test.each([
    [5],
    [{ method: 'none', secrets: [TEXT] }],
    [{ method: 'header', secrets: [] }],
    [{ method: 'header', secrets: ['short'] }],
    [{ method: 'header', secrets: [TEXT, TEXT, TEXT] }],
    [{ method: 'standard-webhooks', secrets: [TEXT] }],
    [{ method: 'header', secrets: [TEXT], mood: 1 }],
    [{ method: 'header', secrets: [TEXT, 'set'] }],
  ])('%j is 422 that names it', async (callSecurity) => {
    const operator = withToken(server, await logInAs(server, { username: randomUUID(), clinic: '', role: 'operator' }))
    const { status, body } = await operator.fhir('PUT', '/clinics/others/settings', {
      name: 'others',
      timeZone: 'UTC',
      defaultRegion: 'US',
      dialedNumbers: [CLINICS.others.number],
      callSecurity,
    })
    expect([status, body.error]).toEqual([422, expect.stringContaining('callSecurity')])
  })
})
