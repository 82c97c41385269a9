/** Every kind of condition, with its bounds; expected results are ids of the fixture. */
import { describe, expect, test } from '@jest/globals'
import type { Condition, Equality, IndexEntry, RangeBounds } from '../../../src/search/plan.ts'
import { type Clinic, date, number, quantity, reference, string, token, uri, words } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

const MRN = 'urn:mrn'
const UCUM = 'http://unitsofmeasure.org'
const SLOTS = 'http://hl7.org/fhir/slotstatus'

const word = (param: string, match: 'equal' | 'prefix', value: string): Condition => ({
  kind: 'words',
  param,
  match,
  value,
})

const canonical = (version: string): IndexEntry => ({
  kind: 'reference',
  param: 'questionnaire',
  type: '',
  id: 'http://a.example/q',
  version,
})

const PATIENTS: Readonly<Record<string, readonly IndexEntry[]>> = {
  '1': [
    string('name', 'Müller'),
    string('name', 'Anna Maria'),
    words('text', 'bone liver metastases'),
    token('identifier', '17', MRN),
    token('identifier', '99', 'urn:other'),
    reference('organization', 'Organization/1'),
    date('birthdate', 100, 199),
  ],
  '2': [
    string('name', 'muller'),
    words('text', 'lung'),
    words('content', 'bones'),
    token('identifier', '17', 'urn:other'),
    token('active', 'true'),
    reference('organization', 'Organization/2/_history/3'),
    date('birthdate', 200, 299),
  ],
  '3': [
    string('name', "O'Brien"),
    token('identifier', '17'),
    reference('organization', 'https://elsewhere.example/Organization/1'),
    date('birthdate', 150, 250),
  ],
  '4': [
    string('name', 'Mu'),
    string('note', 'b'),
    reference('organization', 'Practitioner/1'),
    date('period', 100, 1e15),
  ],
  '5': [string('note', '')],
}

const OBSERVATIONS: Readonly<Record<string, readonly IndexEntry[]>> = {
  o1: [
    reference('subject', 'Patient/1'),
    token('code', 'a'),
    quantity('value', 5, 5, 'mg', UCUM),
    number('factor', 0.5),
  ],
  o2: [
    reference('subject', 'Patient/2'),
    token('code', 'b'),
    quantity('value', 5.5, 6.5, 'g', UCUM),
    number('factor', -1),
  ],
  o3: [reference('subject', 'Patient/2'), token('code', 'a'), quantity('value', 6, 6, 'mg'), number('factor', 1e9)],
  o4: [
    reference('subject', 'Patient/9'),
    uri('profile', 'http://a.example/x/y'),
    uri('profile', 'urn:x'),
    date('date', 10),
    date('date', 90),
  ],
  o5: [uri('profile', 'http://a.example/x'), date('date', 50), number('probability', 0.1), number('probability', 0.9)],
  o6: [uri('profile', 'http://a.example/xy')],
  o7: [canonical('2.1')],
  o8: [canonical('2.1.3')],
  o9: [canonical('2.10')],
}

const ORGANIZATIONS: Readonly<Record<string, readonly IndexEntry[]>> = {
  '1': [string('name', 'North'), reference('partof', 'Organization/2')],
  '2': [string('name', 'South')],
}

/** Eight slots: schedule 1 and 2, free and busy, start at 10 … 80. */
const SLOT_ENTRIES: Readonly<Record<string, readonly IndexEntry[]>> = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [
    `s${index + 1}`,
    [
      reference('schedule', `Schedule/${(index % 2) + 1}`),
      token('status', index % 4 < 2 ? 'free' : 'busy', SLOTS),
      date('start', (index + 1) * 10),
    ],
  ]),
)

async function filled(clinic: Clinic): Promise<Clinic> {
  const all = {
    ...{ Patient: PATIENTS, Observation: OBSERVATIONS, Organization: ORGANIZATIONS, Slot: SLOT_ENTRIES },
  }
  const changes = Object.entries(all).flatMap(([type, resources]) =>
    Object.entries(resources).map(([id, entries]) => clinic.change(`${type}/${id}`, entries)),
  )
  await clinic.write(...changes)
  await clinic.put('Patient/gone', [string('name', 'Müller'), token('identifier', '17', MRN)])
  await clinic.delete('Patient/gone')
  return clinic
}

const name = (match: Extract<Condition, { kind: 'string' }>['match'], value: string): Condition => ({
  kind: 'string',
  param: 'name',
  match,
  value,
})
const identifier = (code?: string, system?: string): Equality => ({
  kind: 'token',
  param: 'identifier',
  ...(code === undefined ? {} : { code }),
  ...(system === undefined ? {} : { system }),
})
const pointsTo = (param: string, type: string | undefined, id: string, version?: string): Equality => ({
  kind: 'reference',
  param,
  id,
  ...(type === undefined ? {} : { type }),
  ...(version === undefined ? {} : { version }),
})
const versionBelow = (version: string): Condition => ({
  kind: 'reference',
  param: 'questionnaire',
  type: '',
  id: 'http://a.example/q',
  version,
  versions: 'below',
})
const born = (bounds: RangeBounds): Condition => ({
  kind: 'date',
  param: 'birthdate',
  bounds,
})
const code = (value: string): Condition => ({ kind: 'token', param: 'code', code: value })
const not = (of: Condition): Condition => ({ kind: 'not', of })
const any = (...of: readonly Condition[]): Condition => ({ kind: 'any', of })
const all = (...of: readonly Condition[]): Condition => ({ kind: 'all', of })
const profile = (match: 'exact' | 'below' | 'above', value: string): Equality => ({
  kind: 'uri',
  param: 'profile',
  match,
  value,
})
const value = (bounds: RangeBounds, unit?: string, system?: string): Condition => ({
  kind: 'quantity',
  param: 'value',
  bounds,
  ...(unit === undefined ? {} : { code: unit }),
  ...(system === undefined ? {} : { system }),
})
const factor = (bounds: RangeBounds): Condition => ({
  kind: 'number',
  param: 'factor',
  bounds,
})
const start = (bounds: RangeBounds): Condition => ({
  kind: 'date',
  param: 'start',
  bounds,
})
const free: Condition = { kind: 'token', param: 'status', code: 'free' }

type Row = readonly [string, string, readonly Condition[], string]

const ROWS: readonly Row[] = [
  ['no condition: every one that is not deleted', 'Patient', [], '1 2 3 4 5'],
  ['string prefix is compared folded', 'Patient', [name('prefix', 'mull')], '1 2'],
  ['string prefix that is a whole value', 'Patient', [name('prefix', 'mu')], '1 2 4'],
  ['string prefix that is empty: everybody with a value', 'Patient', [name('prefix', '')], '1 2 3 4'],
  ['string prefix beyond every value', 'Patient', [name('prefix', 'zz')], ''],
  ['string contains', 'Patient', [name('contains', 'brien')], '3'],
  ['string contains across words', 'Patient', [name('contains', 'a mar')], '1'],
  ['string exact is compared verbatim', 'Patient', [name('exact', 'Müller')], '1'],
  ['string exact does not find a prefix', 'Patient', [name('exact', 'Mü')], ''],
  ['string exact with punctuation', 'Patient', [name('exact', "O'Brien")], '3'],
  ['string ends with', 'Patient', [name('suffix', 'ria')], '1'],
  ['string ends with what is longer', 'Patient', [name('suffix', 'xmu')], ''],
  ['token begins with', 'Patient', [{ kind: 'token-part', param: 'identifier', match: 'prefix', value: '1' }], '1 2 3'],
  ['token ends with', 'Patient', [{ kind: 'token-part', param: 'identifier', match: 'suffix', value: '9' }], '1'],
  [
    'token ends with what is longer',
    'Patient',
    [{ kind: 'token-part', param: 'identifier', match: 'suffix', value: '199' }],
    '',
  ],
  ['string is equal folded, and no prefix', 'Patient', [name('equal', 'mu')], '4'],
  ['string is equal folded', 'Patient', [name('equal', 'muller')], '1 2'],
  ['string is greater', 'Patient', [name('greater', 'mu')], '1 2 3'],
  ['string is less', 'Patient', [name('less', 'mu')], '1'],
  [
    'string is less, which one of no letters is not',
    'Patient',
    [{ kind: 'string', param: 'note', match: 'less', value: 'c' }],
    '4',
  ],
  ['token in any system', 'Patient', [identifier('17')], '1 2 3'],
  ['words equal', 'Patient', [word('text', 'equal', 'bone')], '1'],
  ['words equal: the first and the last', 'Patient', [word('text', 'equal', 'metastases')], '1'],
  ['words equal: not a part of one', 'Patient', [word('text', 'equal', 'one')], ''],
  ['words equal, of another parameter', 'Patient', [word('content', 'equal', 'bone')], ''],
  ['words prefix', 'Patient', [word('text', 'prefix', 'l')], '1 2'],
  ['words prefix: not within one', 'Patient', [word('text', 'prefix', 'ung')], ''],
  ['words of a parameter never written', 'Patient', [word('nothing', 'equal', 'bone')], ''],
  ['a word that is not there', 'Patient', [{ kind: 'not', of: word('text', 'equal', 'lung') }], '1 3 4 5'],
  ['no words', 'Patient', [{ kind: 'missing', param: 'text', missing: true }], '3 4 5'],
  ['token in a system', 'Patient', [identifier('17', MRN)], '1'],
  ['token without system', 'Patient', [identifier('17', '')], '3'],
  ['any token of a system', 'Patient', [identifier(undefined, 'urn:other')], '1 2'],
  ['any token of a system never used', 'Patient', [identifier(undefined, 'urn:nobody')], ''],
  ['token code of another repetition than the system', 'Patient', [identifier('99', MRN)], ''],
  ['token code in other case is another code', 'Patient', [{ kind: 'token', param: 'active', code: 'TRUE' }], ''],
  ['reference with type', 'Patient', [pointsTo('organization', 'Organization', '1')], '1'],
  ['reference without type', 'Patient', [pointsTo('organization', undefined, '1')], '1 4'],
  ['reference to another type', 'Patient', [pointsTo('organization', 'Practitioner', '1')], '4'],
  ['reference finds a version-specific one too', 'Patient', [pointsTo('organization', 'Organization', '2')], '2'],
  ['reference to that version', 'Patient', [pointsTo('organization', 'Organization', '2', '3')], '2'],
  ['reference to another version', 'Patient', [pointsTo('organization', 'Organization', '2', '4')], ''],
  ['reference to a version that begins so', 'Observation', [versionBelow('2.1')], 'o7 o8'],
  ['reference to a version that begins so and has no more', 'Observation', [versionBelow('2.10')], 'o9'],
  [
    'a system of tokens, as an alternative given twice',
    'Patient',
    [any(identifier(undefined, MRN), identifier(undefined, MRN))],
    '1',
  ],
  ['a beginning, as an alternative given twice', 'Patient', [any(name('prefix', 'mul'), name('prefix', 'mul'))], '1 2'],
  ['another token than that', 'Patient', [{ kind: 'unequal', of: identifier('17', MRN) }], '1 2 3'],
  ['another token than one of any system', 'Patient', [{ kind: 'unequal', of: identifier('17') }], '1'],
  ['another token than one never written', 'Patient', [{ kind: 'unequal', of: identifier('0', 'urn:x') }], '1 2 3'],
  [
    'another reference than that',
    'Patient',
    [{ kind: 'unequal', of: pointsTo('organization', 'Organization', '1') }],
    '2 3 4',
  ],
  [
    'another address than those below',
    'Observation',
    [{ kind: 'unequal', of: profile('below', 'http://a.example/x/') }],
    'o4 o5 o6',
  ],
  ['another value of a parameter that nothing has', 'Observation', [{ kind: 'unequal', of: identifier('1') }], ''],
  [
    'reference outside the server',
    'Patient',
    [pointsTo('organization', '', 'https://elsewhere.example/Organization/1')],
    '3',
  ],
  ['reference to what does not exist', 'Observation', [pointsTo('subject', 'Patient', '9')], 'o4'],
  ['reference to what nobody refers to', 'Observation', [pointsTo('subject', 'Patient', '5')], ''],
  ['uri exact', 'Observation', [profile('exact', 'http://a.example/x')], 'o5'],
  [
    'uri below: itself and whatever begins with it',
    'Observation',
    [profile('below', 'http://a.example/x')],
    'o4 o5 o6',
  ],
  ['uri below, asked for with a slash', 'Observation', [profile('below', 'http://a.example/x/')], 'o4'],
  ['uri above: itself and what it begins with', 'Observation', [profile('above', 'http://a.example/x/y/z')], 'o4 o5'],
  ['uri above, in the middle of a word', 'Observation', [profile('above', 'http://a.example/xyz')], 'o5 o6'],
  ['date: low at least, that value included', 'Patient', [born({ lowMin: 150 })], '2 3'],
  ['date: low at most, that value included', 'Patient', [born({ lowMax: 150 })], '1 3'],
  ['date: high at least, that value included', 'Patient', [born({ highMin: 250 })], '2 3'],
  ['date: high at most, that value included', 'Patient', [born({ highMax: 249 })], '1'],
  ['date: contained', 'Patient', [born({ lowMin: 100, highMax: 250 })], '1 3'],
  ['date: overlapping', 'Patient', [born({ highMin: 251, lowMax: 251 })], '2'],
  ['date: no bound at all finds every value', 'Patient', [born({})], '1 2 3'],
  ['date: bounds that exclude each other', 'Patient', [born({ lowMin: 300, highMax: 100 })], ''],
  ['date: two conditions on the only value', 'Patient', [born({ lowMin: 120 }), born({ highMax: 260 })], '3'],
  [
    'date: two conditions, each fulfilled by another value',
    'Observation',
    [
      { kind: 'date', param: 'date', bounds: { highMin: 80 } },
      { kind: 'date', param: 'date', bounds: { lowMax: 20 } },
    ],
    'o4',
  ],
  [
    'date: open-ended period',
    'Patient',
    [
      { kind: 'date', param: 'period', bounds: { highMin: 1e12 } },
      { kind: 'date', param: 'period', bounds: { lowMax: 2e12 } },
    ],
    '4',
  ],
  ['number, negative', 'Observation', [factor({ highMax: 0 })], 'o2'],
  ['number, fraction', 'Observation', [factor({ lowMin: 0.5, highMax: 0.5 })], 'o1'],
  ['number, large', 'Observation', [factor({ lowMin: 0.6 })], 'o3'],
  [
    'number: two conditions, each fulfilled by another value',
    'Observation',
    [
      { kind: 'number', param: 'probability', bounds: { highMin: 0.8 } },
      { kind: 'number', param: 'probability', bounds: { lowMax: 0.2 } },
    ],
    'o5',
  ],
  ['quantity in any unit', 'Observation', [value({ lowMin: 5.5 })], 'o2 o3'],
  ['quantity in a unit', 'Observation', [value({ lowMin: 5 }, 'mg')], 'o1 o3'],
  ['quantity in a unit of a system', 'Observation', [value({ lowMin: 5 }, 'mg', UCUM)], 'o1'],
  ['quantity of no system', 'Observation', [value({ lowMin: 5 }, undefined, '')], 'o3'],
  ['quantity of a system never used', 'Observation', [value({ lowMin: 5 }, 'mg', 'urn:x')], ''],
  ['missing', 'Observation', [{ kind: 'missing', param: 'code', missing: true }], 'o4 o5 o6 o7 o8 o9'],
  ['not missing', 'Observation', [{ kind: 'missing', param: 'code', missing: false }], 'o1 o2 o3'],
  [
    'missing, a parameter that nothing has',
    'Observation',
    [{ kind: 'missing', param: 'x', missing: true }],
    'o1 o2 o3 o4 o5 o6 o7 o8 o9',
  ],
  ['not missing, a parameter that nothing has', 'Observation', [{ kind: 'missing', param: 'x', missing: false }], ''],
  ['id', 'Patient', [{ kind: 'id', ids: ['2'] }], '2'],
  ['ids, one unknown, one deleted, one twice', 'Patient', [{ kind: 'id', ids: ['2', '4', 'x', 'gone', '2'] }], '2 4'],
  ['no id at all', 'Patient', [{ kind: 'id', ids: [] }], ''],
  [
    'the type that is searched',
    'Patient',
    [
      { kind: 'type', types: ['Group', 'Patient'] },
      { kind: 'id', ids: ['2'] },
    ],
    '2',
  ],
  ['another type', 'Patient', [{ kind: 'type', types: ['Observation'] }], ''],
  ['any type but that', 'Patient', [not({ kind: 'type', types: ['Patient'] })], ''],
  ['a parameter that nothing has', 'Patient', [{ kind: 'token', param: 'x', code: 'y' }], ''],
  ['a parameter of another type', 'Patient', [code('a')], ''],
  [
    'a parameter of another kind',
    'Patient',
    [{ kind: 'string', param: 'identifier', match: 'prefix', value: '1' }],
    '',
  ],
  ['any of the same kind', 'Observation', [any(code('a'), code('b'))], 'o1 o2 o3'],
  ['any that matches a resource twice finds it once', 'Patient', [any(identifier('17'), identifier('99'))], '1 2 3'],
  [
    'any of different kinds',
    'Observation',
    [any(code('b'), factor({ lowMin: 1 }), profile('exact', 'urn:x'))],
    'o2 o3 o4',
  ],
  ['any with one that can match nothing', 'Observation', [any(code('b'), code('zzz'))], 'o2'],
  ['any of nothing', 'Observation', [any()], ''],
  [
    'any with a negation',
    'Observation',
    [any(not({ kind: 'missing', param: 'code', missing: true }), profile('exact', 'urn:x'))],
    'o1 o2 o3 o4',
  ],
  ['all', 'Observation', [all(code('a'), factor({ lowMin: 1 }))], 'o3'],
  ['all of nothing', 'Organization', [all()], '1 2'],
  ['several conditions must all hold', 'Patient', [name('prefix', 'mu'), identifier('17'), born({ lowMin: 150 })], '2'],
  ['not: also what has no value', 'Observation', [not(code('a'))], 'o2 o4 o5 o6 o7 o8 o9'],
  ['not of what nothing has', 'Organization', [not({ kind: 'token', param: 'x', code: 'y' })], '1 2'],
  ['not not', 'Observation', [not(not(code('b')))], 'o2'],
  ['not any', 'Observation', [not(any(code('a'), code('b')))], 'o4 o5 o6 o7 o8 o9'],
  [
    'combined: two equalities and a range',
    'Slot',
    [pointsTo('schedule', 'Schedule', '1'), free, start({ highMin: 20, lowMax: 80 })],
    's5',
  ],
  [
    'combined: a range in two conditions',
    'Slot',
    [pointsTo('schedule', 'Schedule', '2'), free, start({ highMin: 20 }), start({ highMax: 59 })],
    's2',
  ],
  [
    'combined: several values of both',
    'Slot',
    [
      any(pointsTo('schedule', 'Schedule', '1'), pointsTo('schedule', 'Schedule', '2')),
      any(free, { kind: 'token', param: 'status', code: 'busy' }),
      start({ lowMin: 30, lowMax: 50 }),
    ],
    's3 s4 s5',
  ],
  [
    'combined: with another system',
    'Slot',
    [
      pointsTo('schedule', 'Schedule', '1'),
      { kind: 'token', param: 'status', code: 'free', system: 'urn:x' },
      start({}),
    ],
    '',
  ],
  ['combined: without the range', 'Slot', [pointsTo('schedule', 'Schedule', '1'), free], 's1 s5'],
  [
    'chain',
    'Observation',
    [{ kind: 'chain', param: 'subject', types: ['Patient'], where: name('prefix', 'mull') }],
    'o1 o2 o3',
  ],
  [
    'chain over two steps and several types',
    'Observation',
    [
      {
        kind: 'chain',
        param: 'subject',
        types: ['Group', 'Patient'],
        where: { kind: 'chain', param: 'organization', types: ['Organization'], where: name('exact', 'South') },
      },
    ],
    'o2 o3',
  ],
  [
    'chain to a negation: only over what exists',
    'Observation',
    [{ kind: 'chain', param: 'subject', types: ['Patient'], where: not(name('exact', 'Müller')) }],
    'o2 o3',
  ],
  [
    'chain to another type',
    'Observation',
    [{ kind: 'chain', param: 'subject', types: ['Group'], where: name('prefix', 'm') }],
    '',
  ],
  ['has', 'Patient', [{ kind: 'has', type: 'Observation', param: 'subject', where: code('a') }], '1 2'],
  ['not has', 'Patient', [not({ kind: 'has', type: 'Observation', param: 'subject', where: code('a') })], '3 4 5'],
  [
    'has, then has',
    'Organization',
    [
      {
        kind: 'has',
        type: 'Patient',
        param: 'organization',
        where: { kind: 'has', type: 'Observation', param: 'subject', where: code('b') },
      },
    ],
    '2',
  ],
  [
    'has within one type',
    'Organization',
    [{ kind: 'has', type: 'Organization', param: 'partof', where: name('exact', 'North') }],
    '2',
  ],
]

export function describeConditions(newClinic: NewClinic): void {
  describe('a search finds by', () => {
    test.each(ROWS)('%s', async (_, type, where, expected) => {
      const clinic = await filled(newClinic())
      const wanted = expected === '' ? [] : expected.split(' ').map((id) => `${type}/${id}`)
      expect(await clinic.find(type, where)).toEqual(wanted)
      expect((await clinic.search(type, { where, count: 0 })).total).toBe(wanted.length)
    })

    test('lastUpdated, of the current version', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [], { lastUpdated: 10 })
      await clinic.put('Patient/2', [], { lastUpdated: 20 })
      await clinic.put('Patient/1', [], { lastUpdated: 30 })
      const updated = (bounds: RangeBounds) => clinic.find('Patient', [{ kind: 'lastUpdated', bounds }])
      expect(await updated({ lowMin: 20 })).toEqual(['Patient/1', 'Patient/2'])
      expect(await updated({ highMax: 20 })).toEqual(['Patient/2'])
      expect(await updated({ lowMin: 21, highMax: 29 })).toEqual([])
    })

    test('several types at once, each by its own parameters', async () => {
      const clinic = await filled(newClinic())
      expect(await clinic.find(['Patient', 'Organization', 'Group'], [name('prefix', 'n')])).toEqual(['Organization/1'])
      expect(await clinic.find(['Organization', 'Patient'], [{ kind: 'id', ids: ['1'] }])).toEqual([
        'Organization/1',
        'Patient/1',
      ])
      expect(await clinic.find([], [])).toEqual([])
      const ofEach = any(
        all({ kind: 'type', types: ['Patient'] }, { kind: 'id', ids: ['1'] }),
        all({ kind: 'type', types: ['Observation', 'Organization'] }, { kind: 'id', ids: ['o1'] }),
      )
      expect(await clinic.find(['Observation', 'Organization', 'Patient'], [ofEach])).toEqual([
        'Observation/o1',
        'Patient/1',
      ])
    })

    test('a word, among many resources that gain and lose words, are deleted and written again', async () => {
      const clinic = newClinic()
      const other = newClinic()
      const many = Array.from({ length: 400 }, (_, at) => ({
        id: String(at),
        text: at % 100 === 0 ? 'bone rare' : 'bone',
      }))
      // Referred to before it is there.
      await clinic.put('Observation/1', [reference('subject', 'Patient/late')])
      await clinic.write(...many.map(({ id, text }) => clinic.change(`Patient/${id}`, [words('text', text)])))
      await other.write(...many.map(({ id }) => other.change(`Patient/${id}`, [words('text', 'rare')])))
      await clinic.put('Practitioner/1', [words('text', 'rare')])
      const rare = () => clinic.find('Patient', [word('text', 'equal', 'rare')])
      const addresses = (...found: readonly string[]) => found.map((id) => `Patient/${id}`)
      expect(await rare()).toEqual(addresses('0', '100', '200', '300'))
      await clinic.put('Patient/100', [words('text', 'liver')])
      await clinic.put('Patient/101', [words('text', 'bone rare liver')])
      await clinic.put('Patient/102', [words('content', 'rare')])
      await clinic.put('Patient/late', [words('text', 'rare')])
      await clinic.delete('Patient/200')
      expect(await rare()).toEqual(addresses('0', '101', '300', 'late'))
      await clinic.put('Patient/100', [words('text', 'rare')])
      await clinic.put('Patient/200', [words('text', 'rare bone')])
      expect(await rare()).toEqual(addresses('0', '100', '101', '200', '300', 'late'))
      expect(await clinic.find('Patient', [word('text', 'prefix', 'li')])).toEqual(addresses('101'))
      const bones = await clinic.search('Patient', {
        where: [word('text', 'equal', 'bone')],
        total: 'accurate',
        count: 3,
      })
      expect([bones.matches.length, bones.total]).toEqual([3, 398])
    })

    test('a list of a thousand values', async () => {
      const clinic = await filled(newClinic())
      const codes = Array.from({ length: 1000 }, (_, index) => `c${index}`)
      expect(await clinic.find('Observation', [any(...codes.map(code), code('b'))])).toEqual(['Observation/o2'])
      expect(
        await clinic.find('Patient', [any(...codes.map((one) => name('prefix', one)), name('prefix', 'mull'))]),
      ).toEqual(['Patient/1', 'Patient/2'])
    })
  })
}
