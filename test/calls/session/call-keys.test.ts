/** Keys of a call: opaque, and known in it alone. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { keysFor, MAX_KEYS, unknownKey, valueOfKey } from '../../../src/calls/session/call-keys.ts'
import { CALL_LIFETIME, type CallSession } from '../../../src/core/call-session.ts'
import type { ClinicAccess } from '../../../src/core/context.ts'
import { randomRuns } from '../../support/random-runs.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let clinic: ClinicAccess
beforeAll(async () => {
  server = await startServer()
  clinic = server.app.access('demo-clinic', { kind: 'server' })
})
afterAll(() => server.close())

let calls = 0
const newCall = (inClinic = 'demo-clinic'): CallSession => ({ clinic: inClinic, callId: `keys-${++calls}` })

const give = (call: CallSession, values: readonly string[], access = clinic) =>
  access.change((ctx) => keysFor(ctx, call, 'slot', values))
const look = (call: CallSession, key: string, access = clinic) =>
  access.change((ctx) => valueOfKey(ctx, call, 'slot', key))

describe('a key', () => {
  test('stands for what it was given for, all through the call', async () => {
    const call = newCall()
    const [one, other, again] = await give(call, ['slot-a', 'slot-b', 'slot-a'])
    expect(one).toMatch(/^[2-9b-df-hj-np-tv-z]{9}$/)
    expect(other).not.toBe(one)
    expect(again).toBe(one)
    expect(await give(call, ['slot-b', 'slot-c'])).toEqual([other, expect.any(String)])
    expect(await look(call, one ?? '')).toBe('slot-a')
  })

  test('is understood in capitals and with spaces around it', async () => {
    const call = newCall()
    const [key = ''] = await give(call, ['slot-a'])
    expect(await look(call, ` ${key.toUpperCase()} `)).toBe('slot-a')
  })

  test.each(['invented2', '', 'slot-a', '__proto__', 'constructor'])(
    'that was never given is unknown: %j',
    async (key) => {
      const call = newCall()
      await give(call, ['slot-a'])
      expect(await look(call, key)).toBeUndefined()
      expect(await look(newCall(), key)).toBeUndefined()
    },
  )

  test('of another call is unknown', async () => {
    const [key = ''] = await give(newCall(), ['slot-a'])
    const other = newCall()
    await give(other, ['slot-a'])
    expect(await look(other, key)).toBeUndefined()
  })

  test('of another clinic is unknown, whatever the call is called', async () => {
    const call = newCall()
    const [key = ''] = await give(call, ['slot-a'])
    const elsewhere = server.app.access('elsewhere', { kind: 'server' })
    expect(await look({ ...call, clinic: 'elsewhere' }, key, elsewhere)).toBeUndefined()
  })

  test('of one kind is unknown as one of another', async () => {
    const call = newCall()
    const [key = ''] = await give(call, ['same'])
    const found = await clinic.change((ctx) => valueOfKey(ctx, call, 'appointment', key))
    expect(found).toBeUndefined()
  })

  test('ends with the call: a later call of the same id does not know it', async () => {
    const call = newCall()
    const [key = ''] = await give(call, ['slot-a'])
    const later = await clinic.change((ctx) =>
      valueOfKey({ ...ctx, now: ctx.now + CALL_LIFETIME + 1 }, call, 'slot', key),
    )
    expect(later).toBeUndefined()
  })

  test('never contains the id that it stands for, however short that is', async () => {
    const call = newCall()
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9.-]{1,8}$/), { minLength: 1 }), async (ids) => {
        const keys = await clinic.change((ctx) => keysFor(ctx, { ...call, callId: `property-${++calls}` }, 'slot', ids))
        expect(keys).toHaveLength(ids.length)
        expect(new Set(keys).size).toBe(ids.length)
        for (const [index, id] of ids.entries()) expect(keys[index]).not.toContain(id.toLowerCase())
      }),
      { numRuns: randomRuns(20) },
    )
  })
})

test('a call has a limited number of keys of a kind: the ones given longest ago are forgotten', async () => {
  const call = newCall()
  const [first = '', second = ''] = await give(call, ['first', 'second'])
  const appointment = await clinic.change((ctx) => keysFor(ctx, call, 'appointment', ['visit']))
  await give(call, ['first', ...Array.from({ length: MAX_KEYS - 1 }, (_, index) => `slot-${index}`)])
  expect(await look(call, first)).toBe('first')
  expect(await look(call, second)).toBeUndefined()
  expect(await clinic.change((ctx) => keysFor(ctx, call, 'appointment', ['visit']))).toEqual(appointment)
})

test('calls at the same time agree on the key of a value', async () => {
  const call = newCall()
  const keys = await Promise.all([1, 2, 3, 4].map(() => give(call, ['slot-a', 'slot-b'])))
  for (const some of keys) expect(some).toEqual(keys[0])
})

test('an unknown key is a failure with a stable code and a sentence to speak', () => {
  expect(unknownKey('slot', 'slotKey')).toMatchObject({
    code: 'unknown-key',
    message: 'Unknown slot key in slotKey; use one that find_available_slots returned in this call',
    issues: [{ expression: 'slotKey', text: expect.stringContaining('free times') }],
  })
})
