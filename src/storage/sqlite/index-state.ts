/** The state of the search index, as the file stores it. */
import { isInner } from '../../search/inner.ts'
import { type IndexState, type Parts, partOfCombined, type TypeIndex } from '../index/search-index.ts'
import type { Database } from './connection.ts'
import { refuseNewer } from './schema.ts'
import { raw } from './sql.ts'

export const epochOf = (db: Database): number => db.number(raw('SELECT epoch FROM store'))

const nextEpoch = (db: Database): unknown => db.run('UPDATE store SET epoch = epoch + 1')

type StateRow = [type: string, generation: number, wanted: string, filled: string]

/** @throws StoreOutdated when a newer server has changed the tables */
export function readState(db: Database): IndexState {
  refuseNewer(db)
  const rows = db.all<StateRow>('SELECT type, generation, wanted, filled FROM type_index')
  return {
    epoch: epochOf(db),
    extraction: db.number(raw('SELECT extraction FROM store')),
    types: new Map(rows.map((row) => [row[0], toTypeIndex(row)])),
  }
}

const toTypeIndex = ([type, generation, wanted, filled]: StateRow): TypeIndex => ({
  type,
  generation,
  wanted: JSON.parse(wanted) as Parts,
  filled: JSON.parse(filled) as Parts,
})

/** The types that have resources which are not deleted, with their number. */
export function storedTypes(db: Database): ReadonlyMap<string, number> {
  const found = db.all<[string, number]>(`SELECT t.text, count(*) FROM name AS c CROSS JOIN name AS t ON t.parent = c.id
    CROSS JOIN resource AS r INDEXED BY resource_by_row ON r.type = t.id AND r.live = 1 WHERE c.parent = 0 GROUP BY t.text`)
  return new Map(found.filter(([type]) => !isInner(type)))
}

/**
 * Claims parts. Combined rows of a part that is not filled may be incomplete or outdated: they are removed, and filled
 * again.
 */
export function claim(db: Database, types: readonly TypeIndex[], extraction: number): void {
  for (const { type, generation, wanted, filled } of types) {
    const before = db.get<[number]>('SELECT generation FROM type_index WHERE type = ?', type)?.[0] ?? 0
    if (before !== generation - 1) continue
    db.run(
      'INSERT OR REPLACE INTO type_index (type, generation, wanted, filled) VALUES (?, ?, ?, ?)',
      ...[type, generation, JSON.stringify(wanted), JSON.stringify(filled)],
    )
    removeCombined(db, type, filled)
  }
  db.run('UPDATE store SET extraction = max(extraction, ?)', extraction)
  nextEpoch(db)
}

function removeCombined(db: Database, typeName: string, filled: Parts): void {
  const known = db.all<[number, string]>(
    `SELECT p.id, p.text FROM name AS c CROSS JOIN name AS t ON t.parent = c.id CROSS JOIN name AS k ON k.parent = t.id
       CROSS JOIN name AS p ON p.parent = k.id
     WHERE c.parent = 0 AND t.text = ? AND k.text = 'combined'`,
    typeName,
  )
  for (const [param, text] of known) {
    if (filled[partOfCombined(text)] === undefined) db.run('DELETE FROM combined_index WHERE param = ?', param)
  }
}

export function complete(db: Database, { type, generation }: TypeIndex): void {
  db.run(
    `UPDATE type_index SET filled = wanted, reached_type = 0, reached_row = 0 WHERE type = ? AND generation = ?`,
    ...[type, generation],
  )
  nextEpoch(db)
}

export function lease(db: Database, holder: string, milliseconds: number): boolean {
  const now = Date.now()
  const [held, until] = db.get<[string, number]>('SELECT holder, held_until FROM store') ?? ['', 0]
  if (held !== holder && until > now) return false
  db.run('UPDATE store SET holder = ?, held_until = ?', holder, now + milliseconds)
  return true
}
