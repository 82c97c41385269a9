/** A clinic's own check of its calls (settings.callSecurity), beside the secret that all clinics share. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { createClinic } from '../../src/clinics/clinics.ts'
import { CALL, type CallSession, callKey } from '../../src/core/call-session.ts'
import { type FhirResponse, request, startServer, type TestServer } from '../support/server.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'

const ESCALATE = '/patient-journey/escalate_billing'
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const OLD = newSecret()
const NEW = newSecret()
const OTHERS = newSecret()
const KEY = 'key_0123456789abcdef'
const TEXT = 'a-secret-of-the-clinic'
const VAPI = 'secret-key-of-a-credential'
const ELEVEN = 'wsec_0123456789abcdef'

const CLINICS = {
  signed: { number: '+12125550201', callSecurity: { method: 'standard-webhooks', secrets: [OLD, NEW] } },
  others: { number: '+12125550202', callSecurity: { method: 'standard-webhooks', secrets: [OTHERS] } },
  retell: { number: '+12125550203', callSecurity: { method: 'retell', secrets: [KEY] } },
  header: { number: '+12125550204', callSecurity: { method: 'header', secrets: [TEXT] } },
  vapi: { number: '+12125550205', callSecurity: { method: 'hmac', secrets: [VAPI] } },
  elevenlabs: { number: '+12125550206', callSecurity: { method: 'elevenlabs', secrets: [ELEVEN] } },
} as const
type Clinic = keyof typeof CLINICS

let server: TestServer
/** Milliseconds that the server's clock is ahead. */
let ahead = 0
beforeAll(async () => {
  server = await startServer({}, { clock: () => Date.now() + ahead })
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

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')
const secondsAgo = (age: number) => Math.floor(Date.now() / 1000) - age

const retellSignature = (key: string, body: string, at = Date.now()) => ({
  'x-retell-signature': `v=${at},d=${hmac(key, `${body}${at}`)}`,
})

/** The headers of a credential of Vapi that includes a timestamp. @param time in seconds, or milliseconds */
const vapiSignature = (key: string, body: string, time = secondsAgo(0)) => ({
  'x-vapi-signature': hmac(key, `${time}.${body}`),
  'x-timestamp': String(time),
})

/** The header of a credential of Vapi that includes no timestamp. */
const untimedSignature = (key: string, body: string) => ({ 'x-vapi-signature': hmac(key, body) })

const elevenLabsSignature = (secret: string, body: string, time = secondsAgo(0)) => ({
  'elevenlabs-signature': `t=${time},v0=${hmac(secret, `${time}.${body}`)}`,
})

/** A body of POST /abandonments. */
const ENTERED = JSON.stringify({
  kind: 'form',
  stepReached: 'contact',
  fields: { plan: null },
  contact: { phone: '+12125550166' },
  consent: true,
})

/** The decoded result of one tool call. */
async function escalate(clinic: Clinic, callId: string, body: string, headers: Record<string, string> = {}) {
  const response = await request(server.url, 'POST', ESCALATE, body, { ...headersOf(clinic, callId), ...headers })
  expect(response.status).toBe(200)
  const { results, ...plain } = response.body
  return results === undefined ? plain : JSON.parse(results[0].result)
}

const tasksOf = async (clinic: Clinic) =>
  (await (await server.app.access(clinic, { kind: 'server' }).reader()).search('Task', '_count=100')).length

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

  test('its calls are registered by signed requests alone', async () => {
    const body = JSON.stringify({ callId: randomUUID(), dialedNumber: CLINICS.signed.number })
    expect([
      (await send('/calls', body, {})).status,
      (await send('/calls', body, signature(OTHERS, body))).status,
      (await send('/calls', body, signature(OLD, body))).status,
    ]).toEqual([403, 403, 201])
  })
})

/** A POST with the shared secret. */
const send = (path: string, body: string, headers: Record<string, string>) =>
  request(server.url, 'POST', path, body, {
    'x-voice-secret': 'demo-secret',
    'content-type': 'application/json',
    ...headers,
  })

/** The code of the first result of a tool call, or of a whole response that is an error. */
const codeOf = ({ body }: FhirResponse): string | undefined =>
  body.results === undefined ? body.code : JSON.parse(body.results[0]?.result ?? '{}').code

describe('the id of a signature is bound to the request that it first came with', () => {
  const SIGNERS: Readonly<Record<string, readonly [Clinic, (body: string) => Record<string, string>]>> = {
    'Standard Webhooks': ['signed', (body) => signature(OLD, body)],
    Retell: ['retell', (body) => retellSignature(KEY, body)],
    Vapi: ['vapi', (body) => vapiSignature(VAPI, body)],
    'Vapi, without a time': ['vapi', (body) => untimedSignature(VAPI, body)],
    ElevenLabs: ['elevenlabs', (body) => elevenLabsSignature(ELEVEN, body)],
  }
  const FROM = { 'x-call-from': '+12125550123' }

  interface Variant {
    readonly path?: string
    readonly headers?: Record<string, string>
  }
  const VARIANTS: Readonly<Record<string, Variant>> = {
    'another call': { headers: { 'x-call-id': 'another-call' } },
    'the call in capitals': {},
    'another dialled number': { headers: { 'x-call-to': '+12125550204' } },
    'the dialled number in another spelling': { headers: { 'x-call-to': '212 555 0201' } },
    'another caller': { headers: { 'x-call-from': '+12125550124' } },
    'the same caller, written otherwise': { headers: { 'x-call-from': '(212) 555-0123' } },
    'no caller': { headers: { 'x-call-from': '' } },
    'a withheld number': { headers: { 'x-call-from': 'anonymous' } },
    'another tool of the family': { path: '/patient-journey/record_self_pay_decision' },
    'a tool of another family': { path: '/emr-scheduling/list_appointment_types' },
    'a query': { path: `${ESCALATE}?call=another` },
    'a slash at the end': { path: `${ESCALATE}/` },
    'the tool in another spelling': { path: '/patient-journey/escalate%5Fbilling' },
    'an Idempotency-Key': { headers: { 'idempotency-key': 'k' } },
    'another id of the tool call': { headers: { 'x-tool-call-id': 'another' } },
    'the registration of a call': { path: '/calls' },
    'POST /abandonments': { path: '/abandonments', headers: { 'idempotency-key': 'k' } },
  }

  test.each(Object.keys(SIGNERS).flatMap((method) => Object.keys(VARIANTS).map((what) => [method, what] as const)))(
    '%s: it is refused with %s, and has no effect',
    async (method, what) => {
      const [clinic, sign] = SIGNERS[method] ?? ['signed', () => ({})]
      const { path = ESCALATE, headers = {} } = VARIANTS[what] ?? {}
      const callId = `the-call-${randomUUID()}`
      const body = bodyFor(path, clinic)
      const sent = { ...headersOf(clinic, callId), ...FROM, 'x-tool-call-id': 'the-tool-call', ...sign(body) }
      expect(codeOf(await send(ESCALATE, body, sent))).not.toBe('call-not-signed')
      const before = await tasksOf(clinic)
      const differing = what === 'the call in capitals' ? { 'x-call-id': callId.toUpperCase() } : headers
      expect(codeOf(await send(path, body, { ...sent, ...differing }))).toBe('signature-used')
      expect(await tasksOf(clinic)).toBe(before)
    },
  )

  /** A body that would have an effect at the path. */
  const bodyFor = (path: string, clinic: Clinic): string => {
    const id = randomUUID()
    if (path === '/abandonments') return ENTERED.replace('contact', id)
    if (path === '/calls') return JSON.stringify({ callId: id, dialedNumber: CLINICS[clinic].number })
    return bodyOf(id, 'a bill')
  }

  test.each(Object.keys(SIGNERS))('%s: the same request again is a repeat', async (method) => {
    const [clinic, sign] = SIGNERS[method] ?? ['signed', () => ({})]
    const body = bodyOf('1', 'a bill')
    const sent = { ...headersOf(clinic, randomUUID()), ...FROM, ...sign(body) }
    const first = await send(ESCALATE, body, sent)
    expect(codeOf(first)).toBe('escalated')
    expect((await send(ESCALATE, body, sent)).body).toEqual(first.body)
  })

  test('for good where it has no time: after a day neither another request nor a repeat is taken', async () => {
    const body = bodyOf(randomUUID(), 'a bill')
    const callId = randomUUID()
    const sign = untimedSignature(VAPI, body)
    expect(await escalate('vapi', callId, body, sign)).toMatchObject({ success: true })
    const before = await tasksOf('vapi')
    ahead = 24 * 3_600_000
    try {
      for (const id of [callId, randomUUID()])
        expect(await escalate('vapi', id, body, sign)).toMatchObject({ code: 'signature-used' })
    } finally {
      ahead = 0
    }
    expect(await tasksOf('vapi')).toBe(before)
  })

  test('of requests at the same time with one signature, for eight calls, one is carried out', async () => {
    const body = bodyOf('1', 'a bill')
    const signed = signature(OLD, body)
    const ids = Array.from({ length: 8 }, () => randomUUID())
    const codes = await Promise.all(
      ids.map(async (id) => codeOf(await send(ESCALATE, body, { ...headersOf('signed', id), ...signed }))),
    )
    expect(codes.filter((code) => code === 'escalated')).toHaveLength(1)
    expect(codes.filter((code) => code === 'signature-used')).toHaveLength(7)
  })

  test('in its clinic alone: another clinic may have signed with the same id', async () => {
    const body = bodyOf('1', 'a bill')
    const id = randomUUID()
    for (const [clinic, secret] of [
      ['signed', OLD],
      ['others', OTHERS],
    ] as const)
      expect(await escalate(clinic, randomUUID(), body, signature(secret, body, { id }))).toMatchObject({
        success: true,
      })
  })
})

describe('a call of a clinic with a check of its own is ended', () => {
  const sessionOf = async (callId: string): Promise<CallSession | undefined> =>
    (await server.app.repository.readRecord('', CALL, callKey(callId)))?.value

  /** A call that the clinic has, begun by a tool call that passes its check. */
  async function begun(clinic: Clinic): Promise<string> {
    const callId = randomUUID()
    const body = bodyOf(randomUUID(), 'a bill')
    const headers = {
      signed: signature(OLD, body),
      others: signature(OTHERS, body),
      retell: retellSignature(KEY, body),
      header: { 'x-clinic-secret': TEXT },
      vapi: vapiSignature(VAPI, body),
      elevenlabs: { 'x-clinic-secret': ELEVEN },
    }[clinic]
    expect(await escalate(clinic, callId, body, headers)).toMatchObject({ success: true })
    return callId
  }

  interface End {
    readonly path: string
    readonly body?: string
    readonly headers?: Record<string, string>
  }
  const at = (id: string) => `/calls/${id}/end`
  const named = (callId: string) => JSON.stringify({ callId, reason: 'hung-up' })
  const report = (call_id: string) => JSON.stringify({ event: 'call_ended', call: { call_id } })
  const sign = (body: string, secret = OLD) => ({ body, headers: signature(secret, body) })
  const byRetell = (body: string, key = KEY) => ({ body, headers: retellSignature(key, body) })
  const byVapi = (id: string, key = VAPI) => {
    const body = JSON.stringify({ message: { type: 'end-of-call-report', call: { id } } })
    return { path: '/calls/events', body, headers: vapiSignature(key, body) }
  }
  const byElevenLabs = (conversation_id: string, secret = ELEVEN) => {
    const body = JSON.stringify({ type: 'post_call_transcription', data: { conversation_id } })
    return { path: '/calls/events', body, headers: elevenLabsSignature(secret, body) }
  }

  test.each<[string, Clinic, (id: string) => End]>([
    ['a signed body that names it', 'signed', (id) => ({ path: at(id), ...sign(named(id)) })],
    ['a signed report', 'signed', (id) => ({ path: '/calls/events', ...sign(report(id)) })],
    ['a signed body that names it, of Retell', 'retell', (id) => ({ path: at(id), ...byRetell(named(id)) })],
    ['a signed report of Retell', 'retell', (id) => ({ path: '/calls/events', ...byRetell(report(id)) })],
    ['a signed report of Vapi', 'vapi', (id) => byVapi(id)],
    ['a signed report of ElevenLabs', 'elevenlabs', (id) => byElevenLabs(id)],
    [
      'a signed report with which x-call-id agrees',
      'retell',
      (id) => {
        const { body, headers } = byRetell(report(id))
        return { path: '/calls/events', body, headers: { ...headers, 'x-call-id': id } }
      },
    ],
    ['its secret, with no body', 'header', (id) => ({ path: at(id), headers: { 'x-clinic-secret': TEXT } })],
    [
      'its secret and x-call-id, with a report of another id',
      'header',
      (id) => ({
        path: '/calls/events',
        body: report('theirs'),
        headers: { 'x-clinic-secret': TEXT, 'x-call-id': id },
      }),
    ],
  ])('by %s', async (_what, clinic, end) => {
    const callId = await begun(clinic)
    const { path, body = '', headers = {} } = end(callId)
    expect(await send(path, body, headers)).toMatchObject({ status: 200, body: { callId } })
    expect(await sessionOf(callId)).toHaveProperty('endedAt')
  })

  test.each<[string, Clinic, (id: string) => End]>([
    ['no signature', 'signed', (id) => ({ path: at(id), body: named(id) })],
    ['no signature and no body', 'signed', (id) => ({ path: at(id) })],
    ["another clinic's signature", 'signed', (id) => ({ path: at(id), ...sign(named(id), OTHERS) })],
    ['a signed empty body', 'signed', (id) => ({ path: at(id), ...sign('') })],
    ['a signed empty object', 'signed', (id) => ({ path: at(id), ...sign('{}') })],
    ['a signed body that names no call', 'signed', (id) => ({ path: at(id), ...sign('{"reason":"x"}') })],
    ['a signed empty body of Retell', 'retell', (id) => ({ path: at(id), ...byRetell('') })],
    ['a signed empty object of Retell', 'retell', (id) => ({ path: at(id), ...byRetell('{}') })],
    [
      'a signature of another Retell account',
      'retell',
      (id) => ({ path: at(id), ...byRetell(named(id), 'k'.repeat(20)) }),
    ],
    ['an unsigned report', 'signed', (id) => ({ path: '/calls/events', body: report(id) })],
    ['an unsigned report of Retell', 'retell', (id) => ({ path: '/calls/events', body: report(id) })],
    ['an unsigned report of Vapi', 'vapi', (id) => ({ ...byVapi(id), headers: {} })],
    ['a report that another credential of Vapi has signed', 'vapi', (id) => byVapi(id, 'k'.repeat(20))],
    ['an unsigned report of ElevenLabs', 'elevenlabs', (id) => ({ ...byElevenLabs(id), headers: {} })],
    ['a report that another webhook of ElevenLabs has signed', 'elevenlabs', (id) => byElevenLabs(id, 'k'.repeat(20))],
    [
      'a signed report of ElevenLabs of another call with x-call-id',
      'elevenlabs',
      (id) => {
        const { headers, ...end } = byElevenLabs('theirs')
        return { ...end, headers: { ...headers, 'x-call-id': id } }
      },
    ],
    [
      'a signed report of another call with x-call-id',
      'signed',
      (id) => {
        const { body, headers } = sign(report('theirs'))
        return { path: '/calls/events', body, headers: { ...headers, 'x-call-id': id } }
      },
    ],
    ['the shared secret alone', 'header', (id) => ({ path: at(id) })],
    ['a wrong secret', 'header', (id) => ({ path: at(id), headers: { 'x-clinic-secret': 'w'.repeat(20) } })],
    ['an unsigned report', 'header', (id) => ({ path: '/calls/events', body: report(id) })],
  ])('not by %s (%s), and the response is that for an unknown call', async (_what, clinic, end) => {
    const callId = await begun(clinic)
    const { path, body = '', headers = {} } = end(callId)
    expect(await send(path, body, headers)).toMatchObject({ status: 200, body: { callId } })
    expect(await sessionOf(callId)).not.toHaveProperty('endedAt')
    const unknown = end(randomUUID())
    const answer = await send(unknown.path, unknown.body ?? '', unknown.headers ?? {})
    expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['callId']])
  })

  test('not by a signature that ended another call before', async () => {
    const [one, other] = [await begun('signed'), await begun('signed')]
    const { body, headers } = sign(named(one))
    await send(at(one), body, headers)
    const wrong = await send(at(other), body, headers)
    expect([wrong.status, wrong.body.issue ?? wrong.body.error]).toEqual([400, expect.stringContaining('callId')])
    expect(await sessionOf(other)).not.toHaveProperty('endedAt')
  })

  test('or not: a refused end is in the audit trail of the clinic, and of no other', async () => {
    const callId = await begun('signed')
    await send(at(callId), '', {})
    for (const [clinic, found] of [
      ['signed', 1],
      ['others', 0],
    ] as const) {
      const admin = withToken(server, await logInAs(server, { username: `auditor-${clinic}`, clinic, role: 'admin' }))
      const { body } = await admin.fhir('GET', '/AuditEvent?type=110100&outcome=4')
      expect((body.entry ?? []).length > 0 ? 1 : 0).toBe(found)
    }
  })
})

describe('with the shared secret alone a call of a clinic with a check of its own', () => {
  let production: TestServer
  beforeAll(async () => {
    production = await startServer({ DEMO: 'off', JWT_SECRET: 'j'.repeat(40), WEBHOOK_SECRET: 'w'.repeat(40) })
    for (const [id, number, callSecurity] of [
      ['open', '+12125550211', undefined],
      ['checked', '+12125550212', { method: 'header', secrets: [TEXT] }],
    ] as const)
      await createClinic(production.app.repository, id, {
        name: id,
        timeZone: 'UTC',
        defaultRegion: 'US',
        dialedNumbers: [number],
        policies: { overbooking: false, slotTakenStatus: 409 },
        ...(callSecurity === undefined ? {} : { callSecurity }),
      })
    await post('/calls', { callId: 'theirs', dialedNumber: '+12125550212', callerNumber: '+12125550123' }, OWN)
  })
  afterAll(() => production.close())

  const OWN = { 'x-clinic-secret': TEXT }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    request(production.url, 'POST', path, body, {
      'x-voice-secret': 'w'.repeat(40),
      'content-type': 'application/json',
      ...headers,
    })

  test.each([ESCALATE, '/emr-scheduling/verify_patient', '/abandonment-recovery/get_recovery_context'])(
    'is as unknown to %s as one that does not exist',
    async (path) => {
      const tool = async (callId: string, headers: Record<string, string> = {}) =>
        (await post(path, JSON.parse(bodyOf('1', 'x')), { 'x-call-id': callId, ...headers })).body
      expect(await tool('theirs')).toEqual(await tool('does-not-exist'))
      expect(await tool('theirs', { 'x-call-from': '+12125550123' })).toEqual(await tool('does-not-exist'))
      const to = { 'x-call-to': '+12125550212' }
      expect(await tool('theirs', to)).toEqual(await tool('does-not-exist', to))
      expect(codeOf({ body: await tool('theirs', to) } as FhirResponse)).toBe('call-not-signed')
    },
  )

  test('is not registered again, nor told of', async () => {
    const again = { callId: 'theirs', dialedNumber: '+12125550212' }
    const refused = await post('/calls', again)
    expect([refused.status, refused.body.code]).toEqual([403, 'call-not-signed'])
    expect((await post('/calls', { ...again, callId: 'does-not-exist' })).body).toEqual(refused.body)
    const elsewhere = await post('/calls', { callId: 'theirs', dialedNumber: '+12125550211' })
    expect(elsewhere.status).toBe(409)
    expect(elsewhere.text).not.toMatch(/5550212|5550123|checked/)
  })

  test('a registration that is repeated tells what it registers, and nothing else of the call', async () => {
    const registered = { callId: 'open-call', dialedNumber: '+12125550211' }
    expect((await post('/calls', { ...registered, callerNumber: '+12125550123' })).status).toBe(201)
    const again = await post('/calls', registered)
    expect([again.status, again.body]).toEqual([200, { clinic: 'open', ...registered }])
    const guessed = await post('/calls', { ...registered, callerNumber: '+12125550199' })
    expect([guessed.status, guessed.body.code]).toEqual([409, 'call-mismatch'])
    expect(guessed.text).not.toContain('5550123')
  })
})

test('a clinic with an account of Retell takes what that has signed, and nothing else', async () => {
  const args = { name: 'escalate_billing', args: { reason: 'a bill' } }
  const call = {
    transcript_with_tool_calls: [{ role: 'tool_call_invocation', tool_call_id: 't1', name: 'escalate_billing' }],
  }
  const body = JSON.stringify({ ...args, call })
  const with_ = (headers: Record<string, string>) => escalate('retell', 'retell-call', body, headers)
  const before = await tasksOf('retell')
  expect(await with_(retellSignature(KEY, body))).toMatchObject({ success: true })
  expect(await with_(retellSignature(KEY, body))).toMatchObject({ success: true })
  expect(await tasksOf('retell')).toBe(before + 1)
  for (const wrong of [
    {},
    retellSignature('another-key-0000', body),
    retellSignature(KEY, body, Date.now() - 301_000),
    retellSignature(KEY, body, Date.now() + 310_000),
    retellSignature(KEY, '{}'),
    { 'x-retell-signature': 'v=,d=' },
  ])
    expect(await with_(wrong)).toMatchObject({ code: 'call-not-signed' })
})

test('a clinic with a credential of Vapi takes what that has signed, with a time or without, and nothing else', async () => {
  const body = bodyOf(randomUUID(), 'a bill')
  const with_ = (headers: Record<string, string>) => escalate('vapi', 'vapi-call', body, headers)
  const before = await tasksOf('vapi')
  expect(await with_(vapiSignature(VAPI, body))).toMatchObject({ success: true })
  expect(await with_(vapiSignature(VAPI, body, Date.now()))).toMatchObject({ success: true })
  expect(await with_(untimedSignature(VAPI, body))).toMatchObject({ success: true })
  expect(await tasksOf('vapi')).toBe(before + 1)
  const signed = vapiSignature(VAPI, body)
  const refused: readonly Record<string, string>[] = [
    {},
    { 'x-vapi-signature': '' },
    vapiSignature('another-key-0000', body),
    untimedSignature('another-key-0000', body),
    vapiSignature(VAPI, body, secondsAgo(301)),
    vapiSignature(VAPI, body, secondsAgo(-310)),
    vapiSignature(VAPI, body, Date.now() - 301_000),
    vapiSignature(VAPI, '{}'),
    untimedSignature(VAPI, '{}'),
    // A time that the signature is not of, and none where it is of one.
    { ...untimedSignature(VAPI, body), 'x-timestamp': signed['x-timestamp'] },
    { 'x-vapi-signature': signed['x-vapi-signature'] },
    { 'x-vapi-signature': hmac(VAPI, `now.${body}`), 'x-timestamp': 'now' },
    { ...signed, 'x-vapi-signature': `sha256=${signed['x-vapi-signature']}` },
    { 'x-clinic-secret': VAPI },
  ]
  for (const wrong of refused) expect(await with_(wrong)).toMatchObject({ code: 'call-not-signed' })
})

test('a clinic with a webhook of ElevenLabs takes what that has signed, and server tools that carry its secret', async () => {
  const body = bodyOf(randomUUID(), 'a bill')
  const with_ = (headers: Record<string, string>) => escalate('elevenlabs', 'eleven-call', body, headers)
  const before = await tasksOf('elevenlabs')
  expect(await with_(elevenLabsSignature(ELEVEN, body))).toMatchObject({ success: true })
  expect(await with_({ 'x-clinic-secret': ELEVEN })).toMatchObject({ success: true })
  expect(await tasksOf('elevenlabs')).toBe(before + 1)
  const time = secondsAgo(0)
  const refused: readonly Record<string, string>[] = [
    {},
    { 'x-clinic-secret': 'wrong' },
    elevenLabsSignature('another-secret-00', body),
    elevenLabsSignature(ELEVEN, body, secondsAgo(301)),
    elevenLabsSignature(ELEVEN, body, secondsAgo(-310)),
    elevenLabsSignature(ELEVEN, '{}'),
    { 'elevenlabs-signature': `t=${time + 1},v0=${hmac(ELEVEN, `${time}.${body}`)}` },
    { 'elevenlabs-signature': `t=${time},v1=${hmac(ELEVEN, `${time}.${body}`)}` },
    { 'elevenlabs-signature': 't=,v0=' },
    // A signature that is wrong is not made good by the secret.
    { ...elevenLabsSignature('another-secret-00', body), 'x-clinic-secret': ELEVEN },
  ]
  for (const wrong of refused) expect(await with_(wrong)).toMatchObject({ code: 'call-not-signed' })
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
    ['no signature of its credential of Vapi', 'vapi', () => ({})],
    ['the signature of another credential of Vapi', 'vapi', () => vapiSignature('another-key-0000', ENTERED)],
    ['no signature of its webhook of ElevenLabs', 'elevenlabs', () => ({})],
    [
      'the signature of another webhook of ElevenLabs',
      'elevenlabs',
      () => elevenLabsSignature('another-secret-00', ENTERED),
    ],
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
    expect((await enter('vapi', untimedSignature(VAPI, ENTERED))).body.code).toBe('call-without-id')
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
    [{ method: 'hmac', secrets: ['short'] }],
    [{ method: 'elevenlabs', secrets: ['with a space in it'] }],
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
