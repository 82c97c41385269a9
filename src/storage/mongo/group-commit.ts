/**
 * Commits: which change sets are written together. In one process, sets that touch the same resource, record or
 * guarded type follow each other; the others share commands: first versions of single resources one insert (each is a
 * document of its own, so no transaction is needed), all else a transaction.
 */
import { MongoBulkWriteError, MongoServerError } from 'mongodb'
import { type ChangeSet, StoreConflict, StoreUnavailable } from '../port.ts'
import { Orphans } from './abandoned-transactions.ts'
import { lockedTypes, writeAll } from './change-set.ts'
import { checkTimeLimit } from './connection.ts'
import type { Engine } from './engine.ts'
import { DUPLICATE_KEY, toStoreError } from './faults.ts'
import { type BatchLimits, BatchQueue, KeyedQueue, type Outcome } from './queues.ts'
import { checkSize, createdDocument } from './resources.ts'
import { inTransaction } from './transaction.ts'

const LIMITS: BatchLimits<ChangeSet> = { atOnce: 2, items: 64, bytes: 8 * 1024 * 1024, bytesOf }

const WRITTEN: Outcome<void> = { value: undefined }

export class Commits {
  readonly #engine: Engine
  readonly #orphans: Orphans
  readonly #turns = new KeyedQueue()
  readonly #underWay = new Set<Promise<void>>()
  readonly #creations = new BatchQueue<ChangeSet, void>((sets) => this.#create(sets), LIMITS)
  readonly #changes = new BatchQueue<ChangeSet, void>((sets) => this.#change(sets), LIMITS)
  #closed = false

  constructor(engine: Engine) {
    this.#engine = engine
    this.#orphans = new Orphans(engine.client)
  }

  async write(changes: ChangeSet): Promise<void> {
    if (this.#closed) throw new StoreUnavailable('The store is closed')
    for (const change of changes.resources) {
      checkSize(change, (large) => createdDocument(this.#engine, changes, large))
    }
    const since = Date.now()
    const written = this.#turns.take(touchedBy(changes), () => {
      checkTimeLimit(since)
      return this.#writeInTurn(changes)
    })
    this.#underWay.add(written)
    try {
      await written
    } finally {
      this.#underWay.delete(written)
    }
  }

  /** Waits for what is being written, and accepts nothing more. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#underWay)
  }

  async #writeInTurn(changes: ChangeSet): Promise<void> {
    if (isCreation(changes)) return await this.#creations.add(changes)
    if (changes.guards.length === 0) return await this.#changes.add(changes)
    // A guard is refused more often than not; nobody else should have to be written again because of it.
    const [outcome] = await this.#change([changes])
    if (outcome !== undefined && 'reason' in outcome) throw outcome.reason
  }

  async #create(sets: readonly ChangeSet[]): Promise<readonly Outcome<void>[]> {
    const documents = sets.flatMap((set) => set.resources.map((change) => createdDocument(this.#engine, set, change)))
    try {
      await this.#orphans.endDuring(this.#engine.resources.insertMany(documents, { ordered: false }))
      return sets.map(() => WRITTEN)
    } catch (error) {
      return sets.map((set, index) => outcomeOf(set, index, error))
    }
  }

  async #change(sets: readonly ChangeSet[]): Promise<readonly Outcome<void>[]> {
    try {
      const engine = this.#engine
      await this.#orphans.endDuring(inTransaction(engine.client, (session) => writeAll(engine, session, sets)))
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
  resources.length === 1 && resources[0]?.expect === 0 && records.length === 0 && guards.length === 0

function touchedBy(changes: ChangeSet): readonly string[] {
  const { clinic, resources, records } = changes
  return [
    ...new Set([
      ...resources.map(({ type, id }) => JSON.stringify(['resource', clinic, type, id])),
      ...records.map((record) => JSON.stringify(['record', record.clinic, record.kind, record.key])),
      ...lockedTypes(changes).map((type) => JSON.stringify(['type', clinic, type])),
    ]),
  ]
}

/** Inserts that are not ordered fail one by one; anything else failed for all, or nobody knows for which. */
function outcomeOf({ resources }: ChangeSet, index: number, error: unknown): Outcome<void> {
  const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
  const own = refused.find((one) => one.index === index)
  if (own !== undefined) {
    const [change] = resources
    return {
      reason:
        own.code === DUPLICATE_KEY
          ? new StoreConflict('version', `${change?.type}/${change?.id}`)
          : toStoreError(new MongoServerError({ message: 'An insert was refused', code: own.code })),
    }
  }
  const isWritten = error instanceof MongoBulkWriteError && refused.length > 0 && !isUnsure(error)
  return isWritten ? WRITTEN : { reason: toStoreError(error, true) }
}

/** Inserted, but perhaps not by a majority. */
const isUnsure = ({ result }: MongoBulkWriteError): boolean => result.getWriteConcernError() !== undefined
