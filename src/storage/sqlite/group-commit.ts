/**
 * Group commit: change sets that wait at the same time share one transaction and one disk sync.
 * Each is checked and written in turn and sees what came before it; a promise resolves only after the commit.
 * While another process writes, they wait without blocking the event loop: this process goes on reading, and more join.
 */
import { type ChangeSet, type StoreConflict, StoreUnavailable } from '../port.ts'
import { apply, conflictIn } from './change-set.ts'
import type { Engine } from './engine.ts'
import { Locked, toStoreError } from './faults.ts'
import { checkIndex } from './index-state.ts'

/** Bounds the time that one commit keeps readers of this process waiting. */
const MAX_PER_COMMIT = 256
/** Milliseconds until a locked file is tried again. */
const RETRY_AFTER = 1
/** Milliseconds that a change set waits for other processes. */
const LONGEST_WAIT = 10_000

interface Waiting {
  readonly changes: ChangeSet
  /** Milliseconds since 1970 UTC. */
  readonly since: number
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** Why a change set was refused; undefined: it was written. */
type Refusal = StoreConflict | undefined

export class GroupCommit {
  readonly #engine: Engine
  #waiting: Waiting[] = []
  #scheduled = false
  /** Set by close(): called when nothing waits any more. */
  #end: (() => void) | undefined

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /**
   * Resolves when the set is durable.
   * @throws StoreConflict, IndexIncomplete, StoreUnavailable
   */
  write(changes: ChangeSet): Promise<void> {
    if (this.#end !== undefined) return Promise.reject(new StoreUnavailable('The store is closed'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes, since: Date.now(), resolve, reject })
      this.#schedule()
    })
  }

  /** Writes what waits, and accepts nothing more. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#end = resolve
      this.#schedule()
    })
  }

  /**
   * After the I/O events of this turn of the event loop and of the next, so that the requests they bring can join:
   * clients that were answered a moment ago send again. A shared commit is less work for each.
   */
  #schedule(pause = 0): void {
    if (this.#scheduled) return
    this.#scheduled = true
    if (pause === 0) setImmediate(() => setImmediate(() => this.#next()))
    else setTimeout(() => this.#next(), pause)
  }

  #next(): void {
    this.#scheduled = false
    this.#flush(this.#waiting.splice(0, MAX_PER_COMMIT))
    if (this.#waiting.length > 0) this.#schedule()
    else this.#end?.()
  }

  #flush(batch: readonly Waiting[]): void {
    if (batch.length === 0) return
    try {
      settle(
        batch,
        this.#engine.db.exclusiveNow(() => {
          checkIndex(this.#engine)
          return batch.map(({ changes }) => this.#attempt(changes))
        }),
      )
    } catch (error) {
      if (error instanceof Locked) this.#postpone(batch)
      else this.#failed(batch, error)
    }
  }

  /** Nothing was written. A fault that is not the disk's belongs to one change set: only that one may fail. */
  #failed(batch: readonly Waiting[], error: unknown): void {
    this.#engine.names.forget()
    const reason = toStoreError(error)
    if (batch.length === 1 || reason instanceof StoreUnavailable) refuse(batch, reason)
    else for (const waiting of batch) this.#flush([waiting])
  }

  #attempt(changes: ChangeSet): Refusal {
    const conflict = conflictIn(this.#engine, changes)
    // Another process has changed a record that the work was based on.
    if (conflict?.on === 'record') this.#engine.recent.forget()
    if (conflict !== undefined) return conflict
    apply(this.#engine, changes)
    this.#engine.recent.wrote(changes.records)
    return undefined
  }

  #postpone(batch: readonly Waiting[]): void {
    const oldest = Date.now() - LONGEST_WAIT
    refuse(
      batch.filter(({ since }) => since < oldest),
      new StoreUnavailable(`Other processes have been writing to the store for ${LONGEST_WAIT / 1000} s`),
    )
    this.#waiting.unshift(...batch.filter(({ since }) => since >= oldest))
    this.#schedule(RETRY_AFTER)
  }
}

function settle(batch: readonly Waiting[], refusals: readonly Refusal[]): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const refusal = refusals[index]
    if (refusal === undefined) resolve()
    else reject(refusal)
  }
}

function refuse(batch: readonly Waiting[], reason: unknown): void {
  for (const { reject } of batch) reject(reason)
}
