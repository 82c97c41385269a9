/** https://hl7.org/fhir/R4/search.html#quantity. Expected results are indices into the fixture. */
import { describe, expect, test } from '@jest/globals'
import { parseJson } from '../../../src/fhir/json.ts'
import { entriesOf, finds, refusal, search, where } from '../support.ts'

const UCUM = 'http://unitsofmeasure.org'
const LAB = 'http://lab.example/units'

const ucum = (value: number, code: string, more: Record<string, unknown> = {}) => ({
  value,
  code,
  system: UCUM,
  ...more,
})
const observation = (valueQuantity: unknown) => ({ resourceType: 'Observation', valueQuantity })

const OBSERVATIONS = [
  /* 0 */ ucum(5.4, 'mg'),
  /* 1 */ ucum(0.0054, 'g', { unit: 'grams' }),
  /* 2 */ ucum(5400, 'mg'),
  /* 3 */ ucum(5.4, 'kg'),
  /* 4 */ ucum(5, 'mg', { comparator: '<' }),
  /* 5 */ ucum(6, 'mg', { comparator: '>=' }),
  /* 6 */ { value: 5.4, system: LAB, code: 'mg' },
  /* 7 */ { value: 5.4, unit: 'mg' },
  /* 8 */ { value: 5.4 },
  /* 9 */ ucum(37, 'Cel', { unit: 'C' }),
  /* 10 */ ucum(98.6, '[degF]'),
  /* 11 */ ucum(5.4, 'mgg'),
  /* 12 */ { code: 'mg', system: UCUM },
].map(observation)

const found = (query: string): readonly number[] =>
  OBSERVATIONS.flatMap((one, index) => (finds(`Observation?value-quantity=${query}`, one) ? [index] : []))

describe('a search by a quantity finds', () => {
  test.each<readonly [string, string, readonly number[]]>([
    ['the number as it is written, whatever it is of', '5.4', [0, 3, 6, 7, 8, 11]],
    ['the number with the code or the unit beside it', '5.4||mg', [0, 6, 7]],
    ['the unit that people read', '0.0054||grams', [1]],
    ['what is equal in other UCUM units', `5.4|${UCUM}|mg`, [0, 1]],
    ['the same, asked for in grams', `0.0054|${UCUM}|g`, [0, 1]],
    ['the same, as precisely as it is written: 0.005 is from 4.5 to 5.5 mg', `0.005|${UCUM}|g`, [0, 1]],
    ['not what rounds to something else', `5.41|${UCUM}|mg`, []],
    ['a unit of another system', `5.4|${LAB}|mg`, [6]],
    ['more', `gt5.4|${UCUM}|mg`, [2, 3, 5]],
    ['at least', `ge5.4|${UCUM}|mg`, [0, 1, 2, 3, 5]],
    ['at least, in another unit', `ge0.0054|${UCUM}|g`, [0, 1, 2, 3, 5]],
    ['less', `lt5.4|${UCUM}|mg`, [4]],
    ['at most', `le5.4|${UCUM}|mg`, [0, 1, 4]],
    ['wholly above: not from 6 on', `sa6|${UCUM}|mg`, [2, 3]],
    ['wholly below: less than 5 is', `eb5|${UCUM}|mg`, [4]],
    ['less than 5 does not reach 5', `ge5|${UCUM}|mg`, [0, 1, 2, 3, 5]],
    ['all others of the unit', `ne5.4|${UCUM}|mg`, [2, 3, 4, 5]],
    ['about: within a tenth', `ap6|${UCUM}|mg`, [0, 1, 5]],
    ['temperatures, whose zeros differ', `37.0|${UCUM}|Cel`, [9, 10]],
    ['temperatures, asked for in Fahrenheit', `98.6|${UCUM}|[degF]`, [9, 10]],
    ['temperatures from below their zero on', `gt-10|${UCUM}|Cel`, [9, 10]],
    ['a code that UCUM does not know, as it is written', '5.4||mgg', [11]],
    ['a code that UCUM does not know, by its own text', `5.4|${UCUM}|mgg`, [11]],
    ['such a code, compared with itself', `gt5|${UCUM}|mgg`, [11]],
    ['nothing where such a code is not stored', `5.4|${UCUM}|mmHg`, []],
    ['any unit of a system', `5.4|${UCUM}|`, [0, 3, 11]],
    ['any unit of a system, without the bar after it', `5.4|${UCUM}`, [0, 3, 11]],
    ['any unit of another system', `ge5.4|${LAB}|`, [6]],
    ['the number alone, with bars', '5.4||', [0, 3, 6, 7, 8, 11]],
    ['the number alone, with a bar', '5.4|', [0, 3, 6, 7, 8, 11]],
    ['either of two', `5.4|${LAB}|mg,37|${UCUM}|Cel`, [6, 9, 10]],
    ['a number with an exponent', `5.4e3|${UCUM}|mg`, [2]],
    ['nothing of another dimension', `5.4|${UCUM}|m`, []],
  ])('%s (%s)', (_, query, expected) => {
    expect(found(query)).toEqual(expected)
  })

  test('everything but what has a quantity, with or without a value, when it is asked what is missing', () => {
    const none = { resourceType: 'Observation', valueString: 'x' }
    const missing = [...OBSERVATIONS, none].map((one) => finds('Observation?value-quantity:missing=true', one))
    expect(missing.indexOf(true)).toBe(OBSERVATIONS.length)
  })
})

describe('a value with a comparator is a range that 5 itself is in only where the comparator says so', () => {
  test.each<readonly [string, readonly string[]]>([
    ['>', ['gt5', 'ge5', 'sa5', 'ne5', 'ap5']],
    ['>=', ['gt5', 'ge5', 'ne5', 'ap5']],
    ['<', ['lt5', 'le5', 'eb5', 'ne5', 'ap5']],
    ['<=', ['lt5', 'le5', 'ne5', 'ap5']],
  ])('%s5 is found by %j alone', (comparator, expected) => {
    const searches = ['5', 'gt5', 'ge5', 'lt5', 'le5', 'sa5', 'eb5', 'ne5', 'ap5']
    const foundBy = (unit: string) =>
      searches.filter((search) =>
        finds(`Observation?value-quantity=${search}${unit}`, observation(ucum(5, 'mg', { comparator }))),
      )
    expect(foundBy('')).toEqual(expected)
    expect(foundBy(`|${UCUM}|mg`)).toEqual(expected)
  })
})

describe('a Range', () => {
  const condition = (low: unknown, high: unknown) => ({ resourceType: 'Condition', onsetRange: { low, high } })
  const AGES = [
    /* 0 */ condition(ucum(2, 'a'), ucum(4, 'a')),
    /* 1 */ condition(ucum(24, 'mo'), ucum(4, 'a')),
    /* 2 */ condition(ucum(3, 'a'), undefined),
    /* 3 */ condition(undefined, ucum(3, 'a')),
    /* 4 */ condition(ucum(2, 'a'), ucum(4, 'kg')),
    /* 5 */ { resourceType: 'Condition', onsetAge: ucum(3, 'a') },
  ]

  test.each<readonly [string, readonly number[]]>([
    [`3|${UCUM}|a`, [5]],
    [`gt3|${UCUM}|a`, [0, 1, 2]],
    [`lt36|${UCUM}|mo`, [0, 1, 3]],
    [`ap3|${UCUM}|a`, [0, 1, 2, 3, 5]],
    ['gt3||a', [0, 2]],
    ['ge2', [0, 2, 3, 5]],
  ])('%s finds %j', (query, expected) => {
    expect(AGES.flatMap((one, index) => (finds(`Condition?onset-age=${query}`, one) ? [index] : []))).toEqual(expected)
  })

  const ends = (low: string, high: string) => condition({ value: 2, unit: low }, { value: 4, unit: high })

  test.each([
    ['in UCUM', condition(ucum(2, 'a'), ucum(4, 'kg'))],
    ['by units that are text alone', ends('years', 'months')],
  ])('whose ends cannot be compared (%s) is there, and found by nothing else', (_how, incomparable) => {
    expect(finds('Condition?onset-age:missing=false', incomparable)).toBe(true)
    for (const query of ['ge0', 'ap3', 'le9', 'ge0||years', 'ge0||a', `ge0|${UCUM}|a`])
      expect([query, finds(`Condition?onset-age=${query}`, incomparable)]).toEqual([query, false])
  })

  test('whose ends have one unit that is text alone is found by it', () => {
    const found = ['gt3||years', 'lt3||years', 'gt3', '3||years'].filter((query) =>
      finds(`Condition?onset-age=${query}`, ends('years', 'years')),
    )
    expect(found).toEqual(['gt3||years', 'lt3||years', 'gt3'])
  })
})

test('Money is found by its currency', () => {
  const invoice = { resourceType: 'Invoice', totalNet: { value: parseJson('12.50'), currency: 'EUR' } }
  const asked = ['12.50|urn:iso:std:iso:4217|EUR', '12.5||EUR', '12.5', '12.5|urn:iso:std:iso:4217|USD']
  expect(asked.map((value) => finds(`Invoice?totalnet=${value}`, invoice))).toEqual([true, true, true, false])
})

test('SampledData has no value to compare, and is not missing', () => {
  const sampled = {
    resourceType: 'Observation',
    valueSampledData: { origin: ucum(0, 'mV'), period: 10, dimensions: 1 },
  }
  expect(finds('Observation?value-quantity=0', sampled)).toBe(false)
  expect(finds('Observation?value-quantity:missing=false', sampled)).toBe(true)
})

test('a quantity is stored as it is written, as it compares with others, and as it is sorted', () => {
  expect(entriesOf('value-quantity', observation(ucum(5.4, 'mg', { unit: 'milligram' })))).toEqual([
    { kind: 'quantity', param: 'value-quantity', low: 5.4, high: 5.4, system: UCUM, code: 'mg' },
    { kind: 'quantity', param: 'value-quantity', low: 5.4, high: 5.4, system: '', code: 'milligram' },
    { kind: 'number', param: 'value-quantity', low: 0.0054, high: 0.0054 },
  ])
  expect(entriesOf(`value-quantity:${UCUM}|g`, observation(ucum(5.4, 'mg')))).toEqual([
    { kind: 'number', param: `value-quantity:${UCUM}|g`, low: 0.0054, high: 0.0054 },
  ])
})

test('quantities are sorted in base units', () => {
  expect(search('Observation?_sort=-value-quantity').plan.sort).toEqual([
    { by: 'number', param: 'value-quantity', descending: true },
  ])
})

test('the bounds of a quantity are those of its base unit', () => {
  expect(where(`Observation?value-quantity=ge5|${UCUM}|mg`)).toEqual([
    {
      kind: 'any',
      of: [
        { kind: 'number', param: `value-quantity:${UCUM}|g`, bounds: { lowMin: 0.005 } },
        {
          kind: 'number',
          param: `value-quantity:${UCUM}|g`,
          bounds: { lowMax: 0.004999999999999999, highMin: 0.005000000000000001 },
        },
      ],
    },
  ])
})

test.each([
  ['abc', "'abc' does not begin with a number; write digits (5, 5.40, 5e2;"],
  ['gt', "'gt' does not begin with a number"],
  ['xx5', "'xx5' does not begin with a number"],
  [`5|${UCUM}|mg|x`, "has more than one unit after its '|'; write 5|system|code, 5||code or 5"],
])('%s is refused: %s', (value, message) => {
  expect(refusal(`Observation?value-quantity=${value}`)).toContain(message)
})

test('a client is told of a unit that UCUM does not have', () => {
  const [warning, ...others] = search(`Observation?value-quantity=5|${UCUM}|mmHg`).warnings
  expect(others).toEqual([])
  expect(warning).toMatchObject({
    severity: 'warning',
    diagnostics: expect.stringContaining("'mmHg' is no unit of UCUM"),
  })
  expect(warning?.diagnostics).toContain('close to it are mm[Hg]')
  expect(warning?.diagnostics).toContain('For a unit of no system write ||mmHg')
  expect(search(`Observation?value-quantity=5|${UCUM}|mm[Hg]`).warnings).toEqual([])
})

test('a quantity takes no modifier but :missing', () => {
  expect(refusal('Observation?value-quantity:exact=5')).toContain('takes the modifiers :missing, not')
})
