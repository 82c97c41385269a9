/** How many visits are at one time, compared with looking at each moment. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isFull } from '../../src/scheduling/reserving.ts'

const span = fc
  .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 8 }))
  .map(([start, length]) => ({ start, end: start + length }))

test('a span is full where at one of its moments as many others are as there may be', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 8 }), span, fc.integer({ min: 1, max: 4 }), (spans, within, capacity) => {
      const moments = Array.from({ length: within.end - within.start }, (_, index) => within.start + index)
      const counts = moments.map((moment) => spans.filter(({ start, end }) => start <= moment && moment < end).length)
      expect(isFull(spans, within, capacity)).toBe(Math.max(...counts) >= capacity)
    }),
    { numRuns: 1_000 },
  )
})
