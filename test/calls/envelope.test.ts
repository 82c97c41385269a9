/** The tool envelope (spec.md 2.1, 2.2) and the dialects of it that platforms speak. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { bodyMetadata, isReadable, MAX_CALLS, readEnvelope, writeEnvelope } from '../../src/calls/envelope.ts'
import { parseJson } from '../../src/fhir/json.ts'

const readOne = (call: unknown) => readEnvelope({ message: { toolCalls: [call] } }).calls[0]

describe('message.toolCalls[] (spec 2.1)', () => {
  test('id and function.arguments are read, in the order of the calls', () => {
    const body = {
      message: {
        toolCalls: [
          { id: 'b', function: { name: 'escalate_billing', arguments: { reason: 'x' } } },
          { id: 'a', function: { arguments: {} } },
        ],
      },
    }
    expect(readEnvelope(body)).toEqual({
      style: 'envelope',
      calls: [
        { id: 'b', name: 'escalate_billing', arguments: { reason: 'x' } },
        { id: 'a', arguments: {} },
      ],
    })
  })

  test.each([
    ['message.toolCallList', { message: { toolCallList: [{ id: '1', function: { arguments: { a: 1 } } }] } }],
    [
      'message.toolWithToolCallList[].toolCall',
      {
        message: {
          toolWithToolCallList: [{ name: 'x', toolCall: { id: '1', function: { parameters: { a: 1 } } } }],
        },
      },
    ],
    [
      'toolCalls before the others',
      { message: { toolCalls: [{ id: '1', arguments: { a: 1 } }], toolCallList: [{ id: '2' }] } },
    ],
    ['the list that is not empty', { message: { toolCalls: [], toolCallList: [{ id: '1', arguments: { a: 1 } }] } }],
  ])('the list is found at %s', (_where, body) => {
    expect(readEnvelope(body).calls).toEqual([{ id: '1', arguments: { a: 1 } }])
  })

  test.each([
    ['function.arguments', { function: { arguments: { a: 1 } } }],
    ['function.parameters', { function: { parameters: { a: 1 } } }],
    ['arguments', { arguments: { a: 1 } }],
    ['parameters', { parameters: { a: 1 } }],
    ['a JSON string', { function: { arguments: '{"a":1}' } }],
    [
      'function.arguments before the others',
      { function: { arguments: { a: 1 }, parameters: { b: 1 } }, arguments: {} },
    ],
  ])('arguments are read from %s', (_where, call) => {
    expect(readOne({ id: '1', ...call })).toEqual({ id: '1', arguments: { a: 1 } })
  })

  test.each([[undefined], [null], [''], ['  '], ['{}'], [{}]])('%p are no arguments', (given) => {
    expect(readOne({ id: '1', function: { arguments: given } })).toEqual({ id: '1', arguments: {} })
  })

  test.each([['text'], ['"text"'], ['5'], ['[1]'], ['null'], ['{"a":'], [5], [true], [[]], [[{ a: 1 }]]])(
    '%j as arguments is an error of that call',
    (given) => {
      expect(readOne({ id: '1', function: { arguments: given } })).toEqual({
        id: '1',
        code: 'invalid-arguments',
        error: 'The arguments must be a JSON object, or a string that holds one',
      })
    },
  )

  test('arguments in a string may be nested deeply, but not so deeply that nobody can walk them', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
    expect(readOne({ id: '1', function: { arguments: nested(30) } })).toHaveProperty('arguments')
    expect(readOne({ id: '1', function: { arguments: nested(100_000) } })).toHaveProperty('code', 'invalid-arguments')
  })

  test.each([['text'], [5], [null], [[]]])('an entry %j that is no object is an error of that call', (entry) => {
    expect(readOne(entry)).toMatchObject({ id: null, code: 'invalid-call' })
  })

  test.each([[7], [true], [{ a: 1 }], ['']])('an id %j that is no string is kept as it is', (id) => {
    expect(readOne({ id })).toEqual({ id, arguments: {} })
  })

  test('a call without an id has none', () => {
    expect(readOne({ arguments: {} })).toEqual({ id: null, arguments: {} })
  })
})

describe('a request without calls', () => {
  test.each([
    [[], 'message'],
    ['text', 'message'],
    [null, 'message'],
    [5, 'message'],
    [{ message: 'x' }, 'message'],
    [{ message: {} }, 'toolCalls is missing'],
    [{ message: { toolCalls: null } }, 'toolCalls is missing'],
    [{ message: { toolCalls: {} } }, 'must be a list'],
    [{ message: { toolCalls: 'x' } }, 'must be a list'],
    [{ message: { toolWithToolCallList: {} } }, 'must be a list'],
    [{ message: { toolCalls: [] } }, 'empty'],
  ])('%j says what is missing', (body, what) => {
    const { calls, error } = readEnvelope(body)
    expect(calls).toEqual([])
    expect(error).toContain(what)
  })
})

test(`of more than ${MAX_CALLS} calls the first ${MAX_CALLS} are read and each other one is refused by its id`, () => {
  const toolCalls = Array.from({ length: MAX_CALLS + 2 }, (_value, index) => ({ id: index, arguments: {} }))
  const { calls } = readEnvelope({ message: { toolCalls } })
  expect(calls.map(isReadable)).toEqual(toolCalls.map(({ id }) => id < MAX_CALLS))
  expect(calls[MAX_CALLS + 1]).toMatchObject({ id: MAX_CALLS + 1, code: 'too-many-calls' })
})

test('whatever the body is, there is one call or refusal for each entry of its list', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (toolCalls) => {
      expect(readEnvelope({ message: { toolCalls } }).calls).toHaveLength(toolCalls.length)
    }),
  )
})

test('the response holds results[].toolCallId and .result (spec 2.2), numbers as they were written', () => {
  const id = (parseJson('{"id":1.00}') as { id: unknown }).id
  const text = writeEnvelope({ style: 'envelope', calls: [] }, [{ toolCallId: id, result: '{"success":true}' }])
  expect(text).toBe('{"results":[{"toolCallId":1.00,"result":"{\\"success\\":true}"}]}')
})

test('the call metadata that a platform puts into the body are found where its documentation says', () => {
  const message = { call: { id: 'c' }, phoneNumber: { number: '+1' }, customer: { number: '+2' } }
  expect(bodyMetadata({ message })).toEqual({ callId: 'c', dialedNumber: '+1', callerNumber: '+2' })
  expect(bodyMetadata('x')).toEqual({ callId: undefined, dialedNumber: undefined, callerNumber: undefined })
})

describe('a body {name, call, args} (Retell)', () => {
  const invocation = { role: 'tool_call_invocation', tool_call_id: 't2', name: 'escalate_billing' }
  const withTranscript = (...transcript: unknown[]) => ({
    name: 'escalate_billing',
    args: { reason: 'x' },
    call: { call_id: 'c', transcript_with_tool_calls: transcript },
  })

  test('is one tool call, whose id is that of its newest invocation in the transcript', () => {
    const body = withTranscript({ ...invocation, tool_call_id: 't1' }, invocation, { role: 'agent', content: 'Hm' })
    expect(readEnvelope(body)).toEqual({
      style: 'plain',
      calls: [{ id: 't2', name: 'escalate_billing', arguments: { reason: 'x' } }],
    })
  })

  test.each([
    ['there is no transcript', { name: 'escalate_billing', args: { reason: 'x' } }],
    ['the newest invocation is of another tool', withTranscript(invocation, { ...invocation, name: 'other' })],
    ['the call is no object', { name: 'escalate_billing', args: { reason: 'x' }, call: 'c' }],
    [
      'the transcript is no list',
      { name: 'escalate_billing', args: { reason: 'x' }, call: { transcript_with_tool_calls: 5 } },
    ],
  ])('has no id where %s', (_where, body) => {
    expect(readEnvelope(body).calls).toEqual([{ id: null, name: 'escalate_billing', arguments: { reason: 'x' } }])
  })

  test('its metadata are those of the person on the line, in calls of both directions', () => {
    const call = { call_id: 'c', from_number: '+12125550123', to_number: '+12125550100' }
    const metadata = { callId: 'c', dialedNumber: '+12125550100', callerNumber: '+12125550123' }
    expect(bodyMetadata({ name: 'x', args: {}, call: { ...call, direction: 'inbound' } })).toEqual(metadata)
    const outbound = { call_id: 'c', from_number: '+12125550100', to_number: '+12125550123', direction: 'outbound' }
    expect(bodyMetadata({ name: 'x', args: {}, call: outbound })).toEqual(metadata)
  })

  test('of any kind is read without a fault, its metadata too', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (call, args, name) => {
        const body = { name, args, call }
        bodyMetadata(body)
        expect(readEnvelope(body).calls).toHaveLength(1)
      }),
    )
  })
})
