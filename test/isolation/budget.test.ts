import { expect, jest, test } from '@jest/globals'
import {
  Budget,
  BudgetError,
  currentBudget,
  OffloadRequired,
  requireWorkThread,
  rethrowBudgetError,
  spend,
  withBudget,
} from '../../src/isolation/budget.ts'

const reasonOf = (work: () => void): string | undefined => {
  try {
    work()
  } catch (error) {
    if (error instanceof BudgetError) return error.reason
    throw error
  }
  return undefined
}

test('work that no request began costs nothing', () => {
  expect(currentBudget()).toBeUndefined()
  expect(() => spend(Number.MAX_SAFE_INTEGER, 'x')).not.toThrow()
  expect(() => requireWorkThread('x')).not.toThrow()
})

test('a request that can move is ended on the event loop after ten thousand steps, and names what took them', async () => {
  const work = withBudget(new Budget({ canMove: true }), async () => {
    spend(9_000, 'the names')
    await Promise.resolve()
    spend(2_000, 'the patterns')
  })
  await expect(work).rejects.toThrow(OffloadRequired)
  await expect(work).rejects.toMatchObject({ what: 'the patterns', reason: 'needs thread' })
})

test('a request that cannot move has its whole budget where it is, and ends there', () => {
  withBudget(new Budget({ canMove: false }), () => {
    requireWorkThread('a pattern')
    spend(7_000_000, 'a')
    expect(reasonOf(() => spend(2_000_000, 'b'))).toBe('too costly')
  })
})

test('what cannot be counted does not begin on the event loop', () => {
  withBudget(new Budget({ canMove: true }), () => expect(reasonOf(() => requireWorkThread('x'))).toBe('needs thread'))
})

test('a request that has had an effect does not move any more, and has what is left of its whole budget', () => {
  const budget = new Budget({ canMove: true })
  withBudget(budget, () => {
    spend(5_000, 'x')
    budget.pinToThread()
    budget.pinToThread()
    requireWorkThread('x')
    spend(7_994_000, 'x')
    expect(reasonOf(() => spend(2_000, 'x'))).toBe('too costly')
  })
})

test('a request ends when its time is up, and when its client has left', () => {
  let left = false
  const isAbandoned = () => left
  withBudget(new Budget({ canMove: false, isAbandoned }), () => {
    spend(1, 'x')
    left = true
    expect(reasonOf(() => spend(1, 'x'))).toBe('left')
  })
  const past = new Budget({ canMove: false, endsAt: Date.now() - 1 })
  expect(reasonOf(() => past.check('x'))).toBe('too late')
})

test('all long reads of a request have eight seconds together, or what it was given for them', () => {
  const budget = new Budget({ canMove: false })
  const left = () => budget.readEndsAt - Date.now()
  expect(left()).toBeGreaterThan(7_900)
  budget.hasReadSince(Date.now() - 5_000)
  budget.hasReadSince(Date.now() - 2_000)
  expect(Math.round(left() / 1_000)).toBe(1)
  expect(Math.round(budget.reading / 1_000)).toBe(7)
  expect(new Budget({ canMove: false, endsAt: Date.now() + 100 }).readEndsAt - Date.now()).toBeLessThanOrEqual(100)
  expect(new Budget({ canMove: false, readingMs: 100 }).readEndsAt - Date.now()).toBeLessThanOrEqual(100)
})

test('code that turns errors into something else passes the end of the budget on', () => {
  expect(() => rethrowBudgetError(new Error('another'))).not.toThrow()
  expect(() => rethrowBudgetError(new OffloadRequired('x'))).toThrow(OffloadRequired)
})

test('what has been stored can be answered when the budget and the time are used up', () => {
  const budget = new Budget({ canMove: false, endsAt: Date.now() - 1 })
  expect(reasonOf(() => budget.spend(8_000_001, 'x'))).toBe('too costly')
  budget.allowAnswer()
  expect(reasonOf(() => budget.spend(1_000, 'x'))).toBeUndefined()
})

test('the time in which a request waits for the store counts once, however many calls it makes at a time', () => {
  const clock = jest.spyOn(performance, 'now')
  try {
    const budget = new Budget({ canMove: false })
    const at = (time: number, step: () => void) => {
      clock.mockReturnValue(time)
      step()
    }
    at(10, () => budget.storeIsCalled())
    at(12, () => budget.storeIsCalled())
    at(15, () => budget.storeHasResponded())
    at(20, () => budget.storeHasResponded())
    at(30, () => budget.storeIsCalled())
    at(31, () => budget.storeHasResponded())
    expect(budget.stored).toBe(11)
  } finally {
    clock.mockRestore()
  }
})
