/** A recorded call as a script: what becomes a reference, what is left out, and what is read as one. */
import { describe, expect, test } from '@jest/globals'
import { type PlayedCall, readScript } from '../../dashboard/api/call-script.ts'
import { type RecordedCall, scriptOf } from '../../dashboard/api/save-call.ts'
import type { LoggedCall } from '../../dashboard/fhir/calls.ts'

type Json = Readonly<Record<string, unknown>>

const FAMILIES = new Map([['book_appointment', 'emr-scheduling']])

/** A tool call `at` seconds after the first one, which took a second. */
const logged = (tool: string, given: Json | undefined, result: Json | undefined, at = 0): LoggedCall => ({
  id: tool,
  callId: 'call-1',
  tool,
  sent: new Date(Date.UTC(2026, 2, 3, 14) + at * 1000).toISOString(),
  received: new Date(Date.UTC(2026, 2, 3, 14) + (at + 1) * 1000).toISOString(),
  argumentsText: JSON.stringify(given) ?? '{"cut":"…',
  resultText: JSON.stringify(result) ?? '{"cut":"…',
  arguments: given,
  result,
})

const saved = (log: readonly LoggedCall[], more: Partial<RecordedCall> = {}): PlayedCall =>
  scriptOf({ callId: 'call-1', hasEnded: false, log, ...more }, FAMILIES)

const FOUND = logged(
  'find_available_slots',
  { when: 'any morning' },
  {
    success: true,
    slots: [
      { slotKey: 'bcdfghjkm', start: '2026-03-04T09:00:00-05:00', label: 'Wednesday' },
      { slotKey: '23bcdfghj', start: '2026-03-05T09:00:00-05:00', label: 'Thursday' },
    ],
    say: 'Which one?',
  },
)

describe('a saved script', () => {
  test('refers to keys and times that came out of earlier results, at any depth, and names only those steps', () => {
    const given = { slotKey: 'bcdfghjkm', others: [{ at: '2026-03-05T09:00:00-05:00' }], reason: 'Wednesday' }
    const { steps } = saved([FOUND, logged('book_appointment', given, { success: true })])
    expect(steps).toMatchObject([
      { as: 'step1', tool: 'find_available_slots', arguments: { when: 'any morning' } },
      {
        family: 'emr-scheduling',
        tool: 'book_appointment',
        arguments: {
          slotKey: '{{step1.slots.0.slotKey}}',
          others: [{ at: '{{step1.slots.1.start}}' }],
          reason: 'Wednesday',
        },
      },
    ])
    expect(steps[1]).not.toHaveProperty('as')
  })

  test('refers to the latest result that had the value, and to none for what was said before', () => {
    const say = (result: Json, args: Json = {}) => logged('tool', args, result)
    const { steps } = saved([
      say({ id: 'visit-12' }, { memberId: 'NOTFOUND-1234' }),
      say({ values: { memberId: 'NOTFOUND-1234' }, visit: 'visit-12' }),
      say({}, { memberId: 'NOTFOUND-1234', visit: 'visit-12' }),
    ])
    expect(steps[2]).toMatchObject({ arguments: { memberId: 'NOTFOUND-1234', visit: '{{step2.visit}}' } })
  })

  test('expects the outcomes that there were, and waits as long as there was between a result and the next call', () => {
    const { steps } = saved([
      logged('verify_patient', {}, { success: false, verified: false, code: 'not-verified', attemptsLeft: 2 }),
      logged('validate_intake_field', {}, { valid: true, code: 'valid', value: 'x' }, 5.25),
    ])
    expect(steps).toEqual([
      {
        tool: 'verify_patient',
        arguments: {},
        expect: { success: false, verified: false, code: 'not-verified' },
      },
      { after: 4.3, tool: 'validate_intake_field', arguments: {}, expect: { valid: true, code: 'valid' } },
    ])
  })

  test('registers the call with its numbers and ends it with its reason, as far as they are known', () => {
    const numbers = { dialedNumber: '+12125550100', callerNumber: '+15185550111' }
    const { register, end } = saved([FOUND], { ...numbers, hasEnded: true, endReason: 'customer-ended-call' })
    expect([register, end]).toEqual([numbers, { reason: 'customer-ended-call' }])
    expect(saved([FOUND], { dialedNumber: '+12125550100' })).not.toHaveProperty('register.callerNumber')
    const purged = saved([FOUND], { hasEnded: true })
    expect(purged.end).toEqual({})
    expect(purged).not.toHaveProperty('register')
    expect(saved([FOUND])).not.toHaveProperty('end')
  })

  test('of the default call names no call', () => {
    const script = saved([FOUND], { callId: 'demo-default-call', dialedNumber: '+12125550100', hasEnded: true })
    expect(script).toMatchObject({ isDefaultCall: true })
    expect(script).not.toHaveProperty('register')
    expect(script).not.toHaveProperty('end')
  })

  test.each([
    ['a template', { phone: '{{customer.number}}' }],
    ['a template within a text', { phone: `call $\{customer.number} back` }],
    ['a template in angle brackets', { phone: '<customer number>' }],
    ['a template between per cent signs', { phone: '%customer.number%' }],
    ['a template behind a colon', { phone: ':customer_number' }],
    [
      'what is named a secret',
      { 'x-voice-secret': 'demo-secret', apiKey: 'key-1', login: { password: 'open sesame' } },
    ],
    ['a token', { note: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln' }],
    ['a credential of HTTP', { note: 'Bearer abc123' }],
    ['a webhook secret', { notes: ['whsec_Zm9v'] }],
  ])('never has %s', (_what, given) => {
    const { steps } = saved([logged('tool', { ...given, reason: 'a bill' }, { success: true })])
    const text = JSON.stringify(steps)
    expect(steps[0]).toMatchObject({ arguments: { reason: 'a bill' } })
    for (const value of [...JSON.stringify(given).matchAll(/:"([^"]+)"|\["([^"]+)"/g)].map(
      ([, one, other]) => one ?? other,
    ))
      expect(text).not.toContain(value)
  })

  test('leaves out a step whose arguments are not kept whole, and says so', () => {
    const { steps, description } = saved([FOUND, logged('submit_intake', undefined, undefined)])
    expect(steps).toHaveLength(1)
    expect(description).toMatch(/Left out, as their arguments are not kept whole: submit_intake\.$/)
  })
})

describe('the text of a script', () => {
  const script = (steps: unknown) => JSON.stringify({ description: 'x', steps })
  test.each([
    ['no JSON', '{', 'it is no JSON'],
    ['a list', '[]', 'it must be an object with a list "steps"'],
    ['without steps', '{}', 'it has no list "steps"'],
    ['with a step of no kind', script([{ end: {} }, { arguments: {} }]), 'step 2 must have'],
    ['with a tool without arguments', script([{ tool: 'x' }]), 'step 1 must have'],
    ['with a pause in words', script([{ tool: 'x', arguments: {}, after: 'long' }]), 'step 1 must have'],
    ['with too many steps', script(Array(1001).fill({ end: {} })), '1001 steps, and 1000 are the most'],
    ['of too many characters', ' '.repeat(2_000_001), 'characters, and 2000000 are the most'],
  ])('%s is refused with a sentence', (_what, text, problem) => {
    expect(() => readScript(text)).toThrow(problem)
  })

  test('that was saved is read', () => {
    const text = JSON.stringify(saved([FOUND], { hasEnded: true }))
    expect(readScript(text).steps).toHaveLength(1)
  })
})
