/** Times that can be booked: which are offered, in which order, and page by page. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Extension, PractitionerRole, Schedule, Slot } from 'fhir/r4'
import { findOpenings, type Opening, type OpeningsQuery } from '../../src/booking/openings.ts'
import { proposalIds, readProposal } from '../../src/booking/proposal.ts'
import { type ClinicPolicies, writeSettings } from '../../src/clinics/settings.ts'
import { appointmentType, availability, open, slotMinutes } from '../scheduling/availability-samples.ts'
import { randomRuns } from '../support/random-runs.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'
import { expectedOpenings } from './openings-model.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A Monday. */
const NOW = Date.parse('2026-03-02T08:00:00Z')
const at = (halfHours: number): number => NOW + halfHours * 30 * MINUTE
const iso = (time: number): string => new Date(time).toISOString()

let store: TestRepository
let clinics = 0
beforeAll(async () => {
  store = await openTestRepository(NOW)
})

/** A clinic of its own, with these policies. */
async function newClinic(policies: Partial<ClinicPolicies> = {}): Promise<string> {
  clinics += 1
  const clinic = `clinic-${clinics}`
  await store.repository.change(clinic, (unit) =>
    writeSettings(unit, {
      name: clinic,
      timeZone: 'UTC',
      dialedNumbers: [],
      defaultRegion: 'US',
      policies: { overbooking: false, slotTakenStatus: 409, ...policies },
    }),
  )
  return clinic
}

type Stored = (Slot | Schedule | PractitionerRole) & { readonly id: string }

const write = (clinic: string, resources: readonly Stored[]) =>
  store.access(clinic).change(async (ctx) => {
    for (const resource of resources) await ctx.update(resource)
  })

const schedule = (id: string, more: Omit<Partial<Schedule>, 'id'> = {}, ...extension: Extension[]): Stored => ({
  resourceType: 'Schedule',
  id,
  actor: [{ reference: `Practitioner/${id}` }],
  ...(extension.length === 0
    ? {}
    : { extension: [availability(slotMinutes(30), open('08:00', '09:00'), ...extension)] }),
  ...more,
})

/** A Slot of a schedule, in half hours from now. */
const slot = (of: string, [start, end]: readonly [number, number], more: Partial<Slot> = {}): Stored =>
  ({
    resourceType: 'Slot',
    id: `${of}-${start}`,
    schedule: { reference: `Schedule/${of}` },
    status: 'free',
    start: iso(at(start)),
    end: iso(at(end)),
    ...more,
  }) as Stored
const half = (of: string, start: number, more: Partial<Slot> = {}): Stored => slot(of, [start, start + 1], more)

const find = async (clinic: string, query: Partial<OpeningsQuery> = {}) =>
  findOpenings(await store.access(clinic).reader(), { from: NOW - DAY, until: NOW + 30 * DAY, limit: 100, ...query })

const idsOf = (openings: readonly Opening[]): readonly string[] =>
  openings.map(({ slots }) => slots.map(({ id }) => id).join('+'))
const found = async (clinic: string, query: Partial<OpeningsQuery> = {}) => idsOf((await find(clinic, query)).openings)

describe('what is offered', () => {
  test('are free Slots in the future, in order of start, within the time that is asked for', async () => {
    const clinic = await newClinic()
    await write(clinic, [
      schedule('a'),
      ...[3, -1, 0, 1, 9].map((start) => half('a', start)),
      ...(['busy', 'busy-tentative', 'busy-unavailable', 'entered-in-error'] as const).map((status, index) =>
        half('a', 20 + index, { status }),
      ),
    ])
    expect(await found(clinic)).toEqual(['a-1', 'a-3', 'a-9'])
    expect(await found(clinic, { from: at(3), until: at(10) })).toEqual(['a-3', 'a-9'])
    expect(await found(clinic, { from: at(3), until: at(9.5) })).toEqual(['a-3'])
    expect(await found(clinic, { from: at(4), until: at(4) })).toEqual([])
    const everything = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
    expect(await found(clinic, everything)).toEqual(['a-1', 'a-3', 'a-9'])
    expect(await found(clinic, { ...everything, schedules: ['a'] })).toEqual(['a-1', 'a-3', 'a-9'])
  })

  test('is there once, though it starts where one window of a search of several Schedules ends and the next begins', async () => {
    const clinic = await newClinic()
    await write(clinic, [schedule('a'), schedule('b'), half('a', 3), half('b', 2 + 48), half('a', 60)])
    expect(await found(clinic, { from: at(2), schedules: ['a', 'b'] })).toEqual(['a-3', 'b-50', 'a-60'])
  })

  test('is there once, though a search of several Schedules has found more than a page of them that ended with it', async () => {
    const clinic = await newClinic()
    const halves = Array.from({ length: 20 }, (_, index) => 3 + index)
    await write(clinic, [
      schedule('a'),
      schedule('b'),
      ...halves.flatMap((start) => [half('a', start), half('b', start)]),
    ])
    // A page reads ten more slots than requested: seven pairs, and a-10.
    const isWanted = (start: number) => start >= at(10)
    expect(await found(clinic, { limit: 5, isWanted, schedules: ['a', 'b'] })).toEqual([
      ...['a-10', 'b-10', 'a-11', 'b-11', 'a-12'],
    ])
  })

  test('heeds the minimum notice and the booking horizon of the clinic', async () => {
    const clinic = await newClinic({ minimumNoticeMinutes: 60, bookingHorizonDays: 1 })
    await write(clinic, [schedule('a'), ...[1, 2, 48, 49].map((start) => half('a', start))])
    expect(await found(clinic)).toEqual(['a-2', 'a-48'])
    expect(await found(clinic, { minutes: 60 })).toEqual(['a-48+a-49'])
  })

  test('is of active Schedules that exist, and of those that are named', async () => {
    const clinic = await newClinic()
    const all = ['a', 'b', 'closed', 'gone'].map((of) => half(of, 5))
    await write(clinic, [schedule('a'), schedule('b'), schedule('closed', { active: false }), ...all])
    expect(await found(clinic)).toEqual(['a-5', 'b-5'])
    expect(await found(clinic, { schedules: ['b', 'closed', 'gone'] })).toEqual(['b-5'])
    expect(await found(clinic, { schedules: [] })).toEqual([])
  })

  test('is as many adjacent Slots of one Schedule as the visit takes, of the same kind and without a gap', async () => {
    const clinic = await newClinic()
    const serviceType = [{ text: 'Physiotherapy' }]
    await write(clinic, [
      schedule('a'),
      schedule('b'),
      ...[2, 3, 4, 6, 7, 9].map((start) => half('a', start)),
      ...[8, 10].map((start) => half('a', start, { serviceType })),
      half('b', 5),
      slot('b', [20, 23]),
    ])
    expect(await found(clinic, { minutes: 60 })).toEqual(['a-2+a-3', 'a-3+a-4', 'a-6+a-7', 'b-20'])
    expect(await found(clinic, { minutes: 80 })).toEqual(['a-2+a-3+a-4', 'b-20'])
    expect(await found(clinic, { minutes: 60, until: at(4.5) })).toEqual(['a-2+a-3'])
  })

  test('is at times that are wanted', async () => {
    const clinic = await newClinic()
    await write(clinic, [schedule('a'), ...[2, 3, 4, 5].map((start) => half('a', start))])
    expect(await found(clinic, { isWanted: (start) => start % HOUR === 0 })).toEqual(['a-2', 'a-4'])
  })
})

describe('a kind of visit', () => {
  const TYPES = [appointmentType('LONG', 60, 0, 30), appointmentType('SHORT', 20)]

  test('that is an appointment type takes its minutes in Slots for any type, and Slots of its own', async () => {
    const clinic = await newClinic()
    const type = (code: string) => ({ appointmentType: { coding: [{ code }] } })
    await write(clinic, [
      schedule('a', {}, ...TYPES),
      ...[4, 5].map((start) => half('a', start)),
      slot('a', [8, 10], type('LONG')),
      slot('a', [12, 13], type('SHORT')),
    ])
    expect(await found(clinic, { visitTypes: ['long'] })).toEqual(['a-4+a-5', 'a-8'])
    expect(await found(clinic, { visitTypes: ['Short'] })).toEqual(['a-4', 'a-5', 'a-12'])
    expect(await found(clinic, { visitTypes: ['http://terminology.hl7.org/CodeSystem/v2-0276|SHORT'] })).toEqual([
      'a-4',
      'a-5',
    ])
    expect(await found(clinic, { visitTypes: ['other'] })).toEqual([])
  })

  test('is a service of the Slot, else of its Schedule, by code, display or text, whatever the case', async () => {
    const clinic = await newClinic()
    const physio = { coding: [{ system: 'http://services', code: '65', display: 'Physiotherapy' }] }
    await write(clinic, [
      schedule('a', { serviceType: [physio] }),
      schedule('b', { serviceCategory: [{ text: 'physiotherapy' }] }),
      half('a', 1),
      half('a', 2, { serviceType: [{ text: 'Surgery' }] }),
      half('b', 3),
    ])
    expect(await found(clinic, { visitTypes: ['PHYSIOtherapy'] })).toEqual(['a-1', 'b-3'])
    expect(await found(clinic, { visitTypes: ['http://services|65'] })).toEqual(['a-1'])
    expect(await found(clinic, { visitTypes: ['http://other|65'] })).toEqual([])
    expect(await found(clinic, { visitTypes: ['surgery'] })).toEqual(['a-2'])
  })

  test('is of a specialty of the Slot, its Schedule, or the roles of its practitioner', async () => {
    const clinic = await newClinic()
    const specialty = [{ coding: [{ code: '394802001', display: 'General medicine' }] }]
    const role = (id: string, practitioner: string, more: object): Stored => ({
      resourceType: 'PractitionerRole',
      id,
      practitioner: { reference: `Practitioner/${practitioner}` },
      specialty,
      ...more,
    })
    await write(clinic, [
      ...[schedule('a', { specialty }), schedule('b'), schedule('c'), schedule('d')],
      schedule('e', { actor: [{ reference: 'PractitionerRole/r' }] }),
      ...[role('r', 'b', {}), role('former', 'c', { active: false })],
      ...['a', 'b', 'c', 'e'].map((of, index) => half(of, 1 + index)),
      half('d', 9, { specialty }),
    ])
    const expected = ['a-1', 'b-2', 'e-4', 'd-9']
    expect(await found(clinic, { specialties: ['general MEDICINE'] })).toEqual(expected)
    expect(await found(clinic, { specialties: ['394802001'] })).toEqual(expected)
    expect(await found(clinic, { specialties: ['Surgery'] })).toEqual([])
  })
})

describe('the order of those that start at the same time', () => {
  test('is that of the kinds of visit that are asked for, then that of the Schedules', async () => {
    const clinic = await newClinic()
    const kinds = { a: 'X', b: 'Y', c: 'X' }
    await write(
      clinic,
      Object.entries(kinds).flatMap(([id, text]) => [
        schedule(id, { serviceType: [{ text }] }),
        half(id, 1),
        half(id, 2),
      ]),
    )
    const order = ['c-1', 'b-1', 'a-1', 'c-2', 'b-2', 'a-2']
    expect(await found(clinic, { schedules: ['c', 'b', 'a'] })).toEqual(order)
    const byKind = ['b-1', 'c-1', 'a-1', 'b-2', 'c-2', 'a-2']
    expect(await found(clinic, { schedules: ['c', 'b', 'a'], visitTypes: ['y', 'x'] })).toEqual(byKind)
  })
})

describe('pages', () => {
  const allPages = async (clinic: string, query: Partial<OpeningsQuery>) => {
    const pages: string[][] = []
    let after: OpeningsQuery['after']
    do {
      const { openings, next } = await find(clinic, { ...query, ...(after === undefined ? {} : { after }) })
      pages.push([...idsOf(openings)])
      after = next
    } while (after !== undefined)
    return pages
  }

  test('end early where little is wanted of much, and go on behind that', async () => {
    const clinic = await newClinic()
    const many = Array.from({ length: 45 }, (_, start) => ['a', 'b', 'c'].map((of) => half(of, 1 + start))).flat()
    await write(clinic, [...['a', 'b', 'c'].map((id) => schedule(id)), ...many])
    const pages = await allPages(clinic, { limit: 10 })
    expect(pages.map(({ length }) => length)).toEqual([...Array(13).fill(10), 5])
    expect(new Set(pages.flat()).size).toBe(135)
  })

  const kinds = fc.constantFrom<Slot['serviceType']>(undefined, [{ text: 'X' }], [{ text: 'Y' }])
  const slots = fc.uniqueArray(
    fc.record({
      of: fc.constantFrom('a', 'b', 'c'),
      start: fc.integer({ min: -2, max: 60 }),
      length: fc.constantFrom(1, 1, 1, 2, 3),
      copy: fc.constantFrom(0, 0, 0, 1),
      status: fc.constantFrom<Slot['status']>('free', 'free', 'free', 'busy', 'busy-tentative'),
      serviceType: kinds,
    }),
    { maxLength: 60, selector: ({ of, start, copy }) => `${of} ${start} ${copy}` },
  )
  const queries = fc.record(
    {
      schedules: fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 1 }),
      minutes: fc.constantFrom(10, 30, 45, 60, 90),
      visitTypes: fc.constantFrom(['x'], ['y', 'x']),
      from: fc.integer({ min: -10, max: 30 }).map(at),
      until: fc.integer({ min: 20, max: 70 }).map(at),
      limit: fc.integer({ min: 1, max: 9 }),
      isWanted: fc.constantFrom<NonNullable<OpeningsQuery['isWanted']>>(
        (start) => start % HOUR === 0,
        (start, end) => end - start <= HOUR,
      ),
    },
    { requiredKeys: [] },
  )

  test('have every time that can be booked once, in order, whatever is asked for; and each can be read again', async () => {
    await fc.assert(
      fc.asyncProperty(slots, queries, async (some, query) => {
        const clinic = await newClinic()
        const stored = some.map(({ of, start, length, copy, status, serviceType }) =>
          slot(of, [start, start + length], {
            id: `${of}-${copy}-${start}`,
            status,
            ...(serviceType === undefined ? {} : { serviceType }),
          }),
        ) as (Slot & { id: string })[]
        await write(clinic, [...['a', 'b', 'c'].map((id) => schedule(id)), ...stored])
        const pages = await allPages(clinic, query)
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(query.limit ?? 100)
        expect(pages.flat()).toEqual(expectedOpenings(stored, query, NOW))
        const { openings } = await find(clinic, query)
        const access = store.access(clinic)
        const ids = await proposalIds(
          access,
          openings.map((opening) => opening.slots),
          {},
        )
        const read = await Promise.all(ids.map(async (id) => readProposal(await access.reader(), id)))
        expect(
          read.map((one) => one?.slot?.map(({ reference }) => reference?.slice('Slot/'.length)).join('+')),
        ).toEqual(idsOf(openings))
      }),
      { numRuns: randomRuns(60) },
    )
  })
})
