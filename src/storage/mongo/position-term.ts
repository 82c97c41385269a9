/** Conditions on positions: a box of the index, and the distance of the positions within it. */

import { MaxKey } from 'mongodb'
import { type Circle, circleAround } from '../../fhir/great-circle.ts'
import type { Of } from '../conditions.ts'
import type { Filter } from './collections.ts'
import { bandOf, keyOf } from './index-entries.ts'
import { indexedTerm, type Term } from './term.ts'

/** A wider circle is one range of bands without bounds on the longitude: it finds many resources anyway. */
const MAX_BANDS = 24

export function positionTerm({ param, distance, ...center }: Of<'position'>): Term {
  const circle = circleAround(center, distance)
  const k = keyOf('position', param)
  const box = indexedTerm(
    {
      k,
      latitude: within(circle.latitudes),
      $or: circle.longitudes.map((range) => ({ 'v.longitude': within(range) })),
    },
    { by: rangesOf(circle).map((v) => ({ k, v })) },
  )
  const isNear = { $lte: [haversineFrom(center, '$$this.latitude', '$$this.v.longitude'), circle.haversine] }
  // Items of other kinds have no coordinates, so the calculation must not be evaluated on them.
  const near = { $filter: { input: '$ix', cond: { $cond: [{ $eq: ['$$this.k', { $literal: k }] }, isNear, false] } } }
  const filter = { $and: [box.filter, { $expr: { $ne: [near, []] } }] }
  return { filter, ...(box.source === undefined ? {} : { source: { ...box.source, exact: false } }) }
}

/** The ranges of the index on bands and longitudes. */
function rangesOf({ latitudes, longitudes }: Circle): readonly Filter[] {
  const [from, to] = [bandOf(latitudes[0]), bandOf(latitudes[1])]
  if (to - from >= MAX_BANDS) return [{ $gte: { band: from }, $lte: { band: to, longitude: new MaxKey() } }]
  const bands = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  return bands.flatMap((band) =>
    longitudes.map(([west, east]) => ({ $gte: { band, longitude: west }, $lte: { band, longitude: east } })),
  )
}

const within = ([from, to]: readonly [number, number]): Filter => ({ $gte: from, $lte: to })

/** haversineOf() as an expression. */
function haversineFrom(
  { latitude, longitude }: Pick<Of<'position'>, 'latitude' | 'longitude'>,
  latitudeOf: string,
  longitudeOf: string,
): Filter {
  const radians = (expression: Filter | string): Filter => ({ $degreesToRadians: expression })
  const half = (field: string, from: number): Filter => ({
    $pow: [{ $sin: { $divide: [radians({ $subtract: [field, from] }), 2] } }, 2],
  })
  const across = [Math.cos((latitude * Math.PI) / 180), { $cos: radians(latitudeOf) }]
  return { $add: [half(latitudeOf, latitude), { $multiply: [...across, half(longitudeOf, longitude)] }] }
}
