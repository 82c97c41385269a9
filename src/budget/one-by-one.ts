/**
 * Long work lets the event loop do other work between its parts. Where much of it is under way, or many waits end at the same
 * moment, all their parts would come in one round of the loop: of all of them, one goes on in a round, in their order.
 */
let last: Promise<void> = Promise.resolve()

/** Resolves a round of the event loop after the call before it has. */
export function oneByOne(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}
