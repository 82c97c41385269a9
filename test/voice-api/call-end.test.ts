/** The end of a call, by hand, by a platform's report and by silence; and the log of it that staff read. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Communication, Encounter } from 'fhir/r4'
import { createClinic } from '../../src/clinics/clinics.ts'
import { CALL, type CallSession, callKey } from '../../src/core/call-session.ts'
import { Caller } from '../calls/caller.ts'
import { type FhirResponse, request, startServer, type TestServer } from '../support/server.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'

const HEADERS = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' }
const ESCALATE = '/patient-journey/escalate_billing'

let server: TestServer
/** Milliseconds that the server's clock is ahead. */
let ahead = 0

beforeAll(async () => {
  const started = await startServer({ CALL_IDLE_MINUTES: '30' }, { clock: () => Date.now() + ahead })
  await createClinic(started.app.repository, 'other', {
    name: 'Other',
    timeZone: 'UTC',
    defaultRegion: 'US',
    dialedNumbers: ['+12125550200'],
    policies: { overbooking: false, slotTakenStatus: 409 },
  })
  server = withToken(started, await logInAs(started, { username: 'staff', clinic: 'demo-clinic', role: 'staff' }))
})
afterAll(() => server.close())

const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  request(server.url, 'POST', path, body, { ...HEADERS, ...headers })

/** Retries, as platforms do, where a busy server tells them to. */
const escalated = async (): Promise<Caller> => {
  const caller = new Caller(server)
  for (let tries = 0; tries < 20; tries += 1) {
    if ((await caller.use('escalate_billing', { reason: 'a bill' })).success === true) return caller
  }
  throw new Error('escalate_billing was refused twenty times')
}

const toolCall = (id: string, args: object = {}) => ({
  message: { toolCalls: [{ id, function: { arguments: args } }] },
})

/** As the server has stored it. */
const sessionOf = async (callId: string): Promise<CallSession | undefined> =>
  (await server.app.repository.readRecord('', CALL, callKey(callId)))?.value

describe('POST /calls/{id}/end', () => {
  test('finishes the Encounter of the call when the platform says it ended', async () => {
    const caller = await escalated()
    const endedAt = new Date().toISOString()
    expect((await post(`/calls/${caller.id}/end`, { endedAt, reason: 'customer-ended-call' })).status).toBe(200)
    expect(await sessionOf(caller.id)).toMatchObject({ endedAt, endReason: 'customer-ended-call' })
    expect(await caller.encounter()).toMatchObject({ status: 'finished', period: { end: endedAt } })
  })

  test('needs no body, and the first end that was reported holds', async () => {
    const caller = await escalated()
    expect((await post(`/calls/${caller.id}/end`)).status).toBe(200)
    const first = await sessionOf(caller.id)
    expect((await post(`/calls/${caller.id}/end`, { reason: 'later' })).status).toBe(200)
    expect(await sessionOf(caller.id)).toEqual(first)
    expect((await caller.encounter())?.meta?.versionId).toBe('2')
  })

  test('reported twice at once ends it once', async () => {
    const caller = await escalated()
    await Promise.all(['a', 'b', 'c'].map((reason) => post(`/calls/${caller.id}/end`, { reason })))
    expect(await sessionOf(caller.id)).toMatchObject({ endReason: expect.stringMatching(/^[abc]$/) })
    expect((await caller.encounter())?.meta?.versionId).toBe('2')
  })

  test('a time ahead of the clock, or before the call, is no end that an Encounter could have', async () => {
    for (const endedAt of ['2999-01-01T00:00:00Z', '1999-01-01T00:00:00Z']) {
      const caller = await escalated()
      await post(`/calls/${caller.id}/end`, { endedAt })
      const { start = '', end = '' } = (await caller.encounter())?.period ?? {}
      expect(end >= start && end <= new Date().toISOString()).toBe(true)
    }
  })

  test.each([
    [[]],
    [5],
    [{ endedAt: 'yesterday' }],
    [{ endedAt: '2026-13-45T99:00:00Z' }],
    [{ reason: 7 }],
    [{ mood: 1 }],
    [{ callId: 'another-call' }],
    [{ callId: 7 }],
  ])('a body %j is 400 and ends nothing', async (body) => {
    const caller = await escalated()
    expect((await post(`/calls/${caller.id}/end`, body)).status).toBe(400)
    expect((await caller.encounter())?.status).toBe('in-progress')
  })

  test('needs the secret', async () => {
    const caller = await escalated()
    expect((await request(server.url, 'POST', `/calls/${caller.id}/end`, {}, {})).status).toBe(401)
    expect((await request(server.url, 'POST', '/calls/events', {}, {})).status).toBe(401)
  })
})

describe('the response to the end of a call holds the id that the request named, and nothing else,', () => {
  const report = (id: string) => ({ message: { type: 'end-of-call-report', call: { id } } })
  const ENDS: Readonly<Record<string, (id: string) => Promise<FhirResponse>>> = {
    'POST /calls/{id}/end': (id) => post(`/calls/${id}/end`),
    'POST /calls/{id}/end with a reason': (id) => post(`/calls/${id}/end`, { reason: 'hung-up' }),
    'POST /calls/{id}/end with the id': (id) => post(`/calls/${id}/end`, { callId: id }),
    "Vapi's report": (id) => post('/calls/events', report(id)),
    "Retell's report": (id) => post('/calls/events', { event: 'call_ended', call: { call_id: id } }),
    "ElevenLabs' report": (id) =>
      post('/calls/events', { type: 'post_call_transcription', data: { conversation_id: id } }),
    'a report with x-call-id': (id) => post('/calls/events', report('theirs'), { 'x-call-id': id }),
  }
  const CALLS: Readonly<Record<string, () => Promise<string>>> = {
    'with the number and the patient of a caller': async () => {
      const caller = new Caller(server, '+15185550111')
      await caller.use('escalate_billing', { reason: 'a bill' })
      return caller.id
    },
    'that was registered with a number': async () => {
      const callId = randomUUID()
      await post('/calls', { callId, dialedNumber: '+12125550100', callerNumber: '+15185550111' })
      return callId
    },
    'that has ended': async () => {
      const { id } = await escalated()
      await post(`/calls/${id}/end`)
      return id
    },
    'of another clinic': async () => {
      const callId = randomUUID()
      await post('/calls', { callId, dialedNumber: '+12125550200' })
      return callId
    },
    'that does not exist': async () => randomUUID(),
  }

  test.each(Object.keys(ENDS).flatMap((end) => Object.keys(CALLS).map((call) => [end, call] as const)))(
    'by %s, for a call %s',
    async (end, call) => {
      const callId = (await CALLS[call]?.()) ?? ''
      const { status, body } = (await ENDS[end]?.(callId)) ?? {}
      expect([status, body]).toEqual([200, { callId }])
    },
  )
})

describe('after the end', () => {
  test('a tool call is refused, and a repeat of an earlier one still gets its result', async () => {
    const caller = new Caller(server)
    const headers = { 'x-call-id': caller.id }
    const before = await post(ESCALATE, toolCall('1', { reason: 'a bill' }), headers)
    await post(`/calls/${caller.id}/end`)
    expect((await post(ESCALATE, toolCall('1', { reason: 'a bill' }), headers)).body).toEqual(before.body)
    const after = await post(ESCALATE, toolCall('2', { reason: 'another' }), headers)
    expect(after.status).toBe(200)
    expect(JSON.parse(after.body.results[0].result)).toMatchObject({ success: false, code: 'call-ended' })
    expect(await caller.tasks()).toHaveLength(1)
  })

  test('a call that was registered and never used takes no tool call either', async () => {
    await post('/calls', { callId: 'unused', dialedNumber: '+12125550100' })
    expect((await post('/calls/unused/end')).status).toBe(200)
    const caller = await server.tool(ESCALATE, { reason: 'x' }, { 'x-call-id': 'unused' })
    expect(caller).toMatchObject({ code: 'call-ended' })
  })
})

describe('POST /calls/events', () => {
  test.each([
    ['Vapi', (id: string) => ({ message: { type: 'end-of-call-report', endedReason: 'hung-up', call: { id } } })],
    ['Retell', (call_id: string) => ({ event: 'call_ended', call: { call_id, disconnection_reason: 'hung-up' } })],
    ['Retell', (call_id: string) => ({ event: 'call_analyzed', call: { call_id, disconnection_reason: 'hung-up' } })],
    [
      'ElevenLabs',
      (conversation_id: string) => ({
        type: 'post_call_transcription',
        event_timestamp: 1_739_537_297,
        data: { agent_id: 'a', conversation_id, status: 'done', metadata: { termination_reason: 'hung-up' } },
      }),
    ],
  ])('a report of the end, as %s sends it, ends the call', async (_platform, report) => {
    const caller = await escalated()
    expect((await post('/calls/events', report(caller.id))).status).toBe(200)
    const first = await sessionOf(caller.id)
    expect(first).toMatchObject({ endReason: 'hung-up' })
    expect((await post('/calls/events', report(caller.id))).status).toBe(200)
    expect(await sessionOf(caller.id)).toEqual(first)
    expect((await caller.encounter())?.status).toBe('finished')
  })

  test('a report of ElevenLabs ends the call so many seconds after its start', async () => {
    const caller = await escalated()
    const start_time_unix_secs = Math.floor(Date.now() / 1000) - 100
    const metadata = { start_time_unix_secs, call_duration_secs: 40, termination_reason: '' }
    const report = { type: 'post_call_transcription', data: { conversation_id: caller.id, metadata } }
    expect((await post('/calls/events', report)).status).toBe(200)
    const endedAt = new Date((start_time_unix_secs + 40) * 1000).toISOString()
    expect(await sessionOf(caller.id)).toMatchObject({ endedAt })
  })

  test('x-call-id names the call of a platform whose ids are others', async () => {
    const caller = await escalated()
    const report = { message: { type: 'end-of-call-report', call: { id: 'theirs' } } }
    expect((await post('/calls/events', report, { 'x-call-id': caller.id })).body.callId).toBe(caller.id)
  })

  test.each([
    [{ message: { type: 'status-update', status: 'in-progress' } }],
    [{ message: { type: 'transcript' } }],
    [{ event: 'call_started', call: { call_id: 'x' } }],
    [{ type: 'post_call_audio', data: { conversation_id: 'x' } }],
    [{ type: 'call_initiation_failure', data: { conversation_id: 'x' } }],
    [{}],
  ])('another report, %j, is ignored', async (report) => {
    expect(await post('/calls/events', report)).toMatchObject({ status: 200, body: { ignored: true } })
  })

  test.each([
    [400, []],
    [400, { message: { type: 'end-of-call-report' } }],
    [400, { event: 'call_ended', call: { call_id: { a: 1 } } }],
    [400, { event: 'call_ended', call: 'x' }],
    [400, { event: 'call_ended', call: {} }],
    [400, { type: 'post_call_transcription' }],
    [400, { type: 'post_call_transcription', data: { conversation_id: 7 } }],
    [400, { type: 'post_call_transcription', data: { conversation_id: '{{system__conversation_id}}' } }],
  ])('is %d for %j', async (status, report) => {
    expect((await post('/calls/events', report)).status).toBe(status)
  })
})

describe('silence', () => {
  test('ends a call after CALL_IDLE_MINUTES, when its newest tool was called', async () => {
    const caller = await escalated()
    const started = (await caller.encounter())?.period?.start ?? ''
    ahead = 31 * 60_000
    try {
      let encounter: Encounter | undefined
      do {
        await new Promise((resolve) => setTimeout(resolve, 100))
        encounter = await caller.encounter()
      } while (encounter?.status !== 'finished')
      expect(Date.parse(encounter.period?.end ?? '') - Date.parse(started)).toBeLessThan(60_000)
    } finally {
      ahead = 0
    }
  })
})

describe('the log of a call', () => {
  const logOf = (caller: Caller) =>
    caller.find<Communication>(`Communication?identifier=${caller.id}&_sort=sent&_count=100`)
  const said = ({ topic, payload = [] }: Communication) => [
    topic?.text,
    ...payload.map(({ contentString = '' }) => JSON.parse(contentString)),
  ]

  test('has each tool call once, with its arguments and its result, in their order', async () => {
    const caller = new Caller(server)
    const checked = await caller.use('validate_intake_field', { fieldName: 'email', value: 'a at example dot com' })
    const saved = await caller.use('escalate_billing', { reason: 'a bill' })
    const refused = await caller.use('record_self_pay_decision', {})
    const log = await logOf(caller)
    expect(log.map(said)).toEqual([
      ['validate_intake_field', { fieldName: 'email', value: 'a at example dot com' }, checked],
      ['escalate_billing', { reason: 'a bill' }, saved],
      ['record_self_pay_decision', {}, refused],
    ])
    const patient = await caller.patientId()
    expect(log[1]).toMatchObject({
      subject: { reference: `Patient/${patient}` },
      encounter: { reference: `Encounter/${(await caller.encounter())?.id}` },
    })
  })

  test('has the order of the tool calls of a request, also of those that begin in one millisecond', async () => {
    const caller = new Caller(server)
    const values = Array.from({ length: 32 }, (_, index) => `Name ${index}`)
    const toolCalls = values.map((value, index) => ({
      id: `${index}`,
      function: { arguments: { fieldName: 'lastName', value } },
    }))
    await post('/patient-intake/validate_intake_field', { message: { toolCalls } }, { 'x-call-id': caller.id })
    const log = (await logOf(caller)).map((entry) => ({ sent: entry.sent ?? '', value: said(entry)[1].value }))
    // Six digits each, so that their texts have the order of their times.
    const digits = (sent: string) => sent.replace(/\.(\d+)Z$/, (_, fraction) => `.${fraction.padEnd(6, '0')}Z`)
    const inOrder = log.toSorted((one, other) => (digits(one.sent) < digits(other.sent) ? -1 : 1))
    expect(inOrder.map(({ value }) => value)).toEqual(values)
    expect(new Set(log.map(({ sent }) => digits(sent))).size).toBe(32)
  })

  test('names the arguments that were ignored, as the result did', async () => {
    const caller = new Caller(server)
    const results = [
      await caller.use('update_registration_field', { lastName: 'Doe', first_name: 'Jane' }),
      await caller.use('update_registration_field', { first_name: 'Jane' }),
    ]
    expect((await logOf(caller)).map((entry) => said(entry)[2])).toEqual(results)
    for (const { ignored } of results) expect(ignored).toEqual([{ name: 'first_name', nearest: 'firstName' }])
  })

  test('has spoken values as they were said, and as they were stored', async () => {
    const caller = new Caller(server)
    await caller.use('update_registration_field', { email: 'jane dot doe at example dot com' })
    const [, given, result] = said((await logOf(caller))[0] ?? ({} as Communication))
    expect(given).toEqual({ email: 'jane dot doe at example dot com' })
    expect(result).toMatchObject({ values: { email: 'jane.doe@example.com' } })
  })

  test('has no second entry of a repeat', async () => {
    const caller = new Caller(server)
    const headers = { 'x-call-id': caller.id }
    for (let time = 0; time < 3; time++) await post(ESCALATE, toolCall('1', { reason: 'x' }), headers)
    expect(await logOf(caller)).toHaveLength(1)
  })

  test('keeps the beginning of what is very long', async () => {
    const caller = new Caller(server)
    await caller.use('validate_intake_field', { fieldName: 'note', value: '😀'.repeat(20_000) })
    const [entry] = await logOf(caller)
    const text = entry?.payload?.[0]?.contentString ?? ''
    expect(text.length).toBeLessThanOrEqual(8_001)
    expect(text).toMatch(/😀…$/u)
  })

  test('is read by staff of the clinic alone', async () => {
    const caller = await escalated()
    expect(await logOf(caller)).toHaveLength(1)
    const other = withToken(server, await logInAs(server, { username: 'o', clinic: 'other', role: 'staff' }))
    const { body } = await other.fhir('GET', `/Communication?identifier=${caller.id}`)
    expect(body.entry ?? []).toEqual([])
  })
})

test('two hundred calls go on at once, and each ends with its own Encounter and log', async () => {
  const callers = await Promise.all(Array.from({ length: 200 }, () => escalated()))
  const ends = await Promise.all(callers.map(({ id }) => post(`/calls/${id}/end`)))
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set([200]))
  const { body } = await server.fhir('GET', `/Encounter?identifier=${callers.map(({ id }) => id).join(',')}&_count=500`)
  expect(body.entry.map(({ resource }: { resource: Encounter }) => resource.status)).toEqual(
    callers.map(() => 'finished'),
  )
})

describe('two webhook secrets', () => {
  test('hold while platforms change over', async () => {
    const rotated = await startServer({ WEBHOOK_SECRET: 'w'.repeat(20), WEBHOOK_SECRET_PREVIOUS: 'p'.repeat(20) })
    try {
      const statusWith = async (secret: string) =>
        (await request(rotated.url, 'POST', ESCALATE, {}, { ...HEADERS, 'x-voice-secret': secret })).status
      expect([
        await statusWith('w'.repeat(20)),
        await statusWith('p'.repeat(20)),
        await statusWith('o'.repeat(20)),
        await statusWith(''),
      ]).toEqual([200, 200, 401, 401])
    } finally {
      await rotated.close()
    }
  })
})

test('what a body {name, call, args} says of its call selects nothing, unless the service trusts it', async () => {
  const body = {
    name: 'escalate_billing',
    args: { reason: 'a bill' },
    call: { call_id: 'in-the-body', to_number: '+12125550200', from_number: '+12125550123' },
  }
  const inClinic = async (at: TestServer, clinic: string) =>
    (await (await at.app.access(clinic, { kind: 'server' }).reader()).search('Encounter', 'identifier=in-the-body'))
      .length
  const send = (at: TestServer) => request(at.url, 'POST', ESCALATE, body, HEADERS)
  expect((await send(server)).body).toMatchObject({ success: true })
  expect([await inClinic(server, 'other'), await inClinic(server, 'demo-clinic')]).toEqual([0, 0])

  const trusting = await startServer({ TRUST_BODY_CALL_METADATA: 'on' })
  try {
    const toDemo = { ...body, call: { ...body.call, to_number: '+12125550100' } }
    await request(trusting.url, 'POST', ESCALATE, toDemo, HEADERS)
    expect(await inClinic(trusting, 'demo-clinic')).toBe(1)
  } finally {
    await trusting.close()
  }
})
