/**
 * The writing side of the embedded engine: one connection writes, in the thread that owns it. The rest of the engine
 * calls `Writer`; `GroupCommit` does the work where the connection is, and `WriterClient` (writer-client.ts) passes it
 * to that thread.
 *
 * Group commit: change sets that wait at the same time share one transaction and one disk sync. Each is checked and
 * written in turn and sees the earlier ones; a promise resolves only after the commit. While another process writes,
 * they wait without blocking the event loop, and more join.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { BudgetError } from '../../isolation/budget.ts'
import type { TypeIndex } from '../index/search-index.ts'
import type { ChangeSet, Drop } from '../port.ts'
import { StoreConflict, StoreUnavailable } from '../store-errors.ts'
import { apply, conflictIn } from './change-set.ts'
import { OutOfTime } from './connection.ts'
import { drop } from './drop.ts'
import { checkIndex, type Engine } from './engine.ts'
import { Locked, toStoreError } from './faults.ts'
import { complete, epochOf, lease } from './index-state.ts'
import { type Refill, type Refilled, refill } from './refill.ts'

export interface Writer {
  /** See ResourceStore.write. */
  write(changes: ChangeSet): Promise<void>
  /** See IndexingStorage. */
  lease(holder: string, milliseconds: number): Promise<boolean>
  complete(index: TypeIndex): Promise<void>
  refill(rows: Refill): Promise<Refilled>
  /** See ResourceStore.drop. */
  drop(clinic: string, drop: Drop): Promise<boolean>
  /** Resolves when everything it was given is done. */
  close(): Promise<void>
}

/** Bounds the time of one commit. */
const MAX_PER_COMMIT = 256
/** Milliseconds until a locked file is tried again. */
const RETRY_AFTER = 1
/** Milliseconds that work waits for other processes. */
const LONGEST_WAIT = 10_000
/** Commits after which the log is copied into the file, and milliseconds without a commit before that is done. */
const MANY_COMMITS = 200
const QUIET = 1_000

/** A change set waiting to be written, and its caller. */
export interface WaitingChanges {
  readonly changes: ChangeSet
  /** Milliseconds since 1970 UTC. */
  readonly since: number
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** The reason why a change set was refused; undefined: it was written. */
type Refusal = StoreConflict | BudgetError | undefined

interface GroupCommitSettings {
  /** Turns of the event loop in which more change sets may join; see `schedule`. */
  readonly turns: 1 | 2
  /** See Times. */
  readonly guards: number
}

export class GroupCommit implements Writer {
  readonly #engine: Engine
  readonly #settings: GroupCommitSettings
  #waiting: WaitingChanges[] = []
  #scheduled = false
  #commitsSinceCheckpoint = 0
  #quiet: NodeJS.Timeout | undefined
  /** Set by close(); called once nothing waits any more. */
  #end: (() => void) | undefined

  constructor(engine: Engine, settings: GroupCommitSettings) {
    this.#engine = engine
    this.#settings = settings
  }

  /**
   * Resolves when the set is durable.
   * @throws StoreConflict, IndexIncomplete, StoreUnavailable; BudgetError when its guards search for too long
   */
  write(changes: ChangeSet): Promise<void> {
    if (this.#end !== undefined) return Promise.reject(new StoreUnavailable('The store is closed'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes, since: Date.now(), resolve, reject })
      this.#schedule()
    })
  }

  lease(holder: string, milliseconds: number): Promise<boolean> {
    return this.#whenFree(() => lease(this.#engine.db, holder, milliseconds))
  }

  async complete(index: TypeIndex): Promise<void> {
    await this.#whenFree(() => complete(this.#engine.db, index))
    this.#engine.signals.sawEpoch(epochOf(this.#engine.db))
  }

  refill(rows: Refill): Promise<Refilled> {
    return this.#whenFree(() => refill(this.#engine, rows))
  }

  async drop(clinic: string, dropped: Drop): Promise<boolean> {
    const isAll = await this.#whenFree(() => drop(this.#engine, clinic, dropped))
    this.#engine.recent.forget()
    this.#engine.signals.hasDropped()
    return isAll
  }

  /** Writes the waiting change sets, and accepts no more. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#end = resolve
      this.#schedule()
    })
    clearTimeout(this.#quiet)
  }

  /**
   * Schedules a commit. Where this thread also serves requests, it comes after the I/O events of this turn of the event
   * loop and of the next, so that the requests they bring can join: clients that have just received a response send
   * again. A shared commit is less work for each. In a thread of its own, it comes after the messages that wait.
   */
  #schedule(pause = 0): void {
    if (this.#scheduled) return
    this.#scheduled = true
    if (pause > 0) setTimeout(() => this.#next(), pause)
    else if (this.#settings.turns === 1) setImmediate(() => this.#next())
    else setImmediate(() => setImmediate(() => this.#next()))
  }

  #next(): void {
    this.#scheduled = false
    this.#flush(this.#waiting.splice(0, MAX_PER_COMMIT))
    if (this.#waiting.length > 0) this.#schedule()
    else this.#end?.()
  }

  #flush(batch: readonly WaitingChanges[]): void {
    if (batch.length === 0) return
    try {
      const refusals = this.#exclusively(() => {
        checkIndex(this.#engine)
        return batch.map(({ changes }) => this.#attempt(changes))
      })
      this.#ended(batch, refusals)
      settle(batch, refusals)
    } catch (error) {
      if (error instanceof Locked) this.#postpone(batch)
      else this.#failed(batch, error)
    }
  }

  /** Updates the other parts of the engine before the change sets are acknowledged. */
  #ended(batch: readonly WaitingChanges[], refusals: readonly Refusal[]): void {
    const { recent } = this.#engine
    recent.wrote(batch.flatMap(({ changes }, index) => (refusals[index] === undefined ? changes.records : [])))
    // Another process has changed a record on which the work was based.
    if (refusals.some((refusal) => refusal instanceof StoreConflict && refusal.on === 'record')) recent.forget()
    this.#checkpointLater()
  }

  /**
   * Handles a failed commit, which has written nothing. A fault other than the disk's belongs to one change set: only
   * that one may fail.
   */
  #failed(batch: readonly WaitingChanges[], error: unknown): void {
    this.#engine.names.forget()
    const reason = toStoreError(error)
    if (reason instanceof StoreUnavailable && reason.mayBeWritten) this.#engine.recent.forget()
    if (batch.length === 1 || reason instanceof StoreUnavailable) refuse(batch, reason)
    else for (const waiting of batch) this.#flush([waiting])
  }

  #attempt(changes: ChangeSet): Refusal {
    const refusal = this.#refusalOf(changes)
    if (refusal === undefined) apply(this.#engine, changes)
    return refusal
  }

  #refusalOf(changes: ChangeSet): Refusal {
    if (changes.guards.length === 0) return conflictIn(this.#engine, changes)
    const limit = { endsAt: Date.now() + this.#settings.guards }
    try {
      return this.#engine.db.limit.during(limit, () => conflictIn(this.#engine, changes))
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error
      return new BudgetError('too costly', 'the searches of its conditions, which are repeated during the write')
    }
  }

  #postpone(batch: readonly WaitingChanges[]): void {
    const oldest = Date.now() - LONGEST_WAIT
    refuse(
      batch.filter(({ since }) => since < oldest),
      new StoreUnavailable(`Other processes have been writing to the store for ${LONGEST_WAIT / 1000} s`),
    )
    this.#waiting.unshift(...batch.filter(({ since }) => since >= oldest))
    this.#schedule(RETRY_AFTER)
  }

  /**
   * Runs `work` exclusively, waiting for other processes without blocking the event loop.
   * @throws StoreUnavailable: Locked after LONGEST_WAIT, or the error that `work` throws, as an error of the port
   */
  async #whenFree<T>(work: () => T): Promise<T> {
    for (const deadline = Date.now() + LONGEST_WAIT; ; await sleep(RETRY_AFTER)) {
      try {
        return this.#exclusively(work)
      } catch (error) {
        if (error instanceof Locked && Date.now() < deadline) continue
        this.#engine.names.forget()
        throw toStoreError(error)
      }
    }
  }

  #exclusively<T>(work: () => T): T {
    const { db, names } = this.#engine
    return db.exclusiveNow(() => {
      names.forgetClinics()
      return work()
    })
  }

  /** Schedules a checkpoint for a pause in commits, so that none of them has to wait for it. */
  #checkpointLater(): void {
    this.#commitsSinceCheckpoint += 1
    if (this.#commitsSinceCheckpoint < MANY_COMMITS) return
    this.#quiet ??= setTimeout(() => this.#checkpoint(), QUIET).unref()
    this.#quiet.refresh()
  }

  #checkpoint(): void {
    this.#quiet = undefined
    this.#commitsSinceCheckpoint = 0
    try {
      this.#engine.db.checkpoint()
    } catch (error) {
      // A full disk, for example: the next commit reports it to its clients.
      if (!(toStoreError(error) instanceof StoreUnavailable)) throw error
    }
  }
}

function settle(batch: readonly WaitingChanges[], refusals: readonly Refusal[]): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const refusal = refusals[index]
    if (refusal === undefined) resolve()
    else reject(refusal)
  }
}

function refuse(batch: readonly WaitingChanges[], reason: unknown): void {
  for (const { reject } of batch) reject(reason)
}
