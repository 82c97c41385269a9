/** Long work of the background that shares the event loop with requests. */
import { yieldToEventLoop } from './fair-queue.ts'

/** Milliseconds for which it may hold the loop at a time. */
const HELD = 10

/** A function to call between the parts of the work: it lets requests go on where the parts have held the loop for long. */
export function yieldingWhenLong(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < HELD) return
    await yieldToEventLoop()
    since = performance.now()
  }
}
