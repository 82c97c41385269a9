/**
 * The entry point of a work thread. It lowers its priority before it loads the server, which takes longer than most
 * requests.
 */
import { lowerPriority } from '../isolation/free-memory.ts'

/** A `nice` value; a lower priority than that of the store's reader threads, for which the event loop waits. */
const PRIORITY = 10

lowerPriority(PRIORITY)
await import('./thread-server.ts')
