/** A Slot that appointments hold: it stays at its time, is not sold again, and is not deleted. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Bookings, bookingsOn, expectRefused, half, slot, slotsOf, visit } from '../support/booking.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let bookings: Bookings
beforeAll(async () => {
  server = await startServer()
  bookings = bookingsOn(server)
})
afterAll(() => server.close())

const HOLDING = ['pending', 'booked', 'arrived', 'fulfilled', 'noshow']

describe('a slot that an appointment holds', () => {
  test.each(HOLDING)('as %s cannot become free by PUT: 409, and nobody can book it', async (status) => {
    const [id = ''] = await bookings.freeSlots()
    await bookings.booked([id], { status })
    const before = await bookings.read(`Slot/${id}`)
    expectRefused(await server.fhir('PUT', `/Slot/${id}`, slot(id, 0)), 409, 'slot-held')
    expect(await bookings.read(`Slot/${id}`)).toEqual(before)
    expect((await bookings.book(visit([id]))).status).toBe(409)
  })

  test('cannot become free by PATCH, in a transaction or as entered-in-error', async () => {
    const [id = ''] = await bookings.freeSlots()
    await bookings.booked([id])
    const patch = [{ op: 'replace', path: '/status', value: 'free' }]
    expectRefused(await server.fhir('PATCH', `/Slot/${id}`, patch), 409, 'slot-held')
    expectRefused(await bookings.transaction([`PUT Slot/${id}`, slot(id, 0)]), 409, 'slot-held')
    const inError = slot(id, 0, { status: 'entered-in-error' })
    expectRefused(await server.fhir('PUT', `/Slot/${id}`, inError), 409, 'slot-held')
    expect(await bookings.statusOf(id)).toBe('busy')
  })

  test.each(['free', 'entered-in-error'])(
    'as a visit that was recorded before there was the slot: it is not made as %s, but as busy it is',
    async (status) => {
      const id = `imported-${randomUUID()}`
      await bookings.booked([id], { status: 'arrived' })
      expectRefused(await server.fhir('PUT', `/Slot/${id}`, slot(id, 0, { status })), 409, 'slot-held')
      expect((await server.fhir('PUT', `/Slot/${id}`, slot(id, 0, { status: 'busy' }))).status).toBe(201)
    },
  )

  test('of a visit that is over can be deleted, and is not made again as free', async () => {
    const [id = ''] = await bookings.freeSlots()
    const stored = await bookings.booked([id])
    await bookings.change(stored, { status: 'noshow' })
    expect((await server.fhir('DELETE', `/Slot/${id}`)).status).toBeLessThan(300)
    expectRefused(await server.fhir('PUT', `/Slot/${id}`, slot(id, 0)), 409, 'slot-held')
    const { body } = await bookings.transaction(
      [`PUT Slot/${id}`, slot(id, 0)],
      [`PUT Appointment/${stored.id}`, { ...stored, status: 'noshow', comment: 'Did not call' }],
    )
    expect([body.type, await bookings.statusOf(id)]).toEqual(['transaction-response', 'busy'])
  })

  test.each<[string, object]>([
    ['start', { start: half(-1) }],
    ['end', { end: half(2) }],
    ['schedule', { schedule: { reference: 'Schedule/other' } }],
  ])('keeps its %s: 409', async (_what, more) => {
    const [id = ''] = await bookings.freeSlots()
    await bookings.booked([id])
    expectRefused(await server.fhir('PUT', `/Slot/${id}`, slot(id, 0, { status: 'busy', ...more })), 409, 'slot-held')
    expect(await bookings.read(`Slot/${id}`)).toMatchObject({ start: half(0), end: half(1) })
  })

  test('$validate with mode update or delete says so', async () => {
    const [id = ''] = await bookings.freeSlots()
    await bookings.booked([id])
    const parameters = (mode: string, resource?: object) => ({
      resourceType: 'Parameters',
      parameter: [
        { name: 'mode', valueCode: mode },
        ...(resource === undefined ? [] : [{ name: 'resource', resource }]),
      ],
    })
    for (const body of [parameters('delete'), parameters('update', slot(id, 0))])
      expect((await server.fhir('POST', `/Slot/${id}/$validate`, body)).text).toContain('slot-held')
    expect(await bookings.statusOf(id)).toBe('busy')
  })

  test('can be changed otherwise, blocked, and written with the same times in another zone', async () => {
    const [id = ''] = await bookings.freeSlots()
    await bookings.booked([id])
    const times = { start: '2031-03-03T04:00:00-05:00', end: '2031-03-03T04:30:00-05:00' }
    for (const more of [{ comment: 'Room 2' }, { status: 'busy-unavailable' }, times])
      expect((await server.fhir('PUT', `/Slot/${id}`, slot(id, 0, { status: 'busy', ...more }))).status).toBe(200)
  })

  test.each(['pending', 'booked', 'arrived', 'checked-in'])('as %s cannot be deleted: 409', async (status) => {
    const [id = ''] = await bookings.freeSlots()
    await bookings.booked([id], { status })
    expectRefused(await server.fhir('DELETE', `/Slot/${id}`), 409, 'slot-held')
    expectRefused(await bookings.transaction([`DELETE Slot/${id}`]), 409, 'slot-held')
    expect((await server.fhir('GET', `/Slot/${id}`)).status).toBe(200)
  })

  test.each(['fulfilled', 'noshow'])('can be deleted once the visit is over: %s', async (status) => {
    const [id = ''] = await bookings.freeSlots()
    await bookings.booked([id], { status })
    expect((await server.fhir('DELETE', `/Slot/${id}`)).status).toBe(204)
  })
})

describe('a slot that no appointment holds', () => {
  test.each(['busy', 'busy-tentative', 'busy-unavailable'])(
    'can be %s, become free, and be deleted',
    async (status) => {
      const [id = ''] = await bookings.freeSlots(1, { status })
      expect((await server.fhir('PUT', `/Slot/${id}`, slot(id, 3))).status).toBe(200)
      await bookings.put(slot(id, 3, { status }))
      expect((await server.fhir('DELETE', `/Slot/${id}`)).status).toBe(204)
    },
  )

  test('can become free after its appointment was cancelled, or in the transaction that cancels it', async () => {
    const [id = ''] = await bookings.freeSlots()
    const { id: first, ...one } = await bookings.booked([id])
    const cancelled = { ...one, id: first, status: 'cancelled' }
    const both = await bookings.transaction([`PUT Appointment/${first}`, cancelled], [`PUT Slot/${id}`, slot(id, 0)])
    expect([both.status, both.text]).toEqual([200, expect.anything()])
    expect(await bookings.statusOf(id)).toBe('free')
    const second = await bookings.booked([id])
    await bookings.change(second, { status: 'cancelled' })
    expect((await server.fhir('PUT', `/Slot/${id}`, slot(id, 0))).status).toBe(200)
  })

  test('can be deleted in the transaction that cancels its appointment', async () => {
    const [id = ''] = await bookings.freeSlots()
    const one = await bookings.booked([id])
    const cancelled = [`PUT Appointment/${one.id}`, { ...one, status: 'cancelled' }] as const
    expect((await bookings.transaction(cancelled, [`DELETE Slot/${id}`])).status).toBe(200)
    expect((await server.fhir('GET', `/Slot/${id}`)).status).toBe(410)
  })

  test('can move along with its appointment in one transaction, and not without it', async () => {
    const [id = ''] = await bookings.freeSlots()
    const one = await bookings.booked([id])
    const later = { start: half(4), end: half(5) }
    const moved = [`PUT Slot/${id}`, slot(id, 0, { status: 'busy', ...later })] as const
    const comment = [`PUT Appointment/${one.id}`, { ...one, comment: 'Bring the letter' }] as const
    expectRefused(await bookings.transaction(moved, comment), 409, 'slot-held')
    const along = await bookings.transaction(moved, [`PUT Appointment/${one.id}`, { ...one, ...later }])
    expect([along.status, along.text]).toEqual([200, expect.anything()])
    expect(await bookings.read(`Slot/${id}`)).toMatchObject({ status: 'busy', ...later })
  })

  test('can become free and be booked in one transaction', async () => {
    const [id = ''] = await bookings.freeSlots(1, { status: 'busy' })
    const answer = await bookings.transaction(['POST Appointment', visit([id])], [`PUT Slot/${id}`, slot(id, 0)])
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
    expect(await bookings.statusOf(id)).toBe('busy')
  })

  test('is booked in the transaction that cancels its appointment, once', async () => {
    const [id = ''] = await bookings.freeSlots()
    const one = await bookings.booked([id])
    const deleted = [`DELETE Appointment/${one.id}`] as const
    expect((await bookings.transaction(deleted, ['POST Appointment', visit([id])])).status).toBe(200)
    expect(await bookings.statusOf(id)).toBe('busy')
  })

  test('that ends before it starts is 422', async () => {
    const backwards = slot('backwards', 0, { end: half(-1) })
    expectRefused(await server.fhir('PUT', '/Slot/backwards', backwards), 422, 'end-before-start')
    const { id: _id, ...unnamed } = backwards
    expectRefused(await server.fhir('POST', '/Slot', unnamed), 422, 'end-before-start')
  })
})

describe('freeing and booking a slot at once', () => {
  test('never leaves an appointment in a slot that is free', async () => {
    for (let round = 0; round < 10; round++) {
      const [id = ''] = await bookings.freeSlots(1, { status: round % 2 === 0 ? 'free' : 'busy' })
      const [freed, visited] = await Promise.all([
        server.fhir('PUT', `/Slot/${id}`, slot(id, 0)),
        bookings.book(visit([id])),
        server.fhir('DELETE', `/Slot/${id}`),
      ])
      const left = await server.fhir('GET', `/Slot/${id}`)
      expect([200, 201, 409]).toContain(freed.status)
      if (visited.status === 201) expect(left.body.status).toBe('busy')
      else expect(left.status === 410 || left.body.status === 'free').toBe(true)
    }
  })
})

describe('two appointments of one overbooked slot', () => {
  const both = async () => {
    await bookings.policies({ overbooking: true })
    const [id = ''] = await bookings.freeSlots()
    return { id, first: await bookings.booked([id]), second: await bookings.booked([id]) }
  }
  const cancel = (one: { readonly id: string }) =>
    [`PUT Appointment/${one.id}`, { ...one, status: 'cancelled' }] as const
  afterAll(() => bookings.policies({}))

  test('cancelled in one transaction free it', async () => {
    const { id, first, second } = await both()
    expect((await bookings.transaction(cancel(first), cancel(second))).status).toBe(200)
    expect(await bookings.read(`Slot/${id}`)).toMatchObject({ status: 'free' })
    expect(await bookings.read(`Slot/${id}`)).not.toHaveProperty('overbooked')
  })

  test('deleted in one transaction free it', async () => {
    const { id, first, second } = await both()
    const answer = await bookings.transaction([`DELETE Appointment/${first.id}`], [`DELETE Appointment/${second.id}`])
    expect(answer.status).toBe(200)
    expect(await bookings.statusOf(id)).toBe('free')
  })

  test('one cancelled beside a third that is booked: it stays overbooked', async () => {
    const { id, first } = await both()
    expect((await bookings.transaction(['POST Appointment', visit([id])], cancel(first))).status).toBe(200)
    expect(await bookings.read(`Slot/${id}`)).toMatchObject({ status: 'busy', overbooked: true })
  })

  test('one moved away and one cancelled in one transaction free it, and take the new one', async () => {
    const { id, first, second } = await both()
    const [to = ''] = await bookings.freeSlots()
    const moved = [`PUT Appointment/${first.id}`, { ...first, slot: slotsOf([to]) }] as const
    expect((await bookings.transaction(moved, cancel(second))).status).toBe(200)
    expect(await bookings.statusesOf([id, to])).toEqual(['free', 'busy'])
  })

  test('free it only when both are gone', async () => {
    const { id, first } = await both()
    await bookings.change(first, { status: 'cancelled' })
    expectRefused(await server.fhir('PUT', `/Slot/${id}`, slot(id, 0)), 409, 'slot-held')
  })
})
