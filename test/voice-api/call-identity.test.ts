/** Two callers never share a call: ids that name no call, callers whose number changes, and the default call of demo mode. */
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Encounter } from 'fhir/r4'
import { pino } from 'pino'
import { toolFamilies } from '../../src/calls/families.ts'
import { createClinic } from '../../src/clinics/clinics.ts'
import { exchangeOf } from '../support/journal.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'
import { REAL_IDS, UNFILLED, WITHHELD, ZEROS } from '../support/unfilled.ts'

const SECRET = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' }
const DEMO = '+12125550100'
const OTHER = '+12125550200'
const UPDATE = '/patient-journey/update_registration_field'
const VALIDATE = '/patient-intake/validate_intake_field'

let server: TestServer
const lines: string[] = []

beforeAll(async () => {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const started = await startServer({ TRUST_BODY_CALL_METADATA: 'on' }, { logger: pino({ level: 'info' }, sink) })
  await createClinic(started.app.repository, 'other', {
    name: 'Other',
    timeZone: 'UTC',
    defaultRegion: 'US',
    dialedNumbers: [OTHER],
    policies: { overbooking: false, slotTakenStatus: 409 },
  })
  server = withToken(started, await logInAs(started, { username: 'staff', clinic: 'demo-clinic', role: 'staff' }))
})
afterAll(() => server.close())

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  request(server.url, 'POST', path, body, { ...SECRET, ...headers })

/** One tool call, its decoded result; `metadata` is in the body. */
async function use(path: string, args: object, headers: Record<string, string>, metadata: object = {}) {
  const toolCalls = [{ id: crypto.randomUUID(), function: { arguments: args } }]
  const { status, body } = await post(path, { message: { ...metadata, toolCalls } }, headers)
  expect(status).toBe(200)
  return JSON.parse(body.results[0].result) as Record<string, unknown>
}

const validate = (headers: Record<string, string>, metadata: object = {}) =>
  use(VALIDATE, { fieldName: 'email', value: 'a@example.com' }, headers, metadata)

const calls = async () => (await server.fhir('GET', '/Encounter?_summary=count&class=VR')).body.total as number

const named = (header: string) => new RegExp(`^call not identified: ${header}\\b.*; it must hold`)

/** The first ones, and some of each kind; test/calls/session/unfilled-values.test.ts has all. */
const EXAMPLES = UNFILLED.filter((_text, at) => at < 7 || at % 4 === 0)

let count = 0
const newId = () => `identity-${++count}`

describe('a tool request is refused as call-not-identified, and the header named', () => {
  const NO_ID = [...EXAMPLES, ...WITHHELD, ...ZEROS]

  test.each(NO_ID)('where x-call-id is %j', async (id) => {
    const before = await calls()
    const result = await use(UPDATE, { firstName: 'Mallory' }, { 'x-call-id': id, 'x-call-to': DEMO })
    expect(result).toMatchObject({ success: false, code: 'call-not-identified' })
    expect(result.error).toMatch(named('x-call-id'))
    expect(await calls()).toBe(before)
  })

  test.each(EXAMPLES)('where x-call-to is %j', async (number) => {
    const result = await validate({ 'x-call-id': newId(), 'x-call-to': number })
    expect(result).toMatchObject({ valid: false, code: 'call-not-identified' })
    expect(result.error).toMatch(named('x-call-to'))
  })

  test.each(EXAMPLES)('where x-call-from is %j', async (number) => {
    const id = newId()
    const result = await validate({ 'x-call-id': id, 'x-call-to': DEMO, 'x-call-from': number })
    expect(result).toMatchObject({ valid: false, code: 'call-not-identified' })
    expect(result.error).toMatch(named('x-call-from'))
    expect((await validate({ 'x-call-id': id })).code).toBe('valid')
  })

  test('where x-call-id is blank, in demo mode too', async () => {
    expect((await validate({ 'x-call-id': '' })).error).toMatch(named('x-call-id is empty'))
  })

  test('where a known call gets a template as its number', async () => {
    const id = newId()
    await validate({ 'x-call-id': id, 'x-call-to': DEMO })
    expect((await validate({ 'x-call-id': id, 'x-call-to': 'null' })).error).toMatch(named('x-call-to'))
  })

  test('and every header that was not filled in is named at once', async () => {
    const { error } = await validate({ 'x-call-id': 'null', 'x-call-to': DEMO, 'x-call-from': 'undefined' })
    expect(error).toMatch(/x-call-id holds 'null'.*x-call-from holds 'undefined'/)
  })

  test.each(Object.entries(toolFamilies).map(([family, tools]) => `/${family}/${Object.keys(tools)[0]}`))(
    'by %s',
    async (path) => {
      expect(await use(path, {}, { 'x-call-id': '{{call.id}}' })).toMatchObject({ code: 'call-not-identified' })
    },
  )
})

describe('call metadata in the body that was not filled in', () => {
  test.each<[string, object, string]>([
    ['the id', { call: { id: '{{call.id}}' } }, 'the call id in the body'],
    ['the blank id', { call: { id: '' } }, 'x-call-id is empty'],
    [
      'the dialled number',
      { call: { id: 'body-1' }, phoneNumber: { number: 'null' } },
      'the dialled number in the body',
    ],
    ['the caller', { call: { id: 'body-2' }, customer: { number: '$from' } }, "the caller's number in the body"],
  ])('is refused: %s', async (_what, metadata, where) => {
    const result = await validate({}, metadata)
    expect(result.code).toBe('call-not-identified')
    expect(result.error).toMatch(named(where))
  })

  test('is refused in Retell style', async () => {
    const call = { call_id: '{{call_id}}', from_number: '+12125550123', to_number: DEMO }
    const args = { fieldName: 'note', value: 'y' }
    const { body } = await post(VALIDATE, { name: 'validate_intake_field', call, args })
    expect(body.error).toMatch(named('the call id in the body'))
  })

  test('does not matter where the header has the value', async () => {
    const metadata = { call: { id: 'undefined' }, customer: { number: 'null' } }
    const headers = { 'x-call-id': newId(), 'x-call-to': DEMO, 'x-call-from': '+12125550123' }
    expect(await validate(headers, metadata)).toMatchObject({ valid: true })
  })

  test('does not stand in for a header that holds a template', async () => {
    const result = await validate({ 'x-call-id': '{{call.id}}' }, { call: { id: newId() } })
    expect(result.error).toMatch(named('x-call-id'))
  })
})

describe('elsewhere an unfilled template is 400 with call-not-identified', () => {
  const expectRefused = async (response: ReturnType<typeof post>, where: string) => {
    const { status, body } = await response
    expect([status, body.code]).toEqual([400, 'call-not-identified'])
    expect(body.error).toMatch(named(where))
  }

  test.each(EXAMPLES)('in the callId, the dialedNumber and the callerNumber of POST /calls: %j', async (text) => {
    const call = { callId: newId(), dialedNumber: DEMO, callerNumber: '+12125550123' }
    for (const field of ['callId', 'dialedNumber', 'callerNumber'])
      await expectRefused(post('/calls', { ...call, [field]: text }), field)
    expect((await post('/calls', call)).status).toBe(201)
  })

  test.each([...WITHHELD, ...ZEROS, ''])('in the callId of POST /calls: %j', async (callId) => {
    await expectRefused(post('/calls', { callId, dialedNumber: DEMO }), 'callId')
  })

  test.each(['{{call.id}}', 'undefined', 'null', ':callId', 'call_id'])('in POST /calls/%s/end', async (id) => {
    await expectRefused(post(`/calls/${encodeURIComponent(id)}/end`, {}), 'the address')
  })

  test('in the header or the body of an end-of-call report', async () => {
    const vapi = (id: string) => ({ message: { type: 'end-of-call-report', call: { id } } })
    await expectRefused(post('/calls/events', vapi('c1'), { 'x-call-id': '{{call.id}}' }), 'x-call-id')
    await expectRefused(post('/calls/events', vapi('undefined')), 'the call id in the body')
    const retell = { event: 'call_ended', call: { call_id: '{{call_id}}' } }
    await expectRefused(post('/calls/events', retell), 'the call id in the body')
    expect((await post('/calls/events', { message: { type: 'status-update' } }, { 'x-call-id': 'null' })).body).toEqual(
      {
        ignored: true,
      },
    )
  })

  test.each(EXAMPLES)('in x-call-to of POST /abandonments: %j', async (number) => {
    const body = { kind: 'form', stepReached: 'start', fields: {}, contact: { email: 'a@example.com' }, consent: true }
    await expectRefused(post('/abandonments', body, { 'x-call-to': number }), 'x-call-to')
  })
})

describe('a real id', () => {
  test.each(REAL_IDS)('%s names a call: %s', async (_form, id) => {
    expect(await validate({ 'x-call-id': id, 'x-call-to': DEMO })).toMatchObject({ valid: true })
    expect((await post('/calls', { callId: `registered-${id}`, dialedNumber: DEMO })).status).toBe(201)
  })
})

test('a second caller with the same unfilled id does not hear the appointments of the first', async () => {
  const headers = { 'x-call-id': '{{call.id}}', 'x-call-to': DEMO }
  await use('/emr-scheduling/verify_patient', { statedName: 'Jane Doe', statedDateOfBirth: '1980-03-03' }, headers)
  expect(await use('/emr-scheduling/list_appointments', {}, headers)).toMatchObject({
    success: false,
    code: 'call-not-identified',
  })
})

describe('a request of another caller does not join a call', () => {
  const CALLER = '+12125550123'

  test.each<[string, string | undefined, string | undefined, string]>([
    ['appears', undefined, CALLER, 'holds a number, but this call began without one'],
    ['appears after a withheld one', 'anonymous', CALLER, 'holds a number, but this call began without one'],
    ['disappears', CALLER, undefined, 'holds no number, but this call began with one'],
    ['is withheld later', CALLER, 'anonymous', 'holds no number, but this call began with one'],
    ['differs', CALLER, '+12125550124', 'is not what this call began with'],
  ])('whose number %s', async (_what, first, later, message) => {
    const headers = (from: string | undefined): Record<string, string> => ({
      ...{ 'x-call-id': id, 'x-call-to': OTHER },
      ...(from === undefined ? {} : { 'x-call-from': from }),
    })
    const id = newId()
    expect(await use(UPDATE, { firstName: 'Jane' }, headers(first))).toMatchObject({ success: true })
    const joined = await use(UPDATE, { firstName: 'Mary' }, headers(later))
    expect(joined).toMatchObject({ success: false, code: 'call-mismatch' })
    expect(joined.error).toContain(`x-call-from ${message}`)
    expect(JSON.stringify(joined)).not.toMatch(/\d{4}|Jane/)
    expect(await use(UPDATE, { lastName: 'Doe' }, headers(first))).toMatchObject({ success: true })
  })
})

describe('the default call of demo mode', () => {
  const HINT = expect.stringMatching(/names no call.*default call of the demo clinic.*x-call-id/)

  test('is told in a hint of each result, good and bad, and of a repeat', async () => {
    const toolCalls = [
      { id: 'h1', function: { arguments: { fieldName: 'email', value: 'a@example.com' } } },
      { id: 'h2', function: { arguments: {} } },
      { id: 'h3', function: { arguments: '{broken' } },
    ]
    const decoded = async () =>
      (await post(VALIDATE, { message: { toolCalls } })).body.results.map(({ result }: { result: string }) =>
        JSON.parse(result),
      )
    const results = await decoded()
    expect(results).toMatchObject([
      { valid: true, hint: HINT },
      { code: 'missing-argument', hint: HINT },
      { code: 'invalid-arguments', hint: HINT },
    ])
    expect(await decoded()).toEqual(results)
  })

  test.each(Object.entries(toolFamilies).map(([family, tools]) => `/${family}/${Object.keys(tools)[0]}`))(
    'is told by %s',
    async (path) => {
      expect(await use(path, {}, {})).toMatchObject({ hint: HINT })
    },
  )

  test('is told in one line of the log for each request, without what was said', async () => {
    const before = lines.length
    await use(UPDATE, { firstName: 'Zanzibar' }, {})
    const told = lines.slice(before).filter((line) => line.includes('default call'))
    expect(told.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ requestId: expect.any(String), msg: expect.stringContaining('no x-call-id') }),
    ])
    expect(told.join()).not.toContain('Zanzibar')
  })

  test('a call with an id has no hint and no such line, nor has a request that is refused', async () => {
    const before = lines.length
    expect(await validate({ 'x-call-id': newId() })).not.toHaveProperty('hint')
    expect(await validate({ 'x-call-id': 'null' })).not.toHaveProperty('hint')
    expect(await validate({ 'x-call-to': DEMO })).not.toHaveProperty('hint')
    expect(lines.slice(before).filter((line) => line.includes('default call'))).toEqual([])
  })

  test('is shown in the journal, with the hint in its results', async () => {
    const toolCalls = [{ id: 'j1', function: { arguments: { reason: 'a bill' } } }]
    const exchange = await exchangeOf(
      server,
      await post('/patient-journey/escalate_billing', { message: { toolCalls } }),
    )
    expect(exchange).toMatchObject({ call: 'demo-default-call', tools: [{ result: { hint: HINT } }] })
  })

  test('is a call under its own id, as staff see it', async () => {
    await use('/patient-journey/escalate_billing', { reason: 'a bill' }, {})
    const { body } = await server.fhir('GET', '/Encounter?identifier=demo-default-call')
    expect(body.entry.map(({ resource }: { resource: Encounter }) => resource.status)).toEqual(['in-progress'])
  })
})
