/** The priority of the thread that calls it: where all cores are busy, the one with the event loop of the server comes first. */
import { setPriority } from 'node:os'

/** @param nice as `nice` counts */
export function lowerPriority(nice: number): void {
  // Only on Linux threads have a priority of their own; elsewhere it would be that of the whole process.
  if (process.platform === 'linux') setPriority(nice)
}
