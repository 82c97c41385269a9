/** submit_insurance_info with a clinic's own verification system, over HTTP: docs/insurance.md. */
import type { IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { CoverageEligibilityResponse } from 'fhir/r4'
import { pino } from 'pino'
import { createClinic } from '../../../src/clinics/clinics.ts'
import { INSURANCE_STATUSES } from '../../../src/core/ports.ts'
import { type InsuranceSystem, startSystem, TOKEN } from '../../integrations/insurance/system.ts'
import { newLastingDatabaseUrl } from '../../support/database.ts'
import { request, startServer, type TestServer } from '../../support/server.ts'
import { Caller } from '../caller.ts'

const TOOL = 'submit_insurance_info'
const ROUTE = `/patient-journey/${TOOL}`
const CARD = { payerName: 'Acme Health', memberId: 'ZANZIBAR-1234' }

const servers: { close: () => Promise<void> }[] = []
const lines: string[] = []
let server: TestServer
let system: InsuranceSystem
/** Milliseconds that the clock of the server is fast. */
let fast = 0

const started = async (env: Record<string, string> = {}): Promise<TestServer> => {
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  return await startServer(env, { logger, clock: () => Date.now() + fast })
}

beforeAll(async () => {
  server = await started()
})
afterAll(() => server.close())
beforeEach(async () => {
  fast = 0
  lines.length = 0
  // Each test has a system at an address of its own, so that none is paused for earlier failures.
  system = await startSystem()
  await use({ url: system.url })
})
afterEach(async () => {
  await system.close()
  await Promise.all(servers.splice(0).map((one) => one.close()))
})

async function use(insurance: object, of = server): Promise<void> {
  const { body } = await of.fhir('GET', '/clinics/demo-clinic/settings')
  const settings = { ...body, insurance: { enabled: true, token: TOKEN, ...insurance } }
  expect((await of.fhir('PUT', '/clinics/demo-clinic/settings', settings)).status).toBe(200)
}

const responsesOf = async (caller: Caller) =>
  caller.find<CoverageEligibilityResponse>(`CoverageEligibilityResponse?patient=${await caller.patientId()}`)

/** The same tool call of the same call. */
const repeatable = async (call: string, of = server): Promise<string> => {
  const body = { message: { toolCalls: [{ id: 'same', function: { arguments: CARD } }] } }
  const headers = { 'x-voice-secret': 'demo-secret', 'x-call-id': call, 'content-type': 'application/json' }
  return (await request(of.url, 'POST', ROUTE, body, headers)).body.results[0].result
}

async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe('the result of the system is relayed and recorded', () => {
  test.each(INSURANCE_STATUSES)('%s', async (status) => {
    system.answer({ body: { status, copayCents: 1250, errorMessage: 'As the payer says' } })
    const caller = new Caller(server)
    const isSuccess = status === 'VERIFIED' || status === 'PENDING'
    const errorMessage = isSuccess ? {} : { errorMessage: 'As the payer says' }
    expect(await caller.use(TOOL, CARD)).toEqual({
      success: isSuccess,
      status,
      values: { memberId: CARD.memberId },
      copayCents: 1250,
      ...errorMessage,
      code: status.toLowerCase().replaceAll('_', '-'),
      say: expect.any(String),
    })
    expect(await responsesOf(caller)).toMatchObject([{ disposition: isSuccess ? status : 'As the payer says' }])
    expect(system.asked.map(({ body }) => JSON.parse(body))).toEqual([{ clinic: 'demo-clinic', ...CARD }])
  })
})

describe('a system without an answer that can be used', () => {
  test.each([
    ['garbage', { body: '<h1>Zanzibar</h1>' }, 'ERROR', 'gave a response that cannot be read'],
    ['a redirection', { status: 302, headers: { location: 'http://169.254.169.254/' } }, 'ERROR', 'responded with 302'],
    ['a fault', { status: 500, body: 'Zanzibar' }, 'PAYER_UNAVAILABLE', 'responded with 500'],
    ['no connection', 'cut', 'PAYER_UNAVAILABLE', 'cannot be reached'],
  ] as const)('%s: the caller gets a sentence, and staff the reason', async (_what, told, status, reason) => {
    system.answer(told)
    const caller = new Caller(server)
    const result = await caller.use(TOOL, CARD)
    expect(result).toMatchObject({ success: false, status, errorMessage: expect.stringMatching(/^The insurance-/) })
    expect(await caller.tasks()).toMatchObject([{ description: expect.stringContaining(reason) }])
    expect(JSON.stringify([result, await responsesOf(caller), await caller.tasks()])).not.toMatch(/<h1>|169\.254/)
  })

  test('wrong credentials are told to staff, and not shown', async () => {
    await use({ url: system.url, token: 'another-token' })
    const caller = new Caller(server)
    expect(await caller.use(TOOL, CARD)).toMatchObject({ success: false, status: 'ERROR' })
    const [task] = await caller.tasks()
    expect(task?.description).toContain('refuses the credentials of the clinic (401)')
    expect(JSON.stringify(task)).not.toContain('another-token')
  })

  test('a private address that the operator does not allow is not asked', async () => {
    const strict = await started({ ALLOW_PRIVATE_ADDRESSES: 'off' })
    servers.push(strict)
    await use({ url: system.url.replace('127.0.0.1', 'localhost') }, strict)
    const caller = new Caller(strict)
    expect(await caller.use(TOOL, CARD)).toMatchObject({ success: false, status: 'ERROR' })
    expect(await caller.tasks()).toMatchObject([{ description: expect.stringContaining('is not allowed') }])
    expect(system.asked).toEqual([])
  })
})

describe('a slow system', () => {
  test('is PENDING, and its answer is recorded with one Task when it comes', async () => {
    await use({ url: system.url, deadlineMs: 150 })
    system.answer('silent')
    const caller = new Caller(server)
    const card = { ...CARD, memberId: 'LATE-1234' }
    expect(await caller.use(TOOL, card)).toMatchObject({ success: true, status: 'PENDING' })
    expect(await responsesOf(caller)).toMatchObject([{ outcome: 'queued' }])
    system.answer({ body: { status: 'VERIFIED', copayCents: 2500 } })
    fast = 60_000
    await until(async () => (await responsesOf(caller))[0]?.outcome === 'complete')
    expect(await caller.tasks()).toMatchObject([
      { status: 'requested', description: expect.stringContaining('VERIFIED. Please tell the patient') },
    ])
    const ofLate = system.asked.filter(({ body }) => body.includes('LATE-1234'))
    expect(ofLate).toHaveLength(2)
    expect(new Set(ofLate.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  test('a repeat of the tool call has the result that the caller had, also when the answer has come', async () => {
    await use({ url: system.url, deadlineMs: 150 })
    system.answer('silent')
    const first = await repeatable('slow-call')
    expect(await repeatable('slow-call')).toBe(first)
    expect(system.asked).toHaveLength(1)
    system.answer({ body: { status: 'VERIFIED' } })
    fast = 60_000
    const [key] = system.keys()
    const times = () => system.asked.filter(({ headers }) => headers['idempotency-key'] === key).length
    await until(() => times() === 2)
    expect(await repeatable('slow-call')).toBe(first)
    expect(times()).toBe(2)
  })
})

describe('the same tool call again', () => {
  test('at the same time asks once', async () => {
    const results = await Promise.all(Array.from({ length: 5 }, () => repeatable('parallel-call')))
    expect(new Set(results).size).toBe(1)
    expect(system.asked).toHaveLength(1)
  })

  test('at two servers has one result, and one key for the system', async () => {
    const env = { DATABASE_URL: await newLastingDatabaseUrl() }
    const first = await started(env)
    servers.push(first)
    const second = await started(env)
    servers.push(second)
    await use({ url: system.url }, first)
    const results = await Promise.all([first, second].map((one) => repeatable('two-servers', one)))
    expect(new Set(results).size).toBe(1)
    expect(system.keys()).toHaveLength(1)
    const tasks = await first.fhir('GET', '/CoverageEligibilityResponse?_summary=count')
    expect(tasks.body.total).toBe(1)
  })
})

test('neither the member nor the token is logged', async () => {
  for (const told of [{ body: { status: 'ERROR', errorMessage: 'Zanzibar' } }, { status: 500 }, 'cut'] as const) {
    system.answer(told)
    await new Caller(server).use(TOOL, CARD)
  }
  expect(lines.join('')).not.toMatch(new RegExp(`zanzibar|${TOKEN}`, 'i'))
})

test('another clinic does not use the system of this one', async () => {
  const both = await started()
  servers.push(both)
  await use({ url: system.url }, both)
  const policies = { overbooking: false, slotTakenStatus: 409 } as const
  const other = { name: 'B', timeZone: 'UTC', defaultRegion: 'US', dialedNumbers: ['+13125550100'], policies }
  await createClinic(both.app.repository, 'other', other)
  const result = await both.tool(
    ROUTE,
    { payerName: 'Acme Health', memberId: 'XYZ-1235' },
    { 'x-call-id': 'of-other', 'x-call-to': '+13125550100' },
  )
  expect(result).toMatchObject({ status: 'VERIFIED', copayCents: 3500 })
  expect(system.asked).toEqual([])
})

describe('the simulator', () => {
  const SIMULATOR = '/simulators/insurance'
  const post = (
    body: unknown,
    headers: Record<string, string> = { authorization: 'Bearer demo-secret' },
    of = server,
  ) => request(of.url, 'POST', SIMULATOR, body, { 'content-type': 'application/json', ...headers })

  test('is what the demo clinic asks, by the same connector', async () => {
    const fresh = await started()
    servers.push(fresh)
    const { body } = await fresh.fhir('GET', '/clinics/demo-clinic/settings')
    expect(body.insurance).toEqual({ enabled: true, url: 'simulator' })
    const seen: (string | undefined)[] = []
    fresh.app.server.on('request', ({ url, headers }: IncomingMessage) => {
      if (url === SIMULATOR) seen.push(headers['idempotency-key'] as string)
    })
    const result = await new Caller(fresh).use(TOOL, { payerName: 'Acme Health', memberId: 'XYZ-1235' })
    expect(result).toMatchObject({ status: 'VERIFIED', copayCents: 3500 })
    expect(seen).toEqual([expect.stringMatching(/^insurance-[\da-f]{32}$/)])
  })

  test('answers over HTTP', async () => {
    const answers = await Promise.all([post({ memberId: 'XYZ-1235' }), post({ memberId: 'INACT-1' })])
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { status: 'VERIFIED', copayCents: 3500 }],
      [200, { status: 'INACTIVE', errorMessage: 'The policy is no longer active' }],
    ])
  })

  test.each([
    ['no credentials', { memberId: 'XYZ-1235' }, {}, 401],
    ['others', { memberId: 'XYZ-1235' }, { authorization: 'Bearer another' }, 401],
    ['no member id', {}, undefined, 400],
    ['a member id that is no text', { memberId: 7 }, undefined, 400],
    ['no JSON', '{', undefined, 400],
    ['a body of more than 10 kB', { memberId: 'x'.repeat(10_001) }, undefined, 413],
  ])('refuses %s', async (_what, body, headers, status) => {
    const answer = await post(body, headers)
    expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['error']])
  })

  test('is not served outside of demo mode', async () => {
    const secret = 'a-long-webhook-secret-of-a-service'
    const production = await started({ DEMO: 'off', JWT_SECRET: secret, WEBHOOK_SECRET: secret })
    servers.push(production)
    expect((await post({ memberId: 'XYZ-1235' }, { authorization: `Bearer ${secret}` }, production)).status).toBe(404)
  })
})
