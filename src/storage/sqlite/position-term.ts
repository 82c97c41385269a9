/** Conditions on positions: a box of the index, and the distance of the positions within it. */

import { circleAround } from '../../fhir/great-circle.ts'
import type { Of } from '../conditions.ts'
import type { Engine } from './engine.ts'
import { entry } from './entry-terms.ts'
import { and, or, type Sql, sql } from './sql.ts'
import type { Scope, Term } from './term.ts'

export function positionTerm(engine: Engine, scope: Scope, { param, distance, ...center }: Of<'position'>): Term {
  const { latitudes, longitudes, haversine } = circleAround(center, distance)
  return entry(engine, scope, 'position', param, () => ({
    index: 'position_by_value',
    matches: (x) =>
      and([
        within(sql`${x}.latitude`, latitudes),
        or(longitudes.map((range) => within(sql`${x}.longitude`, range))),
        sql`${haversineFrom(center, x)} <= ${haversine}`,
      ]),
  }))
}

const within = (column: Sql, [from, to]: readonly [number, number]): Sql =>
  sql`(${column} >= ${from} AND ${column} <= ${to})`

/** haversineOf() in SQL. */
function haversineFrom({ latitude, longitude }: Pick<Of<'position'>, 'latitude' | 'longitude'>, x: Sql): Sql {
  const half = (column: Sql, from: number) => sql`pow(sin(radians(${column} - ${from}) / 2), 2)`
  const across = sql`cos(radians(${latitude})) * cos(radians(${x}.latitude))`
  return sql`(${half(sql`${x}.latitude`, latitude)} + ${across} * ${half(sql`${x}.longitude`, longitude)})`
}
