/** Repeated tool calls get the stored result, and write nothing twice. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { provisional, Replay, type ToolCallIdentity } from '../../../src/calls/session/replay.ts'
import type { ClinicAccess } from '../../../src/core/context.ts'
import { stageGeneration } from '../../../src/repository/generation.ts'
import { openTestRepository, type TestRepository } from '../../support/repository.ts'

const CALL: ToolCallIdentity = {
  clinic: 'a',
  callId: 'call',
  toolCallId: '1',
  tool: 'tool',
  arguments: { one: 1, two: { three: [3], four: 4 } },
}

let store: TestRepository
beforeEach(async () => {
  store = await openTestRepository('2025-06-15T12:00:00Z')
})

let runs = 0
/** Writes a Patient and returns how often it has run. */
const writing = (access: ClinicAccess) =>
  access.change(async (ctx) => {
    await ctx.create<Patient>({ resourceType: 'Patient' })
    return { success: true, run: ++runs }
  })

const patients = async (clinic = 'a') => (await (await store.access(clinic).reader()).search('Patient', '')).length

beforeEach(() => {
  runs = 0
})

describe('a call that is repeated', () => {
  test('has the stored answer and writes nothing again', async () => {
    const first = await new Replay().once(store.access('a'), CALL, writing)
    const second = await new Replay().once(store.access('a'), CALL, writing)
    expect([first, second]).toEqual(['{"success":true,"run":1}', '{"success":true,"run":1}'])
    expect(await patients()).toBe(1)
  })

  test('is the same call whatever the order of its arguments', async () => {
    const replay = new Replay()
    await replay.once(store.access('a'), CALL, writing)
    const reordered = { two: { four: 4, three: [3] }, one: 1 }
    expect(await replay.once(store.access('a'), { ...CALL, arguments: reordered }, writing)).toContain('"run":1')
  })

  test.each([
    ['toolCallId', { toolCallId: '2' }],
    ['type of the toolCallId', { toolCallId: 1 }],
    ['tool', { tool: 'other' }],
    ['call', { callId: 'other' }],
    ['argument', { arguments: { one: 2, two: { three: [3], four: 4 } } }],
  ])('with another %s is another call', async (_what, other) => {
    const replay = new Replay()
    await replay.once(store.access('a'), CALL, writing)
    await replay.once(store.access('a'), { ...CALL, ...other }, writing)
    expect(await patients()).toBe(2)
  })

  test('in another clinic is another call', async () => {
    const replay = new Replay()
    await replay.once(store.access('a'), CALL, writing)
    expect(await replay.once(store.access('b'), { ...CALL, clinic: 'b' }, writing)).toContain('"run":2')
    expect([await patients('a'), await patients('b')]).toEqual([1, 1])
  })

  test('is run anew when its answer is older than 24 hours', async () => {
    const replay = new Replay()
    await replay.once(store.access('a'), CALL, writing)
    store.setTime('2025-06-16T11:59:59Z')
    expect(await replay.once(store.access('a'), CALL, writing)).toContain('"run":1')
    store.setTime('2025-06-16T12:00:00Z')
    expect(await replay.once(store.access('a'), CALL, writing)).toContain('"run":2')
    expect(await replay.once(store.access('a'), CALL, writing)).toContain('"run":2')
  })

  test('at the same time in one process is run once, so that systems outside are asked once', async () => {
    const replay = new Replay()
    let asked = 0
    const asking = async (access: ClinicAccess) => {
      asked++
      await new Promise((resolve) => setTimeout(resolve, 5))
      return await writing(access)
    }
    const answers = await Promise.all(Array.from({ length: 8 }, () => replay.once(store.access('a'), CALL, asking)))
    expect(new Set(answers)).toEqual(new Set(['{"success":true,"run":1}']))
    expect([asked, await patients()]).toEqual([1, 1])
  })

  test('at the same time in several processes is written once, and all have that answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => new Replay().once(store.access('a'), CALL, writing)),
    )
    expect(new Set(answers).size).toBe(1)
    expect(await patients()).toBe(1)
  })
})

describe('a call that failed', () => {
  test('has stored nothing and runs again', async () => {
    const replay = new Replay()
    const failing = (access: ClinicAccess) =>
      access.change(async (ctx) => {
        await ctx.create<Patient>({ resourceType: 'Patient' })
        throw new Error('failed')
      })
    await expect(replay.once(store.access('a'), CALL, failing)).rejects.toThrow('failed')
    expect(await patients()).toBe(0)
    expect(await replay.once(store.access('a'), CALL, writing)).toContain('"run":1')
  })
})

describe('a handler that goes on after its change', () => {
  const pending = provisional({ success: false, error: 'pending' })
  const goingOn = (after: () => Promise<void>) => async (access: ClinicAccess) => {
    await access.change(async (ctx) => {
      await ctx.create<Patient>({ resourceType: 'Patient' })
      return pending
    })
    await after()
    return { success: true }
  }

  test('has its last answer stored', async () => {
    await new Replay().once(
      store.access('a'),
      CALL,
      goingOn(async () => undefined),
    )
    expect(await new Replay().once(store.access('a'), CALL, writing)).toBe('{"success":true}')
  })

  test('has it stored as the last one, also where it is the same: no repeat waits for another', async () => {
    const same = async (access: ClinicAccess) => {
      await access.change(async () => provisional({ success: true }))
      return { success: true }
    }
    await new Replay().once(store.access('a'), CALL, same)
    let looks = 0
    const access = store.access('a')
    const reader = async () => {
      looks += 1
      if (looks > 1) throw new Error('the repeat has looked again')
      return await access.reader()
    }
    expect(await new Replay().once({ ...access, reader }, CALL, writing)).toBe('{"success":true}')
  })

  test('is waited for by a repeat in another process', async () => {
    store = await openTestRepository()
    const written = Promise.withResolvers<void>()
    const finished = Promise.withResolvers<void>()
    const paused = goingOn(() => {
      written.resolve()
      return finished.promise
    })
    const first = new Replay().once(store.access('a'), CALL, paused)
    await written.promise
    const second = new Replay().once(store.access('a'), CALL, writing)
    finished.resolve()
    expect(await Promise.all([first, second])).toEqual(['{"success":true}', '{"success":true}'])
    expect(await patients()).toBe(1)
  })

  test('and dies there leaves its provisional answer, and a repeat writes nothing', async () => {
    const dying = goingOn(() => Promise.reject(new Error('killed')))
    await expect(new Replay().once(store.access('a'), CALL, dying)).rejects.toThrow('killed')
    store.setTime('2025-06-15T12:01:00Z')
    expect(await new Replay().once(store.access('a'), CALL, writing)).toBe('{"success":false,"error":"pending"}')
    expect(await patients()).toBe(1)
  })

  test('and dies there leaves it although the clock of the clinic is stopped: the wait is one of the machine', async () => {
    store = await openTestRepository('2025-06-15T12:00:00Z')
    const clock = { at: Date.parse('2025-07-01T12:00:00Z') }
    await store.repository.change('a', (unit) => stageGeneration(unit, { number: 0, clock }))
    const dying = goingOn(() => Promise.reject(new Error('killed')))
    await expect(new Replay().once(store.access('a'), CALL, dying)).rejects.toThrow('killed')
    store.setTime('2025-06-15T12:00:06Z')
    expect(await new Replay().once(store.access('a'), CALL, writing)).toBe('{"success":false,"error":"pending"}')
  })
})
