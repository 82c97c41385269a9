/** The priorities of threads: where all cores are busy, the one with the event loop of the server comes first. */
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** As `nice` counts. */
const LOWEST = 19

/** Those that collect garbage and compile for all others, as Node names them. */
const HELPERS = 'V8Worker'

/** Below that of the process, which may be low itself, and may not be raised then. */
const below = (by: number): number => Math.min(LOWEST, getPriority(process.pid) + by)

// Only on Linux threads have a priority of their own; elsewhere it would be that of the whole process.
const isPossible = process.platform === 'linux'

/** Of the thread that calls it. @param by below the process, as `nice` counts */
export function lowerPriority(by: number): void {
  if (isPossible) setPriority(below(by))
}

/**
 * Of the threads that V8 collects garbage with. There are four, whatever the machine, and while others work through large
 * bodies these are as busy as they are.
 * @param by below the process, as `nice` counts
 */
export function lowerHelpers(by: number): void {
  if (!isPossible) return
  for (const thread of readdirSync('/proc/self/task')) {
    const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8')
    if (name.startsWith(HELPERS)) setPriority(Number(thread), below(by))
  }
}
