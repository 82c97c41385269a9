/**
 * Writes change sets, each in a transaction of its own: MongoDB writes the journal entries of those that are committed
 * together at once. In one process, sets that touch the same resource, record or guarded type follow each other; a few
 * of the others are under way at a time, which the clinics share fairly.
 */
import { currentBudget } from '../../isolation/budget.ts'
import { type ComponentHealth, FairQueue, loadOfQueue } from '../../isolation/fair-queue.ts'
import { type ChangeSet, type ResourceChange, StoreConflict, StoreUnavailable } from '../port.ts'
import { AbandonedTransactions } from './abandoned-transactions.ts'
import { lockedTypes, writeChangeSet } from './change-set.ts'
import { checkTimeLimit } from './connection.ts'
import type { Engine } from './engine.ts'
import { isDuplicateKey, toStoreError } from './faults.ts'
import { checkSizes, createdDocument } from './resources.ts'
import { inTransaction } from './transaction.ts'

/** The number of waiting requests is limited where they arrive. */
const UNDER_WAY = {
  slots: 16,
  slotsPerClinic: 8,
  total: Number.POSITIVE_INFINITY,
  perClinic: Number.POSITIVE_INFINITY,
}

export class Writes {
  readonly #engine: Engine
  readonly #abandoned: AbandonedTransactions
  readonly #keys = new KeyedQueue()
  readonly #slots = new FairQueue(UNDER_WAY)
  /** Writes under way with their time of arrival, milliseconds since 1970 UTC; the oldest first. */
  readonly #underWay = new Map<Promise<void>, number>()
  #closed = false

  constructor(engine: Engine) {
    this.#engine = engine
    this.#abandoned = new AbandonedTransactions(engine.client)
  }

  /** @throws StoreConflict, StoreUnavailable, ResourceTooLarge, EntriesOutdated, IndexIncomplete */
  async write(changes: ChangeSet): Promise<void> {
    if (this.#closed) throw new StoreUnavailable('The store is closed')
    checkSizes(this.#engine, changes)
    const since = Date.now()
    const written = this.#keys.run(keysOf(changes), () => this.#inTurn(changes, since))
    this.#underWay.set(written, since)
    try {
      await written
    } finally {
      this.#underWay.delete(written)
    }
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

  async #inTurn(changes: ChangeSet, since: number): Promise<void> {
    const release = await this.#slots.enter({ clinic: changes.clinic, token: currentBudget()?.token ?? '' })
    try {
      checkTimeLimit(since)
      await this.#abandoned.endDuring(commit(this.#engine, changes))
    } finally {
      release()
    }
  }
}

/** A lone first version is one document, so it needs no transaction. */
function commit(engine: Engine, changes: ChangeSet): Promise<void> {
  const [first, ...others] = changes.resources
  const isLone = others.length + changes.records.length + changes.guards.length === 0
  if (first !== undefined && isLone && isOneDocument(first)) return create(engine, changes, first)
  return inTransaction(engine.client, (session) => writeChangeSet(engine, session, changes))
}

const isOneDocument = ({ expect, entries }: ResourceChange): boolean =>
  expect === 0 && !entries.some(({ kind }) => kind === 'inner')

async function create(engine: Engine, changes: ChangeSet, change: ResourceChange): Promise<void> {
  try {
    await engine.resources.insertOne(createdDocument(engine, changes, change))
  } catch (error) {
    if (isDuplicateKey(error)) throw new StoreConflict('version', `${change.type}/${change.id}`)
    throw toStoreError(error, true)
  }
}

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

/** Runs work that shares a key in order of arrival, and all other work at the same time. */
class KeyedQueue {
  /** By key, the end of the last work on it. */
  readonly #ends = new Map<string, Promise<void>>()

  /** Starts `work` when all earlier work on any of `keys` has ended; at once where there is none. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const earlier = keys.flatMap((key) => this.#ends.get(key) ?? [])
    const { promise: end, resolve } = Promise.withResolvers<void>()
    for (const key of keys) this.#ends.set(key, end)
    if (earlier.length > 0) await Promise.all(earlier)
    try {
      return await work()
    } finally {
      for (const key of keys) if (this.#ends.get(key) === end) this.#ends.delete(key)
      resolve()
    }
  }
}
