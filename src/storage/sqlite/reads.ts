/**
 * Reads whose length depends on what is stored and requested. On the event loop each has a small allowance, which
 * suffices for most; one that exceeds it restarts in a reader thread, which clinics share fairly. Without reader threads, a
 * read has all its time where it is.
 */

import { join } from 'node:path'
import { type Budget, BudgetError, currentBudget, processorTime, SlowKinds } from '../../isolation/budget.ts'
import { type ComponentHealth, loadOfQueue } from '../../isolation/fair-queue.ts'
import { type ThreadEnd, type ThreadListener, ThreadPool } from '../../isolation/thread-host.ts'
import { UnorderedList } from '../../isolation/unordered-list.ts'
import type { SearchPlan } from '../../search/plan.ts'
import { describeRead } from '../describe-search.ts'
import type {
  FoundByKeys,
  HistoryPage,
  HistoryQuery,
  KeysQuery,
  RecordQuery,
  ScannedVersion,
  ScanPage,
  ScanQuery,
  SearchResult,
  StoredRecord,
  StoredValue,
  ValuesQuery,
  VersionScan,
} from '../port.ts'
import { StoreUnavailable } from '../store-errors.ts'
import { toThrown } from '../thread-errors.ts'
import { findByKeys } from './by-keys.ts'
import { type Limit, OutOfTime, type Times } from './connection.ts'
import { type Engine, refreshIndex, type SentOptions } from './engine.ts'
import { toStoreError } from './faults.ts'
import { history } from './history.ts'
import { findRecords } from './records.ts'
import { clinics, scanRecords, scanVersions } from './scan.ts'
import { search } from './search.ts'
import { values } from './values.ts'

interface Queries {
  readonly search: SearchPlan
  readonly history: HistoryQuery
  readonly values: ValuesQuery
  readonly keys: KeysQuery
  readonly records: RecordQuery
  readonly clinics: Readonly<Record<string, never>>
  readonly scanVersions: VersionScan
  readonly scanRecords: ScanQuery
}

interface Answers {
  readonly search: SearchResult
  readonly history: HistoryPage
  readonly values: readonly StoredValue[]
  readonly keys: FoundByKeys
  readonly records: readonly StoredRecord[]
  readonly clinics: readonly string[]
  readonly scanVersions: ScanPage<ScannedVersion>
  readonly scanRecords: ScanPage<StoredRecord>
}

export type ReadKind = keyof Queries
type Query<Kind extends ReadKind> = Queries[Kind]
export type Answer<Kind extends ReadKind> = Answers[Kind]

const READS: { readonly [Kind in ReadKind]: (engine: Engine, query: Queries[Kind]) => Answers[Kind] } = {
  // Index versions need no check: entries of an older version were refused when they were written.
  search,
  history,
  values,
  keys: findByKeys,
  records: ({ db }, query) => findRecords(db, query),
  clinics: (engine) => clinics(engine),
  scanVersions,
  scanRecords: ({ db }, query) => scanRecords(db, query),
}

/** See describeRead. */
const WHAT: { readonly [Kind in ReadKind]: (query: Queries[Kind]) => string } = {
  ...describeRead,
  records: () => 'a list of the records of the server',
  clinics: () => 'the list of the clinics',
  scanVersions: () => 'a copy of the versions of a clinic',
  scanRecords: () => 'a copy of the records of a clinic',
}

const whatIsRead = <Kind extends ReadKind>(kind: Kind, query: Query<Kind>): string => WHAT[kind](query)

/** Empty where a read is for all clinics. */
const clinicOf = (query: Query<ReadKind>): string =>
  'clinic' in query && query.clinic !== undefined ? query.clinic : ''

/** @throws OutOfTime, and errors of the port */
export function read<Kind extends ReadKind>(
  engine: Engine,
  kind: Kind,
  query: Query<Kind>,
  limit: Limit,
): Answer<Kind> {
  return served(engine, () => engine.db.limit.during(limit, () => READS[kind](engine, query)))
}

/** Runs `work` on the newest state of the search index, and turns its errors into errors of the port. */
export function served<T>(engine: Engine, work: () => T): T {
  try {
    engine.index.checkVersion()
    refreshIndex(engine)
    engine.names.renewClinics(engine.signals.drops)
    return work()
  } catch (error) {
    throw toStoreError(error)
  }
}

/**
 * @param what see BudgetError
 * @throws BudgetError in place of OutOfTime
 */
export function inTime<T>(what: () => string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof OutOfTime ? new BudgetError(error.reason === 'left' ? 'left' : 'too late', what()) : error
  }
}

/** How many more times a read must have been long than short: it may be long once because the machine is busy. */
const TIMES_LONG = 3

export class Reading {
  readonly #engine: Engine
  /** undefined: a read has all its time where it is. */
  readonly #readers: Readers | undefined
  readonly #times: Times
  readonly #long = new SlowKinds(TIMES_LONG)

  constructor(engine: Engine, times: Times, readers?: Readers) {
    this.#engine = engine
    this.#times = times
    this.#readers = readers
  }

  /** @throws BudgetError, and errors of the port */
  async read<Kind extends ReadKind>(kind: Kind, query: Query<Kind>): Promise<Answer<Kind>> {
    const budget = currentBudget()
    const endsAt = this.#endOf(budget)
    if (this.#readers === undefined) return this.#readHere(kind, query, endsAt, budget)
    const isKnownLong = !this.#long.isEmpty && this.#long.isSlow(wordsOf(kind, query))
    const answer = isKnownLong ? undefined : this.#readBriefly(kind, query, budget)
    if (answer !== undefined) return answer
    const since = Date.now()
    try {
      return await this.#readers.read({ kind, query, what: whatIsRead(kind, query) }, endsAt, budget)
    } finally {
      budget?.hasReadSince(since)
    }
  }

  /** The deadline, milliseconds since 1970 UTC. */
  #endOf(budget: Budget | undefined): number {
    return budget === undefined ? Date.now() + this.#times.inBackground : budget.readEndsAt
  }

  #readHere<Kind extends ReadKind>(
    kind: Kind,
    query: Query<Kind>,
    endsAt: number,
    budget: Budget | undefined,
  ): Answer<Kind> {
    const limit = { endsAt, isAbandoned: budget && (() => budget.isAbandoned) }
    const began = processorTime()
    try {
      return inTime(
        () => whatIsRead(kind, query),
        () => read(this.#engine, kind, query, limit),
      )
    } finally {
      pay(budget, processorTime() - began)
    }
  }

  /** Reads within the allowance; undefined: it takes longer than the event loop may be held for. */
  #readBriefly<Kind extends ReadKind>(
    kind: Kind,
    query: Query<Kind>,
    budget: Budget | undefined,
  ): Answer<Kind> | undefined {
    const { allowance } = this.#times
    const began = processorTime()
    try {
      const answer = read(this.#engine, kind, query, new WorkingTime(allowance, processorTime))
      if (!this.#long.isEmpty) this.#long.wasShort(wordsOf(kind, query))
      pay(budget, processorTime() - began)
      return answer
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error
      this.#long.wasLong(wordsOf(kind, query))
      return undefined
    }
  }
}

/** The description of a read; reads with the same one are assumed to take equally long. */
const wordsOf = <Kind extends ReadKind>(kind: Kind, query: Query<Kind>): string =>
  `${clinicOf(query)} ${whatIsRead(kind, query)}`

/** Pays for a read; a step is a microsecond. @throws BudgetError */
const pay = (budget: Budget | undefined, microseconds: number): void => budget?.spend(microseconds, 'its searches')

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

interface WatchedRead {
  readonly budget: Budget
  readonly what: string
  readonly left: AbortController
}

export class Readers {
  readonly #pool: ThreadPool<ReadJob, Answer<ReadKind>>
  /** Reads that wait or run for clients that may leave. */
  readonly #reads = new UnorderedList<WatchedRead>()
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

  #watch(read: WatchedRead): () => void {
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

/**
 * Most time by the clock, as a multiple of the allowance: while a read waits for the disk, the thread does not work.
 */
const MAX_WAITING = 4

/**
 * An allowance of working time of a thread. Other programs may have the processor meanwhile: the clock then advances
 * without work, but restarting the work in another thread would not help, as that has no processor either.
 */
export class WorkingTime implements Limit {
  endsAt: number
  readonly #latest: number
  readonly #allowance: number
  readonly #began: number
  readonly #worked: () => number
  readonly #clock: () => number

  /**
   * @param allowance milliseconds
   * @param worked microseconds that this thread has worked so far
   * @param clock milliseconds since 1970 UTC
   */
  constructor(allowance: number, worked: () => number, clock: () => number = Date.now) {
    const now = clock()
    this.endsAt = now + allowance
    this.#latest = now + allowance * MAX_WAITING
    this.#clock = clock
    this.#allowance = allowance
    this.#began = worked()
    this.#worked = worked
  }

  readonly isOver = (): boolean => {
    const left = this.#allowance - (this.#worked() - this.#began) / 1000
    const now = this.#clock()
    if (left <= 0 || now > this.#latest) return true
    this.endsAt = Math.min(now + left, this.#latest)
    return false
  }
}
