/** Writes one change set inside a transaction: first all checks that could refuse it, then the rows. */

import { linkOf } from '../../search/inner.ts'
import type { InnerEntry } from '../../search/plan.ts'
import { type ChangeSet, CUSTOM_PARAMETERS, type ResourceChange } from '../port.ts'
import { StoreConflict } from '../store-errors.ts'
import { changeCounts, countFullBlocks } from './block-counts.ts'
import { combinedRows } from './combined.ts'
import type { Engine } from './engine.ts'
import {
  IndexRowBuilder,
  type IndexRows,
  listNewWords,
  readIndexRows,
  uncovered,
  writeIndexRows,
} from './index-entries.ts'
import { recordConflict, versionOf, writeRecord } from './records.ts'
import { findIds } from './search.ts'
import { raw } from './sql.ts'

/**
 * The conflict that refuses the whole change set, found before any of it is written.
 * @throws IndexIncomplete when a guard searches by a part of the index that is not complete
 */
export function conflictIn(engine: Engine, changes: ChangeSet): StoreConflict | undefined {
  return (
    versionConflict(engine, changes) ??
    recordConflicts(engine, changes) ??
    indexVersionConflict(engine, changes) ??
    guardConflict(engine, changes)
  )
}

/** Rows by type and id, so that a resource to which a change set refers repeatedly is looked up once. */
type ResourceRows = Map<string, number>

export function apply(engine: Engine, changes: ChangeSet): void {
  let seq = engine.db.number(raw('SELECT max(seq) FROM version'))
  const rows: ResourceRows = new Map()
  for (const change of changes.resources) {
    seq += 1
    writeResource(engine, changes.clinic, change, seq, rows)
  }
  for (const change of changes.records) writeRecord(engine.db, change)
  if (changes.resources.length === 0) return
  listNewWords(engine.db)
  countFullBlocks(engine.db)
}

function versionConflict(engine: Engine, changes: ChangeSet): StoreConflict | undefined {
  // A later change of the same set follows the earlier one, not the stored version.
  const versions = new Map<string, number>()
  for (const { type, id, expect, version } of changes.resources) {
    const subject = `${type}/${id}`
    const current = versions.get(subject) ?? currentVersion(engine, changes.clinic, type, id)
    if (current !== expect) return new StoreConflict('version', subject)
    versions.set(subject, version)
  }
  return undefined
}

function currentVersion(engine: Engine, clinic: string, type: string, id: string): number {
  const typeId = engine.names.type(clinic, type)
  if (typeId === undefined) return 0
  return engine.db.get<[number]>('SELECT version FROM resource WHERE type = ? AND id = ?', typeId, id)?.[0] ?? 0
}

function recordConflicts(engine: Engine, changes: ChangeSet): StoreConflict | undefined {
  for (const change of changes.records) {
    const conflict = recordConflict(engine.db, change)
    if (conflict !== undefined) return conflict
  }
  return undefined
}

/**
 * Checks the version of CUSTOM_PARAMETERS. A set that changes that record itself states the version it has seen in
 * `expect`.
 */
function indexVersionConflict({ db }: Engine, { clinic, indexVersion, records }: ChangeSet): StoreConflict | undefined {
  const { kind, key } = CUSTOM_PARAMETERS
  if (indexVersion === undefined || records.some((record) => record.kind === kind)) return undefined
  return versionOf(db, { clinic, kind, key }) === indexVersion
    ? undefined
    : new StoreConflict('record', `${kind}/${key}`)
}

function guardConflict(engine: Engine, changes: ChangeSet): StoreConflict | undefined {
  for (const { plan, ids } of changes.guards) {
    const expected = new Set(ids)
    const found = findIds(engine, plan, expected.size + 1)
    const holds = found.length === expected.size && found.every((id) => expected.has(id))
    if (!holds) return new StoreConflict('guard', plan.types.join(','))
  }
  return undefined
}

function writeResource(engine: Engine, clinic: string, change: ResourceChange, seq: number, known: ResourceRows): void {
  const { clinic: clinicId, type } = engine.names.internType(clinic, change.type)
  const { row, live } = writeCurrent(engine, type, change, seq)
  known.set(`${type}/${change.id}`, row)
  engine.db.run(
    `INSERT INTO version (seq, clinic, type, row, version, updated, method, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[seq, clinicId, type, row, change.version, change.lastUpdated, change.method, change.text],
  )
  const targetOf = (target: number, id: string) => knownRow(engine, known, target, id)
  const builder = new IndexRowBuilder(engine.names, clinic, type, targetOf)
  const rows = builder.build(uncovered(engine.covered[change.type], change.entries))
  const before = change.expect === 0 ? undefined : withCombined(engine, type, change, readIndexRows(engine.db, row))
  const after = withCombined(engine, type, change, rows)
  writeIndexRows(engine.db, row, before, after)
  writeInnerResources(engine, { clinic, typeName: change.type, type, seq }, before, builder.inner, targetOf)
  if (live !== undefined) changeCounts(engine.db, { type, row, live, before, after })
}

interface WrittenRow {
  readonly row: number
  /** The change in the number of live resources; undefined for a new row. */
  readonly live?: -1 | 0 | 1
}

/** Makes `seq` the current version of the resource row; a row that was only referenced so far becomes a resource. */
function writeCurrent(engine: Engine, type: number, change: ResourceChange, seq: number): WrittenRow {
  const live = change.method === 'DELETE' ? 0 : 1
  const values = [seq, change.version, change.lastUpdated, live]
  const [row, wasLive] =
    engine.db.get<[number, number]>('SELECT row, live FROM resource WHERE type = ? AND id = ?', type, change.id) ?? []
  if (row === undefined) {
    const inserted = engine.db.run(
      'INSERT INTO resource (seq, version, updated, live, type, id) VALUES (?, ?, ?, ?, ?, ?)',
      ...[...values, type, change.id],
    )
    return { row: inserted }
  }
  engine.db.run('UPDATE resource SET seq = ?, version = ?, updated = ?, live = ? WHERE row = ?', ...values, row)
  return { row, live: live === wasLive ? 0 : live === 1 ? 1 : -1 }
}

const findRow = (engine: Engine, type: number, id: string): number | undefined =>
  engine.db.get<[number]>('SELECT row FROM resource WHERE type = ? AND id = ?', type, id)?.[0]

/** The row of a referenced resource, created when there is none yet. */
export const targetRow = (engine: Engine, type: number, id: string): number =>
  findRow(engine, type, id) ??
  engine.db.run('INSERT INTO resource (type, id, version, updated, live) VALUES (?, ?, 0, 0, 0)', type, id)

function knownRow(engine: Engine, known: ResourceRows, type: number, id: string): number {
  const address = `${type}/${id}`
  const row = known.get(address) ?? targetRow(engine, type, id)
  known.set(address, row)
  return row
}

function withCombined(engine: Engine, type: number, change: ResourceChange, rows: IndexRows): IndexRows {
  const combined = combinedRows(engine, type, change.type, rows)
  return combined.length === 0 ? rows : new Map([...rows, ['combined_index', combined]])
}

interface Container {
  readonly clinic: string
  readonly typeName: string
  /** The number of its name. */
  readonly type: number
  /** The sequence number of its current version. */
  readonly seq: number
}

type TargetRow = (type: number, id: string) => number

/**
 * Replaces the resources within a resource (search/inner.ts): each is a row of its own type, with its own index rows and
 * the version of its container, whose text includes it. They are found, and removed, by the references that their
 * container has for `linkOf` its type.
 * @param before the rows that the container had; undefined for a new one
 */
export function writeInnerResources(
  engine: Engine,
  container: Container,
  before: IndexRows | undefined,
  inner: readonly InnerEntry[],
  targetRow: TargetRow,
): void {
  const had = before === undefined ? [] : linkedRows(engine, container, before)
  if (had.length === 0 && inner.length === 0) return
  const kept = new Set(inner.map((one) => writeInner(engine, container, one, before === undefined, targetRow)))
  for (const row of had.filter((one) => !kept.has(one))) removeInner(engine, row)
}

function removeInner({ db }: Engine, row: number): void {
  const [type = 0, live] = stateOf(db, row)
  const before = readIndexRows(db, row)
  db.run('UPDATE resource SET seq = NULL, version = 0, live = 0 WHERE row = ?', row)
  writeIndexRows(db, row, before, new Map())
  changeCounts(db, { type, row, live: live === 1 ? -1 : 0, before, after: new Map() })
}

const stateOf = (db: Engine['db'], row: number): readonly [type?: number, live?: number] =>
  db.get<[number, number]>('SELECT type, live FROM resource WHERE row = ?', row) ?? []

function linkedRows({ names }: Engine, { type, typeName }: Container, before: IndexRows): readonly number[] {
  const references = before.get('reference_index') ?? []
  const link = references.length === 0 ? undefined : names.param(type, 'reference', linkOf(typeName))
  return link === undefined ? [] : references.flatMap(([param, target]) => (param === link ? Number(target) : []))
}

/** @returns its row */
function writeInner(
  { db, names }: Engine,
  { clinic, seq }: Container,
  { type: typeName, id, entries }: InnerEntry,
  isNew: boolean,
  targetRow: TargetRow,
): number {
  const { type } = names.internType(clinic, typeName)
  const row = targetRow(type, id)
  const [, live] = stateOf(db, row)
  db.run(
    `UPDATE resource SET seq = v.seq, version = v.version, updated = v.updated, live = 1
     FROM (SELECT seq, version, updated FROM version WHERE seq = ?) AS v WHERE row = ?`,
    ...[seq, row],
  )
  const after = new IndexRowBuilder(names, clinic, type, targetRow).build(entries)
  const before = isNew ? undefined : readIndexRows(db, row)
  writeIndexRows(db, row, before, after)
  changeCounts(db, { type, row, live: live === 1 ? 0 : 1, before, after })
  return row
}
