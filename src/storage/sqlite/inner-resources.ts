/**
 * Resources within resources (search/inner.ts): each is a row of its own type, with its own index rows and the version
 * of its container, whose text includes it. They are found, and removed, by the references that their container has for
 * `linkOf` its type.
 */
import { linkOf } from '../../search/inner.ts'
import type { InnerEntry } from '../../search/plan.ts'
import { changeCounts } from './block-counts.ts'
import type { Engine } from './engine.ts'
import { IndexRowBuilder, type IndexRows, readIndexRows, writeIndexRows } from './index-entries.ts'

export interface Container {
  readonly clinic: string
  readonly typeName: string
  /** The number of its name. */
  readonly type: number
  /** The sequence number of its current version. */
  readonly seq: number
}

type TargetRow = (type: number, id: string) => number

/**
 * Replaces the resources within a resource.
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
