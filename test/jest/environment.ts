/**
 * Where a test file runs (https://jestjs.io/docs/configuration#testenvironment-string): the realm of the process, as
 * servers do. A file must leave it as it found it: anything that keeps a process alive (servers, sockets, child
 * processes, timers) fails it.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { ModuleMocker } from 'jest-mock'

/** Milliseconds for closing: a client that waits for a response may take some. */
const GRACE_PERIOD = 5_000
/** Come and go by themselves; pipes are those of child processes, which are counted themselves. */
const IGNORED = ['CloseReq', 'FSReqCallback', 'FSReqPromise', 'Immediate', 'PipeWrap', 'TickObject', 'TTYWrap']

/** After one of these (https://github.com/jestjs/jest/tree/main/packages/jest-circus) the file has failed already. */
const FAILURES = ['error', 'hook_failure', 'test_fn_failure']

export default class TidyEnvironment {
  readonly global = globalThis
  readonly moduleMocker = new ModuleMocker(globalThis)
  readonly fakeTimers = null
  readonly fakeTimersModern = null
  readonly #before = active()
  readonly #exit = process.exit
  #hasFailed = false

  /** There is no other context. */
  getVmContext(): null {
    return null
  }

  async setup(): Promise<void> {
    // Jest keeps 100 frames for each `expect`, which takes a tenth of the time of small tests.
    Error.stackTraceLimit = 10
  }

  handleTestEvent({ name }: { readonly name: string }): void {
    this.#hasFailed ||= FAILURES.includes(name)
  }

  async teardown(): Promise<void> {
    process.exit = this.#exit
    // Where Jest runs the files in its own process, that has servers and processes of its own.
    if (this.#hasFailed || process.send === undefined) return
    // Lets work that the last test has started without waiting, such as a server about to listen, show up.
    await nextTurn()
    const deadline = Date.now() + GRACE_PERIOD
    while (this.#left().length > 0 && Date.now() < deadline) await sleep(25)
    const left = this.#left()
    if (left.length > 0)
      throw new Error(`This file leaves behind: ${left.join(', ')}. Close it in afterAll or afterEach`)
  }

  /** Kinds of which there are more than before. */
  #left(): readonly string[] {
    return [...active()]
      .filter(([kind, { length }]) => length > (this.#before.get(kind)?.length ?? 0))
      .map(([kind]) => kind)
  }
}

function active(): ReadonlyMap<string, readonly string[]> {
  const kinds = process.getActiveResourcesInfo().filter((kind) => !IGNORED.includes(kind))
  return Map.groupBy(kinds, (kind) => kind)
}
