/** Requests for tools in other styles than the envelope: the arguments alone, Retell, function calls; and one address for all. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { request } from '../support/request.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

let calls = 0
const newCall = (): string => `plain-${++calls}`

const send = (path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
  request(server.url, method, path, body, {
    'x-voice-secret': 'demo-secret',
    'x-call-id': newCall(),
    'x-call-to': '+12125550100',
    ...headers,
  })

const VALIDATE = '/patient-intake/validate_intake_field'
const EMAIL = { fieldName: 'email', value: 'jane dot doe at example dot com' }
const VALID = { valid: true, value: 'jane.doe@example.com' }

describe('a request with the arguments alone', () => {
  test('gets the result object itself', async () => {
    const { status, body } = await send(VALIDATE, EMAIL)
    expect([status, body]).toEqual([200, expect.objectContaining(VALID)])
  })

  test('has the result that the envelope has', async () => {
    const { body: plain } = await send(VALIDATE, EMAIL)
    expect(await server.tool(VALIDATE, EMAIL)).toMatchObject(plain)
  })

  test('may be empty where the tool needs no argument', async () => {
    expect((await send('/emr-scheduling/get_clinic_info', {})).body).toMatchObject({ success: true })
  })

  test('is 200 when the tool fails, with the code and a sentence', async () => {
    const { status, body } = await send('/patient-journey/record_self_pay_decision', {})
    expect([status, body]).toEqual([200, expect.objectContaining({ success: false, say: expect.any(String) })])
  })

  test.each<[string, unknown, number]>([
    ['/patient-journey/record_self_pay_decision', {}, 400],
    ['/patient-intake/validate_intake_fields', EMAIL, 404],
    [VALIDATE, EMAIL, 200],
  ])('to %s with Prefer: status has the status of the tool call', async (path, body, expected) => {
    expect((await send(path, body, { prefer: 'status' })).status).toBe(expected)
    expect((await send(path, body, { prefer: 'return=minimal, Status' })).status).toBe(expected)
  })

  test('is answered as JSON on one line', async () => {
    const { headers, text } = await send(VALIDATE, EMAIL)
    expect([headers.get('content-type'), text]).toEqual([
      'application/json; charset=utf-8',
      expect.stringMatching(/^\{.*\}$/),
    ])
  })

  test.each(['idempotency-key', 'x-tool-call-id'])('with %s that is repeated has one effect', async (header) => {
    const headers = { [header]: `key-${header}`, 'x-call-id': newCall() }
    const first = await send('/emr-scheduling/join_waitlist', { when: 'next Tuesday' }, headers)
    const again = await send('/emr-scheduling/join_waitlist', { when: 'next Tuesday' }, headers)
    expect(again.body).toEqual(first.body)
    const { body } = await server.fhir('GET', `/Encounter?identifier=${headers['x-call-id']}`)
    expect(body.total).toBeLessThanOrEqual(1)
  })

  test('and the same tool call in the envelope have one effect', async () => {
    const headers = { 'x-call-id': newCall(), 'x-call-to': '+12125550100', 'x-call-from': '+12125550177' }
    const args = { firstName: 'Zora', lastName: 'Onlyonce' }
    const first = await send('/patient-journey/update_registration_field', args, { ...headers, 'x-tool-call-id': 't1' })
    const second = await request(
      server.url,
      'POST',
      '/patient-journey/update_registration_field',
      { message: { toolCalls: [{ id: 't1', function: { arguments: args } }] } },
      { ...headers, 'x-voice-secret': 'demo-secret' },
    )
    expect(JSON.parse(second.body.results[0].result)).toEqual(first.body)
    const { body } = await server.fhir('GET', '/Patient?family=Onlyonce')
    expect(body.entry).toHaveLength(1)
    expect(body.entry[0].resource.meta.versionId).toBe('1')
  })

  test('with a key that has spaces is 400', async () => {
    const { status, body } = await send(VALIDATE, EMAIL, { 'idempotency-key': 'a b' })
    expect([status, body.error]).toEqual([400, expect.stringContaining('idempotency-key')])
  })

  test('without the secret is 401', async () => {
    expect((await send(VALIDATE, EMAIL, { 'x-voice-secret': 'wrong' })).status).toBe(401)
  })

  test('of a megabyte is 413', async () => {
    const { status, body } = await send(VALIDATE, { ...EMAIL, value: 'x'.repeat(1_000_000) })
    expect([status, body.error]).toEqual([413, expect.stringContaining('1000000 bytes')])
  })

  test('that holds a list of tool calls outside a message is told where it belongs', async () => {
    expect((await send(VALIDATE, { toolCalls: [] })).body).toEqual({
      results: [],
      error: expect.stringContaining('{"message":{"toolCalls"'),
    })
  })

  test('is not asked for the call by its fields unless the service trusts them', async () => {
    const { body } = await send(VALIDATE, { ...EMAIL, x_call_id: 'somebody-else' })
    expect(body).toMatchObject(VALID)
  })
})

describe('a GET', () => {
  test('calls a tool that only reads', async () => {
    const path = `${VALIDATE}?fieldName=email&value=${encodeURIComponent(EMAIL.value)}`
    expect((await send(path, undefined, {}, 'GET')).body).toMatchObject(VALID)
  })

  test('of a tool that writes is 405', async () => {
    const { status, headers } = await send('/emr-scheduling/join_waitlist', undefined, {}, 'GET')
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe("Retell's custom function", () => {
  test('gets the result object, of which Retell reads variables by their paths', async () => {
    const { body } = await send(VALIDATE, { name: 'validate_intake_field', call: { call_id: 'r1' }, args: EMAIL })
    expect(body).toMatchObject(VALID)
  })
})

describe('function calls of a model', () => {
  const call = { call_id: 'c1', name: 'validate_intake_field', arguments: JSON.stringify(EMAIL) }

  test('of a chat completion are answered by messages of the role tool', async () => {
    const { body } = await send(VALIDATE, {
      tool_calls: [{ id: 'c1', type: 'function', function: { name: call.name, arguments: call.arguments } }],
    })
    expect(body).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: expect.stringContaining('jane.doe@example.com') },
    ])
  })

  test('as an item is answered by an item', async () => {
    const { body } = await send(VALIDATE, { type: 'function_call', id: 'fc_1', ...call })
    expect(body).toEqual({
      type: 'function_call_output',
      call_id: 'c1',
      output: expect.stringContaining('"valid":true'),
    })
  })

  test('among the items of a response are answered by a list of items', async () => {
    const items = [
      { type: 'reasoning', id: 'r' },
      { type: 'function_call', ...call },
    ]
    const expected = [{ type: 'function_call_output', call_id: 'c1', output: expect.any(String) }]
    expect((await send(VALIDATE, { output: items })).body).toEqual(expected)
    expect((await send(VALIDATE, items)).body).toEqual(expected)
  })

  test('may have arguments that are encoded twice', async () => {
    const { body } = await send(VALIDATE, { type: 'function_call', ...call, arguments: JSON.stringify(call.arguments) })
    expect(body.output).toContain('"valid":true')
  })
})

describe('the one address for all tools', () => {
  const toolCall = (id: string, name: string, args: object) => ({ id, function: { name, arguments: args } })

  test('runs the calls of a batch, each by its name, in order', async () => {
    const { body } = await send('/tools', {
      message: {
        toolCalls: [
          toolCall('1', 'validate_intake_field', EMAIL),
          toolCall('2', 'get_clinic_info', {}),
          toolCall('3', 'book_apointment', {}),
        ],
      },
    })
    expect(body.results.map(({ toolCallId }: { toolCallId: string }) => toolCallId)).toEqual(['1', '2', '3'])
    const results = body.results.map(({ result }: { result: string }) => JSON.parse(result))
    expect(results).toEqual([
      expect.objectContaining(VALID),
      expect.objectContaining({ success: true, name: expect.any(String) }),
      expect.objectContaining({
        code: 'unknown-tool',
        error: expect.stringContaining('the nearest is book_appointment'),
      }),
    ])
  })

  test('says which tools there are when a call names none', async () => {
    const { body } = await send('/tools', EMAIL)
    expect(body).toMatchObject({ code: 'unknown-tool', error: expect.stringContaining('validate_intake_field') })
  })
})
