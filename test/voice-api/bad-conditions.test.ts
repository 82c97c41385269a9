/** Bad conditions between a voice platform and this server, at each door through which it calls tools. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Communication, Task } from 'fhir/r4'
import type { InsuranceResult } from '../../src/core/ports.ts'
import { exchangeOf } from '../support/journal.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'
import {
  type Called,
  callByDoor,
  DOOR_NAMES,
  ESCALATE,
  encountersOf,
  found,
  headersOf,
  MCP_HEADERS,
  post,
  sendByDoor,
  UPDATE,
  VALIDATE,
} from '../support/voice-doors.ts'

const INSURANCE = '/patient-journey/submit_insurance_info'

/** The insurance-verification system: it answers when a test lets it. */
class Verification {
  readonly #arrived = Promise.withResolvers<void>()
  readonly #allowed = Promise.withResolvers<void>()
  /** The questions, by the keys that make a repeated one known. */
  readonly asked = new Set<string>()

  async verify(key: string): Promise<InsuranceResult> {
    this.asked.add(key)
    this.#arrived.resolve()
    await this.#allowed.promise
    return { status: 'VERIFIED', copayCents: 100 * this.asked.size }
  }

  /** Waits until it has been asked. */
  arrived(): Promise<void> {
    return this.#arrived.promise
  }

  answer(): void {
    this.#allowed.resolve()
  }
}

let verification = new Verification()
let server: TestServer
beforeAll(async () => {
  server = await startServer(
    {},
    { integrations: { insurance: { verify: (_card, { idempotencyKey }) => verification.verify(idempotencyKey) } } },
  )
})
afterAll(() => server.close())

const use = (name: string, address: string, args: object, called: Omit<Called, 'at'>) =>
  callByDoor(name, address, args, { at: server, ...called })

describe('a template that the platform has not filled in is refused with the name of its header, with status 200, by', () => {
  test.each(
    DOOR_NAMES.flatMap((name) =>
      [
        ['x-call-id', '{{call.id}}'],
        ['x-call-to', '{{phoneNumber.number}}'],
        ['x-call-from', '{{customer.number}}'],
        ['x-call-id', '{{call_id}}'],
        ['x-call-to', '{{agent_number}}'],
        ['x-call-from', '{{user_number}}'],
        ['x-call-id', 'system__conversation_id'],
        ['x-call-to', '{{system__called_number}}'],
        ['x-call-from', 'None'],
      ].map(([header = '', template = '']) => [name, header, template] as const),
    ),
  )('%s: %s %s', async (name, header, template) => {
    const callId = randomUUID()
    const headers = { ...headersOf(callId), [header]: template }
    const { status, result } = await use(name, ESCALATE, { reason: 'a bill' }, { callId, toolCallId: 't1', headers })
    const error = expect.stringContaining(`call not identified: ${header} holds '${template}'`)
    expect([status, result]).toEqual([
      200,
      expect.objectContaining({ success: false, code: 'call-not-identified', error }),
    ])
    expect(await encountersOf(server, callId)).toEqual([])
  })
})

describe('one tool call', () => {
  test('that comes by every door has one effect, and the same result each time', async () => {
    const callId = randomUUID()
    const headers = { ...headersOf(callId), 'x-call-from': '+12125550189', 'x-tool-call-id': 't1' }
    const args = { firstName: 'Zora', lastName: 'Everydoor' }
    const results: unknown[] = []
    for (const name of DOOR_NAMES)
      results.push((await use(name, UPDATE, args, { callId, toolCallId: 't1', headers })).result)
    expect(results).toEqual(DOOR_NAMES.map(() => results[0]))
    expect(results[0]).toMatchObject({ success: true })
    expect(await found(server, '/Patient?family=Everydoor')).toMatchObject([{ meta: { versionId: '1' } }])
    expect(await found(server, `/Communication?identifier=${callId}`)).toHaveLength(1)
  })
})

describe('fifty tool calls of one call at the same time', () => {
  test('each get their own result, and none is lost', async () => {
    const callId = randomUUID()
    const headers = { ...headersOf(callId), 'x-call-from': '+12125550178' }
    const numbers = Array.from({ length: 50 }, (_, n) => n)
    const isEscalation = (n: number) => n % 5 === 0
    const results = await Promise.all(
      numbers.map(async (n) => {
        const toolCallId = `t${n}`
        const called = { callId, toolCallId, headers: { ...headers, 'x-tool-call-id': toolCallId } }
        const name = DOOR_NAMES[n % DOOR_NAMES.length] ?? ''
        if (isEscalation(n)) return (await use(name, ESCALATE, { reason: `reason ${n}` }, called)).result
        const args = { fieldName: 'email', value: `person${n}@example.com` }
        return (await use(name, VALIDATE, args, called)).result
      }),
    )
    expect(results).toEqual(
      numbers.map((n) =>
        expect.objectContaining(isEscalation(n) ? { success: true } : { valid: true, value: `person${n}@example.com` }),
      ),
    )
    expect(await found<Communication>(server, `/Communication?identifier=${callId}&_count=100`)).toHaveLength(50)
    const [encounter, ...more] = await encountersOf(server, callId)
    expect(more).toEqual([])
    const tasks = await found<Task>(server, `/Task?patient=${encounter?.subject?.reference}`)
    const said = JSON.stringify(tasks)
    for (const n of numbers.filter(isEscalation)) expect(said).toContain(`"reason ${n}"`)
  })
})

describe('a platform that gives up while the tool works, and sends the tool call again, gets its one result, by', () => {
  test.each(DOOR_NAMES)('%s', async (name) => {
    verification = new Verification()
    const callId = randomUUID()
    const headers = { ...headersOf(callId), 'x-tool-call-id': 't1' }
    const called = { callId, toolCallId: 't1', headers, at: server }
    const args = { payerName: 'Acme Health', memberId: 'ACM-1234' }
    const platform = new AbortController()
    const first = sendByDoor(name, INSURANCE, args, { ...called, signal: platform.signal })
    await verification.arrived()
    platform.abort()
    await expect(first).rejects.toThrow('broke off')
    const again = use(name, INSURANCE, args, called)
    verification.answer()
    expect((await again).result).toMatchObject({ success: true, copayCents: 100 })
    expect((await use(name, INSURANCE, args, called)).result).toEqual((await again).result)
    expect(verification.asked.size).toBe(1)
    expect(await found(server, `/Communication?identifier=${callId}`)).toHaveLength(1)
  })
})

describe('a batch for two families', () => {
  const EMAIL = { fieldName: 'email', value: 'jane dot doe at example dot com' }
  const vapi = (id: string, name: string, args: object) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  })
  const item = (call_id: string, name: string, args: object) => ({
    type: 'function_call',
    call_id,
    name,
    arguments: JSON.stringify(args),
  })
  type Read = (body: { results: { result: string }[] } & { output: string }[]) => readonly string[]

  /** The body with both tool calls, and their results in the body of the response. */
  const SHAPES: readonly [string, unknown, Read][] = [
    [
      "function tools of Vapi's",
      {
        message: {
          type: 'tool-calls',
          toolCallList: [vapi('1', 'validate_intake_field', EMAIL), vapi('2', 'get_clinic_info', {})],
        },
      },
      ({ results }) => results.map(({ result }) => result),
    ],
    [
      'function calls of OpenAI Realtime',
      [item('1', 'validate_intake_field', EMAIL), item('2', 'get_clinic_info', {})],
      (items) => items.map(({ output }) => output),
    ],
  ]

  test.each(SHAPES)('runs both tools at the one address: %s', async (_shape, body, read) => {
    const answer = await post(server, '/tools', body, headersOf(randomUUID()))
    expect(read(answer.body).map((text) => JSON.parse(text))).toEqual([
      expect.objectContaining({ valid: true }),
      expect.objectContaining({ success: true, hours: expect.any(String) }),
    ])
  })

  test.each(SHAPES)('runs at the address of a tool that tool alone: %s', async (_shape, body, read) => {
    const answer = await post(server, VALIDATE, body, headersOf(randomUUID()))
    const results = read(answer.body).map((text) => JSON.parse(text))
    expect(results).toEqual([
      expect.objectContaining({ valid: true }),
      expect.objectContaining({
        code: 'wrong-tool',
        error: expect.stringContaining('call each tool by its own route'),
      }),
    ])
  })
})

describe('a megabyte of arguments is 413 with a sentence, by', () => {
  test.each(DOOR_NAMES)('%s', async (name) => {
    const callId = randomUUID()
    const called = { callId, toolCallId: 't1', headers: headersOf(callId), at: server }
    const { status, body } = await sendByDoor(name, ESCALATE, { reason: 'x'.repeat(1_000_000) }, called)
    expect([status, body.error]).toEqual([413, expect.stringContaining('1000000 bytes')])
    expect(await encountersOf(server, callId)).toEqual([])
  })
})

describe('a body in another charset than UTF-8 is 400 with a sentence, at', () => {
  const BODY = JSON.stringify({ fieldName: 'firstName', value: 'José' })

  test.each(
    [VALIDATE, '/tools', '/mcp', '/calls', '/calls/events'].flatMap((path) =>
      (
        [
          ['iso-8859-1', 'latin1'],
          ['utf-16', 'utf16le'],
        ] as const
      ).map(([charset, encoding]) => [path, charset, encoding] as const),
    ),
  )('%s: %s', async (path, charset, encoding) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      body: Buffer.from(BODY, encoding),
      headers: {
        ...headersOf(randomUUID()),
        ...MCP_HEADERS,
        'x-voice-secret': 'demo-secret',
        'content-type': `application/json; charset=${charset}`,
      },
    })
    const { error } = (await response.json()) as { error: string }
    expect([response.status, error]).toEqual([400, expect.stringContaining('The body is not UTF-8')])
  })
})

describe("a request with a wrong webhook secret that names no clinic is in the operator's journal, with its address:", () => {
  let operator: TestServer
  beforeAll(async () => {
    operator = withToken(server, await logInAs(server, { username: 'operator', clinic: '', role: 'operator' }))
  })

  const ADDRESSES = [
    ESCALATE,
    `${ESCALATE}?from=vapi`,
    '/tools',
    '/mcp',
    '/mcp/patient-intake',
    '/calls',
    '/calls/events',
    '/calls/some-call/end',
  ]

  test.each<[string, string]>([
    ...ADDRESSES.map((path): [string, string] => [path, 'wrong']),
    ...ADDRESSES.map((path): [string, string] => [path, '']),
    ['/abandonments', 'wrong'],
  ])('%s (%j)', async (path, secret) => {
    const { 'x-call-to': _dialed, ...headers } = headersOf('c')
    const answer = await post(server, path, { reason: 'a bill' }, { 'x-voice-secret': secret, ...headers })
    expect([answer.status, answer.body.error]).toEqual([401, expect.stringContaining('x-voice-secret')])
    const exchange = await exchangeOf(operator, answer, '/exchanges')
    expect(exchange).toMatchObject({
      method: 'POST',
      address: path,
      status: 401,
      outcome: 'refused',
      reason: { code: 'login', text: expect.stringContaining('x-voice-secret') },
    })
    expect(exchange.request.body).toBeUndefined()
    const listed = await operator.fhir(
      'GET',
      `/exchanges?status=401&path=${encodeURIComponent(path.split('?')[0] ?? '')}`,
    )
    expect(listed.body.exchanges).toContainEqual(expect.objectContaining({ id: exchange.id }))
    expect((await server.fhir('GET', `/clinics/demo-clinic/exchanges/${exchange.id}`)).status).toBe(404)
  })
})
