/** Reindexing, the writing side: index rows of stored resources are replaced by those of entries extracted anew. */
import type { IndexEntry } from '../../search/plan.ts'
import { CUSTOM_PARAMETERS, StoreUnavailable } from '../port.ts'
import { changeCounts, countFullBlocks } from './block-counts.ts'
import { targetRow } from './change-set.ts'
import { combinedRows } from './combined.ts'
import { uncovered } from './covered.ts'
import type { Engine } from './engine.ts'
import { toStoreError } from './faults.ts'
import { IndexRowBuilder, type IndexRows, readIndexRows, writeIndexRows } from './index-entries.ts'
import { checkIndex } from './index-state.ts'
import { writeInnerResources } from './inner-resources.ts'
import { versionOf } from './records.ts'

export interface ExtractedRow {
  /** Of the resource, and the sequence number of the version that the entries are extracted from. */
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
  /** The version of CUSTOM_PARAMETERS that they are extracted by; 0: there was none. */
  readonly customVersion: number
  readonly rows: readonly ExtractedRow[]
  /** After an upgrade: the generation that the entries belong to, and the last row that is done then. */
  readonly upgrade?: { readonly generation: number; readonly reached: number } | undefined
}

export interface Refilled {
  /** Nothing was written: what the entries depend on has changed since they were extracted. */
  readonly isOutdated: boolean
  /** Resources that keep the rows they had, because theirs could not be written. */
  readonly failed: number
}

/**
 * Within a transaction. A resource that was written meanwhile has newer entries, and keeps them.
 * @throws StoreUnavailable, for one when another version of the server has opened the file since
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
 * @returns false when it keeps the rows it has
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
 * Combined rows may exist or not, so all are written; those that the new rows no longer imply are removed.
 * @returns the rows that it had
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
