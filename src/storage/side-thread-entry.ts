/** The code of a thread that writes records beside the resources, such as the audit trail: see side-thread.ts. */
import { parentPort } from 'node:worker_threads'
import { freeMemoryWhenQuiet, keepMemory, lowerPriority } from '../isolation/free-memory.ts'
import { CLOSE, type SideOrder, type SideReply } from './side-thread.ts'
import { toSent } from './thread-errors.ts'

interface Writer {
  /** Ends work under way. */
  close(): void | Promise<void>
}

interface SideWork<W extends Writer, Order> {
  /** Called at the first order, and again at the next one after `open` has failed. */
  readonly open: () => W
  /** @returns a notice for the server's log */
  readonly write: (writer: W, order: Order) => string | undefined | Promise<undefined>
}

/** Difference in `nice` value: no request waits for this thread. */
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
