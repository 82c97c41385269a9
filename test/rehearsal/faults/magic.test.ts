/** Practitioners with whom a booking goes wrong, by FHIR and by tool. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Visits, visitsOn } from '../../support/appointment-operations.ts'
import { half, slot, visit } from '../../support/booking.ts'
import { attempt, type Met } from '../../support/faults.ts'
import { exchanges } from '../../support/journal.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/server-process.ts'

let server: TestServer
let visits: Visits
const clock = { now: Date.now() }
beforeAll(async () => {
  server = await startServer({}, { clock: () => clock.now })
  visits = visitsOn(server)
  for (const name of ['gone', 'late', 'lost', 'mover']) {
    const id = `practitioner-${name}`
    await visits.put({ resourceType: 'Practitioner', id, name: [{ family: name, given: ['Magic'] }] })
    await visits.open(`Practitioner/${id}`, `schedule-${name}`)
  }
})
afterAll(() => server.close())

/** A free half hour of the practitioner, which is followed by another. */
async function freeSlot(name: string): Promise<string> {
  const ids = [randomUUID(), randomUUID()]
  for (const [index, id] of ids.entries())
    await visits.put(slot(id, index, { schedule: { reference: `Schedule/schedule-${name}` } }))
  return ids[0] ?? ''
}

/** Ways of booking by FHIR: a create, and $book of what $find offers. */
const WAYS: Readonly<Record<string, (slotId: string) => Promise<Met>>> = {
  'a create of an Appointment': (slotId) => attempt(server, 'POST', '/Appointment', visit([slotId])),
  $book: async (slotId) =>
    attempt(server, 'POST', '/Appointment/$book', {
      resourceType: 'Parameters',
      parameter: [
        { name: 'appointment-reference', valueReference: { reference: `Appointment/${await visits.offer([slotId])}` } },
      ],
    }),
}

const statusesIn = async (slotId: string) =>
  ((await server.fhir('GET', `/Appointment?slot=Slot/${slotId}`)).body.entry ?? []).map(
    ({ resource }: { resource: { status: string; participant: { actor: { reference: string } }[] } }) =>
      `${resource.status} ${resource.participant[0]?.actor.reference}`,
  )

describe.each(Object.entries(WAYS))('by %s', (_way, book) => {
  test('Dr. Gone: somebody else was first', async () => {
    const slotId = await freeSlot('gone')
    const { status, label, body } = await book(slotId)
    expect([status, label, body.issue[0].details.coding[0].code]).toEqual([
      409,
      expect.stringMatching(/^slot-gone#\d+$/),
      'slot-unavailable',
    ])
    expect(await statusesIn(slotId)).toEqual(['booked Patient/somebody-else'])
  })

  test('Dr. Lost: booked, and the answer is lost', async () => {
    const slotId = await freeSlot('lost')
    expect((await book(slotId)).status).toBe(0)
    expect(await statusesIn(slotId)).toEqual(['booked Patient/abernathy-ruth'])
    expect((await exchanges(server, '?fault=lost-answer&count=1'))[0]).toMatchObject({ outcome: 'broken', status: 0 })
  })

  test('Dr. Mover: the practice moves the visit after ten seconds', async () => {
    const slotId = await freeSlot('mover')
    const { status, label } = await book(slotId)
    expect([status < 300, label]).toEqual([true, expect.stringMatching(/^moved#\d+$/)])
    expect(await visits.statusOf(slotId)).toBe('busy')
    clock.now += 10_500
    await until(async () => (await visits.statusOf(slotId)) === 'free')
  })
})

test('Dr. Late: booked at once, and answered eight seconds later', async () => {
  const slotId = await freeSlot('late')
  const answer = attempt(server, 'POST', '/Appointment', visit([slotId]))
  await until(async () => (await visits.statusOf(slotId)) === 'busy')
  expect(await Promise.race([answer, 'not answered yet'])).toBe('not answered yet')
  expect(await answer).toMatchObject({ status: 201, label: expect.stringMatching(/^slow#\d+$/) })
})

test('a change of a visit that is booked already goes as any other does', async () => {
  const slotId = await freeSlot('lost')
  await attempt(server, 'POST', '/Appointment', visit([slotId]))
  const { resource } = (await server.fhir('GET', `/Appointment?slot=Slot/${slotId}`)).body.entry[0]
  const { status, headers } = await visits.change(resource, { comment: 'brings a letter' })
  expect([status, headers.get('x-sandbox-fault')]).toEqual([200, null])
})

test('a visit that cannot be moved is cancelled by the practice', async () => {
  const id = randomUUID()
  await visits.put(slot(id, 40, { schedule: { reference: 'Schedule/schedule-mover' } }))
  const { body } = await attempt(server, 'POST', '/Appointment', visit([id], { start: half(40), end: half(41) }))
  // Every free time behind it is gone by then.
  const { body: free } = await server.fhir('GET', '/Slot?schedule=schedule-mover&status=free&_count=200')
  for (const { resource } of free.entry ?? []) await server.fhir('DELETE', `/Slot/${resource.id}`)
  clock.now += 10_500
  await until(async () => (await visits.read(`Appointment/${body.id}`)).status === 'cancelled')
  expect(await visits.read(`Appointment/${body.id}`)).toMatchObject({
    comment: 'Cancelled by the practice',
    cancelationReason: { coding: [{ code: 'prov' }] },
  })
})

test('where nobody rehearses, Dr. Gone is booked as anybody else', async () => {
  const off = await startServer({ REHEARSAL: 'off' })
  try {
    const elsewhere = visitsOn(off)
    await elsewhere.put({ resourceType: 'Practitioner', id: 'practitioner-gone', name: [{ family: 'Gone' }] })
    await elsewhere.open('Practitioner/practitioner-gone', 'schedule-gone')
    await elsewhere.put(slot('not-gone', 0, { schedule: { reference: 'Schedule/schedule-gone' } }))
    const { status, label } = await attempt(off, 'POST', '/Appointment', visit(['not-gone']))
    expect([status, label]).toEqual([201, null])
  } finally {
    await off.close()
  }
})
