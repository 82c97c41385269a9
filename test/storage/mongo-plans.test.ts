/**
 * MongoDB's query plans for every kind of search: it reads an index, examines few keys for few matches, and sorts no
 * more than a page. Every command names its clinic.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Condition, RangeBounds, SearchPlan } from '../../src/search/plan.ts'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import { newMongoUrl, withDatabase } from '../support/mongo.ts'
import { commandsDuring, type SentCommand, strayIn } from '../support/mongo-commands.ts'
import { type Plan, plansOf, tooCostly } from '../support/mongo-plans.ts'
import {
  Clinic,
  COMBINED,
  composite,
  date,
  number,
  position,
  quantity,
  reference,
  string,
  token,
  uri,
} from './fixtures.ts'

const PATIENTS = 2000
const SLOTS = 3000
const APPOINTMENTS = 300
const OBSERVATIONS = 1000
const DAY = 86_400_000
const HALF_HOUR = 1_800_000
const SLOT_STATUS = 'http://hl7.org/fhir/slotstatus'
const UCUM = 'http://unitsofmeasure.org'
const LOCATIONS = 4000
const PROFILE = 'http://profiles.example'

let url = ''
let clinic: Clinic

function patient(index: number) {
  const born = (index % 1000) * DAY
  return clinic.change(`Patient/p${index}`, [
    string('family', `Family${index % 500}`),
    string('name', `Family${index % 500}`),
    string('name', `Given${index % 20}`),
    token('gender', index % 2 === 0 ? 'female' : 'male'),
    token('identifier', `mrn-${index}`, 'urn:mrn'),
    date('birthdate', born, born + DAY - 1),
    reference('general-practitioner', `Practitioner/${index % 10}`),
    ...(index % 700 === 0 ? [date('death-date', born)] : []),
  ])
}

function slot(index: number) {
  const start = Math.floor(index / 10) * HALF_HOUR
  return clinic.change(`Slot/s${index}`, [
    reference('schedule', `Schedule/${index % 10}`),
    token('status', index % 7 === 0 ? 'busy' : 'free', SLOT_STATUS),
    date('start', start, start + 999),
  ])
}

const appointment = (index: number) =>
  clinic.change(`Appointment/a${index}`, [
    reference('patient', `Patient/p${index % 100}`),
    reference('slot', `Slot/s${index}`),
    date('date', index * DAY, index * DAY + HALF_HOUR),
  ])

const observation = (index: number) =>
  clinic.change(`Observation/o${index}`, [
    reference('subject', `Patient/p${index % 500}`),
    token('code', `code-${index % 50}`, 'urn:codes'),
    quantity('value-quantity', index, index + 0.5, 'mg', UCUM),
    number('factor', index),
    uri('profile', `${PROFILE}/${index % 250}/a`),
    date('date', index * DAY, (index + 40) * DAY),
    number('value-quantity:g', index / 1000),
    composite('code-value-quantity', token('code', `code-${index % 50}`, 'urn:codes'), number('value:g', index / 1000)),
  ])

/** A grid over the Earth, two degrees apart. */
const location = (index: number) =>
  clinic.change(`Location/l${index}`, [position('near', Math.floor(index / 50) * 2 - 80, (index % 50) * 2 - 180)])

const many = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n))

beforeAll(async () => {
  url = await newMongoUrl()
  clinic = new Clinic(await openMongoStore({ url, combined: COMBINED }), 'c')
  await clinic.write(...many(PATIENTS, patient))
  await clinic.write(...many(SLOTS, slot))
  await clinic.write(...many(APPOINTMENTS, appointment))
  await clinic.write(...many(OBSERVATIONS, observation))
  await clinic.write(...many(LOCATIONS, location))
  for (let version = 0; version < 5; version += 1) await clinic.put('Patient/p5', [string('family', 'Family5')])
})

afterAll(async () => {
  if (url === '') return
  await clinic.store.close()
  await withDatabase(url, (db) => db.dropDatabase())
})

const pointsTo = (param: string, type: string, id: string) => ({ kind: 'reference', param, type, id }) as const
const text = (param: string, match: 'prefix' | 'contains' | 'exact', value: string) =>
  ({ kind: 'string', param, match, value }) as const
const family = (value: string) => text('family', 'prefix', value)
const born = (day: number) =>
  ({ kind: 'date', param: 'birthdate', bounds: { lowMin: day * DAY, highMax: (day + 1) * DAY - 1 } }) as const
const code = (param: string, value: string) => ({ kind: 'token', param, code: value }) as const
const mrn = (value: string) => ({ ...code('identifier', value), system: 'urn:mrn' }) as const
const anyOf = (...of: readonly Condition[]) => ({ kind: 'any', of }) as const
const allOf = (...of: readonly Condition[]) => ({ kind: 'all', of }) as const
const measured = (code: string, bounds: RangeBounds) =>
  ({
    kind: 'composite',
    param: 'code-value-quantity',
    parts: [
      { kind: 'token', param: 'code', code },
      { kind: 'number', param: 'value:g', bounds },
    ],
  }) as const
const not = (of: Condition) => ({ kind: 'not', of }) as const

type Search = readonly [name: string, type: string, plan: Partial<SearchPlan>, found: number, keys?: number]

/** Selective searches examine few keys of the index: twice as many as they find, and some for the ends of ranges. */
const SELECTIVE: readonly Search[] = [
  ['a token with its system', 'Patient', { where: [mrn('mrn-77')] }, 1],
  ['a token of any system', 'Patient', { where: [code('identifier', 'mrn-77')] }, 1],
  ['one of some tokens', 'Patient', { where: [anyOf(mrn('mrn-1'), mrn('mrn-2'), mrn('mrn-3'))] }, 3],
  ['an id', 'Patient', { where: [{ kind: 'id', ids: ['p1', 'p2'] }] }, 2],
  ['the beginning of a string', 'Patient', { where: [family('family77')] }, 4],
  ['an exact string', 'Patient', { where: [text('family', 'exact', 'Family77')] }, 4],
  ['a family name and a birth date', 'Patient', { where: [family('family77'), born(77)] }, 2, 4],
  ['a frequent value and a rare one', 'Patient', { where: [code('gender', 'female'), family('family78')] }, 4],
  ['a rare value but not another', 'Patient', { where: [family('family77'), not(born(77))] }, 2, 6],
  ['some that must hold together', 'Patient', { where: [allOf(family('family77'), born(77))] }, 2, 4],
  ['one of two names', 'Patient', { where: [anyOf(family('family77'), family('family78'))] }, 8],
  ['a reference', 'Appointment', { where: [pointsTo('slot', 'Slot', 's7')] }, 1],
  ['a reference to any type', 'Appointment', { where: [{ kind: 'reference', param: 'slot', id: 's7' }] }, 1],
  ['a URI', 'Observation', { where: [{ kind: 'uri', param: 'profile', match: 'exact', value: `${PROFILE}/7/a` }] }, 4],
  [
    'what is below a URI',
    'Observation',
    { where: [{ kind: 'uri', param: 'profile', match: 'below', value: `${PROFILE}/7/` }] },
    4,
  ],
  [
    'what is above a URI',
    'Observation',
    { where: [{ kind: 'uri', param: 'profile', match: 'above', value: `${PROFILE}/7/a/b` }] },
    4,
    16,
  ],
  ['a day', 'Patient', { where: [born(77)] }, 2],
  ['from a day on', 'Slot', { where: [{ kind: 'date', param: 'start', bounds: { lowMin: 298 * HALF_HOUR } }] }, 20],
  [
    'what ends after a day',
    'Patient',
    { where: [{ kind: 'date', param: 'birthdate', bounds: { highMin: 998 * DAY } }] },
    4,
    12,
  ],
  [
    'long periods that are not over',
    'Observation',
    { where: [{ kind: 'date', param: 'date', bounds: { highMin: 1037 * DAY } }] },
    3,
  ],
  [
    'a period within days',
    'Appointment',
    {
      where: [
        { kind: 'date', param: 'date', bounds: { lowMin: 10 * DAY } },
        { kind: 'date', param: 'date', bounds: { highMax: 12 * DAY } },
      ],
    },
    2,
    8,
  ],
  ['a number', 'Observation', { where: [{ kind: 'number', param: 'factor', bounds: { lowMin: 7, highMax: 8 } }] }, 2],
  [
    'a quantity with its unit',
    'Observation',
    {
      where: [
        { kind: 'quantity', param: 'value-quantity', bounds: { lowMin: 7, highMax: 9 }, system: UCUM, code: 'mg' },
      ],
    },
    2,
  ],
  [
    'a quantity above another in base units',
    'Observation',
    { where: [{ kind: 'number', param: 'value-quantity:g', bounds: { highMin: 0.997 } }] },
    3,
  ],
  [
    'a code and a number of one repetition',
    'Observation',
    { where: [measured('code-7', { lowMin: 0.107, highMax: 0.207 })] },
    3,
  ],
  ['a code and all numbers above one', 'Observation', { where: [measured('code-7', { highMin: 0.907 })] }, 2],
  [
    'what is near',
    'Location',
    { where: [{ kind: 'position', param: 'near', latitude: 0, longitude: -100, distance: 230_000 }] },
    5,
    40,
  ],
  ['a value that is there', 'Patient', { where: [{ kind: 'missing', param: 'death-date', missing: false }] }, 3, 24],
  ['when it was changed', 'Patient', { where: [{ kind: 'lastUpdated', bounds: { lowMin: 1001, highMax: 1004 } }] }, 4],
  [
    'a chain',
    'Appointment',
    { where: [{ kind: 'chain', param: 'patient', types: ['Patient'], where: mrn('mrn-9') }] },
    3,
  ],
  [
    'what points here',
    'Patient',
    { where: [{ kind: 'has', type: 'Appointment', param: 'patient', where: pointsTo('slot', 'Slot', 's9') }] },
    1,
  ],
  [
    'a patient’s appointments with what they refer to',
    'Appointment',
    {
      where: [pointsTo('patient', 'Patient', 'p7'), { kind: 'date', param: 'date', bounds: { highMin: 50 * DAY } }],
      include: [{ source: 'Appointment', param: '*', reverse: false, iterate: false }],
    },
    2,
    8,
  ],
  [
    'patients with what points to them',
    'Patient',
    {
      where: [mrn('mrn-7')],
      include: [{ source: 'Appointment', param: 'patient', reverse: true, iterate: false }],
    },
    1,
    6,
  ],
  [
    'schedule, status and two days, by start',
    'Slot',
    {
      where: [
        pointsTo('schedule', 'Schedule', '7'),
        { ...code('status', 'free'), system: SLOT_STATUS },
        { kind: 'date', param: 'start', bounds: { lowMin: 0 } },
        { kind: 'date', param: 'start', bounds: { lowMax: 2 * DAY } },
      ],
      count: 50,
      sort: [{ by: 'date', param: 'start', descending: false }],
    },
    50,
    100,
  ],
  ['a rare value, with the total', 'Patient', { where: [family('family7')], count: 10, total: 'accurate' }, 10, 450],
  [
    'a rare value, sorted',
    'Patient',
    { where: [family('family77')], sort: [{ by: 'string', param: 'name', descending: true }] },
    4,
  ],
]

/**
 * Searches with many matches stop at the end of the page, where an index has their order. Patient p5 lacks most values.
 */
const PAGES: readonly Search[] = [
  ['a frequent value', 'Patient', { where: [code('gender', 'female')], count: 20 }, 20, 21],
  ['everything', 'Patient', { count: 20 }, 20, 21],
  ['everything, the latest first', 'Patient', { count: 20, sort: [{ by: 'lastUpdated', descending: true }] }, 20, 21],
  ['everything, by id', 'Patient', { count: 20, sort: [{ by: 'id', descending: false }] }, 20, 21],
  [
    'what has no value',
    'Patient',
    { where: [{ kind: 'missing', param: 'death-date', missing: true }], count: 20 },
    20,
    22,
  ],
  ['all but a value', 'Patient', { where: [not(code('gender', 'male'))], count: 20 }, 20, 42],
  ['a part of a string', 'Patient', { where: [text('name', 'contains', 'ily')], count: 20 }, 20, 22],
  [
    'any code of a system',
    'Patient',
    { where: [{ kind: 'token', param: 'identifier', system: 'urn:mrn' }], count: 20 },
    20,
    22,
  ],
]

/** No index has their order, so they look at all that match; they keep no more than a page of it. */
const COLLECTED: readonly Search[] = [
  [
    'a frequent value, by id',
    'Patient',
    { where: [code('gender', 'female')], count: 5, sort: [{ by: 'id', descending: true }] },
    5,
  ],
  ['a frequent beginning of a string', 'Patient', { where: [family('f')], count: 20 }, 20],
  [
    'everything, by a value',
    'Patient',
    { count: 20, sort: [{ by: 'date', param: 'birthdate', descending: true }] },
    20,
  ],
  ['several types', ['Patient', 'Slot', 'Appointment', 'Observation'].join(), { count: 20 }, 20],
  ['the total alone', 'Patient', { where: [code('gender', 'female')], count: 0 }, 0],
]

const planned = async (type: string, plan: Partial<SearchPlan>, found: number): Promise<readonly Plan[]> => {
  const plans = await plansOf(url, async () => {
    expect((await clinic.search(type.split(','), plan)).matches).toHaveLength(found)
  })
  expect(plans.length).toBeGreaterThan(0)
  expect(tooCostly(plans, plan.count ?? 100)).toEqual([])
  return plans
}

/** The plans that return resources; the others count matches up to a limit. */
const ofResources = (plans: readonly Plan[]): readonly Plan[] =>
  plans.filter(({ asked }) => !JSON.stringify(asked).includes('$count'))

function expectKeys(plans: readonly Plan[], most: number): void {
  // Documents that two ranges find are counted for each.
  const bad = plans.filter(({ keysExamined, documentsExamined }) => keysExamined > most || documentsExamined > 2 * most)
  expect(bad.map(({ asked, ...examined }) => ({ ...examined, asked: JSON.stringify(asked) }))).toEqual([])
}

describe('MongoDB', () => {
  test.each(SELECTIVE)('finds by %s, and sees few keys for it', async (_, type, plan, found, keys = 2 * found + 2) => {
    expectKeys(ofResources(await planned(type, plan, found)), keys)
  })

  test.each(PAGES)('gives a page of %s, and reads no further', async (_, type, plan, found, keys = 0) => {
    expectKeys(ofResources(await planned(type, plan, found)), keys)
  })

  test.each(COLLECTED)('gives a page of %s, and keeps no more than that', async (_, type, plan, found) => {
    await planned(type, plan, found)
  })

  test('looks for what chains lead to once, and only among the types that the clinic has', async () => {
    const types = ['Patient', 'Practitioner', 'Device', 'Group', 'Organization']
    const chains = ['subject', 'performer', 'focus'].map(
      (param): Condition => ({ kind: 'chain', param, types, where: text('family', 'exact', 'Family5') }),
    )
    const commands = await commandsDuring(() => clinic.search('Observation', { where: chains }))
    // The list of types is read from none of them.
    const looked = commands.flatMap(({ name, command }) => {
      if (name === 'find') return [command['filter'].type]
      return name === 'aggregate' ? (command['pipeline'][0].$match?.type ?? []) : []
    })
    expect(looked.filter((type) => type !== 'Observation')).toEqual(['Patient'])
  })

  test('counts candidates no further than it takes to know', async () => {
    const plans = await planned('Patient', { where: [code('gender', 'female'), family('family')], count: 20 }, 20)
    expectKeys(plans, 1025)
  })

  test.each([[[]], [[{ by: 'id', descending: true }]], [[{ by: 'lastUpdated', descending: false }]]] as const)(
    'gives the second page of a long list without reading the first, sorted by %j',
    async (sort) => {
      const { next: after = '' } = await clinic.search('Patient', { count: 1000, sort })
      // The page, one more, and where the first page ended.
      expectKeys(await planned('Patient', { count: 10, after, sort }, 10), 13)
    },
  )

  test.each([
    ['a resource', { type: 'Patient', id: 'p5' }],
    ['a type', { type: 'Patient' }],
    ['a clinic', {}],
  ])('reads a page of the history of %s from an index, in its order', async (_, query) => {
    const plans = await plansOf(url, () => clinic.history({ ...query, count: 3 }))
    const pages = plans.filter(({ asked }) => asked['find'] !== undefined)
    expect(pages).toHaveLength(2)
    expectKeys(pages, 6)
    expect(pages.flatMap(({ sorted }) => sorted)).toEqual([])
    expect(tooCostly(plans, 3)).toEqual([])
  })

  test('reads what a list names of the history by its ids, whatever else there is', async () => {
    const versions = [
      { type: 'Patient', id: 'p5' },
      { type: 'Patient', id: 'p6', version: 1 },
      { type: 'Slot', id: 'p7' },
    ]
    const among = { name: 'List/1', versions }
    const plans = await plansOf(url, () => clinic.history({ among, count: 3 }))
    const pages = plans.filter(({ asked }) => asked['find'] !== undefined)
    expect(pages).toHaveLength(2)
    // A seek for each id in each type.
    expectKeys(plans, 12)
    expect(tooCostly(plans, 3)).toEqual([])
  })

  test('reads a resource, a version and a record by one key', async () => {
    await clinic.record('call', '1', 1)
    const plans = await plansOf(url, async () => {
      await clinic.read('Patient/p5')
      await clinic.store.readVersion('c', 'Patient', 'p5', 2)
      await clinic.store.readRecord('c', 'call', '1')
    })
    expect(plans).toHaveLength(4)
    expectKeys(plans, 1)
  })

  test('finds what it replaces by one key', async () => {
    const plans = await plansOf(url, async () => {
      await clinic.put('Patient/p5', [string('family', 'Family5')])
      await clinic.record('call', '1', 2)
    })
    expect(plans.length).toBeGreaterThanOrEqual(4)
    expectKeys(plans, 1)
  })

  test('gets what is due, of one clinic and of all, from an index', async () => {
    await clinic.record('job', '1', 1, { due: 5 })
    const plans = await plansOf(url, async () => {
      expect(await clinic.store.records({ kind: 'job', dueBefore: 9, limit: 10 })).toHaveLength(1)
      expect(await clinic.store.records({ clinic: 'c', kind: 'job', limit: 10 })).toHaveLength(1)
    })
    expect(plans).toHaveLength(2)
    expectKeys(plans, 2)
    expect(plans.flatMap(({ sorted }) => sorted)).toEqual([])
  })
})

describe('The rule that a command names its clinic first', () => {
  const sent = (name: string, collection: string, rest: object): SentCommand => ({
    name,
    collection,
    database: 'emr',
    command: { [name]: collection, ...rest },
  })

  test.each([
    ['find', 'resources', { filter: { clinic: 'c', type: 'Patient' } }],
    [
      'find',
      'records',
      {
        filter: {
          $or: [
            { clinic: 'c', kind: 'k' },
            { clinic: 'd', kind: 'k' },
          ],
        },
      },
    ],
    ['find', 'records', { filter: { kind: 'outbox', due: { $lte: 1 } } }],
    ['find', 'store', { filter: { _id: 'schema' } }],
    ['aggregate', 'history', { pipeline: [{ $match: { clinic: 'c' } }, { $count: 'n' }] }],
    ['insert', 'history', { documents: [{ _id: '1', clinic: 'c' }] }],
    ['update', 'resources', { updates: [{ q: { clinic: 'c', id: '1' }, u: {} }] }],
    ['delete', 'records', { deletes: [{ q: { clinic: 'c' }, limit: 1 }] }],
    ['getMore', 'resources', {}],
    ['createIndexes', 'resources', {}],
  ])('accepts a %s on %s: %j', (name, collection, rest) => {
    expect(strayIn(sent(name, collection, rest))).toBeUndefined()
  })

  test.each([
    ['find', 'resources', { filter: { type: 'Patient', clinic: 'c' } }, 'find resources {type,clinic}'],
    ['find', 'resources', { filter: { clinic: { $gte: 'c' } } }, 'find resources {clinic}'],
    ['find', 'records', { filter: { $or: [{ clinic: 'c' }, { kind: 'k' }] } }, 'find records {$or}'],
    ['find', 'history', {}, 'find history {}'],
    ['aggregate', 'resources', { pipeline: [{ $sort: { _id: 1 } }] }, 'aggregate resources {}'],
    ['distinct', 'resources', { key: 'type', query: {} }, 'distinct resources type {}'],
    ['insert', 'records', { documents: [{ _id: '1', kind: 'k' }] }, 'insert records {kind}'],
    ['update', 'resources', { updates: [{ q: { id: '1' }, u: {} }] }, 'update resources {id}'],
    ['delete', 'records', { deletes: [{ q: {}, limit: 0 }] }, 'delete records {}'],
    ['mapReduce', 'resources', {}, 'mapReduce resources {}'],
  ])('refuses a %s on %s: %j', (name, collection, rest, stray) => {
    expect(strayIn(sent(name, collection, rest))).toBe(stray)
  })
})
