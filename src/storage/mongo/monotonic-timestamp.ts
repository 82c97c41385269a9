/** Stamps: short texts that sort in the order they were made, and that no two processes make alike. */
import { randomInt } from 'node:crypto'

/** Digits of a time in microseconds, in base 36: enough until the year 6000. */
const TIME_DIGITS = 11
const PROCESS_DIGITS = 4

const processName = randomInt(36 ** PROCESS_DIGITS)
  .toString(36)
  .padStart(PROCESS_DIGITS, '0')

/** Microseconds since 1970 UTC of the last stamp. */
let last = 0

/** Later than every stamp of this process, and than `previous`, which another process may have made. */
export function nextStamp(previous?: string): string {
  const past = previous === undefined ? 0 : Number.parseInt(previous.slice(0, TIME_DIGITS), 36)
  last = Math.max(Date.now() * 1000, last + 1, past + 1)
  return last.toString(36).padStart(TIME_DIGITS, '0') + processName
}
