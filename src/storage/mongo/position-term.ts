/** Conditions on positions: a box of the index, and the distance of what is in it. */
import { circleAround } from '../../fhir/globe.ts'
import type { Filter } from './collections.ts'
import { keyOf } from './index-items.ts'
import { found, type Of, type Term } from './term.ts'

export function positionTerm({ param, distance, ...center }: Of<'position'>): Term {
  const { latitudes, longitudes, haversine } = circleAround(center, distance)
  const k = keyOf('position', param)
  const box = found({
    k,
    v: within(latitudes),
    $or: longitudes.map((range) => ({ longitude: within(range) })),
  })
  const isNear = { $lte: [haversineFrom(center, '$$this.v', '$$this.longitude'), haversine] }
  // Items of other kinds have other values, so they must not come as far as the calculation.
  const near = { $filter: { input: '$ix', cond: { $cond: [{ $eq: ['$$this.k', { $literal: k }] }, isNear, false] } } }
  const filter = { $and: [box.filter, { $expr: { $ne: [near, []] } }] }
  return { filter, ...(box.access === undefined ? {} : { access: { ...box.access, exact: false } }) }
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
