/** Conditions on composites: one row holds all parts of one repetition, and is found by its first values at once. */

import { type CompositeTests, compositeTests, type ValueTest } from '../composite-key.ts'
import type { Of } from '../conditions.ts'
import type { Engine } from './engine.ts'
import { entry, startsWith } from './entry-terms.ts'
import { between } from './range-terms.ts'
import { ALWAYS, and, raw, type Sql, sql } from './sql.ts'
import { anyOf, type Scope, type Term } from './term.ts'

export function compositeTerm(engine: Engine, scope: Scope, condition: Of<'composite'>): Term {
  return anyOf(
    compositeTests(condition).map((tests) =>
      entry(engine, scope, 'composite', condition.param, (param) => {
        const shape = engine.names.find(param, tests.shape)
        if (shape === undefined) return undefined
        return { index: 'composite_by_value', matches: (x) => matches(x, shape, tests) }
      }),
    ),
  )
}

const matches = (x: Sql, shape: number, { text, more, low, rest }: CompositeTests): Sql =>
  and([
    sql`${x}.shape = ${shape}`,
    passes(sql`${x}.text`, text),
    passes(sql`${x}.more`, more),
    passes(sql`${x}.low`, low),
    ...[...rest].map(([place, test]) => passes(sql`(${x}.rest ->> ${raw(String(place))})`, test)),
  ])

function passes(column: Sql, test: ValueTest | undefined): Sql {
  if (test === undefined) return ALWAYS
  if ('equals' in test) return sql`${column} = ${test.equals}`
  if ('startsWith' in test) return startsWith(column, test.startsWith)
  return between(column, test)
}
