/**
 * Distances on the Earth, taken as a sphere (within 0.6 % of WGS84), for `near`:
 * https://hl7.org/fhir/R4/location.html#search.
 */

/** Degrees; latitudes from -90 to 90, longitudes from -180 to below 180. */
export interface GeoPoint {
  readonly latitude: number
  readonly longitude: number
}

/** All points within some distance of a center. */
export interface Circle {
  readonly center: GeoPoint
  /** The largest haversine from the center of any point within the circle. */
  readonly haversine: number
  /** The bounding box, for an index: two ranges of longitudes where it crosses the 180th meridian. */
  readonly latitudes: readonly [number, number]
  readonly longitudes: readonly (readonly [number, number])[]
}

/** Mean radius of the Earth, in metres. */
const RADIUS = 6_371_008.8
const EVERYWHERE = [-180, 180] as const
/** Margin for rounding errors, in degrees: a tenth of a millimetre. */
const MARGIN = 1e-9

const radians = (degrees: number): number => (degrees * Math.PI) / 180
const degrees = (angle: number): number => (angle * 180) / Math.PI

/**
 * The haversine of the distance, which grows with it and is exact for short distances too:
 * https://en.wikipedia.org/wiki/Haversine_formula.
 */
export function haversineOf(one: GeoPoint, other: GeoPoint): number {
  const [north, east] = [radians(other.latitude - one.latitude), radians(other.longitude - one.longitude)]
  const across = Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude))
  return Math.sin(north / 2) ** 2 + across * Math.sin(east / 2) ** 2
}

/** @param distance in metres */
export function circleAround(center: GeoPoint, distance: number): Circle {
  const angle = Math.min(distance / RADIUS, Math.PI)
  const height = degrees(angle) + MARGIN
  const [south, north] = [center.latitude - height, center.latitude + height]
  return {
    center,
    haversine: Math.sin(angle / 2) ** 2,
    latitudes: [Math.max(south, -90), Math.min(north, 90)],
    // A circle around a pole crosses every meridian.
    longitudes: south <= -90 || north >= 90 ? [EVERYWHERE] : longitudesAround(center, angle),
  }
}

function longitudesAround({ latitude, longitude }: GeoPoint, angle: number): Circle['longitudes'] {
  const width = degrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos(radians(latitude))))) + MARGIN
  const [west, east] = [longitude - width, longitude + width]
  if (west < -180) {
    return [
      [-180, east],
      [west + 360, 180],
    ]
  }
  if (east < 180) return [[west, east]]
  return [
    [west, 180],
    [-180, east - 360],
  ]
}
