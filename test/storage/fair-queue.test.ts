/** Clinics take turns in a queue. */
import { expect, test } from '@jest/globals'
import { FairQueue } from '../../src/storage/fair-queue.ts'

const queueOf = (...items: readonly string[]): FairQueue<string> => {
  const queue = new FairQueue<string>()
  for (const item of items) queue.push(item.charAt(0), item)
  return queue
}

function all(queue: FairQueue<string>): readonly string[] {
  const items: string[] = []
  for (let item = queue.next(); item !== undefined; item = queue.next()) items.push(item)
  return items
}

test('clinics take turns, and what one sent keeps its order', () => {
  const queue = queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'b2')
  expect(all(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  expect(queue.size).toBe(0)
})

test('a clinic that comes later waits for one item of each other', () => {
  const queue = queueOf('a1', 'a2', 'a3', 'a4')
  expect(queue.next()).toBe('a1')
  queue.push('b', 'b1')
  expect(all(queue)).toEqual(['a2', 'b1', 'a3', 'a4'])
})

test('a clinic that may not begin keeps its turn', () => {
  const queue = queueOf('a1', 'b1')
  expect(queue.next((clinic) => clinic === 'b')).toBe('b1')
  expect(queue.next((clinic) => clinic === 'b')).toBeUndefined()
  expect(all(queue)).toEqual(['a1'])
})

test('items are taken out wherever they are, and the others stay', () => {
  const queue = queueOf('a1', 'b1', 'a2')
  expect(queue.take((item) => item.endsWith('1'))).toEqual(['a1', 'b1'])
  expect([queue.size, queue.sizeOf('a'), queue.sizeOf('b'), [...queue.clinics()]]).toEqual([1, 1, 0, ['a']])
  expect([...queue.heads()]).toEqual(['a2'])
})
