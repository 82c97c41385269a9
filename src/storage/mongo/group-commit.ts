/**
 * Group commit: decides which change sets are written together. In one process, sets that touch the same resource,
 * record or guarded type follow each other; the others share commands: first versions of single resources share one
 * insert (each is one document, so no transaction is needed), all others share a transaction.
 */
import { type ClientSession, MongoBulkWriteError, MongoServerError } from 'mongodb'
import { type ComponentHealth, loadOfQueue } from '../../isolation/fair-queue.ts'
import type { ChangeSet, Drop, ResourceChange } from '../port.ts'
import { StoreConflict, StoreUnavailable } from '../store-errors.ts'
import { lockedTypes, writeChangeSets } from './change-set.ts'
import { checkTimeLimit } from './connection.ts'
import { drop } from './drop.ts'
import type { Engine } from './engine.ts'
import { DUPLICATE_KEY, toStoreError } from './faults.ts'
import { type BatchLimits, BatchQueue, KeyedQueue, type Outcome } from './queues.ts'
import { checkSizes, createdDocument } from './resources.ts'
import { AbandonedTransactions, inTransaction } from './transaction.ts'

const LIMITS: BatchLimits<ChangeSet> = { concurrency: 2, items: 64, bytes: 8 * 1024 * 1024, bytesOf }

const WRITTEN: Outcome<void> = { value: undefined }

export class GroupCommit {
  readonly #engine: Engine
  readonly #abandoned: AbandonedTransactions
  readonly #queue = new KeyedQueue()
  /** Writes under way with their time of arrival, milliseconds since 1970 UTC; the oldest first. */
  readonly #underWay = new Map<Promise<void>, number>()
  readonly #creations = new BatchQueue<ChangeSet, void>((sets) => this.#create(sets), LIMITS)
  readonly #changes = new BatchQueue<ChangeSet, void>((sets) => this.#change(sets), LIMITS)
  #closed = false

  constructor(engine: Engine) {
    this.#engine = engine
    this.#abandoned = new AbandonedTransactions(engine.client)
  }

  /** @throws StoreConflict, StoreUnavailable, ResourceTooLarge, EntriesOutdated */
  async write(changes: ChangeSet): Promise<void> {
    checkSizes(this.#engine, changes)
    const since = Date.now()
    await this.#untilClosed(() =>
      this.#queue.run(keysOf(changes), () => {
        checkTimeLimit(since)
        return this.#commit(changes)
      }),
    )
  }

  /** See ResourceStore.drop. */
  async drop(clinic: string, dropped: Drop): Promise<boolean> {
    let isAll = false
    const work = async (session: ClientSession) => {
      isAll = await drop(this.#engine, session, clinic, dropped)
    }
    await this.#untilClosed(() => this.#abandoned.endDuring(inTransaction(this.#engine.client, work)))
    return isAll
  }

  /** Waits for writes under way, and accepts no more. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#underWay.keys())
  }

  get load(): ComponentHealth {
    const [oldest] = this.#underWay.values()
    const oldestMs = oldest === undefined ? 0 : Date.now() - oldest
    return loadOfQueue('writer', { waiting: this.#underWay.size, oldestMs })
  }

  async #untilClosed(work: () => Promise<void>): Promise<void> {
    if (this.#closed) throw new StoreUnavailable('The store is closed')
    const written = work()
    this.#underWay.set(written, Date.now())
    try {
      await written
    } finally {
      this.#underWay.delete(written)
    }
  }

  async #commit(changes: ChangeSet): Promise<void> {
    if (isCreation(changes)) return await this.#creations.add(changes)
    if (changes.guards.length === 0) return await this.#changes.add(changes)
    // Written alone: guards often fail, and a failure would make the transaction's other sets be written again.
    const [outcome] = await this.#change([changes])
    if (outcome !== undefined && 'reason' in outcome) throw outcome.reason
  }

  async #create(sets: readonly ChangeSet[]): Promise<readonly Outcome<void>[]> {
    const documents = sets.flatMap((set) => set.resources.map((change) => createdDocument(this.#engine, set, change)))
    try {
      await this.#abandoned.endDuring(this.#engine.resources.insertMany(documents, { ordered: false }))
      return sets.map(() => WRITTEN)
    } catch (error) {
      return sets.map((set, index) => insertOutcome(set, index, error))
    }
  }

  async #change(sets: readonly ChangeSet[]): Promise<readonly Outcome<void>[]> {
    const engine = this.#engine
    try {
      const written = inTransaction(engine.client, (session) => writeChangeSets(engine, session, sets))
      await this.#abandoned.endDuring(written)
      return sets.map(() => WRITTEN)
    } catch (error) {
      const reason = toStoreError(error)
      if (sets.length === 1 || reason instanceof StoreUnavailable) return sets.map(() => ({ reason }))
      const alone = await Promise.all(sets.map((set) => this.#change([set])))
      return alone.flat()
    }
  }
}

function bytesOf({ resources }: ChangeSet): number {
  return resources.reduce((sum, { text }) => sum + text.length, 0)
}

const isCreation = ({ resources, records, guards }: ChangeSet): boolean =>
  resources.length === 1 && records.length === 0 && guards.length === 0 && resources.every(isOneDocument)

const isOneDocument = ({ expect, entries }: ResourceChange): boolean =>
  expect === 0 && !entries.some(({ kind }) => kind === 'inner')

/** Sets that share one of these keys are written one after the other. */
function keysOf(changes: ChangeSet): readonly string[] {
  const { clinic, resources, records } = changes
  return [
    ...new Set([
      ...resources.map(({ type, id }) => JSON.stringify(['resource', clinic, type, id])),
      ...records.map((record) => JSON.stringify(['record', record.clinic, record.kind, record.key])),
      ...lockedTypes(changes).map((type) => JSON.stringify(['type', clinic, type])),
    ]),
  ]
}

/**
 * The outcome of one insert. Unordered inserts fail one by one; any other error concerns all of them, or it is unknown
 * which.
 */
function insertOutcome({ resources }: ChangeSet, index: number, error: unknown): Outcome<void> {
  // When the write concern failed too, the error has its write errors only in its result.
  const writeErrors = error instanceof MongoBulkWriteError ? error.result.getWriteErrors() : []
  const own = writeErrors.find((one) => one.index === index)
  if (own !== undefined) {
    const [change] = resources
    return {
      reason:
        own.code === DUPLICATE_KEY
          ? new StoreConflict('version', `${change?.type}/${change?.id}`)
          : toStoreError(new MongoServerError({ message: 'An insert was refused', code: own.code })),
    }
  }
  const isWritten = error instanceof MongoBulkWriteError && writeErrors.length > 0 && !lacksMajority(error)
  return isWritten ? WRITTEN : { reason: toStoreError(error, true) }
}

/** True when the documents were inserted, but perhaps not by a majority. */
const lacksMajority = ({ result }: MongoBulkWriteError): boolean => result.getWriteConcernError() !== undefined
