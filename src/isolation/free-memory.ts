/** Returns memory to the system that a thread needed for a while only, such as at its start or under load. */
import { Session } from 'node:inspector'
import { getPriority, setPriority } from 'node:os'
import { getHeapStatistics } from 'node:v8'

/** Milliseconds without work after which memory is returned. */
const QUIET = 2_000
/** Milliseconds between two checks whether a server has been quiet. */
const LOOK = 2_500
/** Bytes by which the heap must have grown since the last collection to be worth another pause. */
const WORTHWHILE = 16 * 1024 * 1024

/**
 * Collects garbage, which holds the event loop of this thread for some 50 ms. V8 itself collects only when it needs
 * memory, so an idle thread keeps what it has. This collection also shrinks the young generation, to its size at the
 * start of the process (https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/#method-collectGarbage).
 * @param done called when the memory has been returned
 */
export function freeMemory(done?: () => void): void {
  const session = new Session()
  session.connect()
  session.post('HeapProfiler.collectGarbage', () => {
    // Disconnected within its own response, a session stops its thread for ever.
    setImmediate(() => session.disconnect())
    done?.()
  })
}

let quiet: NodeJS.Timeout | undefined

/** Returns memory once no more work comes. Called when a thread that works for others has done something. */
export function freeMemoryWhenQuiet(): void {
  keepMemory()
  quiet = setTimeout(() => freeMemory(), QUIET).unref()
}

/** Cancels freeMemoryWhenQuiet. Called when there is more work, or never will be again. */
export const keepMemory = (): void => clearTimeout(quiet)

/**
 * Returns memory after a load, once there have been no requests for a while. Called once, by the thread that serves
 * requests. Under load its young generation grows to more than 100 MB, and V8 itself shrinks it after some loads only.
 * A timer per request would slow each of them down, so `isQuiet` is polled.
 * @param isQuiet whether there has been nothing to do since the last call
 */
export function freeMemoryAfterLoad(isQuiet: () => boolean, look = LOOK): void {
  let kept = heapSize()
  let wasQuiet = false
  setInterval(() => {
    const isQuietNow = isQuiet()
    // At the first quiet look the last requests may still refer to their memory, which would then be kept until the next load.
    const isQuietAgain = isQuietNow && wasQuiet
    wasQuiet = isQuietNow
    if (!isQuietAgain || heapSize() < kept + WORTHWHILE) return
    freeMemory(() => {
      kept = heapSize()
    })
  }, look).unref()
}

const heapSize = (): number => getHeapStatistics().total_physical_size

/** The lowest priority, as a `nice` value. */
const LOWEST = 19

/**
 * Lowers the priority of the calling thread: where all cores are busy, the event loop of the server comes first.
 * @param by difference from the priority of the process, as `nice` counts. That priority may be low itself, and cannot
 * be raised again
 */
export function lowerPriority(by: number): void {
  // Only on Linux does a thread have its own priority; elsewhere this would change the whole process.
  if (process.platform === 'linux') setPriority(Math.min(LOWEST, getPriority(process.pid) + by))
}
