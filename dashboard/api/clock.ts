/** The time of the server, which that of the browser may be far from. */

/** Milliseconds; below that both are the same, as answers take their time and tell seconds only. */
const NOTICEABLE = 30_000

let ahead = 0

/** @param date the Date header of an answer that has just come */
export function heardTime(date: string | null): void {
  const there = Date.parse(date ?? '')
  if (Number.isNaN(there)) return
  const difference = there - Date.now()
  ahead = Math.abs(difference) < NOTICEABLE ? 0 : difference
}

/** Milliseconds since 1970 UTC. */
export const now = (): number => Date.now() + ahead
