/** What runs in a thread that writes what is kept beside the resources: see side-thread.ts. */
import { parentPort } from 'node:worker_threads'
import { freeMemoryWhenQuiet, keepMemory, lowerPriority } from '../isolation/free-memory.ts'
import { CLOSE, type SideOrder, type SideReply } from './side-thread.ts'
import { toSent } from './thread-errors.ts'

interface Writer {
  /** What is under way ends by it. */
  close(): void | Promise<void>
}

interface SideWork<W extends Writer, Order> {
  /** At the first order, and after a failure at the next one. */
  readonly open: () => W
  /** @returns what the server's log is to say */
  readonly write: (writer: W, order: Order) => string | undefined | Promise<undefined>
}

/** As `nice` counts; nobody waits for it. */
const PRIORITY = 10

export function runSideThread<W extends Writer, Order>({ open, write }: SideWork<W, Order>): void {
  lowerPriority(PRIORITY)
  let writer: W | undefined

  const carryOut = async ({ number, order }: SideOrder<Order>): Promise<SideReply> => {
    try {
      writer ??= open()
      const notice = await write(writer, order)
      return { number, error: undefined, ...(notice === undefined ? {} : { notice }) }
    } catch (error) {
      return { number, error: toSent(error) }
    }
  }

  const answer = async (order: SideOrder<Order>): Promise<void> => {
    parentPort?.postMessage(await carryOut(order))
    freeMemoryWhenQuiet()
  }

  const close = async (): Promise<void> => {
    await writer?.close()
    keepMemory()
    parentPort?.close()
  }

  parentPort?.on(
    'message',
    (message: SideOrder<Order> | typeof CLOSE) => void (message === CLOSE ? close() : answer(message)),
  )
}
