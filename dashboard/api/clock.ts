/** The time of the server, from which the browser's clock may differ. */

/** Milliseconds of difference that are ignored: responses take time, and the Date header has whole seconds only. */
const NOTICEABLE = 30_000

let ahead = 0

/** @param date the Date header of a response that has just arrived */
export function heardTime(date: string | null): void {
  const there = Date.parse(date ?? '')
  if (Number.isNaN(there)) return
  const difference = there - Date.now()
  ahead = Math.abs(difference) < NOTICEABLE ? 0 : difference
}

/** Milliseconds since 1970 UTC. */
export const now = (): number => Date.now() + ahead
