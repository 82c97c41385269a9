/** Long work of the background that shares the event loop with requests. */
import { yieldToEventLoop } from './fair-queue.ts'

/** Milliseconds for which it may hold the loop at a time. */
const HELD = 10

/** A function to call between the parts of the work: it lets requests go on where the parts have held the loop for long. Otherwise there is nothing to await. */
export function yieldingWhenLong(): () => Promise<void> | undefined {
  let since = performance.now()
  const goOn = (): void => {
    since = performance.now()
  }
  return () => (performance.now() - since < HELD ? undefined : yieldToEventLoop().then(goOn))
}
