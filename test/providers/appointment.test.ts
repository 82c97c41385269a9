/** Booking, moving and cancelling appointments, and the effect on their slots. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ClinicPolicies } from '../../src/clinics/settings.ts'
import type { UnitOfWork } from '../../src/repository/repository.ts'
import { capacity } from '../support/booking.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  // Its slots are at the same times.
  const actor = [{ reference: 'Practitioner/x' }]
  await put({ resourceType: 'Schedule', id: 'calendar', active: true, ...capacity(1_000), actor })
})
afterAll(() => server.close())

interface Resource {
  readonly resourceType: string
  readonly id: string
  readonly [element: string]: unknown
}

async function put(resource: Resource): Promise<FhirResponse> {
  const answer = await server.fhir('PUT', `/${resource.resourceType}/${resource.id}`, resource)
  if (answer.status > 299) throw new Error(answer.text)
  return answer
}

const at = (minutes: number): string => new Date(Date.UTC(2031, 2, 3, 9, minutes)).toISOString()

const slot = (id: string, half: number, status = 'free'): Resource => ({
  resourceType: 'Slot',
  id,
  schedule: { reference: 'Schedule/calendar' },
  status,
  start: at(30 * half),
  end: at(30 * half + 30),
})

/** `count` free half hours in a row. */
async function freeSlots(count = 1): Promise<string[]> {
  const slots = Array.from({ length: count }, (_, half) => slot(`slot-${randomUUID()}`, half))
  for (const one of slots) await put(one)
  return slots.map(({ id }) => id)
}

/** An appointment over half hours `from` to `to`, in these slots. */
const appointment = (slots: readonly string[], more: object = {}, [from, to] = [0, slots.length]) => ({
  resourceType: 'Appointment',
  status: 'booked',
  start: at(30 * from),
  end: at(30 * to),
  ...(slots.length === 0 ? {} : { slot: slots.map((id) => ({ reference: `Slot/${id}` })) }),
  participant: [{ actor: { reference: 'Patient/abernathy-ruth' }, status: 'accepted' }],
  ...more,
})

const book = (body: object) => server.fhir('POST', '/Appointment', body)

async function booked(slots: readonly string[], more: object = {}): Promise<Resource> {
  const answer = await book(appointment(slots, more))
  expect([answer.status, answer.text]).toEqual([201, expect.anything()])
  return answer.body
}

const change = (resource: Resource, more: object) =>
  server.fhir('PUT', `/Appointment/${resource.id}`, { ...resource, ...more })

const statusOf = async (id: string | undefined): Promise<string> =>
  (await server.fhir('GET', `/Slot/${id}`)).body.status
const statusesOf = (ids: readonly string[]) => Promise.all(ids.map(statusOf))
const versionOf = async (id: string | undefined) => (await server.fhir('GET', `/Slot/${id}`)).headers.get('etag')

function expectTaken(answer: FhirResponse, status = 409, expression = 'Appointment.slot[0]'): void {
  expect(answer.status).toBe(status)
  expect(answer.body.issue).toEqual([
    expect.objectContaining({
      severity: 'error',
      code: 'conflict',
      details: { coding: [expect.objectContaining({ code: 'slot-unavailable' })] },
      expression: [expression],
    }),
  ])
}

describe('booking', () => {
  test('takes its slot in the same change: the slot is busy when 201 is answered', async () => {
    const [id = ''] = await freeSlots()
    const stored = await booked([id])
    expect(await statusOf(id)).toBe('busy')
    const { body } = await server.fhir('GET', `/Slot/${id}`)
    expect(body.meta.lastUpdated).toBe((stored['meta'] as { lastUpdated: string }).lastUpdated)
  })

  test('a slot that is taken is 409 with issue conflict, details code slot-unavailable and expression', async () => {
    const [id = ''] = await freeSlots()
    await booked([id])
    expectTaken(await book(appointment([id])))
  })

  test.each(['busy', 'busy-tentative', 'busy-unavailable', 'entered-in-error'])(
    'a slot that is %s is not free',
    async (status) => {
      const id = randomUUID()
      await put(slot(id, 0, status))
      expectTaken(await book(appointment([id])))
      expect(await statusOf(id)).toBe(status)
    },
  )

  test('the second of two slots taken: expression names it, and the first stays free', async () => {
    const [first = '', second = ''] = await freeSlots(2)
    await booked([second], { start: at(30), end: at(60) })
    expectTaken(await book(appointment([first, second])), 409, 'Appointment.slot[1]')
    expect(await statusOf(first)).toBe('free')
  })

  test.each([
    ['pending', 'busy-tentative'],
    ['booked', 'busy'],
    ['arrived', 'busy'],
    ['proposed', 'free'],
    ['waitlist', 'free'],
  ])('as %s makes the slot %s', async (status, slotStatus) => {
    const [id = ''] = await freeSlots()
    await booked([id], { status })
    expect(await statusOf(id)).toBe(slotStatus)
  })

  test('a pending one that is booked makes its slot busy', async () => {
    const [id = ''] = await freeSlots()
    const held = await booked([id], { status: 'pending' })
    expectTaken(await book(appointment([id])))
    expect((await change(held, { status: 'booked' })).status).toBe(200)
    expect(await statusOf(id)).toBe('busy')
  })

  test('two slots that follow one another are booked together', async () => {
    const slots = await freeSlots(2)
    await booked(slots)
    expect(await statusesOf(slots)).toEqual(['busy', 'busy'])
  })

  test('without a slot an appointment is a plain resource', async () => {
    await booked([])
  })

  test.each<[string, (ids: readonly string[]) => object, string, RegExp]>([
    [
      'slots with a gap',
      ([a = '', , c = '']) => appointment([a, c], {}, [0, 3]),
      'Appointment.slot',
      /follow one another/,
    ],
    [
      'a start that is not the slot’s',
      ([a = '']) => appointment([a], { start: at(5) }),
      'Appointment.start',
      /start at/,
    ],
    ['an end that is not the slot’s', ([a = '']) => appointment([a], { end: at(60) }), 'Appointment.end', /end at/],
    ['the same slot twice', ([a = '']) => appointment([a, a], {}, [0, 1]), 'Appointment.slot[1]', /twice/],
    ['a slot that does not exist', () => appointment(['nowhere']), 'Appointment.slot[0]', /no slot nowhere/],
    [
      'a reference that is no slot',
      () => appointment([], { slot: [{ reference: 'Schedule/calendar' }] }),
      'Appointment.slot[0].reference',
      /must refer to Slot/,
    ],
    [
      'a slot without a reference',
      () => appointment([], { slot: [{ display: 'at nine' }] }),
      'Appointment.slot[0].reference',
      /Slot\/<id>/,
    ],
  ])('%s is 422, and no slot is taken', async (_name, make, expression, message) => {
    const slots = await freeSlots(3)
    const answer = await book(make(slots))
    expect(answer.status).toBe(422)
    expect(answer.body.issue[0].expression).toEqual([expression])
    expect(answer.body.issue[0].diagnostics).toMatch(message)
    expect(await statusesOf(slots)).toEqual(['free', 'free', 'free'])
  })

  test('a deleted slot is 422', async () => {
    const [id = ''] = await freeSlots()
    await server.fhir('DELETE', `/Slot/${id}`)
    expect((await book(appointment([id]))).status).toBe(422)
  })

  test.each([2, 16])('of %d clients that race for one slot one gets it, the others 409', async (clients) => {
    const [id = ''] = await freeSlots()
    const answers = await Promise.all(Array.from({ length: clients }, () => book(appointment([id]))))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(clients - 1).fill(409)])
    for (const answer of answers) if (answer.status === 409) expectTaken(answer)
    expect((await server.fhir('GET', `/Appointment?slot=Slot/${id}`)).body.total).toBe(1)
    expect(await versionOf(id)).toBe('W/"2"')
  })

  test('PUT with a new id books like POST', async () => {
    const [id = ''] = await freeSlots()
    await put({ ...appointment([id]), id: `by-put-${id}` })
    expect(await statusOf(id)).toBe('busy')
  })
})

describe('moving', () => {
  const moved = (to: string) => ({ slot: [{ reference: `Slot/${to}` }], start: at(30), end: at(60) })

  test('by PUT frees the old slot and takes the new one', async () => {
    const [from = '', to = ''] = await freeSlots(2)
    const stored = await booked([from])
    expect((await change(stored, moved(to))).status).toBe(200)
    expect(await statusesOf([from, to])).toEqual(['free', 'busy'])
  })

  test('by PATCH does the same', async () => {
    const [from = '', to = ''] = await freeSlots(2)
    const { id } = await booked([from])
    const patch = Object.entries(moved(to)).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }))
    expect((await server.fhir('PATCH', `/Appointment/${id}`, patch)).status).toBe(200)
    expect(await statusesOf([from, to])).toEqual(['free', 'busy'])
  })

  test('to a taken slot is 409, and the old one stays booked', async () => {
    const [from = '', to = ''] = await freeSlots(2)
    const stored = await booked([from])
    await booked([to], { start: at(30), end: at(60) })
    expectTaken(await change(stored, moved(to)))
    expect(await statusesOf([from, to])).toEqual(['busy', 'busy'])
    expect((await server.fhir('GET', `/Appointment/${stored.id}`)).headers.get('etag')).toBe('W/"1"')
  })

  test('to a longer time keeps the first slot and takes the second', async () => {
    const slots = await freeSlots(2)
    const stored = await booked(slots.slice(0, 1))
    const before = await versionOf(slots[0])
    expect((await change(stored, { slot: slots.map((id) => ({ reference: `Slot/${id}` })), end: at(60) })).status).toBe(
      200,
    )
    expect(await statusesOf(slots)).toEqual(['busy', 'busy'])
    expect(await versionOf(slots[0])).toBe(before)
  })

  test('with a stale If-Match is 412, and no slot changes', async () => {
    const [from = '', to = ''] = await freeSlots(2)
    const stored = await booked([from])
    await change(stored, { description: 'newer' })
    const stale = { ...stored, ...moved(to) }
    const answer = await server.fhir('PUT', `/Appointment/${stored.id}`, stale, { 'if-match': 'W/"1"' })
    expect(answer.status).toBe(412)
    expect(await statusesOf([from, to])).toEqual(['busy', 'free'])
  })

  test('of two appointments that race for one slot one moves', async () => {
    const [a = '', b = '', to = ''] = await freeSlots(3)
    const first = await booked([a])
    const second = await booked([b], { start: at(30), end: at(60) })
    const there = { slot: [{ reference: `Slot/${to}` }], start: at(60), end: at(90) }
    const answers = await Promise.all([change(first, there), change(second, there)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await statusesOf([a, b, to])).sort()).toEqual(['busy', 'busy', 'free'])
    expect(await statusOf(to)).toBe('busy')
  })
})

/** As older versions of this server allowed for a slot that is booked. */
const behindTheRules = (work: (unit: UnitOfWork) => Promise<unknown>) =>
  server.app.repository.change('demo-clinic', async (unit) => {
    await work(unit)
  })

describe('an appointment that stays where it is', () => {
  test.each(['moved', 'deleted'])('can be changed although its slot was %s meanwhile', async (what) => {
    const [id = ''] = await freeSlots()
    const stored = await booked([id])
    await behindTheRules((unit) =>
      what === 'deleted' ? unit.delete('Slot', id) : unit.put({ ...slot(id, 4), status: 'busy' }, 'PUT'),
    )
    const changed = await change(stored, { comment: 'Bring the letter' })
    expect([changed.status, changed.body.comment]).toEqual([200, 'Bring the letter'])
    expect((await change(changed.body, { status: 'arrived' })).status).toBe(200)
  })
})

describe('giving slots back', () => {
  test.each(['cancelled', 'entered-in-error'])('%s frees them, and others can book them', async (status) => {
    const slots = await freeSlots(2)
    const stored = await booked(slots)
    expect((await change(stored, { status })).status).toBe(200)
    expect(await statusesOf(slots)).toEqual(['free', 'free'])
    await booked(slots)
  })

  test('cancelling by PATCH frees them too', async () => {
    const [id = ''] = await freeSlots()
    const stored = await booked([id])
    await server.fhir('PATCH', `/Appointment/${stored.id}`, [{ op: 'replace', path: '/status', value: 'cancelled' }])
    expect(await statusOf(id)).toBe('free')
  })

  test('deletion frees them', async () => {
    const [id = ''] = await freeSlots()
    const stored = await booked([id])
    expect((await server.fhir('DELETE', `/Appointment/${stored.id}`)).status).toBe(204)
    expect(await statusOf(id)).toBe('free')
  })

  test('deleting a cancelled one leaves the slot to whoever has it now', async () => {
    const [id = ''] = await freeSlots()
    const stored = await booked([id])
    await change(stored, { status: 'cancelled' })
    await booked([id])
    await server.fhir('DELETE', `/Appointment/${stored.id}`)
    expect(await statusOf(id)).toBe('busy')
  })

  test('a slot that staff blocked meanwhile stays blocked', async () => {
    const [id = ''] = await freeSlots()
    const stored = await booked([id])
    await put(slot(id, 0, 'busy-unavailable'))
    expect((await change(stored, { status: 'arrived' })).status).toBe(200)
    expect(await statusOf(id)).toBe('busy-unavailable')
    expect((await change(stored, { status: 'cancelled' })).status).toBe(200)
    expect(await statusOf(id)).toBe('busy-unavailable')
  })

  test('an appointment whose slot was deleted can still be changed, cancelled and deleted', async () => {
    const [id = ''] = await freeSlots()
    const stored = await booked([id])
    await behindTheRules((unit) => unit.delete('Slot', id))
    expect((await change(stored, { description: 'x' })).status).toBe(200)
    expect((await change(stored, { status: 'cancelled' })).status).toBe(200)
    expect((await server.fhir('DELETE', `/Appointment/${stored.id}`)).status).toBe(204)
  })
})

describe('status', () => {
  test.each([
    ['booked', 'proposed', 'arrived, checked-in, cancelled, noshow, entered-in-error'],
    ['booked', 'fulfilled', 'arrived, checked-in, cancelled, noshow, entered-in-error'],
    ['cancelled', 'booked', 'entered-in-error'],
  ])('%s to %s is 422 and names what is allowed', async (from, to, allowed) => {
    const [id = ''] = await freeSlots()
    const stored = await booked([id], { status: from })
    const before = await statusOf(id)
    const answer = await change(stored, { status: to })
    expect(answer.status).toBe(422)
    expect(answer.body.issue[0]).toMatchObject({
      diagnostics: expect.stringContaining(allowed),
      expression: ['Appointment.status'],
      details: { coding: [{ code: 'illegal-status-move' }] },
    })
    expect(await statusOf(id)).toBe(before)
  })

  test('arrived, checked-in and fulfilled keep the slot busy', async () => {
    const [id = ''] = await freeSlots()
    let stored = await booked([id])
    for (const status of ['arrived', 'checked-in', 'fulfilled']) {
      const answer = await change(stored, { status })
      expect(answer.status).toBe(200)
      stored = answer.body
      expect(await statusOf(id)).toBe('busy')
    }
    expect(await versionOf(id)).toBe('W/"2"')
  })
})

describe('in a transaction', () => {
  const transaction = (...resources: readonly (readonly [string, object | undefined])[]) =>
    server.fhir('POST', '/', {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: resources.map(([address, resource]) => {
        const [method, url = ''] = address.split(' ')
        return {
          fullUrl: `urn:uuid:${url.startsWith('Slot-') ? url : randomUUID()}`,
          resource,
          request: { method, url: url.startsWith('Slot-') ? 'Slot' : url },
        }
      }),
    })

  test('an appointment books the slot that is created beside it, whichever comes first, by POST and by PUT', async () => {
    const urn = randomUUID()
    const inNew = appointment([], { slot: [{ reference: `urn:uuid:Slot-${urn}` }], end: at(30) })
    const { id: _id, ...fresh } = slot('x', 0)
    const byPost = await transaction(['POST Appointment', inNew], [`POST Slot-${urn}`, fresh])
    expect([byPost.status, byPost.text]).toEqual([200, expect.anything()])
    const slotId = byPost.body.entry[1].response.location.split('/').at(-3)
    expect(await statusOf(slotId)).toBe('busy')
    const id = randomUUID()
    const byPut = await transaction(['POST Appointment', appointment([id])], [`PUT Slot/${id}`, slot(id, 0)])
    expect([byPut.status, byPut.text]).toEqual([200, expect.anything()])
    expect(await statusOf(id)).toBe('busy')
    expect(await versionOf(id)).toBe('W/"1"')
  })

  test('two appointments for one slot: 409 that names the entry, and nothing is stored', async () => {
    const [id = ''] = await freeSlots()
    const answer = await transaction(['POST Appointment', appointment([id])], ['POST Appointment', appointment([id])])
    expectTaken(answer, 409, 'Bundle.entry[1].resource.slot[0]')
    expect(await statusOf(id)).toBe('free')
    expect((await server.fhir('GET', `/Appointment?slot=Slot/${id}`)).body.total).toBe(0)
  })

  test.each(['DELETE, POST', 'POST, DELETE'])(
    'an appointment is deleted and its slot booked again, as deletions come first whatever the order: %s',
    async (order) => {
      const [id = ''] = await freeSlots()
      const old = await booked([id])
      const entries = {
        DELETE: [`DELETE Appointment/${old.id}`, undefined],
        POST: ['POST Appointment', appointment([id])],
      } as const
      const answer = await transaction(...order.split(', ').map((method) => entries[method as keyof typeof entries]))
      expect([answer.status, answer.text]).toEqual([200, expect.anything()])
      expect((await server.fhir('GET', `/Appointment/${old.id}`)).status).toBe(410)
      const { body } = await server.fhir('GET', `/Appointment?slot=Slot/${id}`)
      expect(body.entry.map((entry: { resource: Resource }) => entry.resource['status'])).toEqual(['booked'])
      expect(await statusOf(id)).toBe('busy')
    },
  )

  test('a booking that fails takes the patient created beside it with it', async () => {
    const [id = ''] = await freeSlots()
    await booked([id])
    const family = randomUUID()
    const answer = await transaction(
      ['POST Patient', { resourceType: 'Patient', name: [{ family }] }],
      ['POST Appointment', appointment([id])],
    )
    expectTaken(answer, 409, 'Bundle.entry[1].resource.slot[0]')
    expect((await server.fhir('GET', `/Patient?family=${family}`)).body.total).toBe(0)
  })
})

describe('the policies of the clinic', () => {
  const settings = async (policies: Partial<ClinicPolicies>) => {
    const { body } = await server.fhir('GET', '/clinics/demo-clinic/settings')
    const { status } = await server.fhir('PUT', '/clinics/demo-clinic/settings', { ...body, policies })
    expect(status).toBe(200)
  }
  afterAll(() => settings({}))

  test('slotTakenStatus 422 answers 422 instead of 409', async () => {
    await settings({ slotTakenStatus: 422 })
    const [id = ''] = await freeSlots()
    await booked([id])
    expectTaken(await book(appointment([id])), 422)
  })

  test('overbooking books a busy slot once more, marks it overbooked, and frees it when the last one has gone', async () => {
    await settings({ overbooking: true })
    const [id = ''] = await freeSlots()
    const state = async () => {
      const { body } = await server.fhir('GET', `/Slot/${id}`)
      return [body.status, body.overbooked]
    }
    const first = await booked([id])
    expect(await state()).toEqual(['busy', undefined])
    const second = await booked([id], { status: 'pending' })
    expect(await state()).toEqual(['busy', true])
    await change(first, { status: 'cancelled' })
    expect(await state()).toEqual(['busy', undefined])
    await change(second, { status: 'cancelled' })
    expect(await state()).toEqual(['free', undefined])
  })

  test('a slot that one has booked and another one waits for stays busy when that one is changed, and when it ends', async () => {
    await settings({ overbooking: true })
    const [id = ''] = await freeSlots()
    await booked([id])
    const waiting = await booked([id], { status: 'pending' })
    await change(waiting, { comment: 'Brings her daughter' })
    expect(await statusOf(id)).toBe('busy')
    await change(waiting, { status: 'cancelled' })
    expect(await statusOf(id)).toBe('busy')
  })

  test('a slot that was booked three times is overbooked until one booking is left', async () => {
    await settings({ overbooking: true })
    const [id = ''] = await freeSlots()
    const all = [await booked([id]), await booked([id]), await booked([id])]
    const states: unknown[] = []
    for (const one of all) {
      await change(one, { status: 'cancelled' })
      const { body } = await server.fhir('GET', `/Slot/${id}`)
      states.push([body.status, body.overbooked])
    }
    expect(states).toEqual([
      ['busy', true],
      ['busy', undefined],
      ['free', undefined],
    ])
  })

  test('bookings and cancellations at once leave the slot as its bookings say', async () => {
    await settings({ overbooking: true })
    for (let round = 0; round < 5; round++) {
      const [id = ''] = await freeSlots()
      const first = await booked([id])
      const [cancelled, ...others] = await Promise.all([
        change(first, { status: 'cancelled' }),
        booked([id]),
        booked([id]),
        booked([id]),
      ])
      expect([cancelled.status, await statusOf(id)]).toEqual([200, 'busy'])
      const answers = await Promise.all(others.map((one) => change(one, { status: 'cancelled' })))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(await statusOf(id)).toBe('free')
    }
  })

  test.each(['busy-tentative', 'busy-unavailable'])('overbooking does not book a slot that is %s', async (status) => {
    await settings({ overbooking: true })
    const id = randomUUID()
    await put(slot(id, 0, status))
    expectTaken(await book(appointment([id])))
  })
})

describe('finding slots', () => {
  test('GET /Slot by schedule, status and a range of start, in order', async () => {
    const day = (hour: number) => new Date(Date.UTC(2032, 0, 5, hour)).toISOString()
    await put({ resourceType: 'Schedule', id: 'search', actor: [{ reference: 'Practitioner/x' }] })
    for (const hour of [9, 10, 11, 12, 13])
      await put({
        ...slot(`at-${hour}`, 0, hour === 11 ? 'busy' : 'free'),
        schedule: { reference: 'Schedule/search' },
        start: day(hour),
        end: day(hour + 1),
      })
    const query = `schedule=Schedule/search&status=free&start=ge${day(10)}&start=lt${day(13)}&_sort=start`
    const { body } = await server.fhir('GET', `/Slot?${query}`)
    expect(body.entry.map((entry: { resource: Resource }) => entry.resource.id)).toEqual(['at-10', 'at-12'])
    expect(body.total).toBe(2)
  })

  test('GET /Schedule by actor and active', async () => {
    const { body } = await server.fhir('GET', '/Schedule?actor=Practitioner/x&active=true')
    expect(body.entry.map((entry: { resource: Resource }) => entry.resource.id)).toEqual(['calendar'])
  })

  test('the demo clinic has free slots to book', async () => {
    const { body } = await server.fhir(
      'GET',
      `/Slot?status=free&start=ge${new Date().toISOString()}&_sort=start&_count=1`,
    )
    const [{ resource }] = body.entry
    const answer = await book({ ...appointment([resource.id]), start: resource.start, end: resource.end })
    expect(answer.status).toBe(201)
  })
})
