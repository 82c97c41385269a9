/** Clinics take turns. */
import { expect, test } from '@jest/globals'
import { Turns } from '../../src/isolation/fair-queue.ts'

const turnsOf = (...items: readonly string[]): Turns<string> => {
  const turns = new Turns<string>()
  for (const item of items) turns.push(item.charAt(0), item)
  return turns
}

test('clinics take turns, and what one sent keeps its order', () => {
  const turns = turnsOf('a1', 'a2', 'a3', 'b1', 'c1', 'b2')
  expect([...turns.heads()]).toEqual(['a1', 'b1', 'c1'])
  expect(turns.size).toBe(6)
  expect([...turns.all()]).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  expect(turns.size).toBe(0)
})

test('a clinic that comes later waits for one item of each other', () => {
  const turns = turnsOf('a1', 'a2', 'a3', 'a4')
  expect(turns.next()).toBe('a1')
  turns.push('b', 'b1')
  expect([...turns.all()]).toEqual(['a2', 'b1', 'a3', 'a4'])
})
