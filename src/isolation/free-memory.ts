/** Gives memory back to the system that a thread needed for a while, such as for its start or for a time of many requests. */

import { getPriority, setPriority } from 'node:os'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Milliseconds without work after which the memory of the last work is given back. */
const QUIET = 2_000
/** Milliseconds between two looks whether a server has been quiet. */
const LOOK = 2_500
/** Bytes by which the heap of a server has to have grown since it was last collected, so that another pause is worth it. */
const WORTHWHILE = 16 * 1024 * 1024

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

/**
 * To be called once by the thread that answers requests: when there have been none for a while, the memory of the load before
 * is given back. Under load its young generation grows to more than 100 MB, and V8 itself makes it smaller after some loads only. A
 * timer per request would cost each of them, so the server is asked now and then.
 * @param isQuiet whether there has been nothing to do since the last call
 */
export function freeMemoryAfterLoad(isQuiet: () => boolean, look = LOOK): void {
  let kept = heapSize()
  setInterval(() => {
    if (!isQuiet() || heapSize() < kept + WORTHWHILE) return
    freeMemory()
    kept = heapSize()
  }, look).unref()
}

const heapSize = (): number => getHeapStatistics().total_physical_size

/** As `nice` counts. */
const LOWEST = 19

/** @param by below that of the process, as `nice` counts: which may be low itself, and may not be raised then */
export function lowerPriority(by: number): void {
  // Only on Linux threads have a priority of their own; elsewhere it would be that of the whole process.
  if (process.platform === 'linux') setPriority(Math.min(LOWEST, getPriority(process.pid) + by))
}
