/** How long a statement may take: by the clock, or by the time that its thread has worked. */
import { expect, test } from '@jest/globals'
import { OutOfTime, TimeLimit } from '../../src/storage/sqlite/connection.ts'
import { WorkingTime } from '../../src/storage/sqlite/reads.ts'

/** Time of the thread, and of the clock, which also runs while other programs have the processor. */
function threadAndClock() {
  const passed = { clock: 1_000_000, worked: 0 }
  const limit = new WorkingTime(
    5,
    () => passed.worked * 1000,
    () => passed.clock,
  )
  const pass = (clock: number, worked: number): boolean => {
    passed.clock += clock
    passed.worked += worked
    return passed.clock > limit.endsAt && limit.isOver()
  }
  return { limit, pass }
}

test('a thread that has worked for its allowance is out of time', () => {
  const { pass } = threadAndClock()
  expect(pass(4, 4)).toBe(false)
  expect(pass(2, 2)).toBe(true)
})

test('a thread that had no processor goes on until it has worked for its allowance', () => {
  const { pass, limit } = threadAndClock()
  const first = limit.endsAt
  expect(pass(6, 1)).toBe(false)
  expect(limit.endsAt).toBe(first + 5)
  expect(pass(6, 2)).toBe(false)
  expect(pass(4, 3)).toBe(true)
})

test('a thread that waits for the disk is out of time by the clock, although it does not work', () => {
  const { pass } = threadAndClock()
  expect(pass(19, 0)).toBe(false)
  expect(pass(2, 0)).toBe(true)
})

test('work without an allowance is over when the clock says so', () => {
  const limit = new TimeLimit()
  const late = { endsAt: Date.now() - 1 }
  expect(() => limit.during(late, () => limit.check())).toThrow(new OutOfTime('late'))
  expect(limit.during({ ...late, isOver: () => false }, () => limit.check())).toBeUndefined()
})
