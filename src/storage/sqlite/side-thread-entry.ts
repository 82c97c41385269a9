/** What runs in a thread that writes a file beside that of the resources: see side-thread.ts. */
import { parentPort } from 'node:worker_threads'
import { freeMemoryWhenQuiet, keepMemory } from '../../budget/free-memory.ts'
import { lowerPriority } from '../../budget/thread-priority.ts'
import { CLOSE, type SideReply } from './side-thread.ts'
import { toSent } from './thread-errors.ts'

interface Writer {
  close(): void
}

interface SideWork<W extends Writer, Order> {
  /** Opens the file: at the first order, and after a failure at the next one. */
  readonly open: () => W
  /** @returns what the server's log is to say */
  readonly write: (writer: W, order: Order) => string | undefined
}

/** As `nice` counts; nobody waits for it. */
const PRIORITY = 10

export function runSideThread<W extends Writer, Order>({ open, write }: SideWork<W, Order>): void {
  lowerPriority(PRIORITY)
  let writer: W | undefined

  const carryOut = (order: Order): SideReply => {
    try {
      writer ??= open()
      const notice = write(writer, order)
      return { error: undefined, ...(notice === undefined ? {} : { notice }) }
    } catch (error) {
      return { error: toSent(error) }
    }
  }

  parentPort?.on('message', (order: Order | typeof CLOSE) => {
    if (order === CLOSE) {
      keepMemory()
      writer?.close()
      parentPort?.close()
      return
    }
    parentPort?.postMessage(carryOut(order))
    freeMemoryWhenQuiet()
  })
}
