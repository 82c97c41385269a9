/** What MongoDB does for typical searches: it reads an index, looks at few documents, and sorts no more than those. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Document } from 'mongodb'
import type { SearchPlan } from '../../src/search/plan.ts'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import { describeOnMongo, newMongoUrl, withDatabase } from '../support/mongo.ts'
import { Clinic, COMBINED, date, reference, string, token } from './fixtures.ts'

const PATIENTS = 2000
const SLOTS = 3000
const DAY = 86_400_000
const HALF_HOUR = 1_800_000

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
  ])
}

function slot(index: number) {
  return clinic.change(`Slot/s${index}`, [
    reference('schedule', `Schedule/${index % 10}`),
    token('status', index % 7 === 0 ? 'busy' : 'free', 'http://hl7.org/fhir/slotstatus'),
    date('start', Math.floor(index / 10) * HALF_HOUR, Math.floor(index / 10) * HALF_HOUR + 999),
  ])
}

beforeAll(async () => {
  if (process.env['TEST_MONGO'] === undefined) return
  url = await newMongoUrl()
  clinic = new Clinic(await openMongoStore({ url, combined: COMBINED }), 'c')
  await clinic.write(...Array.from({ length: PATIENTS }, (_, index) => patient(index)))
  await clinic.write(...Array.from({ length: SLOTS }, (_, index) => slot(index)))
  await clinic.write(
    ...Array.from({ length: 300 }, (_, index) =>
      clinic.change(`Appointment/a${index}`, [
        reference('patient', `Patient/p${index % 100}`),
        reference('slot', `Slot/s${index}`),
        date('date', index * DAY, index * DAY + HALF_HOUR),
      ]),
    ),
  )
  for (let version = 0; version < 5; version += 1) await clinic.put('Patient/p5', [string('family', 'Family5')])
})

afterAll(async () => {
  if (url === '') return
  await clinic.store.close()
  await withDatabase(url, (db) => db.dropDatabase())
})

/** Every command that `work` made the server carry out on our collections, as its profiler saw it. */
async function profiled(work: () => Promise<unknown>): Promise<readonly Document[]> {
  return await withDatabase(url, async (db) => {
    await db.command({ profile: 0 })
    await db.collection('system.profile').drop()
    await db.command({ profile: 2 })
    await work()
    await db.command({ profile: 0 })
    return await db.collection('system.profile').find({ appName: 'sandbox-emr' }).toArray()
  })
}

const pointsTo = (param: string, type: string, id: string) => ({ kind: 'reference', param, type, id }) as const
const family = (value: string) => ({ kind: 'string', param: 'family', match: 'prefix', value }) as const
const born = (day: number) =>
  ({ kind: 'date', param: 'birthdate', bounds: { lowMin: day * DAY, highMax: (day + 1) * DAY - 1 } }) as const
const code = (param: string, value: string) => ({ kind: 'token', param, code: value }) as const

type Search = readonly [name: string, type: string, plan: Partial<SearchPlan>, found: number, examined: number]

/** `examined`: the most documents that any one command may look at; the profiler counts those of a union twice. */
const SEARCHES: readonly Search[] = [
  ['a token', 'Patient', { where: [{ ...code('identifier', 'mrn-77'), system: 'urn:mrn' }] }, 1, 1],
  ['an id', 'Patient', { where: [{ kind: 'id', ids: ['p1', 'p2'] }] }, 2, 2],
  ['a family name and a birth date', 'Patient', { where: [family('family77'), born(77)] }, 2, 4],
  ['a frequent value and a rare one', 'Patient', { where: [code('gender', 'female'), family('family78')] }, 4, 64],
  ['a frequent value, one page', 'Patient', { where: [code('gender', 'female')], count: 20 }, 20, 21],
  ['a prefix of many values, one page', 'Patient', { where: [family('f')], count: 20 }, 20, PATIENTS],
  [
    'schedule, status and two days',
    'Slot',
    {
      where: [
        pointsTo('schedule', 'Schedule', '7'),
        code('status', 'free'),
        { kind: 'date', param: 'start', bounds: { lowMin: 0 } },
        { kind: 'date', param: 'start', bounds: { lowMax: 2 * DAY } },
      ],
      count: 50,
      sort: [{ by: 'date', param: 'start', descending: false }],
    },
    50,
    2 * 97,
  ],
  [
    'a patient’s appointments with what they refer to',
    'Appointment',
    {
      where: [pointsTo('patient', 'Patient', 'p7'), { kind: 'date', param: 'date', bounds: { highMin: 50 * DAY } }],
      include: [{ source: 'Appointment', param: '*', reverse: false, iterate: false }],
    },
    2,
    2 * 2,
  ],
  [
    'a chain',
    'Appointment',
    {
      where: [
        {
          kind: 'chain',
          param: 'patient',
          types: ['Patient'],
          where: { ...code('identifier', 'mrn-9'), system: 'urn:mrn' },
        },
      ],
    },
    3,
    3,
  ],
  ['everything, one page', 'Patient', { count: 20 }, 20, 21],
  ['everything, the latest first', 'Patient', { count: 20, sort: [{ by: 'lastUpdated', descending: true }] }, 20, 21],
  ['everything, by id', 'Patient', { count: 20, sort: [{ by: 'id', descending: false }] }, 20, 21],
]

describeOnMongo('MongoDB', () => {
  test.each(SEARCHES)('finds by %s without a collection scan, and looks at few documents', async (...search) => {
    const [, type, plan, found, examined] = search
    const commands = await profiled(async () => {
      expect((await clinic.search(type, plan)).matches).toHaveLength(found)
    })
    expect(commands.length).toBeGreaterThan(0)
    expectIndexed(commands, examined)
  })

  test('gives the second page of a long list without reading the first', async () => {
    for (const sort of [[], [{ by: 'id', descending: true }], [{ by: 'lastUpdated', descending: false }]] as const) {
      const first = await clinic.search('Patient', { count: 1000, sort })
      const { next: after = '' } = first
      const commands = await profiled(() => clinic.search('Patient', { count: 10, after, sort }))
      // The page, one more, and where the first page ended.
      expectIndexed(commands, 12)
    }
  })

  test.each([
    ['a resource', { type: 'Patient', id: 'p5' }],
    ['a type', { type: 'Patient' }],
    ['a clinic', {}],
  ])('reads a page of the history of %s from an index, in its order', async (_, query) => {
    const commands = await profiled(() => clinic.history({ ...query, count: 3 }))
    const pages = commands.filter(({ command }) => command.find !== undefined)
    expect(pages).toHaveLength(2)
    expectIndexed(pages, 4)
    expect(pages.some(({ hasSortStage }) => hasSortStage)).toBe(false)
  })

  test('reads a resource, a version and a record by one key', async () => {
    await clinic.record('call', '1', 1)
    const commands = await profiled(async () => {
      await clinic.read('Patient/p5')
      await clinic.store.readVersion('c', 'Patient', 'p5', 2)
      await clinic.store.readRecord('c', 'call', '1')
    })
    expectIndexed(commands, 1)
  })
})

function expectIndexed(commands: readonly Document[], mostExamined: number): void {
  const bad = commands.filter(
    ({ planSummary = '', docsExamined = 0 }) => planSummary.includes('COLLSCAN') || docsExamined > mostExamined,
  )
  expect(bad.map(({ planSummary, docsExamined, command }) => ({ planSummary, docsExamined, command }))).toEqual([])
}
