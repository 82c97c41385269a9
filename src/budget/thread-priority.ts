/** The priority of the thread that calls it: where all cores are busy, the one with the event loop of the server comes first. */
import { getPriority, setPriority } from 'node:os'

/** As `nice` counts. */
const LOWEST = 19

/** @param by below that of the process, as `nice` counts: which may be low itself, and may not be raised then */
export function lowerPriority(by: number): void {
  // Only on Linux threads have a priority of their own; elsewhere it would be that of the whole process.
  if (process.platform === 'linux') setPriority(Math.min(LOWEST, getPriority(process.pid) + by))
}
