/** Gives memory back to the system that a thread needed for a while, such as for its start. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Milliseconds without work after which the memory of the last work is given back. */
const QUIET = 2_000

interface CollectionOptions {
  readonly type: 'major'
  readonly execution: 'sync'
  /** The one that shrinks the young generation too, to the size that it had at the start of the process. */
  readonly flavor: 'last-resort'
}

/**
 * Holds the event loop of this thread for some 50 ms. V8 collects garbage when it needs memory, so a thread that is idle keeps
 * its own.
 */
export function freeMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: (options: CollectionOptions) => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

let quiet: NodeJS.Timeout | undefined

/** To be called when a thread that works for others has done something: its memory is given back when no more comes. */
export function freeMemoryWhenQuiet(): void {
  keepMemory()
  quiet = setTimeout(freeMemory, QUIET).unref()
}

/** To be called when there is more to do, or nothing ever again. */
export const keepMemory = (): void => clearTimeout(quiet)
