/** A term as a test of one resource row: EXISTS on the index rows of that resource, which lie side by side. */

import { ALWAYS, and, isIn, NEVER, not, or, raw, type Sql, sql, visited } from './sql.ts'
import { type ChainTerm, type EntryTerm, type HasTerm, isThere, type Term } from './term.ts'

/** True where the resource of `row` (an expression) fulfils `term`. `depth` keeps nested aliases apart. */
export function exists(term: Term, row: Sql, depth = 0): Sql {
  switch (term.op) {
    case 'always':
      return ALWAYS
    case 'never':
      return NEVER
    case 'any':
      return or(oneForEachParameter(term.of).map((part) => exists(part, row, depth)))
    case 'all':
      return and(term.of.map((part) => exists(part, row, depth)))
    case 'not':
      return not(exists(term.of, row, depth))
    case 'entry':
      return entryExists(term, row, depth)
    case 'resource': {
      const x = alias(depth)
      return sql`EXISTS (SELECT 1 FROM resource AS ${x} WHERE ${x}.row = ${row} AND ${term.matches(x)})`
    }
    case 'sorted':
      return sql`${term.value(row)} IS ${term.equals}`
    case 'chain':
      return chainExists(term, row, depth)
    case 'has':
      return hasExists(term, row, depth)
  }
}

/** Merges alternatives on entries of the same parameter into one term, so that these entries are read once. */
function oneForEachParameter(terms: readonly Term[]): readonly Term[] {
  const groups = Map.groupBy(terms, (term) => (term.op === 'entry' ? `${term.table} ${term.param}` : term))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first?.op !== 'entry' || group.length === 1) return group
    const entries = group.filter((term) => term.op === 'entry')
    return [{ ...first, matches: (x: Sql) => or(entries.map(({ matches }) => matches(x))) }]
  })
}

function chainExists({ param, targets, among }: ChainTerm, row: Sql, depth: number): Sql {
  const [x, target] = [alias(depth), alias(depth + 1)]
  const own = sql`${x}.row = ${row} AND ${x}.param = ${param} AND ${visited(sql`${x}.target`)}`
  if (among !== undefined) {
    return sql`EXISTS (SELECT 1 FROM reference_index AS ${x} NOT INDEXED WHERE ${own} AND ${isIn(sql`${x}.target`, among)})`
  }
  const holds = or(
    targets.map(({ scope, where }) =>
      and([sql`${target}.type = ${scope.type}`, isThere(target, scope), exists(where, sql`${target}.row`, depth + 2)]),
    ),
  )
  return sql`EXISTS (SELECT 1
    FROM reference_index AS ${x} NOT INDEXED CROSS JOIN resource AS ${target} ON ${target}.row = ${x}.target
    WHERE ${own} AND ${holds})`
}

function hasExists({ param, where, among }: HasTerm, row: Sql, depth: number): Sql {
  if (among !== undefined) return isIn(row, among)
  const x = alias(depth)
  return sql`EXISTS (SELECT 1 FROM reference_index AS ${x} INDEXED BY reference_by_target
    WHERE ${x}.target = ${row} AND ${x}.param = ${param} AND ${visited(sql`${x}.row`)}
      AND ${exists(where, sql`${x}.row`, depth + 1)})`
}

/**
 * Tests the entries of one resource. Unary plus keeps SQLite from an index by value, which it would otherwise prefer to
 * the few rows of the resource. The entries of a candidate are read once; those of referenced resources may be read for
 * each candidate, so they are counted.
 */
function entryExists(term: EntryTerm, row: Sql, depth: number): Sql {
  const x = alias(depth)
  const own = sql`${x}.row = ${row} AND ${x}.param = ${term.param}`
  const matches = term.matches(raw(`+x${depth}`))
  return sql`EXISTS (SELECT 1 FROM ${raw(term.table)} AS ${x} NOT INDEXED
    WHERE ${and([own, depth === 0 ? ALWAYS : visited(sql`${x}.row`), matches])})`
}

const alias = (depth: number): Sql => raw(`x${depth}`)
