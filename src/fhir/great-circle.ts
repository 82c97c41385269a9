/** Distances on the surface of the Earth, taken for a sphere (WGS84 is within 0.6 % of it), for https://hl7.org/fhir/R4/location.html#search. */

/** Degrees; latitudes from -90 to 90, longitudes from -180 to below 180. */
export interface Place {
  readonly latitude: number
  readonly longitude: number
}

/** What is within some distance of a place. */
export interface Circle {
  readonly center: Place
  /** No place within it has a greater haversine from the center. */
  readonly haversine: number
  /** A box around it, from and to, for an index: two ranges of longitudes where it crosses the 180th meridian. */
  readonly latitudes: readonly [number, number]
  readonly longitudes: readonly (readonly [number, number])[]
}

/** Mean radius in metres. */
const RADIUS = 6_371_008.8
const EVERYWHERE = [-180, 180] as const
/** What rounding may cost a box, in degrees: a tenth of a millimetre. */
const MARGIN = 1e-9

const radians = (degrees: number): number => (degrees * Math.PI) / 180
const degrees = (angle: number): number => (angle * 180) / Math.PI

/** Grows with the distance: https://en.wikipedia.org/wiki/Haversine_formula, right for short ones too. */
export function haversineOf(one: Place, other: Place): number {
  const [north, east] = [radians(other.latitude - one.latitude), radians(other.longitude - one.longitude)]
  const across = Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude))
  return Math.sin(north / 2) ** 2 + across * Math.sin(east / 2) ** 2
}

/** @param distance in metres */
export function circleAround(center: Place, distance: number): Circle {
  const angle = Math.min(distance / RADIUS, Math.PI)
  const height = degrees(angle) + MARGIN
  const [south, north] = [center.latitude - height, center.latitude + height]
  return {
    center,
    haversine: Math.sin(angle / 2) ** 2,
    latitudes: [Math.max(south, -90), Math.min(north, 90)],
    // With a pole in it, every meridian is.
    longitudes: south <= -90 || north >= 90 ? [EVERYWHERE] : longitudesAround(center, angle),
  }
}

function longitudesAround({ latitude, longitude }: Place, angle: number): Circle['longitudes'] {
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
