/** The state in /health/ready of a component with a queue. */
import { expect, test } from '@jest/globals'
import { loadOfQueue } from '../../src/isolation/fair-queue.ts'

test.each([
  [0, 0, 'ok'],
  [3, 999.6, 'ok'],
  [3, 1_000.4, 'behind'],
] as const)('with %d that wait, the oldest for %d ms, it is %s', (waiting, oldestMs, state) => {
  expect(loadOfQueue('readers', { waiting, oldestMs })).toEqual({
    name: 'readers',
    state,
    waiting,
    oldestMs: Math.round(oldestMs),
  })
})
