/** Callers of yieldToEventLoop that resume at the same moment do so one per turn of the event loop. */
import { expect, test } from '@jest/globals'
import { yieldToEventLoop } from '../../src/isolation/fair-queue.ts'

test('those that ask at once go on in their order, and other work comes in between', async () => {
  const steps: string[] = []
  const work = () => {
    steps.push('other')
    if (steps.length < 20) setImmediate(work)
  }
  setImmediate(work)
  const going = [1, 2, 3].map((n) => yieldToEventLoop().then(() => steps.push(`${n}`)))
  await Promise.all(going)
  const text = steps.join(' ')
  expect(text).toMatch(/1 (?:other )+2 (?:other )+3$/)
})

test('one that comes later waits for nobody who has gone on', async () => {
  await yieldToEventLoop()
  let rounds = 0
  const count = () => {
    rounds++
    if (rounds < 10) setImmediate(count)
  }
  setImmediate(count)
  await yieldToEventLoop()
  expect(rounds).toBeLessThan(3)
})
