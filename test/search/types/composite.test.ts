/** https://hl7.org/fhir/R4/search.html#composite. Expected results are indices into the fixture. */
import { describe, expect, test } from '@jest/globals'
import { resourceTypes } from '../../../src/fhir/definitions.ts'
import type { AnyResource } from '../../../src/fhir/resource.ts'
import { searchParametersOf } from '../../../src/search/parameters.ts'
import { entriesOf, finds, refusal, where } from '../support.ts'

const LOINC = 'http://loinc.org'
const UCUM = 'http://unitsofmeasure.org'
type Resource = AnyResource & Record<string, unknown>

const concept = (...codes: readonly string[]) => ({ coding: codes.map((code) => ({ system: LOINC, code })) })
const mmHg = (value: number) => ({ value, unit: 'mmHg', system: UCUM, code: 'mm[Hg]' })
const component = (code: string, value: unknown) => ({ code: concept(code), ...(value as object) })

const OBSERVATIONS: readonly Resource[] = [
  /* 0 */ {
    resourceType: 'Observation',
    code: concept('85354-9'),
    component: [component('8480-6', { valueQuantity: mmHg(140) }), component('8462-4', { valueQuantity: mmHg(90) })],
  },
  /* 1 */ {
    resourceType: 'Observation',
    code: concept('85354-9'),
    component: [
      component('8480-6', { valueQuantity: mmHg(90) }),
      component('8462-4', { valueQuantity: { value: 18.6651, system: UCUM, code: 'kPa' } }),
    ],
  },
  /* 2 */ { resourceType: 'Observation', code: concept('8480-6', 'local'), valueQuantity: mmHg(140) },
  /* 3 */ { resourceType: 'Observation', code: concept('8480-6'), valueString: 'high, $ 5' },
  /* 4 */ { resourceType: 'Observation', code: concept('8480-6'), valueDateTime: '2024-05' },
  /* 5 */ { resourceType: 'Observation', code: concept('8480-6'), valueCodeableConcept: concept('A', 'B') },
  /* 6 */ { resourceType: 'Observation', code: { text: 'pressure' }, valueQuantity: mmHg(140) },
]

const indices = (type: string, query: string, resources: readonly Resource[]): readonly number[] =>
  resources.flatMap((one, index) => (finds(`${type}?${query}`, one) ? [index] : []))

describe('a composite finds what has both values in one repetition', () => {
  test.each<readonly [string, readonly number[]]>([
    [`component-code-value-quantity=8480-6$140|${UCUM}|mm[Hg]`, [0]],
    [`component-code-value-quantity=8480-6$90|${UCUM}|mm[Hg]`, [1]],
    [`component-code-value-quantity=${LOINC}|8462-4$ge139|${UCUM}|mm[Hg]`, [1]],
    [`component-code-value-quantity=8462-4$140.0|${UCUM}|mm[Hg]`, [1]],
    ['component-code-value-quantity=8480-6$gt100', [0]],
    ['component-code-value-quantity=8480-6$gt100||mmHg', [0]],
    ['component-code-value-quantity=8480-6$gt100||kPa', []],
    ['component-code-value-quantity=8480-6$ne140', [1]],
    ['code-value-quantity=8480-6$140', [2]],
    ['code-value-quantity=local$140', [2]],
    [`combo-code-value-quantity=8480-6$140|${UCUM}|mm[Hg]`, [0, 2]],
    ['combo-code-value-quantity=85354-9$140', []],
    ['code-value-string=8480-6$HIGH', [3]],
    ['code-value-string=8480-6$high\\, \\$ 5', [3]],
    ['code-value-date=8480-6$2024', [4]],
    ['code-value-date=8480-6$ge2024-06', []],
    ['code-value-date=8480-6$lt2024-05-15', [4]],
    ['code-value-concept=8480-6$B', [5]],
    [`code-value-concept=${LOINC}|$${LOINC}|A`, [5]],
    ['code-value-concept=8480-6$A,85354-9$B', [5]],
    ['code-value-quantity=8480-6$140,8480-6$141', [2]],
    ['code-value-quantity:missing=false', [2]],
    ['code-value-string:missing=true', [0, 1, 2, 4, 5, 6]],
    // The other way round, where only that makes sense.
    [`code-value-quantity=gt100|${UCUM}|mm[Hg]$${LOINC}|8480-6`, [2]],
    ['code-value-quantity=140$8480-6,local$140', [2]],
    ['code-value-date=ge2024-05$8480-6', [4]],
    // Both are correct in the order of the definition.
    ['code-value-quantity=140$8480', []],
    [`code-value-quantity=8480-6$140|${UCUM}|mmHg`, []],
  ])('%s: %j', (query, expected) => {
    expect(indices('Observation', query, OBSERVATIONS)).toEqual(expected)
  })

  test.each<readonly [string, string, Resource]>([
    [
      'DocumentReference',
      'relationship=replaces$DocumentReference/1',
      {
        resourceType: 'DocumentReference',
        relatesTo: [
          { code: 'signs', target: { reference: 'DocumentReference/2' } },
          { code: 'replaces', target: { reference: 'DocumentReference/1' } },
        ],
      },
    ],
    [
      'DocumentReference',
      'relationship=DocumentReference/1$replaces',
      {
        resourceType: 'DocumentReference',
        relatesTo: [
          { code: 'signs', target: { reference: 'DocumentReference/2' } },
          { code: 'replaces', target: { reference: 'DocumentReference/1' } },
        ],
      },
    ],
    [
      'Group',
      'characteristic-value=gender$female',
      {
        resourceType: 'Group',
        characteristic: [{ code: concept('gender'), valueCodeableConcept: concept('female'), exclude: false }],
      },
    ],
    [
      'ValueSet',
      `context-type-quantity=age$gt17|${UCUM}|a`,
      {
        resourceType: 'ValueSet',
        useContext: [{ code: { code: 'age' }, valueRange: { low: { value: 18, system: UCUM, code: 'a' } } }],
      },
    ],
    [
      'ValueSet',
      'context-type-value=focus$cancer',
      { resourceType: 'ValueSet', useContext: [{ code: { code: 'focus' }, valueCodeableConcept: concept('cancer') }] },
    ],
    [
      'MolecularSequence',
      'chromosome-variant-coordinate=X$10$lt20',
      {
        resourceType: 'MolecularSequence',
        referenceSeq: { chromosome: concept('X') },
        variant: [
          { start: 5, end: 15 },
          { start: 10, end: 19 },
        ],
      },
    ],
    [
      'MolecularSequence',
      'referenceseqid-window-coordinate=NC_1$ge10$le20',
      {
        resourceType: 'MolecularSequence',
        referenceSeq: { referenceSeqId: concept('NC_1'), windowStart: 10, windowEnd: 20 },
      },
    ],
  ])('%s?%s', (type, query, resource) => {
    expect(indices(type, query, [resource])).toEqual([0])
  })

  test('of three parts too: no mixture of two variants', () => {
    const sequence = {
      resourceType: 'MolecularSequence',
      referenceSeq: { chromosome: concept('X') },
      variant: [
        { start: 5, end: 15 },
        { start: 10, end: 19 },
      ],
    }
    expect(indices('MolecularSequence', 'chromosome-variant-coordinate=X$5$19', [sequence])).toEqual([])
  })
})

test('every composite of R4 has parts that can be asked', () => {
  const composites = resourceTypes.flatMap((type) =>
    [...searchParametersOf(type).values()].filter((parameter) => parameter.type === 'composite'),
  )
  expect(composites.length).toBeGreaterThan(40)
  expect(composites.every(({ parts = [] }) => parts.length > 1)).toBe(true)
})

test('each combination of the values of a repetition is one entry', () => {
  const two = { resourceType: 'Observation', code: concept('1', '2'), valueCodeableConcept: concept('3', '4') }
  const pairs = entriesOf('code-value-concept', two).map((entry) =>
    entry.kind === 'composite' ? entry.parts.map((part) => (part.kind === 'token' ? part.code : '')).join('') : '',
  )
  expect(pairs).toEqual(['13', '14', '23', '24'])
})

test('256 combinations of one repetition are the most that are indexed', () => {
  const many = concept(...Array.from({ length: 1000 }, (_, index) => `c${index}`))
  const large = { resourceType: 'Observation', code: many, valueCodeableConcept: many }
  expect(entriesOf('code-value-concept', large)).toHaveLength(256)
})

test('prefixes that mean two ranges make two alternatives', () => {
  expect(where('Observation?code-value-quantity=1$ne5')).toMatchObject([
    { kind: 'any', of: [{ kind: 'composite' }, { kind: 'composite' }] },
  ])
})

test('case counts in a part as it does in its own parameter', () => {
  const one = { resourceType: 'Observation', code: concept('Ab'), valueCodeableConcept: concept('xY') }
  expect(finds('Observation?code-value-concept=aB$XY', one)).toBe(true)
  expect(finds(`Observation?code-value-concept=${LOINC}|aB$${LOINC}|XY`, one)).toBe(true)
})

test.each([
  ['8480-6', "'8480-6' is not 2 values; write code$value-quantity (token, quantity), and '\\$' within a value"],
  ['8480-6$5$6', "'8480-6$5$6' is not 2 values"],
  ['$5', "'$5' is not 2 values"],
  ['8480-6$', "'8480-6$' is not 2 values"],
  ['8480-6$high', "'high' does not begin with a number"],
  ['high$8480-6', "'8480-6' does not begin with a number"],
  [`8480-6$5|${UCUM}|mg|x`, "has more than one unit after its '|'"],
  ['a|b|c$5', "'a|b|c' has more than one '|'"],
])('%s is refused: %s', (value, message) => {
  expect(refusal(`Observation?code-value-quantity=${value}`)).toContain(message)
})

test('a composite takes no modifier but :missing, and no order', () => {
  expect(refusal('Observation?code-value-quantity:not=a$5')).toContain('takes the modifiers :missing, not')
  expect(refusal('Observation?_sort=code-value-quantity')).toContain('is a composite parameter, which has no order')
})
