/**
 * Deletes everything that a clinic has, a part at a time. The first part takes the name of the clinic out of its place,
 * so nothing finds any of its resources from then on, and their rows can be deleted in any order.
 */
import type { Drop } from '../port.ts'
import type { Database } from './connection.ts'
import { checkIndex, type Engine } from './engine.ts'
import { ENTRY_TABLES } from './index-entries.ts'
import { NOTHING } from './schema.ts'
import { ALWAYS, isOneOf, limitedTo, raw, sql } from './sql.ts'

/** The parent of the names of dropped clinics; the number of each, as a text, is a name below its own. */
const DROPPED = -2

/** Rows that depend on names, and names, deleted in place of one resource, which takes about as long. */
const ROWS_OF_RESOURCE = 32

/** The tables whose rows depend on a name but are not clustered by resource: the column of the name, and the key. */
const TABLES_BY_NAME = [
  ['combined_index', 'param', 'param, first, second, low, row, high'],
  ['key_index', 'param', 'param, code, row'],
  ['word_list', 'param', 'param, word, first'],
  ['block_param', 'param', 'param, block'],
  ['block_code', 'param', 'param, code, block'],
  ['block_type', 'type', 'type, block'],
] as const

/** Deletes a part, within a transaction. @returns true when nothing is left */
export function drop(engine: Engine, clinic: string, { limit, kinds }: Drop): boolean {
  checkIndex(engine)
  const { db } = engine
  detach(engine, clinic)
  const resources = dropResources(db, clinic, limit)
  const left = limit - resources - dropRecords(db, clinic, kinds, limit - resources)
  return left > 0 && dropNames(db, clinic, left * ROWS_OF_RESOURCE)
}

function detach({ db, names }: Engine, clinic: string): void {
  const id = names.clinic(clinic)
  if (id === undefined) return
  const known = db.get<[number]>('SELECT id FROM name WHERE parent = ? AND text = ?', DROPPED, clinic)?.[0]
  const dropped = known ?? db.run('INSERT INTO name (parent, text) VALUES (?, ?)', DROPPED, clinic)
  db.run('UPDATE name SET parent = ?, text = ? WHERE id = ?', dropped, String(id), id)
  names.forgetClinics()
  reserveNumbers(db)
}

/** Gives the highest numbers to the rows that stand for nothing: see VERSION_8 in schema.ts. */
function reserveNumbers(db: Database): void {
  db.run(`UPDATE name SET id = (SELECT max(id) FROM name) + 1 WHERE parent = ${NOTHING}`)
  db.run(`UPDATE resource SET row = (SELECT max(row) FROM resource) + 1 WHERE type = ${NOTHING}`)
  db.run('UPDATE version SET seq = (SELECT max(seq) FROM version) + 1 WHERE row = 0')
}

/** @returns how many were deleted */
function dropResources(db: Database, clinic: string, most: number): number {
  const rows = db.all<[number]>(
    `SELECT r.row FROM name AS d CROSS JOIN name AS c ON c.parent = d.id CROSS JOIN name AS t ON t.parent = c.id
       CROSS JOIN resource AS r ON r.type = t.id
     WHERE d.parent = ${DROPPED} AND d.text = ? LIMIT ?`,
    ...[clinic, most],
  )
  for (const table of [...ENTRY_TABLES, 'version', 'resource']) {
    db.run(`DELETE FROM ${table} WHERE row IN (SELECT value FROM json_each(?))`, JSON.stringify(rows.flat()))
  }
  return rows.length
}

/** @returns how many were deleted */
function dropRecords(db: Database, clinic: string, kinds: Drop['kinds'], most: number): number {
  const isDropped = kinds === undefined ? ALWAYS : isOneOf(raw('kind'), kinds)
  const found = db.select<[number]>(
    sql`SELECT number FROM record WHERE clinic = ${clinic} AND ${isDropped} ${limitedTo(most)}`,
  )
  db.run('DELETE FROM record WHERE number IN (SELECT value FROM json_each(?))', JSON.stringify(found.flat()))
  return found.length
}

/**
 * Deletes names that no other name is below, with the rows that depend on them, until none is left or `most` rows are
 * deleted.
 * @returns true when none is left
 */
function dropNames(db: Database, clinic: string, most: number): boolean {
  for (let left = most; left > 0; ) {
    const names = db.all<[number]>(LOWEST, clinic, left)
    if (names.length === 0) return true
    const ids = JSON.stringify(names.flat())
    for (const [table, column, key] of TABLES_BY_NAME) {
      db.run(
        `DELETE FROM ${table} WHERE (${key}) IN (
           SELECT ${key} FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?)) LIMIT ?)`,
        ...[ids, left],
      )
      left -= db.number(raw('SELECT changes()'))
    }
    if (left <= 0) return false
    db.run('DELETE FROM name WHERE id IN (SELECT value FROM json_each(?))', ids)
    left -= names.length
  }
  return false
}

/** Names of a dropped clinic that no other name is below. Goes down before it goes on, so it reads few at a time. */
const LOWEST = `WITH RECURSIVE below (id, level) AS (
    SELECT id, 0 FROM name WHERE parent = ${DROPPED} AND text = ?
    UNION ALL SELECT n.id, level + 1 FROM below CROSS JOIN name AS n ON n.parent = below.id ORDER BY 2 DESC)
  SELECT id FROM below WHERE NOT EXISTS (SELECT 1 FROM name AS n WHERE n.parent = below.id) LIMIT ?`
