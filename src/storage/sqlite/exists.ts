/** A term as a test of one resource row: EXISTS on the index rows of that resource, which lie side by side. */

import { ALWAYS, and, NEVER, not, or, raw, type Sql, sql } from './sql.ts'
import type { EntryTerm, Term } from './term.ts'

/** True where the resource of `row` (an expression) fulfils `term`. `depth` keeps nested aliases apart. */
export function exists(term: Term, row: Sql, depth = 0): Sql {
  switch (term.op) {
    case 'always':
      return ALWAYS
    case 'never':
      return NEVER
    case 'any':
      return or(term.of.map((part) => exists(part, row, depth)))
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
    case 'chain': {
      const [x, target] = [alias(depth), alias(depth + 1)]
      const holds = or(
        term.targets.map(({ scope, where }) =>
          and([sql`${target}.type = ${scope.type}`, exists(where, sql`${target}.row`, depth + 2)]),
        ),
      )
      return sql`EXISTS (SELECT 1
        FROM reference_index AS ${x} NOT INDEXED CROSS JOIN resource AS ${target} ON ${target}.row = ${x}.target
        WHERE ${x}.row = ${row} AND ${x}.param = ${term.param} AND ${target}.live = 1 AND ${holds})`
    }
    case 'has': {
      const x = alias(depth)
      const holds = exists(term.where, sql`${x}.row`, depth + 1)
      return sql`EXISTS (SELECT 1 FROM reference_index AS ${x} INDEXED BY reference_by_target
        WHERE ${x}.target = ${row} AND ${x}.param = ${term.param} AND ${holds})`
    }
  }
}

/** Unary plus keeps SQLite from an index by value, which it would otherwise prefer to the few rows of the resource. */
function entryExists(term: EntryTerm, row: Sql, depth: number): Sql {
  const x = alias(depth)
  return sql`EXISTS (SELECT 1 FROM ${raw(term.table)} AS ${x} NOT INDEXED
    WHERE ${x}.row = ${row} AND ${x}.param = ${term.param} AND ${term.matches(raw(`+x${depth}`))})`
}

const alias = (depth: number): Sql => raw(`x${depth}`)
