/** Reindexing, the writing side: index rows of stored resources are replaced by those of entries extracted anew. */
import type { IndexEntry } from '../../search/plan.ts'
import { CUSTOM_PARAMETERS } from '../port.ts'
import { StoreUnavailable } from '../store-errors.ts'
import { changeCounts, countFullBlocks } from './block-counts.ts'
import { targetRow, writeInnerResources } from './change-set.ts'
import { combinedRows } from './combined.ts'
import type { Engine } from './engine.ts'
import { checkIndex } from './engine.ts'
import { toStoreError } from './faults.ts'
import { IndexRowBuilder, type IndexRows, readIndexRows, uncovered, writeIndexRows } from './index-entries.ts'
import { versionOf } from './records.ts'

export interface ExtractedRow {
  /** The row of the resource, and the sequence number of the version that the entries are extracted from. */
  readonly row: number
  readonly seq: number
  readonly entries: readonly IndexEntry[]
}

/** Entries of some resources of one type of one clinic. */
export interface Refill {
  readonly clinic: string
  readonly typeName: string
  /** The number of its name. */
  readonly type: number
  /** The version of CUSTOM_PARAMETERS by which they were extracted; 0: there was none. */
  readonly customVersion: number
  readonly rows: readonly ExtractedRow[]
  /** Present after an upgrade: the generation of the entries, and the last row finished with this batch. */
  readonly upgrade?: { readonly generation: number; readonly reached: number } | undefined
}

export interface Refilled {
  /** True when nothing was written, since the parameters or the generation have changed since the extraction. */
  readonly isOutdated: boolean
  /** Number of resources that keep their old rows, because the new ones could not be written. */
  readonly failed: number
}

/**
 * Writes a batch, within a transaction. A resource that was written meanwhile has newer entries, and keeps them.
 * @throws StoreUnavailable, for example when another version of the server has opened the file since
 */
export function refill(engine: Engine, batch: Refill): Refilled {
  if (isOutdated(engine, batch)) return { isOutdated: true, failed: 0 }
  const { rows, typeName, type, upgrade } = batch
  const failed = rows.filter((row) => !replace(engine, batch, row)).length
  countFullBlocks(engine.db)
  if (upgrade !== undefined) {
    engine.db.run(
      'UPDATE type_index SET reached_type = ?, reached_row = ? WHERE type = ?',
      ...[type, upgrade.reached, typeName],
    )
  }
  return { isOutdated: false, failed }
}

function isOutdated(engine: Engine, { clinic, typeName, customVersion, upgrade }: Refill): boolean {
  const { db } = engine
  if (versionOf(db, { clinic, ...CUSTOM_PARAMETERS }) !== customVersion) return true
  if (upgrade === undefined) {
    checkIndex(engine)
    return false
  }
  const wanted = db.get<[number]>('SELECT generation FROM type_index WHERE type = ?', typeName)?.[0]
  return wanted !== upgrade.generation
}

/**
 * @returns false when the resource keeps its old rows
 * @throws StoreUnavailable
 */
function replace(
  engine: Engine,
  { clinic, typeName, type }: Pick<Refill, 'clinic' | 'typeName' | 'type'>,
  { row, seq, entries }: ExtractedRow,
): boolean {
  const { db, names } = engine
  if (db.get<[number]>('SELECT seq FROM resource WHERE row = ?', row)?.[0] !== seq) return true
  db.run('SAVEPOINT resource')
  try {
    const targetOf = (targetType: number, id: string) => targetRow(engine, targetType, id)
    const builder = new IndexRowBuilder(names, clinic, type, targetOf)
    const before = replaceRows(engine, typeName, type, row, builder.build(uncovered(engine.covered[typeName], entries)))
    writeInnerResources(engine, { clinic, typeName, type, seq }, before, builder.inner, targetOf)
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

/**
 * Replaces the rows of a resource. Combined rows may or may not exist, so all are written; those that the new rows no
 * longer imply are removed.
 * @returns the previous rows
 */
function replaceRows(engine: Engine, typeName: string, type: number, row: number, after: IndexRows): IndexRows {
  const before = readIndexRows(engine.db, row)
  writeIndexRows(engine.db, row, before, after)
  changeCounts(engine.db, { type, row, live: 0, before, after })
  const combined = (rows: IndexRows): IndexRows =>
    new Map([['combined_index', combinedRows(engine, type, typeName, rows)]])
  writeIndexRows(engine.db, row, undefined, combined(after))
  writeIndexRows(engine.db, row, combined(before), combined(after))
  return before
}
