/** Reader threads, for reads that would hold the event loop for too long. Clinics share them fairly. */
import { join } from 'node:path'
import { type Budget, BudgetError } from '../../isolation/budget.ts'
import { type ComponentHealth, loadOfQueue } from '../../isolation/fair-queue.ts'
import { type ThreadEnd, type ThreadListener, ThreadPool } from '../../isolation/thread-host.ts'
import { UnorderedList } from '../../isolation/unordered-list.ts'
import { StoreUnavailable } from '../port.ts'
import { toThrown } from '../thread-errors.ts'
import type { SentOptions } from './engines.ts'
import { type Answer, clinicOf, type Query, type ReadKind } from './reads.ts'

/** Most threads, in all and for one clinic; most waiting reads, in all and of one clinic. */
const SHARES = { slots: 3, slotsPerClinic: 2, total: 128, perClinic: 32 }
/** Milliseconds between two checks whether the clients of reads have left. */
const LOOK = 100
/** Milliseconds past its deadline after which a read that has not ended has its thread replaced. */
const GRACE = 1_000
/** Megabytes. A result is 32 million characters at most (response-limit.ts). */
const MEGABYTES = [512, 8] as const

export interface ReadJob<Kind extends ReadKind = ReadKind> {
  readonly kind: Kind
  readonly query: Query<Kind>
  /** The purpose of the read: see BudgetError.what. */
  readonly what: string
  /** The request can restart in a worker, which then receives a long result itself. */
  readonly canMove: boolean
}

interface Reading {
  readonly budget: Budget
  readonly what: string
  readonly left: AbortController
}

export class Readers {
  readonly #pool: ThreadPool<ReadJob, Answer<ReadKind>>
  /** Reads that wait or run for clients that may leave. */
  readonly #reads = new UnorderedList<Reading>()
  #looks: NodeJS.Timeout | undefined

  constructor(options: () => SentOptions, { onFault, onThread }: ThreadListener) {
    const entry = join(import.meta.dirname, 'reader-thread.ts')
    const data = () => ({ value: options() })
    const settings = { entry, name: 'store reader', megabytes: MEGABYTES, data, toThrown, lost, onFault, onThread }
    this.#pool = new ThreadPool(settings, SHARES)
  }

  /**
   * @param until milliseconds since 1970 UTC
   * @throws BudgetError, QueueFull, StoreUnavailable, and errors of the port
   */
  async read<Kind extends ReadKind>(
    { kind, query, what }: Omit<ReadJob<Kind>, 'canMove'>,
    until: number,
    budget: Budget | undefined,
  ): Promise<Answer<Kind>> {
    const left = new AbortController()
    const forget = budget === undefined ? undefined : this.#watch({ budget, what, left })
    const entrant = { clinic: clinicOf(query), token: budget?.token ?? '', signal: left.signal }
    const job = { kind, query, what, canMove: budget?.canMove ?? false }
    try {
      const answer = await this.#pool.run(job, entrant, { until, longestWait: until - Date.now(), grace: GRACE })
      return answer as Answer<Kind>
    } finally {
      forget?.()
    }
  }

  get load(): ComponentHealth {
    const { oldestMs, waiting, running } = this.#pool.queue
    return loadOfQueue('readers', { waiting: waiting + running, oldestMs })
  }

  async close(): Promise<void> {
    clearInterval(this.#looks)
    await this.#pool.close()
  }

  #watch(read: Reading): () => void {
    this.#looks ??= setInterval(() => this.#look(), LOOK).unref()
    return this.#reads.add(read)
  }

  #look(): void {
    for (const { budget, what, left } of this.#reads) if (budget.isAbandoned) left.abort(new BudgetError('left', what))
    if (this.#reads.size > 0) return
    clearInterval(this.#looks)
    this.#looks = undefined
  }
}

function lost({ isClosed, isLate, isAbandoned }: ThreadEnd, { what }: ReadJob): Error {
  if (isClosed) return new StoreUnavailable('The store is closed')
  if (isLate) return new BudgetError(isAbandoned ? 'left' : 'too late', what)
  return new StoreUnavailable('The thread that was reading has ended')
}
