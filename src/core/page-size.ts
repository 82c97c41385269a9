/** Pages that are too large for the event loop: to find, join and send them takes longer than a request may hold it. */
import { leaveEventLoop } from '../budget/budget.ts'

/** Resources. */
const MAX_ON_EVENT_LOOP = 200

/** Before a page of at most `count` resources is read. @throws NeedsThread */
export function checkPageSize(count: number): void {
  if (count > MAX_ON_EVENT_LOOP) leaveEventLoop('the size of its page')
}
