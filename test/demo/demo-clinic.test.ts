/** The demo clinic: its data, when it is loaded, and the data that topping up leaves alone. */

import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Appointment, ContactPoint, DocumentReference, Patient, Schedule, Slot } from 'fhir/r4'
import { DateTime } from 'luxon'
import { createAccount, everyAccount, verifyPassword } from '../../src/clinics/accounts.ts'
import { createClinic, stageClinic } from '../../src/clinics/clinics.ts'
import { type ClinicSettings, readSettings } from '../../src/clinics/settings.ts'
import type { Context } from '../../src/core/context.ts'
import { DEMO_CLINIC, hasOtherClinics, seedDemo, topUpSlots } from '../../src/demo/demo-clinic.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import { CHEAP_PASSWORDS } from '../support/passwords.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'

const ZONE = 'America/New_York'
/** A Monday, shortly before the clinic opens. */
const MONDAY = '2026-03-02T08:00:00-05:00'

/** @param slotDays the demo has 30; fewer are generated faster */
async function seeded(
  time = MONDAY,
  slotDays?: number,
): Promise<TestRepository & { readonly look: () => Promise<Context> }> {
  const opened = await openTestRepository(time)
  await seedDemo(opened, { passwordCost: CHEAP_PASSWORDS, ...(slotDays && { slotDays }) })
  return { ...opened, look: async () => await opened.access(DEMO_CLINIC).reader() }
}

const local = (time: string | undefined) => DateTime.fromISO(time ?? '', { zone: ZONE })

async function slots(look: () => Promise<Context>, query = ''): Promise<readonly Slot[]> {
  const found = []
  for (const schedule of ['okafor', 'lindqvist', 'delgado']) {
    found.push(...(await (await look()).search<Slot>('Slot', `schedule=Schedule/schedule-${schedule}${query}`)))
  }
  return found.map(({ resource }) => resource)
}

describe('a seeded store', () => {
  let demo: Awaited<ReturnType<typeof seeded>>
  beforeAll(async () => {
    demo = await seeded()
  })

  test.each([
    ['Organization', 1],
    ['Practitioner', 3],
    ['PractitionerRole', 3],
    ['Location', 2],
    ['Schedule', 3],
    ['Patient', 25],
    ['Coverage', 11],
    ['Appointment', 13],
    ['DocumentReference', 4],
  ])('holds every %s of the demo clinic: %i', async (type, count) => {
    expect(await (await demo.look()).search(type, '')).toHaveLength(count)
  })

  test('has every resource that another one refers to', async () => {
    const types = [
      'Practitioner',
      'PractitionerRole',
      'Location',
      'Schedule',
      'Patient',
      'Coverage',
      'Appointment',
      'DocumentReference',
      'Slot',
    ]
    const references = new Set<string>()
    for (const type of types) {
      for (const { text } of await (await demo.look()).search(type, '')) {
        for (const [, reference = ''] of text.matchAll(/"reference":"([^"]+)"/g)) references.add(reference)
      }
    }
    const missing = []
    for (const reference of references) {
      const [type = '', id = ''] = reference.split('/')
      if ((await (await demo.look()).find(type, id)) === undefined) missing.push(reference)
    }
    expect(references.size).toBeGreaterThan(40)
    expect(missing).toEqual([])
  })

  test('has free slots on every weekday of the coming 30 days, at the hours of each practitioner', async () => {
    const days = new Map<string, number>()
    for (const { start } of await slots(demo.look)) {
      const day = local(start).toISODate() ?? ''
      days.set(day, (days.get(day) ?? 0) + 1)
    }
    const expected = Array.from({ length: 30 }, (_, index) => local(MONDAY).plus({ days: index }))
    expect([...days.keys()].sort()).toEqual(expected.filter((day) => !day.isWeekend).map((day) => day.toISODate()))
    // 16 + 14 + 16 half hours, also after 8 March, when the clocks go forward.
    expect(new Set(days.values())).toEqual(new Set([46]))
  })

  test('is closed on public holidays, and on the day they are kept where they are on a weekend', async () => {
    const { look } = await seeded('2027-12-20T08:00:00-05:00')
    const days = new Set((await slots(look)).map(({ start }) => local(start).toISODate() ?? ''))
    expect([...days].sort().slice(0, 12)).toEqual(
      [20, 21, 22, 23, 27, 28, 29, 30]
        .map((day) => `2027-12-${day}`)
        .concat('2028-01-03', '2028-01-04', '2028-01-05', '2028-01-06'),
    )
    const { resource } = await (await look()).read<Schedule>('Schedule', 'schedule-okafor')
    const closed = JSON.stringify(resource.extension)
    for (const date of ['2027-01-01', '2027-05-31', '2027-11-25', '2028-02-21', '2029-10-08'])
      expect(closed).toContain(date)
  })

  test('has slots of the service type and specialty of their schedule, so that searches by them find some', async () => {
    for (const { schedule, serviceType, specialty } of await slots(demo.look)) {
      const { resource } = await (await demo.look()).read<Schedule>('Schedule', schedule.reference?.slice(9) ?? '')
      expect([serviceType, specialty]).toEqual([resource.serviceType, resource.specialty])
      expect(specialty?.[0]?.coding?.[0]?.code).toMatch(/^\d+$/)
    }
  })

  test('has slots at the same wall-clock time before and after daylight saving begins', async () => {
    const starts = (await slots(demo.look))
      .filter(({ id }) => id?.startsWith('slot-schedule-okafor-'))
      .map(({ start }) => start)
    expect(starts).toContain('2026-03-06T08:30:00-05:00')
    expect(starts).toContain('2026-03-09T08:30:00-04:00')
  })

  test('has today’s appointments, each holding its slots, at the time of its slots', async () => {
    const busy = (await slots(demo.look, '&status=busy')).map(({ id }) => `Slot/${id}`)
    const held = []
    for (const { resource } of await (await demo.look()).search<Appointment>('Appointment', 'status=booked')) {
      expect(local(resource.start).toISODate()).toBe('2026-03-02')
      const own = (resource.slot ?? []).map(({ reference = '' }) => reference)
      const first = await (await demo.look()).read<Slot>('Slot', own[0]?.slice(5) ?? '')
      const last = await (await demo.look()).read<Slot>('Slot', own.at(-1)?.slice(5) ?? '')
      expect([resource.start, resource.end]).toEqual([first.resource.start, last.resource.end])
      held.push(...own)
    }
    expect(held).toHaveLength(14)
    expect(held.sort()).toEqual(busy.sort())
  })

  test('has documents whose size and hash are those of their text', async () => {
    const documents = await (await demo.look()).search<DocumentReference>('DocumentReference', '')
    expect(documents).toHaveLength(4)
    for (const { resource } of documents) {
      const { data = '', size, hash, contentType } = resource.content[0]?.attachment ?? {}
      const bytes = Buffer.from(data, 'base64')
      expect([contentType, size, hash]).toEqual([
        'text/plain',
        bytes.length,
        createHash('sha1').update(bytes).digest('base64'),
      ])
    }
  })

  test('has phone numbers that belong to nobody, and e-mail addresses at example domains', async () => {
    const patients = await (await demo.look()).search<Patient>('Patient', '')
    const contacts = patients.flatMap(({ resource }) => resource.telecom ?? [])
    const valuesOf = (system: ContactPoint['system']) =>
      contacts.filter((contact) => contact.system === system).map(({ value }) => value)
    const [phones, mails] = [valuesOf('phone'), valuesOf('email')]
    expect(phones.length).toBeGreaterThan(10)
    expect(mails.length).toBeGreaterThan(10)
    expect(phones.length + mails.length).toBe(contacts.length)
    for (const phone of phones) expect(phone).toMatch(/^\+1\d{3}55501\d\d$/)
    for (const mail of mails) expect(mail).toMatch(/^[^@]+@example\.(com|org|net)$/)
  })

  test('has the settings of the demo clinic', async () => {
    expect(await readSettings(demo.repository, DEMO_CLINIC)).toMatchObject({
      timeZone: ZONE,
      dialedNumbers: ['+12125550100'],
    })
  })
})

describe('the day of the appointments', () => {
  const daysOf = async (time: string) => {
    const { look } = await seeded(time, 5)
    const appointments = await (await look()).search<Appointment>('Appointment', '')
    return new Set(appointments.map(({ resource }) => local(resource.start).toISODate()))
  }

  test.each([
    ['today before closing', '2026-03-03T16:59:00-05:00', '2026-03-03'],
    ['tomorrow after closing', '2026-03-03T17:00:00-05:00', '2026-03-04'],
    ['Monday after closing on Friday', '2026-03-06T18:00:00-05:00', '2026-03-09'],
    ['Monday on a Sunday', '2026-03-08T12:00:00-04:00', '2026-03-09'],
    ['the day after a holiday', '2026-11-26T09:00:00-05:00', '2026-11-27'],
    ['by the clock of the clinic, not of UTC', '2026-03-04T02:00:00Z', '2026-03-04'],
  ])('is %s', async (_what, time, day) => {
    expect(await daysOf(time)).toEqual(new Set([day]))
  })

  test('half over, has kept appointments, and free slots in the future only', async () => {
    const { look } = await seeded('2026-03-02T10:45:00-05:00', 5)
    const statusOf = async (patient: string) =>
      (await (await look()).read<Appointment>('Appointment', `appointment-${patient}`)).resource.status
    expect(await statusOf('goldberg-samuel')).toBe('fulfilled')
    expect(await statusOf('reyes-lucia')).toBe('arrived')
    expect(await statusOf('reyes-mateo')).toBe('booked')
    expect(await statusOf('haddad-layla')).toBe('cancelled')
    const free = await slots(look, '&status=free')
    expect(free.length).toBeGreaterThan(0)
    expect(free.every(({ start }) => local(start) > local('2026-03-02T10:45:00-05:00'))).toBe(true)
  })
})

describe('seeding', () => {
  test('does nothing when there is anything in the store, be it an account or one resource', async () => {
    const withAccount = await openTestRepository()
    const account = { username: 'somebody', name: 'Somebody', clinic: 'clinic-a', role: 'admin' } as const
    await createAccount(withAccount.repository, account, 'a long password', CHEAP_PASSWORDS)
    expect(await seedDemo(withAccount, { passwordCost: CHEAP_PASSWORDS })).toBe(false)
    const withPatient = await openTestRepository()
    await withPatient.access('clinic-a').change((ctx) => ctx.create({ resourceType: 'Patient' }))
    expect(await seedDemo(withPatient, { passwordCost: CHEAP_PASSWORDS })).toBe(false)
    expect(await (await withPatient.access(DEMO_CLINIC).reader()).search('Organization', '')).toEqual([])
  })

  test('happens once when two processes start at the same time', async () => {
    const opened = await openTestRepository(MONDAY)
    expect(
      (
        await Promise.all([
          seedDemo(opened, { passwordCost: CHEAP_PASSWORDS, slotDays: 1 }),
          seedDemo(opened, { passwordCost: CHEAP_PASSWORDS, slotDays: 1 }),
        ])
      ).sort(),
    ).toEqual([false, true])
    const patients = await (await opened.access(DEMO_CLINIC).reader()).search('Patient', '')
    expect(patients.map(({ version }) => version)).toEqual(Array(25).fill(1))
  })
})

describe('the accounts of the demo', () => {
  const logIn = ({ repository }: TestRepository, username: string) =>
    verifyPassword(repository, username, username, true, CHEAP_PASSWORDS)
  const SETTINGS: ClinicSettings = {
    name: 'Real Clinic',
    timeZone: 'UTC',
    dialedNumbers: [],
    defaultRegion: 'US',
    policies: { overbooking: false, slotTakenStatus: 409 },
  }

  test('are staff and an admin of the demo clinic, and never operators', async () => {
    const demo = await seeded(MONDAY, 1)
    const accounts = []
    for await (const account of everyAccount(demo.repository)) accounts.push(account)
    expect(accounts).toMatchObject([
      { username: 'admin', clinic: DEMO_CLINIC, role: 'admin', demoOnly: true },
      { username: 'demo', clinic: DEMO_CLINIC, role: 'staff', demoOnly: true },
    ])
  })

  test('end when another clinic is made, and those of others stay', async () => {
    const demo = await seeded(MONDAY, 1)
    const ada = { username: 'ada', name: 'Ada', clinic: DEMO_CLINIC, role: 'admin' } as const
    await createAccount(demo.repository, ada, 'a long password', CHEAP_PASSWORDS)
    expect(await logIn(demo, 'demo')).toBeDefined()
    await createClinic(demo.repository, 'real', SETTINGS)
    for (const username of ['demo', 'admin']) expect(await logIn(demo, username)).toBeUndefined()
    expect(await verifyPassword(demo.repository, 'ada', 'a long password', true)).toMatchObject(ada)
  })

  test('end when the server starts on a store where an older version has made another clinic', async () => {
    const demo = await seeded(MONDAY, 1)
    await demo.repository.change('real', (unit) => stageClinic(unit, SETTINGS))
    expect(await logIn(demo, 'demo')).toBeDefined()
    expect(await hasOtherClinics(demo.repository)).toBe(true)
    expect(await seedDemo(demo, { passwordCost: CHEAP_PASSWORDS })).toBe(false)
    for (const username of ['demo', 'admin']) expect(await logIn(demo, username)).toBeUndefined()
  })

  test('stay while the demo clinic is the only one, though others have records', async () => {
    const demo = await seeded(MONDAY, 1)
    await demo.access('never-made').change((ctx) => ctx.create({ resourceType: 'Patient' }))
    expect(await hasOtherClinics(demo.repository)).toBe(false)
    expect(await seedDemo(demo, { passwordCost: CHEAP_PASSWORDS })).toBe(false)
    expect(await logIn(demo, 'demo')).toBeDefined()
  })
})

describe('topping up', () => {
  test('right after seeding adds nothing', async () => {
    expect(await topUpSlots(await seeded())).toBe(0)
  })

  test('adds the days that have come since, once', async () => {
    const demo = await seeded()
    demo.setTime('2026-03-05T08:00:00-05:00')
    // The new days are Wednesday 1 April to Friday 3 April.
    expect(await topUpSlots(demo)).toBe(3 * 46)
    expect(await topUpSlots(demo)).toBe(0)
  })

  test('after a long pause fills the coming 30 days, and no day that is past', async () => {
    const demo = await seeded()
    demo.setTime('2026-07-06T08:00:00-04:00')
    expect(await topUpSlots(demo)).toBe(22 * 46)
    expect(await slots(demo.look, '&start=ge2026-04-10&start=lt2026-07-06')).toEqual([])
  })

  test('does not fill a day again whose slots were deleted', async () => {
    const demo = await seeded()
    const deleted = await demo.access(DEMO_CLINIC).change(async (ctx) => {
      const day = await ctx.search<Slot>('Slot', 'start=ge2026-03-10&start=lt2026-03-11')
      for (const { id } of day) await ctx.delete('Slot', id)
      return day.length
    })
    expect(deleted).toBe(46)
    demo.setTime('2026-03-03T08:00:00-05:00')
    // Wednesday 1 April has come.
    expect(await topUpSlots(demo)).toBe(46)
    expect(await slots(demo.look, '&start=ge2026-03-10&start=lt2026-03-11')).toEqual([])
  })

  test('leaves a day alone on which somebody made slots of their own', async () => {
    const demo = await seeded()
    await demo.access(DEMO_CLINIC).change((ctx) =>
      ctx.create<Slot>({
        resourceType: 'Slot',
        schedule: { reference: 'Schedule/schedule-okafor' },
        status: 'busy-unavailable',
        start: '2026-04-01T08:00:00-04:00',
        end: '2026-04-01T18:00:00-04:00',
      }),
    )
    demo.setTime('2026-03-03T08:00:00-05:00')
    expect(await topUpSlots(demo)).toBe(30)
  })

  test('adds nothing to a demo schedule that was deleted, nor to one of the same name in a store of others', async () => {
    const demo = await seeded()
    await demo.access(DEMO_CLINIC).change((ctx) => ctx.delete('Schedule', 'schedule-okafor'))
    demo.setTime('2026-03-03T08:00:00-05:00')
    expect(await topUpSlots(demo)).toBe(30)
    const own = await openTestRepository(MONDAY)
    const schedule: Schedule = { resourceType: 'Schedule', id: 'schedule-okafor', actor: [{ display: 'Own' }] }
    await own.access(DEMO_CLINIC).change((ctx) => ctx.update(schedule))
    expect(await topUpSlots(own)).toBe(0)
  })

  test('gives working hours to the schedules of an older version, whose days with slots stay as they are', async () => {
    const demo = await seeded()
    await demo.repository.change(DEMO_CLINIC, async (unit) => {
      for (const name of ['okafor', 'lindqvist', 'delgado']) {
        const id = `schedule-${name}`
        const stored = await unit.read<Schedule>('Schedule', id)
        const { extension: _hours, ...schedule } = stored?.resource ?? { resourceType: 'Schedule', id, actor: [] }
        await unit.put(schedule, 'PUT')
        await unit.records.read(recordKind('slot-generation'), id)
        unit.records.delete(recordKind('slot-generation'), id)
        unit.records.put(recordKind<object>('demo-slots'), id, { through: '2026-03-31' })
      }
      await unit.delete('Slot', 'slot-schedule-okafor-20260310T1230Z')
    })
    const before = await slots(demo.look)
    expect(await topUpSlots(demo)).toBe(0)
    expect(await slots(demo.look)).toEqual(before)
    demo.setTime('2026-03-03T08:00:00-05:00')
    expect(await topUpSlots(demo)).toBe(46)
    expect(await demo.repository.readRecord(DEMO_CLINIC, recordKind('demo-slots'), 'schedule-okafor')).toBeUndefined()
  })

  test('follows the time zone that the clinic has now', async () => {
    const demo = await seeded()
    await demo.repository.change(DEMO_CLINIC, async (unit) => {
      const settings = recordKind<object>('settings')
      const record = await unit.records.read(settings, 'settings')
      unit.records.put(settings, 'settings', { ...record?.value, timeZone: 'Europe/Berlin' })
    })
    demo.setTime('2026-03-03T08:00:00-05:00')
    await topUpSlots(demo)
    const day = await slots(demo.look, '&start=ge2026-04-01T00:00:00Z')
    expect(day.map(({ start }) => start)).toContain('2026-04-01T08:30:00+02:00')
  })
})
