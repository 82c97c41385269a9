/** Turns on the event loop: src/http/admission/fair-shares.ts. */
import { expect, test } from '@jest/globals'
import { EventLoopTurns } from '../../../src/http/admission/fair-shares.ts'

const untilNextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('requests begin at once while the turn has time', async () => {
  const turns = new EventLoopTurns(60_000)
  for (let n = 0; n < 100; n += 1) {
    expect(turns.take({ clinic: 'a', token: '' })).toBeUndefined()
    await Promise.resolve()
  }
  await untilNextTurn()
})

test('of requests that arrive together only some begin in one turn, as their work comes after all have begun', async () => {
  const turns = new EventLoopTurns(60_000)
  let begun = 0
  const begin = async () => {
    await turns.take({ clinic: 'a', token: '' })
    begun += 1
  }
  const all = Array.from({ length: 64 }, begin)
  await untilNextTurn()
  expect(begun).toBeLessThan(10)
  await untilNextTurn()
  expect(begun).toBeLessThan(15)
  await Promise.all(all)
  expect(begun).toBe(64)
})

test('beyond it they begin one by one, clinics in turn, and the loop takes in what has arrived between them', async () => {
  const turns = new EventLoopTurns(0)
  const begun: string[] = []
  const begin = async (clinic: string) => {
    await turns.take({ clinic, token: '' })
    begun.push(clinic)
  }
  const all = ['a', 'a', 'a', 'a', 'b'].map(begin)
  const seen: number[] = []
  // A request that arrives while others wait.
  const arrived = untilNextTurn().then(() => begin('c'))
  while (turns.waiting > 0) {
    seen.push(begun.length)
    await untilNextTurn()
  }
  await Promise.all([...all, arrived])
  expect(begun.join('')).toBe('aabcaa')
  expect(new Set(seen).size).toBeGreaterThan(3)
})

test('while clients connect, several connections are accepted between one turn and the next, but not without end', async () => {
  const turns = new EventLoopTurns(60_000)
  let begun = 0
  const begin = async () => {
    await turns.take({ clinic: 'a', token: '' })
    begun += 1
  }
  turns.connectionAccepted()
  const all = Array.from({ length: 3 }, begin)
  const roundsUntil = async (count: number): Promise<number> => {
    let rounds = 0
    for (; begun < count; rounds += 1) {
      await untilNextTurn()
      turns.connectionAccepted()
    }
    return rounds
  }
  expect(await roundsUntil(1)).toBeLessThanOrEqual(1)
  expect(await roundsUntil(2)).toBeGreaterThan(1)
  expect(await roundsUntil(3)).toBeLessThanOrEqual(20)
  await Promise.all(all)
})
