/** Conditions on the words of a resource; see word-lists.ts. */

import type { Of } from '../conditions.ts'
import type { Engine } from './engine.ts'
import { entry, startsWith, stringTerm } from './entry-terms.ts'
import type { Source } from './source.ts'
import { and, type Sql, sql, visited } from './sql.ts'
import { anyOf, type Matches, type Scope, type Term } from './term.ts'

/** Resources of an older file have their words in string_index until they are reindexed; in a new file none have. */
export const wordsTerm = (engine: Engine, scope: Scope, condition: Of<'words'>): Term =>
  anyOf([ownTerm(engine, scope, condition), stringTerm(engine, scope, { ...condition, kind: 'string' })])

function ownTerm(engine: Engine, scope: Scope, { param: code, match, value }: Of<'words'>): Term {
  const part = match === 'equal' ? ` ${value} ` : ` ${value}`
  const matches: Matches = (x) => sql`instr(${x}.words, ${part}) > 0`
  const isListed = match === 'equal' ? sql`l.word = ${value}` : startsWith(sql`l.word`, value)
  return entry(engine, scope, 'words', code, (param) => ({
    matches,
    source: sourceOf(scope, param, isListed, matches),
  }))
}

/** The resources that have the word, among those in its lists and those that are in no list yet. */
function sourceOf(scope: Scope, param: number, isListed: Sql, matches: Matches): Source {
  return {
    from: sql`(
      SELECT r.value AS row FROM word_list AS l CROSS JOIN json_each(l.rows) AS r
        WHERE l.param = ${param} AND ${isListed}
      UNION ALL
      SELECT n.row FROM resource AS n INDEXED BY resource_by_row
        WHERE n.type = ${scope.type} AND n.live = 1 AND n.row > (SELECT row FROM word_listed)
    ) AS c CROSS JOIN word_index AS d ON d.row = c.row`,
    where: and([sql`d.param = ${param}`, visited(sql`c.row`), matches(sql`d`)]),
    row: sql`d.row`,
    inRowOrder: false,
    distinct: false,
  }
}
