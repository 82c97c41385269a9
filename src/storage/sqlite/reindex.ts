/**
 * Reindexing: index rows extracted again from the stored texts, in the order of the resources' rows. Extraction is done
 * here, a few resources at a time, between the requests that this thread serves; the writer writes the extracted
 * entries (refill.ts) and the progress, so that the next process continues where the last one ended.
 */

import type { Batch, IndexingStorage } from '../index/indexing.ts'
import type { IndexStorage, TypeIndex } from '../index/search-index.ts'
import {
  CUSTOM_PARAMETERS,
  type Extraction,
  type ReindexedBatch,
  type Reindexing,
  type StoredResource,
} from '../port.ts'
import { StoreUnavailable } from '../store-errors.ts'
import type { Engine } from './engine.ts'
import { toStoreError } from './faults.ts'
import type { Writer } from './group-commit.ts'
import { claim, epochOf, readState, storedTypes } from './index-state.ts'
import { readRecord } from './records.ts'
import type { ExtractedRow, Refill } from './refill.ts'
import { toStored, type VersionRow } from './resources.ts'

/** Approximate milliseconds that requests wait for a batch. */
const LONGEST_BATCH = 10
/** Attempts to extract a batch, which is repeated when the parameters or the generation have changed meanwhile. */
const MAX_ATTEMPTS = 10

/** Claims are written by this connection itself, as there is no other writer yet when a store is opened. */
export const indexStorage = ({ db, signals }: Pick<Engine, 'db' | 'signals'>): IndexStorage => ({
  load: async () => {
    const state = readState(db)
    signals.sawEpoch(state.epoch)
    return state
  },
  storedTypes: async () => storedTypes(db),
  claim: async (types, version) => db.exclusive(() => claim(db, types, version)),
})

export const indexingStorage = (
  engine: Engine,
  writer: Writer,
  extraction: Extraction | undefined,
): IndexingStorage => ({
  ...indexStorage(engine),
  // A process of another version can no longer write: see checkIndex.
  lateFor: 0,
  epoch: async () => engine.signals.sawEpoch(epochOf(engine.db)),
  lease: (holder, milliseconds) => writer.lease(holder, milliseconds),
  left: async (index) => left(engine, index),
  fill: async (index, limit) =>
    extraction === undefined ? NOTHING : await fill(engine, writer, extraction, index, limit),
  complete: (index) => writer.complete(index),
})

const NOTHING: Batch = { done: 0, failed: 0 }

/** A resource type of one clinic, and the progress of its reindexing. */
interface TypeProgress {
  readonly clinic: string
  readonly typeName: string
  /** The number of its name, by which the types are ordered. */
  readonly type: number
  /** The last finished row of the type. */
  readonly after: number
}

const fill = (
  engine: Engine,
  writer: Writer,
  extraction: Extraction,
  index: TypeIndex,
  limit: number,
): Promise<Batch> =>
  untilWritten(async () => {
    for (const progress of unfinished(engine, index)) {
      const { reached, ...rest } = extracted(engine, extraction, progress, limit)
      if (rest.done === 0) continue
      return await written(writer, { ...rest, upgrade: { generation: index.generation, reached } })
    }
    return NOTHING
  })

/**
 * Reindexes one batch. Rows do not have an index version, so all are reindexed; the cursor is the last finished row.
 * @throws StoreUnavailable when another version of the server has opened the file since
 */
export async function reindex(
  engine: Engine,
  writer: Writer,
  extraction: Extraction | undefined,
  { clinic, type: typeName, limit, after = '0' }: Reindexing,
): Promise<ReindexedBatch> {
  engine.names.forgetClinics()
  const type = engine.names.type(clinic, typeName)
  if (type === undefined || extraction === undefined) return NOTHING
  return await untilWritten(async () => {
    const { reached, ...rest } = extracted(engine, extraction, { clinic, typeName, type, after: Number(after) }, limit)
    if (rest.done === 0) return NOTHING
    const batch = await written(writer, rest)
    return batch && { ...batch, next: String(reached) }
  })
}

/** @throws StoreUnavailable when every attempt was outdated */
async function untilWritten<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < MAX_ATTEMPTS; count += 1) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw new StoreUnavailable('The search parameters of a clinic change faster than its resources can be reindexed')
}

/** An extracted batch, with the numbers of resources and of those that keep their entries. */
type ExtractedBatch = Refill & Batch

/** Writes a batch; undefined: it is outdated. */
async function written(writer: Writer, { done, failed, ...rows }: ExtractedBatch): Promise<Batch | undefined> {
  const refilled = await writer.refill(rows)
  return refilled.isOutdated ? undefined : { done, failed: failed + refilled.failed }
}

/**
 * Extracts as many resources as fit into LONGEST_BATCH, from one state of the file; `reached` is the last row of them.
 */
const extracted = (
  engine: Engine,
  extraction: Extraction,
  progress: TypeProgress,
  limit: number,
): ExtractedBatch & { readonly reached: number } =>
  engine.db.snapshot(() => {
    const deadline = performance.now() + LONGEST_BATCH
    const { clinic, typeName, type } = progress
    const custom = readRecord(engine.db, clinic, CUSTOM_PARAMETERS.kind, CUSTOM_PARAMETERS.key)
    const rows: ExtractedRow[] = []
    let [done, failed, reached] = [0, 0, progress.after]
    for (const row of rowsOf(engine, progress, limit)) {
      if (done > 0 && performance.now() > deadline) break
      const one = extractedRow(engine, extraction, progress, row, custom?.value)
      if (one === undefined) failed += 1
      else rows.push(one)
      done += 1
      reached = row
    }
    return { clinic, typeName, type, customVersion: custom?.version ?? 0, rows, done, failed, reached }
  })

/**
 * @returns undefined when the resource keeps its old rows, because none could be extracted
 * @throws StoreUnavailable
 */
function extractedRow(
  engine: Engine,
  extraction: Extraction,
  { clinic, typeName }: TypeProgress,
  row: number,
  custom: unknown,
): ExtractedRow | undefined {
  try {
    const { seq, resource } = resourceAt(engine, typeName, row)
    return { row, seq, entries: extraction.entriesOf(clinic, resource, custom) }
  } catch (error) {
    if (toStoreError(error) instanceof StoreUnavailable) throw error
    return undefined
  }
}

/** The unfinished types, in order; none when another server wants other parts by now. */
function unfinished({ db, names }: Engine, { type: typeName, generation }: TypeIndex): readonly TypeProgress[] {
  const reached = db.get<[number, number]>(
    'SELECT reached_type, reached_row FROM type_index WHERE type = ? AND generation = ?',
    ...[typeName, generation],
  )
  if (reached === undefined) return []
  const types = names.clinics().flatMap((clinic) => {
    const type = names.find(clinic, typeName)
    if (type === undefined || type < reached[0]) return []
    return [{ clinic: names.textOf(clinic), typeName, type, after: type === reached[0] ? reached[1] : 0 }]
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

interface ResourceVersion {
  readonly seq: number
  readonly resource: StoredResource
}

/** @throws Error when there is none */
function resourceAt({ db }: Engine, type: string, row: number): ResourceVersion {
  const found = db.get<[seq: number, id: string, ...VersionRow]>(
    `SELECT v.seq, r.id, v.version, v.updated, v.method, v.text
     FROM resource AS r CROSS JOIN version AS v ON v.seq = r.seq WHERE r.row = ?`,
    row,
  )
  if (found === undefined) throw new Error(`There is no resource in row ${row}`)
  const [seq, id, ...version] = found
  return { seq, resource: toStored(type, id, version) }
}
