/**
 * Reindexing: index rows extracted again from the stored texts, in the order of the resources' rows. Each batch writes
 * into the file how far it is, so that the next process begins where the last one ended.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TypeIndex } from '../index/index-parts.ts'
import type { Batch, IndexingStorage } from '../index/indexing.ts'
import {
  CUSTOM_PARAMETERS,
  type Extraction,
  type ReindexedBatch,
  type Reindexing,
  type StoredResource,
  StoreUnavailable,
} from '../port.ts'
import { targetRow } from './change-set.ts'
import { combinedRows } from './combined.ts'
import { uncovered } from './covered.ts'
import type { Engine } from './engine.ts'
import { Locked, toStoreError } from './faults.ts'
import { IndexRowBuilder, type IndexRows, readIndexRows, writeIndexRows } from './index-entries.ts'
import { checkIndex, claim, complete, epochOf, lease, readState, storedTypes } from './index-state.ts'
import { readRecord } from './records.ts'
import { toStored, type VersionRow } from './resources.ts'

/** Milliseconds, about, that requests wait for a batch. */
const LONGEST_BATCH = 20
/** Milliseconds until a locked file is tried again, and for how long. */
const RETRY_AFTER = 2
const LONGEST_WAIT = 10_000

export const indexingStorage = (engine: Engine, extraction: Extraction | undefined): IndexingStorage => ({
  // A process of another version can no longer write: see checkIndex.
  lateFor: 0,
  epoch: async () => epochOf(engine.db),
  load: async () => readState(engine.db),
  storedTypes: async () => storedTypes(engine.db),
  claim: async (types, version) => engine.db.exclusive(() => claim(engine.db, types, version)),
  lease: (holder, milliseconds) => whenFree(engine, () => lease(engine.db, holder, milliseconds)),
  left: async (index) => left(engine, index),
  fill: async (index, limit) =>
    extraction === undefined ? NOTHING : await whenFree(engine, () => fill(engine, extraction, index, limit)),
  complete: (index) => whenFree(engine, () => complete(engine.db, index)),
})

/**
 * Waits for other processes without blocking the event loop.
 * @throws StoreUnavailable: Locked after LONGEST_WAIT, or what `work` throws, as an error of the port
 */
async function whenFree<T>({ db, names }: Engine, work: () => T): Promise<T> {
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

const NOTHING: Batch = { done: 0, failed: 0 }

/** A resource type of one clinic, and how far it is reindexed. */
interface TypeProgress {
  readonly clinic: string
  /** The number of its name, which is the order of the types. */
  readonly type: number
  /** The last row of it that is done. */
  readonly after: number
}

function fill(engine: Engine, extraction: Extraction, index: TypeIndex, limit: number): Batch {
  for (const progress of unfinished(engine, index)) {
    const { done, failed, reached } = reindexRows(engine, extraction, index.type, progress, limit)
    if (done === 0) continue
    engine.db.run(
      'UPDATE type_index SET reached_type = ?, reached_row = ? WHERE type = ?',
      ...[progress.type, reached, index.type],
    )
    return { done, failed }
  }
  return NOTHING
}

interface ReindexedRows extends Batch {
  /** The last row that is done. */
  readonly reached: number
}

function reindexRows(
  engine: Engine,
  extraction: Extraction,
  typeName: string,
  progress: TypeProgress,
  limit: number,
): ReindexedRows {
  const deadline = performance.now() + LONGEST_BATCH
  const custom = readRecord(engine.db, progress.clinic, CUSTOM_PARAMETERS.kind, CUSTOM_PARAMETERS.key)?.value
  let [done, failed, reached] = [0, 0, progress.after]
  for (const row of rowsOf(engine, progress, limit)) {
    if (done > 0 && performance.now() > deadline) break
    if (!reindexResource(engine, extraction, typeName, progress, row, custom)) failed += 1
    done += 1
    reached = row
  }
  return { done, failed, reached }
}

/**
 * Rows do not have an index version, so all are reindexed; the cursor is the last one that is done.
 * @throws StoreUnavailable when another version of the server has opened the file since
 */
export async function reindex(
  engine: Engine,
  extraction: Extraction | undefined,
  { clinic, type: typeName, limit, after = '0' }: Reindexing,
): Promise<ReindexedBatch> {
  const type = engine.names.type(clinic, typeName)
  if (type === undefined || extraction === undefined) return NOTHING
  const progress = { clinic, type, after: Number(after) }
  const { done, failed, reached } = await whenFree(engine, () => {
    checkIndex(engine)
    return reindexRows(engine, extraction, typeName, progress, limit)
  })
  return { done, failed, ...(done === 0 ? {} : { next: String(reached) }) }
}

/** In order; none when another server wants other parts by now. */
function unfinished({ db, names }: Engine, { type: typeName, generation }: TypeIndex): readonly TypeProgress[] {
  const reached = db.get<[number, number]>(
    'SELECT reached_type, reached_row FROM type_index WHERE type = ? AND generation = ?',
    ...[typeName, generation],
  )
  if (reached === undefined) return []
  const types = names.clinics().flatMap((clinic) => {
    const type = names.find(clinic, typeName)
    if (type === undefined || type < reached[0]) return []
    return [{ clinic: names.textOf(clinic), type, after: type === reached[0] ? reached[1] : 0 }]
  })
  return types.sort((one, other) => one.type - other.type)
}

const rowsOf = ({ db }: Engine, { type, after }: TypeProgress, limit: number): readonly number[] =>
  db
    .all<[number]>(
      `SELECT row FROM resource INDEXED BY resource_by_row WHERE type = ? AND live = 1 AND row > ? ORDER BY row LIMIT ?`,
      ...[type, after, limit],
    )
    .map(([row]) => row)

const left = (engine: Engine, index: TypeIndex): number =>
  unfinished(engine, index).reduce((sum, { type, after }) => {
    const count = 'SELECT count(*) FROM resource INDEXED BY resource_by_row WHERE type = ? AND live = 1 AND row > ?'
    return sum + (engine.db.get<[number]>(count, type, after)?.[0] ?? 0)
  }, 0)

/**
 * @returns false when it keeps the rows it has, because none could be extracted
 * @throws StoreUnavailable
 */
function reindexResource(
  engine: Engine,
  extraction: Extraction,
  typeName: string,
  { clinic, type }: TypeProgress,
  row: number,
  custom: unknown,
): boolean {
  const { db, names } = engine
  db.run('SAVEPOINT resource')
  try {
    const entries = extraction.entriesOf(clinic, resourceAt(engine, typeName, row), custom)
    const builder = new IndexRowBuilder(names, clinic, type, (targetType, id) => targetRow(engine, targetType, id))
    replaceRows(engine, typeName, type, row, builder.build(uncovered(engine.covered[typeName], entries)))
    return true
  } catch (error) {
    if (toStoreError(error) instanceof StoreUnavailable) throw error
    db.run('ROLLBACK TO resource')
    names.forget()
    return false
  } finally {
    if (db.isTransaction) db.run('RELEASE resource')
  }
}

/** @throws Error when there is none */
function resourceAt({ db }: Engine, type: string, row: number): StoredResource {
  const found = db.get<[id: string, ...VersionRow]>(
    `SELECT r.id, v.version, v.updated, v.method, v.text
     FROM resource AS r CROSS JOIN version AS v ON v.seq = r.seq WHERE r.row = ?`,
    row,
  )
  if (found === undefined) throw new Error(`There is no resource in row ${row}`)
  const [id, ...version] = found
  return toStored(type, id, version)
}

/** Combined rows may exist or not, so all are written; those that the new rows no longer imply are removed. */
function replaceRows(engine: Engine, typeName: string, type: number, row: number, after: IndexRows): void {
  const before = readIndexRows(engine.db, row)
  writeIndexRows(engine.db, row, before, after)
  const combined = (rows: IndexRows): IndexRows =>
    new Map([['combined_index', combinedRows(engine, type, typeName, rows)]])
  writeIndexRows(engine.db, row, undefined, combined(after))
  writeIndexRows(engine.db, row, combined(before), combined(after))
}
