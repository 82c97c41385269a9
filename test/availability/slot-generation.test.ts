/**
 * Slots generated from the availability of Schedules: by which server, how far ahead, and which Slots are left alone.
 */
import { describe, expect, test } from '@jest/globals'
import type { Extension, Schedule, Slot } from 'fhir/r4'
import { pino } from 'pino'
import {
  type GeneratedPart,
  generatePart,
  type PartSize,
  SLOT_GENERATION,
  SMALL_PART,
  slotGenerating,
} from '../../src/availability/slot-generation.ts'
import type { Repository } from '../../src/repository/repository.ts'
import {
  appointmentType,
  availability,
  away,
  horizonDays,
  open,
  scheduleWith,
  slotMinutes,
  timeZone,
} from '../scheduling/availability-samples.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'

const CLINIC = 'clinic-a'
/** A Monday. */
const MONDAY = '2026-03-02T08:00:00+01:00'
const WEEK = [timeZone('Europe/Berlin'), horizonDays(7), slotMinutes(30)]
const MORNINGS = [...WEEK, open('09:00', '11:00')]

async function opened(time = MONDAY): Promise<TestRepository> {
  return await openTestRepository(time)
}

const write = ({ access }: TestRepository, schedule: Schedule, clinic = CLINIC) =>
  access(clinic).change((ctx) => ctx.update(schedule))

/** Part by part until it is complete. */
async function generate({ access }: TestRepository, schedule = 's', size: PartSize = SMALL_PART, clinic = CLINIC) {
  const sum = { created: 0, updated: 0, removed: 0, parts: 0 }
  for (;;) {
    const part: GeneratedPart = await access(clinic).change((ctx) => generatePart(ctx, schedule, size))
    sum.created += part.created
    sum.updated += part.updated
    sum.removed += part.removed
    sum.parts += 1
    if (part.isComplete) return sum
  }
}

async function slots({ access }: TestRepository, query = '', clinic = CLINIC): Promise<readonly Slot[]> {
  const found = await (await access(clinic).reader()).search<Slot>('Slot', `_sort=start${query}`)
  return found.map(({ resource }) => resource)
}

const starts = (found: readonly Slot[]): readonly string[] => found.map(({ start }) => start.slice(0, 16))

const set = ({ access }: TestRepository, id: string, more: Partial<Slot>) =>
  access(CLINIC).change(async (ctx) => {
    const { resource } = await ctx.read<Slot>('Slot', id)
    await ctx.update<Slot>({ ...resource, ...more })
  })

describe('the Slots of a Schedule', () => {
  test('come for each day of the horizon, from now on, with the offset of the zone', async () => {
    const store = await opened('2026-03-02T09:45:00+01:00')
    await write(store, scheduleWith('s', ...MORNINGS))
    expect(await generate(store)).toMatchObject({ created: 2 + 6 * 4, removed: 0 })
    const found = await slots(store)
    expect(found.slice(0, 2).map(({ start, end }) => [start, end])).toEqual([
      ['2026-03-02T10:00:00+01:00', '2026-03-02T10:30:00+01:00'],
      ['2026-03-02T10:30:00+01:00', '2026-03-02T11:00:00+01:00'],
    ])
    expect(found.at(-1)?.start).toBe('2026-03-08T10:30:00+01:00')
  })

  test('repeat what the Schedule says of services and specialty, and are found by it', async () => {
    const store = await opened()
    const details = {
      serviceCategory: [{ coding: [{ code: 'general' }] }],
      serviceType: [{ coding: [{ system: 'http://example.org/types', code: '124' }] }],
      specialty: [{ coding: [{ code: '419772000' }] }],
    }
    await write(store, { ...scheduleWith('s', ...MORNINGS), ...details })
    await generate(store)
    const query = '&service-type=http://example.org/types|124&specialty=419772000&service-category=general'
    const found = await slots(store, query)
    expect(found).toHaveLength(28)
    expect(found[0]).toMatchObject(details)
  })

  test('are in the zone of the clinic where the availability names none', async () => {
    const store = await opened()
    await write(store, scheduleWith('s', horizonDays(1), slotMinutes(60), open('09:00', '10:00')))
    await generate(store)
    expect((await slots(store)).map(({ start }) => start)).toEqual(['2026-03-02T09:00:00+00:00'])
  })

  test('are the same when they are generated again, without a new version', async () => {
    const store = await opened()
    await write(store, scheduleWith('s', ...MORNINGS))
    await generate(store)
    const before = await slots(store)
    expect(await generate(store)).toMatchObject({ created: 0, updated: 0, removed: 0 })
    await write(store, scheduleWith('s', ...MORNINGS))
    expect(await generate(store)).toMatchObject({ created: 0, updated: 0, removed: 0 })
    expect(await slots(store)).toEqual(before)
  })

  test('come for one more day when a day has passed', async () => {
    const store = await opened()
    await write(store, scheduleWith('s', ...MORNINGS))
    await generate(store)
    store.setTime('2026-03-03T00:00:00+01:00')
    expect(await generate(store)).toMatchObject({ created: 4 })
    expect(starts(await slots(store, '&start=ge2026-03-09')).at(0)).toBe('2026-03-09T09:00')
  })

  test('end with the planning horizon of the Schedule', async () => {
    const store = await opened()
    await write(store, { ...scheduleWith('s', ...MORNINGS), planningHorizon: { end: '2026-03-03' } })
    expect(await generate(store)).toMatchObject({ created: 8 })
  })

  test('are one set of each clinic: Schedules of the same id have nothing to do with each other', async () => {
    const store = await opened()
    await write(store, scheduleWith('s', ...MORNINGS))
    await write(store, scheduleWith('s', ...WEEK, open('14:00', '15:00')), 'clinic-b')
    await generate(store)
    expect(await slots(store, '', 'clinic-b')).toEqual([])
    expect(await generate(store, 's', SMALL_PART, 'clinic-b')).toMatchObject({ created: 14 })
    expect(await slots(store)).toHaveLength(28)
    await write(store, scheduleWith('s', ...WEEK), 'clinic-b')
    expect(await generate(store, 's', SMALL_PART, 'clinic-b')).toMatchObject({ removed: 14 })
    expect(await slots(store)).toHaveLength(28)
  })
})

describe('when the availability changes', () => {
  async function generated(...parts: readonly Extension[]): Promise<TestRepository> {
    const store = await opened()
    await write(store, scheduleWith('s', ...parts))
    await generate(store)
    return store
  }

  test('free Slots that do not fit any more go, new ones come, and what is booked, held or blocked stays', async () => {
    const store = await generated(...MORNINGS)
    const [booked, held, blocked] = ['20260303T0800Z', '20260303T0830Z', '20260303T0900Z'].map((at) => `slot-s-${at}`)
    await set(store, booked ?? '', { status: 'busy' })
    await set(store, held ?? '', { status: 'busy-tentative' })
    await set(store, blocked ?? '', { status: 'busy-unavailable' })
    const before = await slots(store, '&status=busy,busy-tentative,busy-unavailable')
    await write(store, scheduleWith('s', ...WEEK, open('14:00', '15:00')))
    expect(await generate(store)).toMatchObject({ created: 14, removed: 25 })
    expect(await slots(store, '&status=busy,busy-tentative,busy-unavailable')).toEqual(before)
    expect(await slots(store, '&status=free')).toHaveLength(14)
  })

  test('a Slot that somebody made stays, and none is offered across it', async () => {
    const store = await generated(...WEEK)
    const own: Slot = {
      resourceType: 'Slot',
      schedule: { reference: 'Schedule/s' },
      status: 'busy-unavailable',
      start: '2026-03-03T00:00:00+01:00',
      end: '2026-03-05T00:00:00+01:00',
    }
    await store.access(CLINIC).change((ctx) => ctx.create(own))
    await write(store, scheduleWith('s', ...MORNINGS))
    expect(await generate(store, 's', { slots: 3, days: 1 })).toMatchObject({ created: 5 * 4 })
    expect(await slots(store, '&status=free&start=ge2026-03-03&start=lt2026-03-05')).toEqual([])
    await write(store, scheduleWith('s', ...WEEK))
    expect(await generate(store)).toMatchObject({ removed: 20 })
    expect(await slots(store)).toHaveLength(1)
  })

  test('a Slot that somebody has deleted does not come back, and one that was removed by a change does', async () => {
    const store = await generated(...MORNINGS)
    await store.access(CLINIC).change((ctx) => ctx.delete('Slot', 'slot-s-20260303T0800Z'))
    await write(store, scheduleWith('s', ...MORNINGS, away('2026-03-04', '2026-03-04')))
    expect(await generate(store)).toMatchObject({ created: 0, removed: 4 })
    await write(store, scheduleWith('s', ...MORNINGS))
    expect(await generate(store)).toMatchObject({ created: 4, removed: 0 })
    expect(starts(await slots(store, '&start=ge2026-03-03&start=lt2026-03-04'))).not.toContain('2026-03-03T09:00')
  })

  test.each<[string, Partial<Schedule>]>([
    ['has no availability any more', { extension: [{ url: 'http://example.org/other', valueCode: 'x' }] }],
    ['is inactive', { active: false }],
  ])('of a Schedule that %s only what is booked stays', async (_what, more) => {
    const store = await generated(...MORNINGS)
    await set(store, 'slot-s-20260303T0800Z', { status: 'busy' })
    await write(store, { ...scheduleWith('s', ...MORNINGS), ...more })
    expect(await generate(store)).toMatchObject({ created: 0, removed: 27 })
    expect(await slots(store)).toHaveLength(1)
    expect(await store.repository.readRecord(CLINIC, SLOT_GENERATION, 's')).toBeUndefined()
  })

  test('of a Schedule that is deleted only what is booked stays', async () => {
    const store = await generated(...MORNINGS)
    await set(store, 'slot-s-20260303T0800Z', { status: 'busy' })
    await store.access(CLINIC).change((ctx) => ctx.delete('Schedule', 's'))
    await generate(store)
    expect((await slots(store)).map(({ status }) => status)).toEqual(['busy'])
  })

  test('a longer horizon adds days, a shorter one takes them away', async () => {
    const store = await generated(...MORNINGS)
    const days = (count: number) =>
      scheduleWith('s', timeZone('Europe/Berlin'), horizonDays(count), ...MORNINGS.slice(2))
    await write(store, days(10))
    expect(await generate(store)).toMatchObject({ created: 12, removed: 0 })
    await write(store, days(2))
    expect(await generate(store)).toMatchObject({ created: 0, removed: 32 })
  })

  test('a change during a change ends as if there had been the last one only', async () => {
    const store = await generated(...MORNINGS)
    await write(store, scheduleWith('s', ...WEEK, open('14:00', '16:00')))
    await store.access(CLINIC).change((ctx) => generatePart(ctx, 's', { slots: 5, days: 14 }))
    await write(store, scheduleWith('s', ...WEEK, open('18:00', '19:00')))
    await generate(store, 's', { slots: 5, days: 14 })
    expect(new Set((await slots(store)).map(({ start }) => start.slice(11, 16)))).toEqual(new Set(['18:00', '18:30']))
    expect(await slots(store)).toHaveLength(14)
  })
})

describe('generation', () => {
  test('is cut into small changes, whatever they are, with the same outcome', async () => {
    const buffered = [...WEEK, open('09:00', '12:00', ['mon', 'wed'], 'X'), appointmentType('X', 25, 5, 10)]
    const all = await opened()
    await write(all, scheduleWith('s', ...buffered))
    const unlimited = { slots: Number.POSITIVE_INFINITY, days: Number.POSITIVE_INFINITY }
    expect((await generate(all, 's', unlimited)).parts).toBe(1)
    const cut = await opened()
    await write(cut, scheduleWith('s', ...buffered))
    expect((await generate(cut, 's', { slots: 1, days: 1 })).parts).toBeGreaterThan(8)
    const withoutMeta = (found: readonly Slot[]) => found.map(({ meta: _meta, ...slot }) => slot)
    expect(withoutMeta(await slots(cut))).toEqual(withoutMeta(await slots(all)))
    expect(await slots(cut)).not.toHaveLength(0)
  })

  test('takes away a few Slots in one change, as it makes a few', async () => {
    const store = await opened()
    await write(
      store,
      scheduleWith('s', timeZone('Europe/Berlin'), horizonDays(3), slotMinutes(5), open('00:00', '00:00')),
    )
    const { created } = await generate(store)
    await write(store, scheduleWith('s', timeZone('Europe/Berlin'), horizonDays(3), slotMinutes(5)))
    const part = await store.access(CLINIC).change((ctx) => generatePart(ctx, 's', SMALL_PART))
    expect(part).toMatchObject({ removed: 50, isComplete: false })
    expect(await generate(store)).toMatchObject({ removed: created - 50, created: 0 })
  })

  test('by several processes at once makes every Slot once', async () => {
    const store = await opened()
    await write(store, scheduleWith('s', ...MORNINGS))
    const all = await Promise.all(Array.from({ length: 4 }, () => generate(store, 's', { slots: 3, days: 2 })))
    expect(all.reduce((sum, { created }) => sum + created, 0)).toBe(28)
    expect((await slots(store)).map(({ meta }) => meta?.versionId)).toEqual(Array(28).fill('1'))
  })

  test('while Slots are booked takes away none that is', async () => {
    const store = await opened()
    await write(store, scheduleWith('s', ...MORNINGS))
    await generate(store)
    await write(store, scheduleWith('s', ...WEEK))
    const ids = (await slots(store)).map(({ id = '' }) => id)
    const book = async (id: string) => {
      const isBooked = await store.access(CLINIC).change(async (ctx) => {
        const slot = (await ctx.find<Slot>('Slot', id))?.resource
        if (slot !== undefined) await ctx.update<Slot>({ ...slot, status: 'busy' })
        return slot !== undefined
      })
      return isBooked ? [id] : []
    }
    const [booked] = await Promise.all([
      Promise.all(ids.toReversed().map(book)),
      generate(store, 's', { slots: 50, days: 1 }),
    ])
    expect(booked.flat().length).toBeGreaterThan(0)
    expect((await slots(store)).map(({ id }) => id).toSorted()).toEqual(booked.flat().toSorted())
  })

  test('knows all Slots of a day, also where there are more than one search answers with', async () => {
    const store = await opened()
    await store.access(CLINIC).change(async (ctx) => {
      for (let index = 0; index < 1100; index++) {
        const start = new Date(Date.parse('2026-03-03T00:00:00Z') + index * 20_000)
        const end = new Date(start.getTime() + 10_000)
        await ctx.create<Slot>({
          resourceType: 'Slot',
          schedule: { reference: 'Schedule/s' },
          status: 'busy',
          start: start.toISOString(),
          end: end.toISOString(),
        })
      }
    })
    await write(store, scheduleWith('s', horizonDays(2), slotMinutes(30), open('05:00', '07:00', ['tue'])))
    await generate(store)
    // The last of the 1100 ends at 06:06:30.
    expect(starts(await slots(store, '&status=free'))).toEqual(['2026-03-03T06:30'])
  })
})

describe('in the background', () => {
  const logger = pino({ level: 'silent' })

  /** Waits until the loop finds nothing left to do. */
  async function settled(store: TestRepository): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const dueRecords: Repository['dueRecords'] = async (...query) => {
      const found = await store.repository.dueRecords(...query)
      if (found.length === 0) resolve()
      return found
    }
    const change: Repository['change'] = (...all) => store.repository.change(...all)
    const clinics: Repository['clinics'] = () => store.repository.clinics()
    const services = { repository: { dueRecords, clinics, change }, accessOf: store.access, logger }
    const loop = slotGenerating(services, { look: 1, pause: 0 })
    loop.start()
    await promise
    await loop.close()
  }

  test('Slots of all clinics come a moment after their Schedules, and one more day each day', async () => {
    const store = await opened()
    await write(store, scheduleWith('s', ...MORNINGS))
    await write(store, scheduleWith('t', ...WEEK, open('14:00', '15:00')), 'clinic-b')
    await settled(store)
    expect([(await slots(store)).length, (await slots(store, '', 'clinic-b')).length]).toEqual([28, 14])
    store.setTime('2026-03-03T00:00:01+01:00')
    await settled(store)
    expect([(await slots(store)).length, (await slots(store, '', 'clinic-b')).length]).toEqual([32, 16])
  })

  test('another process goes on, after 15 seconds, with what one that died has left', async () => {
    const store = await opened()
    await write(store, scheduleWith('s', ...MORNINGS))
    await store.access(CLINIC).change((ctx) => generatePart(ctx, 's', { slots: 10, days: 14 }))
    expect(await slots(store)).toHaveLength(10)
    await settled(store)
    expect(await slots(store)).toHaveLength(10)
    store.setTime('2026-03-02T08:00:15+01:00')
    await settled(store)
    expect(await slots(store)).toHaveLength(28)
  })

  test('a Schedule that cannot be read does not hold up the others', async () => {
    const store = await opened()
    await write(store, scheduleWith('a', ...MORNINGS))
    const broken = { ...scheduleWith('a'), extension: [availability(slotMinutes(1))] }
    await store.access(CLINIC).change((ctx) => ctx.unit.put(broken, 'PUT'))
    await write(store, scheduleWith('s', ...MORNINGS))
    await settled(store)
    expect(await slots(store, '&schedule=Schedule/s')).toHaveLength(28)
    expect(await slots(store, '&schedule=Schedule/a')).toEqual([])
  })
})
