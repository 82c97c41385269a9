/**
 * Group commit: change sets that wait at the same time share one transaction and one disk sync.
 * Each is checked and written in turn and sees what came before it; a promise resolves only after the commit.
 */
import { type ChangeSet, type StoreConflict, StoreUnavailable } from '../port.ts'
import { apply, conflictIn } from './change-set.ts'
import { toStoreError } from './database.ts'
import type { Engine } from './engine.ts'

/** Bounds the time that one commit keeps readers of this process waiting. */
const MOST_PER_COMMIT = 256

interface Waiting {
  readonly changes: ChangeSet
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** Why a change set was refused; undefined: it was written. */
type Refusal = { readonly reason: unknown } | undefined

export class GroupCommit {
  private readonly engine: Engine
  private waiting: Waiting[] = []
  private scheduled = false
  private closed = false

  constructor(engine: Engine) {
    this.engine = engine
  }

  write(changes: ChangeSet): Promise<void> {
    if (this.closed) return Promise.reject(new StoreUnavailable('The store is closed'))
    return new Promise((resolve, reject) => {
      this.waiting.push({ changes, resolve, reject })
      this.schedule()
    })
  }

  /** Writes what waits, and accepts nothing more. */
  close(): void {
    this.closed = true
    while (this.waiting.length > 0) this.flush()
  }

  /** After the I/O events of this turn of the event loop, so that the requests they bring can join. */
  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      this.flush()
      if (this.waiting.length > 0) this.schedule()
    })
  }

  private flush(): void {
    const batch = this.waiting.splice(0, MOST_PER_COMMIT)
    const refusals = this.commit(batch)
    for (const [index, { resolve, reject }] of batch.entries()) {
      const refusal = refusals[index]
      if (refusal === undefined) resolve()
      else reject(refusal.reason)
    }
  }

  private commit(batch: readonly Waiting[]): readonly Refusal[] {
    if (batch.length === 0) return []
    try {
      return this.engine.db.exclusive(() => batch.map(({ changes }) => this.attempt(changes)))
    } catch (error) {
      this.engine.names.forget()
      const reason = toStoreError(error)
      // Nothing was written. A fault that is not the disk's belongs to one change set: only that one may fail.
      if (batch.length === 1 || reason instanceof StoreUnavailable) return batch.map(() => ({ reason }))
      return batch.flatMap((waiting) => this.commit([waiting]))
    }
  }

  private attempt(changes: ChangeSet): Refusal {
    const conflict: StoreConflict | undefined = conflictIn(this.engine, changes)
    if (conflict !== undefined) return { reason: conflict }
    apply(this.engine, changes)
    return undefined
  }
}
