/** https://hl7.org/fhir/R4/location.html#search. Expected results are indices into the fixture. */
import { describe, expect, test } from '@jest/globals'
import { entriesOf, finds, refusal, where } from '../support.ts'

const location = (latitude: number, longitude: number) => ({
  resourceType: 'Location',
  position: { latitude, longitude },
})

const LOCATIONS = [
  /* 0, Boston */ location(42.3601, -71.0589),
  /* 1, 4.6 km from there, Cambridge */ location(42.3736, -71.1097),
  /* 2, New York */ location(40.7128, -74.006),
  /* 3, Fiji */ location(-17, 179.9),
  /* 4, on the 180th meridian */ location(-17, 180),
  /* 5 */ location(-17, -180),
  /* 6, nowhere */ location(91, 0),
  /* 7 */ { resourceType: 'Location' },
]

const BOSTON = '42.3601|-71.0589'

describe('a search by near finds', () => {
  test.each<readonly [string, readonly number[]]>([
    [`${BOSTON}|1|km`, [0]],
    [`${BOSTON}|5|km`, [0, 1]],
    [`${BOSTON}|5`, [0, 1]],
    [`${BOSTON}|4000|m`, [0]],
    [`${BOSTON}|3|[mi_us]`, [0, 1]],
    [`${BOSTON}|16000|[ft_i]`, [0, 1]],
    [BOSTON, [0, 1]],
    [`${BOSTON}||`, [0, 1]],
    [`${BOSTON}|306|km`, [0, 1]],
    [`${BOSTON}|307|km`, [0, 1, 2]],
    ['-17|-180|20', [3, 4, 5]],
    ['-17|180|5', [4, 5]],
    [`${BOSTON}|1,40.7|-74|5`, [0, 2]],
  ])('%s: %j', (query, expected) => {
    const found = LOCATIONS.flatMap((one, index) => (finds(`Location?near=${query}`, one) ? [index] : []))
    expect(found).toEqual(expected)
  })

  test('what is nowhere on Earth by :missing alone', () => {
    const missing = LOCATIONS.flatMap((one, index) => (finds('Location?near:missing=true', one) ? [index] : []))
    expect(missing).toEqual([7])
  })
})

test('50 km are near where nothing is said', () => {
  expect(where(`Location?near=${BOSTON}`)).toEqual([
    { kind: 'position', param: 'near', latitude: 42.3601, longitude: -71.0589, distance: 50_000 },
  ])
})

test('the 180th meridian has one name', () => {
  expect(entriesOf('near', location(1, 180))).toEqual(entriesOf('near', location(1, -180)))
})

test.each([
  ['42', "'42' is not a place; write latitude|longitude|distance|units, e.g. 42.36|-71.06|10|km"],
  ['1|2|3|km|x', "'1|2|3|km|x' is not a place"],
  ['north|2', "'north' is not a decimal number"],
  ['1|', "'' is not a decimal number"],
  ['91|2', 'is not on Earth: latitudes are from -90 to 90, longitudes from -180 to 180'],
  ['1|181', 'is not on Earth'],
  ['1|2|far', "'far' is not a decimal number"],
  ['1|2|-5', "'1|2|-5' has a distance of less than none"],
  ['1|2|5|kg', "has 'kg', which is no unit of length (km, m, [mi_us], [ft_i])"],
  [
    '1|2|5|miles',
    "has 'miles', which is no unit of length (km, m, [mi_us], [ft_i]), nor any unit of UCUM; close to it are",
  ],
])('%s is refused: %s', (value, message) => {
  expect(refusal(`Location?near=${value}`)).toContain(message)
})

test('near has no order', () => {
  expect(refusal('Location?_sort=near')).toContain('is a special parameter, which has no order')
})
