/**
 * The writing side of the embedded engine: one connection writes, in the thread that owns it. The rest of the engine
 * calls `Writer`; `WriterCore` does the work where the connection is, and `WriterClient` (writer-client.ts) passes it
 * to that thread.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TypeIndex } from '../index/index-parts.ts'
import { type ChangeSet, StoreUnavailable } from '../port.ts'
import type { Engine } from './engine.ts'
import { Locked, toStoreError } from './faults.ts'
import { GroupCommit, type GroupCommitSettings } from './group-commit.ts'
import { complete, epochOf, lease } from './index-state.ts'
import { type Refill, type Refilled, refill } from './refill.ts'

export interface Writer {
  /** See ResourceStore.write. */
  write(changes: ChangeSet): Promise<void>
  /** See IndexingStorage. */
  lease(holder: string, milliseconds: number): Promise<boolean>
  complete(index: TypeIndex): Promise<void>
  refill(rows: Refill): Promise<Refilled>
  /** Resolves when everything it was given is done. */
  close(): Promise<void>
}

/** Milliseconds until a locked file is tried again, and after which it is given up. */
const RETRY_AFTER = 2
const LONGEST_WAIT = 10_000
/** Commits after which the log is copied into the file, and milliseconds without a commit before that is done. */
const MANY_COMMITS = 200
const QUIET = 1_000

export class WriterCore implements Writer {
  readonly #engine: Engine
  readonly #commits: GroupCommit
  #commitsSinceCheckpoint = 0
  #quiet: NodeJS.Timeout | undefined

  constructor(engine: Engine, settings: Pick<GroupCommitSettings, 'turns' | 'guards'>) {
    this.#engine = engine
    this.#commits = new GroupCommit(engine, { ...settings, onCommit: () => this.#checkpointLater() })
  }

  write(changes: ChangeSet): Promise<void> {
    return this.#commits.write(changes)
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

  async close(): Promise<void> {
    await this.#commits.close()
    clearTimeout(this.#quiet)
  }

  /**
   * Runs `work` exclusively, waiting for other processes without blocking the event loop.
   * @throws StoreUnavailable: Locked after LONGEST_WAIT, or the error that `work` throws, as an error of the port
   */
  async #whenFree<T>(work: () => T): Promise<T> {
    const { db, names } = this.#engine
    for (const deadline = Date.now() + LONGEST_WAIT; ; await sleep(RETRY_AFTER)) {
      try {
        return db.exclusiveNow(work)
      } catch (error) {
        if (error instanceof Locked && Date.now() < deadline) continue
        names.forget()
        throw toStoreError(error)
      }
    }
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
