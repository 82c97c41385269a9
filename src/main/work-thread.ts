/** The entry point of a work thread. It has a low priority before it loads the server, which takes longer than most requests. */
import { lowerPriority } from '../isolation/free-memory.ts'

/** As `nice` counts; below that of the store's reader threads, for whose answers the event loop waits. */
const PRIORITY = 10

lowerPriority(PRIORITY)
await import('./thread-server.ts')
