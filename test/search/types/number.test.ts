/** https://hl7.org/fhir/R4/search.html#number */
import { describe, expect, test } from '@jest/globals'
import { parseJson } from '../../../src/fhir/json.ts'
import { entriesOf, finds, refusal, where } from '../support.ts'

const item = (factorOverride: unknown) => ({ resourceType: 'ChargeItem', factorOverride })
const finding = (query: string, value: number): boolean => finds(`ChargeItem?factor-override=${query}`, item(value))

describe('a number is equal to what rounds to it, as precisely as it is written', () => {
  test.each([
    ['100', 99.5, 100.49999],
    ['100.00', 99.995, 100.00499],
    ['1e2', 95, 104.9999],
    ['1e 2', 95, 104.9999],
    ['1.0e2', 95, 104.9999],
    ['5.4', 5.35, 5.4499999],
    ['0.1', 0.05, 0.1499999],
    ['-100', -100.5, -99.50001],
    ['0', -0.5, 0.49999],
  ])('%s from %d to %d', (query, low, high) => {
    expect([low - 0.000001, low, high, high + 0.0001].map((value) => finding(query, value))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})

describe('a prefix compares exactly', () => {
  test.each([
    ['gt100', [false, false, true]],
    ['lt100', [true, false, false]],
    ['ge100', [false, true, true]],
    ['le100', [true, true, false]],
    ['sa100', [false, false, true]],
    ['eb100', [true, false, false]],
    ['ne100', [false, false, false]],
    ['ne100.0', [true, false, true]],
    ['ap100', [true, true, true]],
  ])('%s finds 99.9, 100 and 100.1: %j', (query, expected) => {
    expect([99.9, 100, 100.1].map((value) => finding(query, value))).toEqual(expected)
  })

  test('ap allows a tenth on both sides', () => {
    expect([89, 90, 110, 111].map((value) => finding('ap100', value))).toEqual([false, true, true, false])
  })
})

test('ap allows a tenth on both sides of a negative number and of zero', () => {
  expect([-111, -110, -90, -89].map((value) => finding('ap-100', value))).toEqual([false, true, true, false])
  expect([-0.1, 0, 0.1].map((value) => finding('ap0', value))).toEqual([false, true, false])
})

test('the numbers of a resource are points, decimals with their zeros too', () => {
  expect(entriesOf('factor-override', item(parseJson('1.50')))).toEqual([
    { kind: 'number', param: 'factor-override', low: 1.5, high: 1.5 },
  ])
})

test('a Range is a range, its open end as far away as numbers go', () => {
  const prediction = [{ probabilityRange: { low: { value: 0.2 } } }]
  expect(entriesOf('probability', { resourceType: 'RiskAssessment', prediction })).toEqual([
    { kind: 'number', param: 'probability', low: 0.2, high: Number.MAX_VALUE },
  ])
})

test.each(['1.2345678901234567890123456789012345678901', '0.10000000000000000000000000001', '0.1234567890123456789'])(
  'with more digits than a number keeps, %s is equal to itself and nothing else',
  (digits) => {
    const found = (query: string, written: string) =>
      finds(`ChargeItem?factor-override=${query}`, item(parseJson(written)))
    const next = String(Number(digits) + Number.EPSILON)
    expect([digits, next].map((written) => found(digits, written))).toEqual([true, false])
    expect([digits, next].map((written) => found(`ne${digits}`, written))).toEqual([false, true])
  },
)

test('several prefixes make alternatives', () => {
  expect(where('ChargeItem?factor-override=lt1,gt5')).toEqual([
    {
      kind: 'any',
      of: [
        { kind: 'number', param: 'factor-override', bounds: { lowMax: 0.9999999999999999 } },
        { kind: 'number', param: 'factor-override', bounds: { highMin: 5.000000000000001 } },
      ],
    },
  ])
})

test.each(['abc', '1e400', '1,5x', '1.', '.5', 'ge', '0x10', '1e', `${'9'.repeat(50)}`])('%s is refused', (value) => {
  expect(refusal(`ChargeItem?factor-override=${value}`)).toContain(
    'is not a number; write digits (5, 5.40, 5e2; at most 40 on each side of the point and 2 in the exponent)',
  )
})
