/** The conversation of a call, made of its log, its Provenances and its exchanges. */
import { describe, expect, test } from '@jest/globals'
import type { Communication, Provenance } from 'fhir/r4'
import type { Exchange } from '../../dashboard/api/exchanges.ts'
import { logOf } from '../../dashboard/fhir/calls.ts'
import { conversationOf, statedIn } from '../../dashboard/pages/calls/conversation.ts'

const instant = (milliseconds: number): string => new Date(Date.UTC(2026, 2, 3, 14) + milliseconds).toISOString()

/** @param from and `to` milliseconds */
const called = (id: string, topic: string, [from, to]: readonly [number, number], more: Partial<Communication> = {}) =>
  ({
    resourceType: 'Communication',
    id,
    status: 'completed',
    topic: { text: topic },
    sent: instant(from),
    received: instant(to),
    payload: [{ contentString: '{}' }, { contentString: '{"success":true}' }],
    ...more,
  }) satisfies Communication

const wrote = (activity: string, at: number, ...references: readonly string[]) =>
  ({
    resourceType: 'Provenance',
    target: references.map((reference) => ({ reference })),
    recorded: instant(at),
    activity: { text: activity },
    agent: [],
  }) as Provenance

const asked = (
  id: string,
  [at, duration]: readonly [number, number],
  ...tools: readonly (readonly [string, unknown])[]
) =>
  ({
    id,
    time: instant(at),
    duration,
    tools: tools.map(([tool, toolId]) => ({ tool, id: toolId, success: true })),
  }) as unknown as Exchange

const turnsOf = (...given: Parameters<typeof conversationOf>) => conversationOf(...given).turns

describe('the order', () => {
  test('is that in which the tools were called, to the microsecond, whatever the order of the log', () => {
    const [first, second, third] = [
      called('c', 'x', [0, 1]),
      called('a', 'x', [1, 1], { sent: instant(1).replace('Z', '002Z') }),
      called('b', 'x', [1, 1], { sent: instant(1).replace('Z', '004Z') }),
    ]
    expect(logOf([third, first, second]).map(({ id }) => id)).toEqual(['c', 'a', 'b'])
  })

  test('has entries without a time, and cut ones, too', () => {
    const { sent: _sent, received: _received, payload: _payload, ...bare } = called('bare', 'x', [0, 0])
    const cut = called('cut', 'x', [5, 6], { payload: [{ contentString: '{"name":"Ja…' }] })
    const log = logOf([cut, bare])
    expect(turnsOf(log, [], []).map(({ key, at }) => [key, at])).toEqual([
      ['bare', ''],
      ['cut', instant(5)],
    ])
    expect(log[1]).toMatchObject({ arguments: undefined, argumentsText: '{"name":"Ja…', resultText: '' })
  })
})

describe('what was written', () => {
  const log = logOf([called('one', 'submit_intake', [0, 10]), called('two', 'submit_intake', [20, 30])])

  test('stands at the tool call during which it was recorded, also in a change before its last one', () => {
    const written = [
      wrote('submit-intake', 4, 'Patient/p/_history/1', 'Task/t/_history/1'),
      wrote('submit-intake', 10, 'Task/t/_history/2'),
      wrote('submit-intake', 30, 'https://emr.example/fhir/Patient/p/_history/2'),
    ]
    expect(turnsOf(log, written, []).map(({ writes }) => writes)).toEqual([
      [
        { type: 'Patient', id: 'p', version: '1' },
        { type: 'Task', id: 't', version: '1' },
        { type: 'Task', id: 't', version: '2' },
      ],
      [{ type: 'Patient', id: 'p', version: '2' }],
    ])
  })

  test('of two calls of a tool at the same time is of that whose change it was', () => {
    const parallel = logOf([called('long', 'submit_intake', [0, 40]), called('short', 'submit_intake', [1, 10])])
    const turns = turnsOf(
      parallel,
      [wrote('submit-intake', 40, 'Task/1/_history/1'), wrote('submit-intake', 10, 'Consent/1/_history/1')],
      [],
    )
    expect(turns.map(({ key, writes }) => [key, writes[0]?.type])).toEqual([
      ['long', 'Task'],
      ['short', 'Consent'],
    ])
  })

  test('by none of them is told besides, and what names no version is left out', () => {
    const { turns, otherWrites } = conversationOf(
      log,
      [
        wrote('submit-insurance-info', 5, 'Coverage/c/_history/2'),
        wrote('submit-intake', 5, 'Patient/p', 'urn:uuid:x'),
      ],
      [],
    )
    expect(otherWrites).toEqual([{ type: 'Coverage', id: 'c', version: '2' }])
    expect(turns.flatMap(({ writes }) => writes)).toEqual([])
  })
})

describe('the request', () => {
  test('of each tool call of a batch has its place, and the time until the next one or the response', () => {
    const log = logOf([called('one', 'x', [2, 3]), called('two', 'x', [10, 11])])
    const turns = turnsOf(log, [], [asked('request', [0, 30], ['x', '1'], ['x', '2'])])
    expect(
      turns.map(({ requested, latency }) => [requested?.exchange.id, requested?.place, requested?.of, latency]),
    ).toEqual([
      ['request', 1, 2, 8],
      ['request', 2, 2, 20],
    ])
  })

  test('of a repeat, and of a tool call that was not run, is a turn of its own', () => {
    const log = logOf([called('one', 'x', [2, 3])])
    const requests = [
      asked('again', [50, 4], ['x', '1']),
      asked('first', [0, 5], ['x', '1']),
      asked('none', [70, 1], ['y', '2']),
    ]
    expect(
      turnsOf(log, [], requests).map(({ requested, entry }) => [
        requested?.exchange.id,
        requested?.isRepeat,
        entry?.id,
      ]),
    ).toEqual([
      ['first', false, 'one'],
      ['again', true, undefined],
      ['none', false, undefined],
    ])
  })

  test('is missing without a journal, as is the time', () => {
    const [turn] = turnsOf(logOf([called('one', 'x', [2, 3])]), [], [])
    expect([turn?.requested, turn?.latency]).toEqual([undefined, undefined])
  })
})

test('each argument has what was said, what was understood, and why it was not taken', () => {
  const text = (value: object) => ({ contentString: JSON.stringify(value) })
  const given = { dateOfBirth: 'March third nineteen eighty', email: 'jane', fisrtName: 'Jane', batch: [1], value: '2' }
  const result = {
    values: { dateOfBirth: '1980-03-03', phone: '+12125550187' },
    inWords: 'March 3rd, 1980',
    value: 'two',
    ignored: [{ name: 'fisrtName', nearest: 'firstName' }, { name: 'batch' }],
    invalidFields: [{ field: 'email', error: 'it has no @' }],
  }
  const [entry] = logOf([called('one', 'x', [0, 1], { payload: [text(given), text(result)] })])
  const rows = entry === undefined ? [] : statedIn(entry)
  expect(rows.map(({ argument, said, understood, problem }) => [argument, said, understood, problem])).toEqual([
    ['dateOfBirth', 'March third nineteen eighty', '1980-03-03, March 3rd, 1980', undefined],
    ['email', 'jane', undefined, 'it has no @'],
    ['fisrtName', 'Jane', undefined, 'ignored; firstName is probably meant'],
    ['batch', '[1]', undefined, 'ignored'],
    ['value', '2', 'two', undefined],
    ['phone', undefined, '+12125550187', undefined],
  ])
})
