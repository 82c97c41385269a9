/** `near` of Location, the only parameter of type special: https://hl7.org/fhir/R4/location.html#search. */
import type { GeoPoint } from '../../fhir/great-circle.ts'
import { isNumber } from '../../fhir/json.ts'
import { isObject } from '../../fhir/resource.ts'
import { type BaseUnit, baseUnit, closestUnits } from '../../fhir/ucum.ts'
import type { Condition, IndexEntry } from '../plan.ts'
import { malformed, splitUnescaped, unescaped, type ValueContext } from '../value.ts'
import { addPresence } from './token.ts'

export const NEAR_MODIFIERS = [] as const

/** Kilometres, where the client states no distance. */
const DEFAULT_DISTANCE = '50'
const DEFAULT_UNITS = 'km'

const DECIMAL = /^[-+]?\d{1,20}(?:\.\d{1,20})?$/

/**
 * Parses `latitude|longitude`, with an optional distance: `|10` in kilometres, or in another UCUM unit of length
 * `|10|[mi_us]`.
 */
export function parseNear(param: string, text: string, context: ValueContext): Condition {
  const [latitude = '', longitude, distance, units, ...rest] = splitUnescaped(text, '|').map(unescaped)
  if (longitude === undefined || rest.length > 0) {
    throw malformed(context, text, 'is not a place; write latitude|longitude|distance|units, e.g. 42.36|-71.06|10|km')
  }
  const place = placeOf(Number(number(latitude, context)), Number(number(longitude, context)))
  if (place === undefined) {
    throw malformed(context, text, 'is not on Earth: latitudes are from -90 to 90, longitudes from -180 to 180')
  }
  const value = Number(number(distance || DEFAULT_DISTANCE, context))
  if (value < 0) throw malformed(context, text, 'has a distance of less than none')
  return { kind: 'position', param, ...place, distance: unitOf(units || DEFAULT_UNITS, text, context).toBase(value) }
}

function number(text: string, context: ValueContext): string {
  // A plus that the client did not escape arrives as a space.
  if (DECIMAL.test(text.replace(/^ (?=\d)/, ''))) return text
  throw malformed(context, text, 'is not a decimal number; write latitude|longitude|distance|units in numbers')
}

function unitOf(units: string, text: string, context: ValueContext): BaseUnit {
  const unit = baseUnit(units)
  if (unit?.code === 'm') return unit
  const close = unit === undefined ? `, nor any unit of UCUM; close to it are ${closestUnits(units).join(', ')}` : ''
  throw malformed(context, text, `has '${units}', which is no unit of length (km, m, [mi_us], [ft_i])${close}`)
}

/** The place; undefined for coordinates that are not on Earth. The meridian 180 is the same as -180. */
function placeOf(latitude: number, longitude: number): GeoPoint | undefined {
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return undefined
  return { latitude, longitude: longitude === 180 ? -180 : longitude }
}

/** Extracts a Location.position; one that is not on Earth is found only by :missing. */
export function extractPosition(param: string, value: unknown, entries: IndexEntry[]): void {
  if (!isObject(value)) return
  const { latitude, longitude } = value
  const place = isNumber(latitude) && isNumber(longitude) ? placeOf(Number(latitude), Number(longitude)) : undefined
  if (place === undefined) addPresence(param, entries)
  else entries.push({ kind: 'position', param, ...place })
}
