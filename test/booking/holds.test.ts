/** Holds expire on time, whether the background of a server ends them or a client who wants the time. */
import { describe, expect, test } from '@jest/globals'
import type { Appointment, Slot, StructureDefinition } from 'fhir/r4'
import { pino } from 'pino'
import { cancel, reschedule } from '../../src/booking/book.ts'
import { endDueHolds, HOLD, hold, holdExpiry } from '../../src/booking/holds.ts'
import { type ClinicPolicies, readSettings, writeSettings } from '../../src/clinics/settings.ts'
import type { Context } from '../../src/core/context.ts'
import { openStore } from '../../src/main/open-store.ts'
import { isCancelledByExpiry, withHoldEnd } from '../../src/scheduling/appointment-status.ts'
import { visitsOn } from '../support/appointment-operations.ts'
import { bookingsOn, half, slotsOf } from '../support/booking.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { closeLater } from '../support/opened-stores.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'
import { startServer } from '../support/server.ts'

const CLINIC = 'clinic-a'
const NOW = Date.parse('2030-01-07T08:00:00Z')
const MINUTE = 60_000
const EXPIRED = NOW + 5 * MINUTE

interface Opened extends TestRepository {
  readonly change: <T>(work: (ctx: Context) => Promise<T>) => Promise<T>
  readonly statuses: () => Promise<readonly string[]>
  readonly appointment: (id: string) => Promise<Appointment>
  /** The number of stored holds. */
  readonly holds: () => Promise<number>
}

/** A clinic with a patient and a few free half hours, `s0`, `s1` and so on. */
async function opened(count = 1): Promise<Opened> {
  const store = await openTestRepository(NOW)
  await store.access(CLINIC).change(async (ctx) => {
    await ctx.update({ resourceType: 'Patient', id: 'p' })
    for (let number = 0; number < count; number++) await ctx.update(slotNumber(number))
  })
  return withReads(store)
}

const withReads = (store: TestRepository): Opened => ({
  ...store,
  change: (work) => store.access(CLINIC).change(work),
  statuses: async () =>
    (await (await store.access(CLINIC).reader()).search<Slot>('Slot', '_sort=start')).map(
      ({ resource }) => resource.status,
    ),
  appointment: async (id) =>
    (await (await store.access(CLINIC).reader()).read<Appointment>('Appointment', id)).resource,
  holds: async () => (await store.repository.records(HOLD, { clinic: CLINIC, limit: 10 })).length,
})

const slotNumber = (number: number): Slot => ({
  resourceType: 'Slot',
  id: `s${number}`,
  schedule: { reference: 'Schedule/calendar' },
  status: 'free',
  start: half(number),
  end: half(number + 1),
})

const visit = (from: number, until: number, more: Partial<Appointment> = {}): Appointment => ({
  resourceType: 'Appointment',
  status: 'booked',
  start: half(from),
  end: half(until),
  slot: slotsOf(Array.from({ length: until - from }, (_, index) => `s${from + index}`)),
  participant: [{ actor: { reference: 'Patient/p' }, status: 'needs-action' }],
  ...more,
})

/** Held from NOW on, for five minutes. @returns Appointment.id */
const held = ({ change }: Opened, from = 0, until = from + 1): Promise<string> =>
  change(async (ctx) => {
    const { id } = await ctx.create<Appointment>(visit(from, until, { status: 'proposed' }))
    return (await hold(ctx, id)).id
  })

const setPolicies = ({ repository }: Opened, policies: Partial<ClinicPolicies>): Promise<void> =>
  repository.change(CLINIC, async (unit) => {
    const settings = await readSettings(unit, CLINIC)
    await writeSettings(unit, { ...settings, policies: { ...settings.policies, ...policies } })
  })

const refusal = (reason: string) => expect.objectContaining({ status: 409, code: reason })

const loopOf = ({ repository, access }: TestRepository) =>
  holdExpiry({ repository, accessOf: access, logger: pino({ level: 'silent' }) }, { look: 1, pause: 0 })

/** Resolves once the condition holds, however long that takes. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 2))
}

describe('before anybody reads', () => {
  test('all holds that are due have ended, also those of which nothing was known a moment before', async () => {
    const store = await opened(45)
    const access = store.access(CLINIC)
    await endDueHolds(access)
    for (let number = 0; number < 45; number++) await held(store, number)
    await endDueHolds(access)
    expect(new Set(await store.statuses())).toEqual(new Set(['busy-tentative']))
    store.setTime(EXPIRED)
    await Promise.all([endDueHolds(access), endDueHolds(access)])
    expect([new Set(await store.statuses()), await store.holds()]).toEqual([new Set(['free']), 0])
  })

  test.each(['Slot/{slot}', 'Slot?_id={slot}&status=free', 'Appointment/{held}', 'batch'])(
    'over HTTP: %s tells the truth from the moment on when a hold is over',
    async (path) => {
      const clock = { now: Date.now() }
      const server = await startServer({}, { clock: () => clock.now })
      try {
        const visits = visitsOn(server)
        await visits.open()
        const [slot = ''] = await visits.slots()
        const { id = '' } = await visits.held(await visits.offer([slot]))
        const url = path.replace('{slot}', slot).replace('{held}', id)
        const entry = [{ request: { method: 'GET', url: `Slot?_id=${slot}&status=free` } }]
        const ask = async () => {
          const { body } =
            path === 'batch'
              ? await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
              : await server.fhir('GET', `/${url}`)
          const found = path === 'batch' ? body.entry[0].resource : body
          return String(found.status ?? found.entry?.[0].resource.status)
        }
        clock.now += 5 * MINUTE - 1
        expect(await ask()).not.toMatch(/^(free|cancelled)$/)
        clock.now += 1
        expect(await ask()).toMatch(/^(free|cancelled)$/)
      } finally {
        await server.close()
      }
    },
  )
})

describe('in the background a hold', () => {
  test('ends when it is due and not before: the appointment is cancelled, its slots are free, nothing is left of it', async () => {
    const store = await opened(4)
    const early = await held(store, 0, 2)
    store.setTime(NOW + MINUTE)
    const later = await held(store, 2, 4)
    store.setTime(EXPIRED)
    const loop = loopOf(store)
    loop.start()
    await until(async () => (await store.holds()) === 1)
    await loop.close()
    expect(await store.statuses()).toEqual(['free', 'free', 'busy-tentative', 'busy-tentative'])
    const ended = await store.appointment(early)
    expect(ended).toMatchObject({ status: 'cancelled', cancelationReason: { coding: [{ code: 'hold-expired' }] } })
    expect(ended).toEqual(withHoldEnd(ended, undefined))
    expect(await store.appointment(later)).toMatchObject({ status: 'pending', extension: [expect.anything()] })
  })

  test('is ended once by several servers', async () => {
    const url = await newLastingDatabaseUrl()
    const stores = await Promise.all([url, url].map(async (one) => closeLater(await openStore(one))))
    const [first, second] = await Promise.all(stores.map(async (one) => withReads(await openTestRepository(NOW, one))))
    if (first === undefined || second === undefined) throw new Error('two stores')
    await first.change(async (ctx) => {
      await ctx.update({ resourceType: 'Patient', id: 'p' })
      for (let number = 0; number < 8; number++) await ctx.update(slotNumber(number))
    })
    const ids: string[] = []
    for (let number = 0; number < 8; number++) ids.push(await held(first, number))
    const loops = [first, second].map((store) => {
      store.setTime(EXPIRED)
      return loopOf(store)
    })
    for (const loop of loops) loop.start()
    await until(async () => (await first.holds()) === 0)
    for (const loop of loops) await loop.close()
    expect(new Set(await second.statuses())).toEqual(new Set(['free']))
    for (const id of ids) {
      const { version, resource } = await (await second.access(CLINIC).reader()).read<Appointment>('Appointment', id)
      expect([version, isCancelledByExpiry(resource)]).toEqual([2, true])
    }
  })

  test('that expired while no server ran ends after the next start', async () => {
    const DATABASE_URL = await newLastingDatabaseUrl()
    const before = await startServer({ DATABASE_URL }, { clock: () => NOW })
    const bookings = bookingsOn(before)
    const [slot = ''] = await bookings.freeSlots()
    const { id } = await bookings.booked([slot], { status: 'proposed' })
    await before.app.access('demo-clinic', { kind: 'server' }).change((ctx) => hold(ctx, id))
    expect(await bookings.statusOf(slot)).toBe('busy-tentative')
    await before.close()
    const after = await startServer({ DATABASE_URL }, { clock: () => EXPIRED })
    try {
      const { statusOf, read } = bookingsOn(after)
      await until(async () => (await statusOf(slot)) === 'free')
      expect(await read(`Appointment/${id}`)).toMatchObject({ status: 'cancelled' })
    } finally {
      await after.close()
    }
  })
})

describe('a hold that has expired, and that nobody has ended yet,', () => {
  test('makes way for whoever books its time', async () => {
    const store = await opened(3)
    const first = await held(store, 0, 2)
    store.setTime(EXPIRED)
    await store.change((ctx) => ctx.create<Appointment>(visit(1, 3)))
    expect(await store.statuses()).toEqual(['free', 'busy', 'busy'])
    expect(isCancelledByExpiry(await store.appointment(first))).toBe(true)
    expect(await store.holds()).toBe(0)
  })

  test('makes way for whoever holds it, or moves there', async () => {
    const store = await opened(4)
    await held(store, 0, 2)
    const { id } = await store.change((ctx) => ctx.create<Appointment>(visit(2, 4)))
    store.setTime(EXPIRED)
    await store.change(async (ctx) => ctx.update<Appointment>({ ...visit(1, 3), id }))
    expect(await store.statuses()).toEqual(['free', 'busy', 'busy', 'free'])
    await held(store, 0)
    store.setTime(EXPIRED + 5 * MINUTE)
    await held(store, 0)
    expect(await store.statuses()).toEqual(['busy-tentative', 'busy', 'busy', 'free'])
    expect(await store.holds()).toBe(1)
  })

  test('makes way in a slot that was overbooked, and has no other booking left', async () => {
    const store = await opened()
    await setPolicies(store, { overbooking: true })
    const { id } = await store.change((ctx) => ctx.create<Appointment>(visit(0, 1)))
    await held(store)
    await store.change((ctx) => cancel(ctx, id))
    await setPolicies(store, { overbooking: false })
    expect(await store.statuses()).toEqual(['busy'])
    store.setTime(EXPIRED)
    await store.change((ctx) => ctx.create<Appointment>(visit(0, 1)))
    expect([await store.statuses(), await store.holds()]).toEqual([['busy'], 0])
  })

  test('is not moved to the time that it has, though nothing of it would change', async () => {
    const store = await opened()
    const id = await held(store)
    const move = () => store.change((ctx) => reschedule(ctx, id, { slots: slotsOf(['s0']) }))
    expect((await move()).version).toBe(1)
    store.setTime(EXPIRED)
    await expect(move()).rejects.toEqual(refusal('hold-expired'))
  })

  test('lets its Slot be deleted, and be free', async () => {
    const store = await opened(2)
    await held(store, 0)
    await held(store, 1)
    store.setTime(EXPIRED)
    await store.change((ctx) => ctx.delete('Slot', 's0'))
    await store.change((ctx) => ctx.update<Slot>(slotNumber(1)))
    expect(await store.statuses()).toEqual(['free'])
    expect(await store.holds()).toBe(0)
  })

  test('is not booked any more, now or after it was ended', async () => {
    const store = await opened()
    const id = await held(store)
    store.setTime(EXPIRED)
    const booked = (ctx: Context) => ctx.update<Appointment>({ ...visit(0, 1), id })
    await expect(store.change(booked)).rejects.toEqual(refusal('hold-expired'))
    await expect(store.change((ctx) => ctx.update({ ...visit(0, 1, { status: 'pending' }), id }))).rejects.toEqual(
      refusal('hold-expired'),
    )
    expect(await store.statuses()).toEqual(['busy-tentative'])
    await store.change((ctx) => ctx.create<Appointment>(visit(0, 1)))
    await expect(store.change(booked)).rejects.toEqual(refusal('hold-expired'))
  })

  test('can be cancelled, and keeps the reason that is given', async () => {
    const store = await opened()
    const id = await held(store)
    store.setTime(EXPIRED)
    await store.change((ctx) => cancel(ctx, id, { reason: { text: 'Found another time' } }))
    expect(await store.appointment(id)).toMatchObject({ cancelationReason: { text: 'Found another time' } })
    expect([await store.statuses(), await store.holds()]).toEqual([['free'], 0])
  })

  test('does not count among the open appointments of its patient', async () => {
    const store = await opened(2)
    await setPolicies(store, { maxOpenAppointments: 1 })
    await held(store, 0)
    const second = (ctx: Context) => ctx.create<Appointment>(visit(1, 2))
    await expect(store.change(second)).rejects.toMatchObject({ code: 'too-many-open-appointments' })
    store.setTime(EXPIRED)
    await store.change(second)
    expect(await store.statuses()).toEqual(['busy-tentative', 'busy'])
  })
})

test('a hold ends even where the appointment declares a profile that it breaks then', async () => {
  const store = await opened()
  const profile = 'http://example.org/StructureDefinition/never-cancelled'
  await store.change((ctx) => ctx.update(neverCancelled(profile)))
  await setPolicies(store, { profiles: 'reject' })
  const { id } = await store.change(async (ctx) => {
    const meta = { profile: [profile] }
    const proposed = await ctx.create<Appointment>(visit(0, 1, { status: 'proposed', meta }))
    return await hold(ctx, proposed.id)
  })
  await expect(store.change((ctx) => cancel(ctx, id, { reason: { text: 'x' } }))).rejects.toMatchObject({ status: 422 })
  store.setTime(EXPIRED)
  await store.change((ctx) => ctx.create<Appointment>(visit(0, 1)))
  expect([await store.statuses(), await store.holds()]).toEqual([['busy'], 0])
})

const neverCancelled = (url: string): StructureDefinition => ({
  resourceType: 'StructureDefinition',
  id: 'never-cancelled',
  url,
  name: 'NeverCancelled',
  status: 'active',
  kind: 'resource',
  abstract: false,
  type: 'Appointment',
  baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Appointment',
  derivation: 'constraint',
  differential: {
    element: [
      { id: 'Appointment', path: 'Appointment' },
      { id: 'Appointment.cancelationReason', path: 'Appointment.cancelationReason', max: '0' },
    ],
  },
})

describe('a hold ends with the write that', () => {
  const patch = (status: string) => (ctx: Context, id: string) =>
    ctx.patch('Appointment', id, (resource) => ({ ...(resource as object), status }))
  const put = (status: Appointment['status']) => async (ctx: Context, id: string) => {
    const { resource } = await ctx.read<Appointment>('Appointment', id)
    return await ctx.update<Appointment>({ ...resource, status })
  }

  test.each([
    ['books it (PUT)', put('booked'), 'busy'],
    ['books it (PATCH)', patch('booked'), 'busy'],
    ['cancels it', put('cancelled'), 'free'],
    ['makes it entered-in-error', put('entered-in-error'), 'free'],
    ['deletes it', (ctx: Context, id: string) => ctx.delete('Appointment', id), 'free'],
  ])('%s', async (_what, write, status) => {
    const store = await opened()
    const id = await held(store)
    await store.change((ctx) => write(ctx, id))
    expect([await store.statuses(), await store.holds()]).toEqual([[status], 0])
    const left = await (await store.access(CLINIC).reader()).find<Appointment>('Appointment', id)
    expect(left?.resource ?? {}).not.toHaveProperty('extension')
  })
})

test('a hold goes on when its appointment is changed or moved', async () => {
  const store = await opened(2)
  const id = await held(store)
  await store.change((ctx) => ctx.update<Appointment>({ ...visit(1, 2, { status: 'pending', comment: 'x' }), id }))
  expect([await store.statuses(), await store.holds()]).toEqual([['free', 'busy-tentative'], 1])
  expect(await store.appointment(id)).toMatchObject({ extension: [{ valueInstant: new Date(EXPIRED).toISOString() }] })
})

test('a pending appointment that $hold did not make never expires', async () => {
  const store = await opened(2)
  await store.change((ctx) => ctx.create<Appointment>(visit(0, 1, { status: 'pending' })))
  store.setTime(EXPIRED + 365 * 24 * 60 * MINUTE)
  await expect(store.change((ctx) => ctx.create<Appointment>(visit(0, 1)))).rejects.toEqual(refusal('slot-unavailable'))
  expect(await store.statuses()).toEqual(['busy-tentative', 'free'])
})

test('holds of one clinic do not touch the slots of another', async () => {
  const store = await opened()
  await held(store)
  const other = store.access('clinic-b')
  await other.change(async (ctx) => {
    await ctx.update({ resourceType: 'Patient', id: 'p' })
    await ctx.update<Slot>(slotNumber(0))
  })
  const { id } = await other.change((ctx) => ctx.create<Appointment>(visit(0, 1, { status: 'pending' })))
  store.setTime(EXPIRED)
  const loop = loopOf(store)
  loop.start()
  await until(async () => (await store.holds()) === 0)
  await loop.close()
  expect((await (await other.reader()).read<Appointment>('Appointment', id)).resource.status).toBe('pending')
  expect((await (await other.reader()).read<Slot>('Slot', 's0')).resource.status).toBe('busy-tentative')
})
