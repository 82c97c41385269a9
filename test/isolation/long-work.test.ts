/** Long work lets the event loop do other work. */
import { expect, test } from '@jest/globals'
import { yieldingWhenLong } from '../../src/isolation/long-work.ts'

/** Holds the event loop, as work does. */
function hold(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end) {
    // It works.
  }
}

test('parts that have held the event loop for long are followed by other work', async () => {
  let others = 0
  const pause = yieldingWhenLong()
  for (let part = 1; part <= 3; part += 1) {
    setImmediate(() => {
      others += 1
    })
    hold(11)
    await pause()
    expect(others).toBe(part)
  }
})
