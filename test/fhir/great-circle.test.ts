/** Distances between places that others have measured on the sphere, and boxes around circles. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { circleAround, type GeoPoint, haversineOf } from '../../src/fhir/great-circle.ts'

const at = (latitude: number, longitude: number): GeoPoint => ({ latitude, longitude })
const isWithin = (center: GeoPoint, place: GeoPoint, kilometres: number): boolean =>
  haversineOf(center, place) <= circleAround(center, kilometres * 1000).haversine

describe('a place is within its distance from another and not within less', () => {
  test.each<readonly [string, GeoPoint, GeoPoint, number]>([
    ['Boston and New York', at(42.3601, -71.0589), at(40.7128, -74.006), 306.1],
    ['London and Sydney', at(51.5074, -0.1278), at(-33.8688, 151.2093), 16993.9],
    ['two sides of the 180th meridian', at(0, 179.5), at(0, -179.5), 111.195],
    ['over the pole', at(89.5, 0), at(89.5, 180), 111.195],
    ['antipodes', at(10, 20), at(-10, -160), 20015.1],
  ])('%s', (_, one, other, kilometres) => {
    expect(isWithin(one, other, kilometres + 0.1)).toBe(true)
    expect(isWithin(other, one, kilometres + 0.1)).toBe(true)
    expect(isWithin(one, other, kilometres - 0.1)).toBe(false)
  })
})

test('whatever is in a circle is in the box around it', () => {
  const place = fc.record({
    latitude: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, -89.999, 0, 89.999, 90)),
    longitude: fc.oneof(
      fc.double({ min: -180, max: 179.999, noNaN: true }),
      fc.constantFrom(-180, -179.999, 0, 179.999),
    ),
  })
  const distance = fc.oneof(fc.double({ min: 0, max: 3e7, noNaN: true }), fc.double({ min: 0, max: 100, noNaN: true }))
  const nearby = fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true }))
  fc.assert(
    fc.property(place, place, distance, nearby, fc.boolean(), (center, far, metres, [north, east], isFar) => {
      const { latitudes, longitudes, haversine } = circleAround(center, metres)
      const other = isFar ? far : moved(center, (north * metres) / 100_000, (east * metres) / 100_000)
      if (haversineOf(center, other) > haversine) return
      expect(other.latitude).toBeGreaterThanOrEqual(latitudes[0])
      expect(other.latitude).toBeLessThanOrEqual(latitudes[1])
      expect(longitudes.some(([west, east]) => other.longitude >= west && other.longitude <= east)).toBe(true)
    }),
    { numRuns: 5000 },
  )
})

function moved({ latitude, longitude }: GeoPoint, north: number, east: number): GeoPoint {
  const turned = longitude + east
  return at(Math.max(-90, Math.min(90, latitude + north)), ((((turned + 180) % 360) + 360) % 360) - 180)
}
