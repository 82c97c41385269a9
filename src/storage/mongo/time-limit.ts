/** Patience: how long the engine tries, before whoever asked is told to come again. */
import { StoreUnavailable } from '../port.ts'

/** Milliseconds: for a turn to come, for a transaction to win against others, for a majority to have a write. */
export const PATIENCE = 8_000

/**
 * Where a server is lost, those that wait for their turn do not each wait for it too.
 * @throws StoreUnavailable when it is too late to begin with what came at `since` (milliseconds since 1970)
 */
export function checkPatience(since: number): void {
  if (Date.now() - since <= PATIENCE) return
  throw new StoreUnavailable(`The database has not come to a request for ${PATIENCE / 1000} s`)
}
