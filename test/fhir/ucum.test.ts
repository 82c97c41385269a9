/** https://ucum.org/ucum */
import { describe, expect, test } from '@jest/globals'
import { baseUnit, closestUnits } from '../../src/fhir/ucum.ts'

const inBase = (value: number, code: string): string => {
  const unit = baseUnit(code)
  return unit === undefined ? 'no unit' : `${unit.toBase(value)} ${unit.code}`
}

describe('units that measure the same have the same base unit, and equal values the same value', () => {
  test.each<readonly [string, ...(readonly [number, string])[]]>([
    ['0.0054 g', [5.4, 'mg'], [0.0054, 'g'], [0.0000054, 'kg'], [5400, 'ug']],
    ['1000 m-3.g', [1, 'g/L'], [100, 'mg/dL'], [1, 'mg/mL'], [1, 'kg/m3']],
    ['310.15 K', [37, 'Cel'], [98.6, '[degF]'], [37000, 'mCel'], [310.15, 'K']],
    ['1.2 s-1', [72, '/min'], [72, '{beats}/min'], [1.2, 'Hz']],
    ['31557600 s', [1, 'a'], [12, 'mo'], [365.25, 'd']],
    ['0.37 1', [37, '%'], [0.37, '1'], [0.37, '{ratio}'], [370, '[ppth]']],
    ['m-3', [3, '10*9/L'], [3, '10*3/uL'], [3000, '/uL'], [3000, '{cells}/uL']],
    ['m-3', [5, 'mmol/L'], [0.005, 'mol/L'], [5000, 'umol/L']],
    ['16000000 m-1.s-2.g', [16, 'kPa'], [160, 'mbar']],
    ['0.3 m-3.[iU]', [300, 'u[iU]/L'], [0.3, 'u[iU]/mL'], [0.3, 'm[IU]/L']],
    ['2 rad', [2, 'rad']],
  ])('%s', (expected, ...quantities) => {
    const found = new Set(quantities.map(([value, code]) => inBase(value, code)))
    expect(found.size).toBe(1)
    expect([...found][0]).toContain(expected)
  })
})

test.each([
  ['a logarithm', '[pH]'],
  ['a logarithm with a prefix', 'dB'],
  ['an assay in the denominator', '/[iU]'],
  ['a power of an assay', '[iU]2'],
])('%s is comparable with nothing but itself: %s', (_, code) => {
  expect(inBase(7, code)).toBe(`7 ${code}`)
})

test('units of different assays are not comparable', () => {
  expect(baseUnit('[iU]/L')?.code).not.toBe(baseUnit("[arb'U]/L")?.code)
  expect(baseUnit('[iU]/L')?.code).not.toBe(baseUnit('/L')?.code)
})

test.each(['mgg', 'gram', 'KG', 'mm Hg', 'mmHg', '', '0', 'µg', 'mg//dL', '(mg', 'x'.repeat(100), '('.repeat(5000)])(
  'there is no unit %s',
  (code) => {
    expect(baseUnit(code)).toBeUndefined()
  },
)

// UCUM 3.1: units on scales that are not ratio scales cannot be part of products, quotients and powers.
test.each(['[degF]2', 'Cel2', 'Cel/d', '[degF].m', 'B2'])(
  'there is no power or product of a special unit: %s',
  (code) => {
    expect(baseUnit(code)).toBeUndefined()
  },
)

test('pH is the picohenry, and [pH] the acidity', () => {
  expect(inBase(1, 'pH')).toBe(inBase(0.001, 'nH'))
  expect(inBase(7, '[pH]')).toBe('7 [pH]')
})

test.each([
  ['mmhg', 'mm[Hg]'],
  ['mm Hg', 'mm[Hg]'],
  ['MG/DL', 'mg/dL'],
  ['celsius', 'Cel'],
  ['degF', '[degF]'],
  ['KG', 'kg'],
])('close to %s is %s', (wrong, right) => {
  expect(closestUnits(wrong)[0]).toBe(right)
})
