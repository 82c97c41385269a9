/** Conditions on positions and composites, alone and with others; expected results are ids of the fixture. */
import { describe, expect, test } from '@jest/globals'
import type { Condition, IndexEntry, PartCondition, RangeBounds } from '../../../src/search/plan.ts'
import { type Clinic, composite, date, number, position, quantity, reference, string, token } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

const UCUM = 'http://unitsofmeasure.org'

const pressure = (code: string, low: number, high: number, unit: string, system = 'http://loinc.org'): IndexEntry =>
  composite('pressure', token('code', code, system), number(`value:${UCUM}|${unit}`, low, high))

/** Boston, New York, London, both sides of the 180th meridian, near the pole, on it. */
const LOCATIONS: Readonly<Record<string, readonly IndexEntry[]>> = {
  boston: [position('near', 42.3601, -71.0589), string('name', 'Boston')],
  york: [position('near', 40.7128, -74.006)],
  london: [position('near', 51.5074, -0.1278)],
  fiji: [position('near', -17, 179.9)],
  samoa: [position('near', -17, -179.9)],
  arctic: [position('near', 89.9, 10)],
  beyond: [position('near', 89.9, -170)],
  pole: [position('near', 90, 0)],
  nowhere: [string('name', 'Atlantis')],
}

/** Composites: token and number, token and token, token and reference, token and text, token and two numbers. */
const COMPOSED: Readonly<Record<string, readonly IndexEntry[]>> = {
  r1: [pressure('sys', 120, 120, 'Pa'), pressure('dia', 80, 80, 'Pa')],
  r2: [pressure('sys', 80, 80, 'Pa'), pressure('dia', 120, 120, 'Pa')],
  r3: [pressure('sys', 120, 120, 'm'), pressure('sys', 100, 140, 'Pa'), pressure('sys', 120, 120, 'Pa', 'urn:x')],
  r4: [composite('pressure', token('code', 'sys'), number(`value:${UCUM}|Pa`, -5, -5))],
  g1: [composite('trait', token('code', 'sex'), token('value', 'f', 'urn:x'))],
  g2: [
    composite('trait', token('code', 'sex'), token('value', 'm', 'urn:x')),
    composite('trait', token('code', 'x'), token('value', 'f')),
  ],
  d1: [composite('relation', token('code', 'replaces'), reference('target', 'DocumentReference/1'))],
  d2: [composite('relation', token('code', 'signs'), reference('target', 'DocumentReference/1'))],
  d3: [composite('relation', token('code', 'replaces'), reference('target', 'Binary/1/_history/2'))],
  s1: [composite('note', token('code', 'n'), string('value', 'Élan vital'))],
  s2: [composite('note', token('code', 'n'), string('value', 'vital'))],
  v1: [composite('window', token('chromosome', '1'), number('start', 10), number('end', 20))],
  v2: [composite('window', token('chromosome', '1'), number('start', 10), number('end', 30))],
  q1: [composite('dose', token('code', 'a'), quantity('value', 5, 5, 'mg', UCUM))],
  q2: [
    composite('dose', token('code', 'a'), quantity('value', 5, 5, 'g', UCUM)),
    composite('dose', quantity('value', 5, 5, 'g', UCUM), token('code', 'a')),
  ],
  t1: [composite('onset', token('code', 'a'), date('value', 100, 199))],
  n1: [composite('range', number('from', 1, 2), number('to', 5, 6))],
  n2: [composite('range', number('from', 1), number('to', 7))],
}

async function filled(clinic: Clinic): Promise<Clinic> {
  const changes = Object.entries({ Location: LOCATIONS, Basic: COMPOSED }).flatMap(([type, resources]) =>
    Object.entries(resources).map(([id, entries]) => clinic.change(`${type}/${id}`, entries)),
  )
  await clinic.write(...changes)
  return clinic
}

const not = (of: Condition): Condition => ({ kind: 'not', of })
const any = (...of: readonly Condition[]): Condition => ({ kind: 'any', of })
const near = (latitude: number, longitude: number, kilometres: number): Condition => ({
  ...{ kind: 'position', param: 'near', latitude, longitude },
  distance: kilometres * 1000,
})
const composed = (param: string, ...parts: readonly PartCondition[]): Condition => ({ kind: 'composite', param, parts })
const isCode = (value?: string, system?: string): PartCondition => ({
  ...{ kind: 'token', param: 'code' },
  ...(value === undefined ? {} : { code: value }),
  ...(system === undefined ? {} : { system }),
})
const pascals = (bounds: RangeBounds): PartCondition => ({ kind: 'number', param: `value:${UCUM}|Pa`, bounds })
const dose = (unit?: string): PartCondition => ({
  ...{ kind: 'quantity', param: 'value', bounds: { lowMin: 5, highMax: 5 } },
  ...(unit === undefined ? {} : { code: unit }),
})
const at = (param: string, bounds: RangeBounds): PartCondition => ({ kind: 'number', param, bounds })

type Row = readonly [string, string, readonly Condition[], string]

const ROWS: readonly Row[] = [
  ['position: only what is near enough', 'Location', [near(42.36, -71.06, 1)], 'boston'],
  ['position: a wider circle', 'Location', [near(42.36, -71.06, 310)], 'boston york'],
  ['position: in the box around the circle, not in the circle', 'Location', [near(40.7, -71.1, 200)], 'boston'],
  ['position: the corner of the box alone', 'Location', [near(41.3, -72.6, 125)], ''],
  ['position: across the 180th meridian', 'Location', [near(-17, 179.99, 30)], 'fiji samoa'],
  ['position: across it from the other side', 'Location', [near(-17, -179.99, 30)], 'fiji samoa'],
  ['position: on it', 'Location', [near(-17, -180, 30)], 'fiji samoa'],
  ['position: over the pole', 'Location', [near(89.95, 100, 30)], 'arctic beyond pole'],
  ['position: at the pole', 'Location', [near(90, 55, 1)], 'pole'],
  ['position: all the Earth', 'Location', [near(0, 0, 1e9)], 'arctic beyond boston fiji london pole samoa york'],
  ['position: no distance', 'Location', [near(51.5074, -0.1278, 0)], 'london'],
  ['position: either', 'Location', [any(near(51.5, -0.1, 10), near(40.7, -74, 10))], 'london york'],
  ['position: not there', 'Location', [not(near(0, 0, 12_000))], 'fiji nowhere samoa'],
  [
    'position and name',
    'Location',
    [near(42, -71, 400), { kind: 'string', param: 'name', match: 'prefix', value: 'b' }],
    'boston',
  ],
  [
    'composite: both in one repetition',
    'Basic',
    [composed('pressure', isCode('sys'), pascals({ lowMin: 110, highMax: 125 }))],
    'r1 r3',
  ],
  [
    'composite: no mixture of two repetitions',
    'Basic',
    [composed('pressure', isCode('sys'), pascals({ lowMin: 70, highMax: 90 }))],
    'r2',
  ],
  [
    'composite: with its system',
    'Basic',
    [composed('pressure', isCode('sys', 'urn:x'), pascals({ lowMin: 110, highMax: 125 }))],
    'r3',
  ],
  ['composite: of no system', 'Basic', [composed('pressure', isCode('sys', ''), pascals({}))], 'r4'],
  [
    'composite: any code of a system',
    'Basic',
    [composed('pressure', isCode(undefined, 'http://loinc.org'), pascals({ lowMin: 119 }))],
    'r1 r2',
  ],
  ['composite: high end at least', 'Basic', [composed('pressure', isCode('sys'), pascals({ highMin: 130 }))], 'r3'],
  ['composite: low end at most', 'Basic', [composed('pressure', isCode('sys'), pascals({ lowMax: 100 }))], 'r2 r3 r4'],
  [
    'composite: overlapping',
    'Basic',
    [composed('pressure', isCode('sys'), pascals({ highMin: 110, lowMax: 115 }))],
    'r3',
  ],
  ['composite: a number before zero', 'Basic', [composed('pressure', isCode('sys'), pascals({ highMax: 0 }))], 'r4'],
  ['composite: a unit that nothing has', 'Basic', [composed('pressure', isCode('sys'), at('value:x', {}))], ''],
  ['composite: a parameter that nothing has', 'Basic', [composed('x', isCode('sys'), pascals({}))], ''],
  [
    'composite: two codes',
    'Basic',
    [composed('trait', isCode('sex'), { kind: 'token', param: 'value', code: 'f' })],
    'g1',
  ],
  [
    'composite: the second by its system',
    'Basic',
    [composed('trait', isCode(), { kind: 'token', param: 'value', system: 'urn:x' })],
    'g1 g2',
  ],
  [
    'composite: a reference',
    'Basic',
    [
      composed('relation', isCode('replaces'), {
        kind: 'reference',
        param: 'target',
        type: 'DocumentReference',
        id: '1',
      }),
    ],
    'd1',
  ],
  [
    'composite: a reference of any type',
    'Basic',
    [composed('relation', isCode('replaces'), { kind: 'reference', param: 'target', id: '1' })],
    'd1 d3',
  ],
  [
    'composite: a reference to a version',
    'Basic',
    [composed('relation', isCode('replaces'), { kind: 'reference', param: 'target', id: '1', version: '2' })],
    'd3',
  ],
  [
    'composite: a text',
    'Basic',
    [composed('note', isCode('n'), { kind: 'string', param: 'value', match: 'prefix', value: 'elan' })],
    's1',
  ],
  [
    'composite: three parts',
    'Basic',
    [
      composed(
        'window',
        { kind: 'token', param: 'chromosome', code: '1' },
        at('start', { lowMin: 5, highMax: 15 }),
        at('end', { lowMin: 25 }),
      ),
    ],
    'v2',
  ],
  ['composite: a quantity in any unit', 'Basic', [composed('dose', isCode('a'), dose())], 'q1 q2'],
  ['composite: a quantity in a unit', 'Basic', [composed('dose', isCode('a'), dose('mg'))], 'q1'],
  ['composite: the number first', 'Basic', [composed('dose', dose('g'), isCode('a'))], 'q2'],
  [
    'composite: a date',
    'Basic',
    [composed('onset', isCode('a'), { kind: 'date', param: 'value', bounds: { highMin: 150 } })],
    't1',
  ],
  [
    'composite: two ranges',
    'Basic',
    [composed('range', at('from', { lowMin: 1, highMax: 2 }), at('to', { highMax: 6 }))],
    'n1',
  ],
  [
    'composite: either',
    'Basic',
    [
      any(
        composed('note', isCode('n'), { kind: 'string', param: 'value', match: 'prefix', value: 'vital' }),
        composed('dose', isCode('a'), dose('mg')),
      ),
    ],
    'q1 s2',
  ],
  [
    'composite: not',
    'Basic',
    [
      composed('pressure', isCode('sys'), pascals({})),
      not(composed('pressure', isCode('sys'), pascals({ lowMin: 110 }))),
    ],
    'r2 r4',
  ],
]

export function describeComposites(newClinic: NewClinic): void {
  describe('a search finds by a place or by values that belong together', () => {
    test.each(ROWS)('%s', async (_, type, where, expected) => {
      const clinic = await filled(newClinic())
      const wanted = expected === '' ? [] : expected.split(' ').map((id) => `${type}/${id}`)
      expect(await clinic.find(type, where)).toEqual(wanted)
      expect((await clinic.search(type, { where, count: 0 })).total).toBe(wanted.length)
    })

    test('of another clinic nothing', async () => {
      const [own, other] = [newClinic(), newClinic()]
      await own.put('Location/own', [position('near', 1, 1), pressure('sys', 5, 5, 'Pa')])
      await other.put('Location/other', [position('near', 1, 1), pressure('sys', 5, 5, 'Pa')])
      const both = composed('pressure', isCode('sys'), pascals({ lowMin: 5, highMax: 5 }))
      expect(await own.find('Location', [near(1, 1, 1)])).toEqual(['Location/own'])
      expect(await other.find('Location', [both])).toEqual(['Location/other'])
    })

    test('an update removes the positions and composites that are gone', async () => {
      const clinic = newClinic()
      const of = (size: number) => composite('value', token('code', 'a', 'urn:x'), number('size', size))
      await clinic.put('Location/1', [position('near', 48.1, 11.5), of(1), of(2)])
      await clinic.put('Location/1', [of(2)])
      const sized = (size: number): Condition => ({
        kind: 'composite',
        param: 'value',
        parts: [
          { kind: 'token', param: 'code', code: 'a' },
          { kind: 'number', param: 'size', bounds: { lowMin: size, highMax: size } },
        ],
      })
      expect(await clinic.find('Location', [sized(1)])).toEqual([])
      expect(await clinic.find('Location', [sized(2)])).toEqual(['Location/1'])
      expect(await clinic.find('Location', [{ kind: 'missing', param: 'near', missing: true }])).toEqual(['Location/1'])
      expect(await clinic.find('Location', [{ kind: 'missing', param: 'value', missing: false }])).toEqual([
        'Location/1',
      ])
    })
  })
}
