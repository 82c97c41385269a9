/** Threads that write records beside the resources, such as the audit trail. */
import type { Transferable } from 'node:worker_threads'
import { lowerPriority } from '../isolation/free-memory.ts'
import { notify, serveJobs } from '../isolation/thread-entry.ts'
import { HostedThread } from '../isolation/thread-host.ts'
import { StoreUnavailable } from './port.ts'
import { toSent, toThrown } from './thread-errors.ts'

interface SideThreadParts {
  /** The file that the thread runs. */
  readonly entry: string
  /** The thread's task, for messages: `writes the audit trail`. */
  readonly what: string
  readonly data: unknown
  readonly onNotice?: (notice: string) => void
}

export class SideThread<Order extends object> {
  readonly #thread: HostedThread<Order, void>
  #noticedAt: number | undefined

  constructor({ entry, what, data, onNotice }: SideThreadParts) {
    this.#thread = new HostedThread({
      ...{ entry, name: what, megabytes: [256, 8], data: () => ({ value: data }), toThrown },
      lost: () => new StoreUnavailable(`The thread that ${what} has ended`),
      onNotice: (notice: string) => {
        this.#noticedAt = Date.now()
        onNotice?.(notice)
      },
    })
  }

  /** When the last notice for the server's log arrived: milliseconds since 1970 UTC. */
  get noticedAt(): number | undefined {
    return this.#noticedAt
  }

  /**
   * @param transfer objects handed over to the thread without a copy
   * @throws StoreUnavailable, or the error that occurred in the thread
   */
  write(order: Order, transfer: readonly Transferable[] = []): Promise<void> {
    return this.#thread.run(order, { transfer })
  }

  /** Ends the thread once it has finished, or given up, its orders. */
  close(): Promise<void> {
    return this.#thread.close()
  }
}

interface SideWork<W, Order> {
  /** Called at the first order, and again at the next one after it has failed. */
  readonly open: () => W
  /** @returns a notice for the server's log */
  readonly write: (writer: W, order: Order) => string | undefined | Promise<undefined>
}

/** Difference in `nice` value: no request waits for this thread. */
const PRIORITY = 10

/** The code of the thread. */
export function runSideThread<W extends { close(): unknown }, Order>({ open, write }: SideWork<W, Order>): void {
  lowerPriority(PRIORITY)
  let writer: W | undefined
  serveJobs<Order, void>({
    run: async (order) => {
      writer ??= open()
      const notice = await write(writer, order)
      if (notice !== undefined) notify(notice)
    },
    close: () => writer?.close(),
    toSent,
  })
}
