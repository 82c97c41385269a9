/** When a delivery is tried again, and when it is given up. */

/** Milliseconds a try may take before another process may take the row over; longer than any connector's deadline. */
export const LEASE = 30_000
/** Tries before a row is given up: with the waits below about a day and a half. */
export const MAX_TRIES = 16
/** Milliseconds for which a row is tried, be it that it waits behind others for most of them. */
export const TRY_FOR = 48 * 3_600_000
/** Milliseconds before the second try; doubled for each later one. */
const FIRST_WAIT = 30_000
const MAX_WAIT = 6 * 3_600_000

/** Milliseconds until the next try: doubled each time, at least what the other side asks for, six hours at most. */
export const waitAfter = (tries: number, retryAfterMs = 0): number =>
  Math.min(MAX_WAIT, Math.max(FIRST_WAIT * 2 ** (tries - 1), retryAfterMs))
