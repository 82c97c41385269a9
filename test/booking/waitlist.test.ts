/** The waitlist: who is offered a freed slot, and what ends offers and entries. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Appointment, Task } from 'fhir/r4'
import {
  type Bookings,
  bookingsOn,
  capacity,
  half,
  PATIENT,
  type Resource,
  slot,
  slotsOf,
  visit,
} from '../support/booking.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { startTwoClinics } from '../support/two-clinics.ts'
import { participants, type Waitlist, waitlistOn } from '../support/waitlist.ts'

let server: TestServer
let bookings: Bookings
let waitlist: Waitlist
beforeAll(async () => {
  server = await startServer()
  bookings = bookingsOn(server)
  waitlist = waitlistOn(server)
  await bookings.put({
    resourceType: 'Schedule',
    id: 'calendar',
    // Its slots are at the same times.
    ...capacity(1_000),
    actor: [{ reference: 'PractitionerRole/role-okafor' }],
  })
})
afterAll(() => server.close())
beforeEach(async () => {
  await bookings.policies({})
  await waitlist.clear()
})

/** A visit in a slot of its own, which becomes free when it is cancelled. */
const taken = async (more: object = {}, times: object = {}) => {
  const [id = ''] = await bookings.freeSlots(1, { ...times, ...more })
  return { id, visit: await bookings.booked([id], times) }
}
const cancel = (appointment: Resource) => bookings.change(appointment, { status: 'cancelled' })

const type = (code: string) => ({ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0276', code }] })

describe('a slot that is freed', () => {
  const WAYS: Readonly<Record<string, (appointment: Resource) => Promise<{ readonly status: number }>>> = {
    'by PUT': cancel,
    'by PATCH': ({ id }) =>
      server.fhir('PATCH', `/Appointment/${id}`, [{ op: 'replace', path: '/status', value: 'cancelled' }]),
    'by DELETE': ({ id }) => server.fhir('DELETE', `/Appointment/${id}`),
    'by a transaction': ({ id, ...rest }) =>
      bookings.transaction([`PUT Appointment/${id}`, { ...rest, id, status: 'cancelled' }]),
    'by a visit that moves': async (stored) => {
      const [other = ''] = await bookings.freeSlots()
      return bookings.change(stored, { slot: slotsOf([other]) })
    },
  }
  test.each(Object.entries(WAYS))('is offered in the same change: %s', async (_name, free) => {
    const entry = await waitlist.join()
    const { id, visit: stored } = await taken()
    expect((await free(stored)).status).toBeLessThan(300)
    expect(await waitlist.offeredTo(id)).toEqual([entry.id])
    const [task] = await waitlist.openOffers(id)
    expect(task).toMatchObject({
      status: 'requested',
      for: (entry as unknown as Appointment).participant[0]?.actor,
      restriction: { period: { end: half(0) } },
      input: [{ valueReference: { reference: `Slot/${id}` } }],
    })
  })

  test('is offered when staff unblock it', async () => {
    const entry = await waitlist.join()
    const [id = ''] = await bookings.freeSlots(1, { status: 'busy-unavailable' })
    await bookings.put(slot(id, 0))
    expect(await waitlist.offeredTo(id)).toEqual([entry.id])
  })

  test('is not offered when the same transaction books it again', async () => {
    await waitlist.join()
    const { id, visit: stored } = await taken()
    const answer = await bookings.transaction(
      [`DELETE Appointment/${stored.id}`],
      ['POST Appointment', visit([id], participants(PATIENT))],
    )
    expect([answer.status, await bookings.statusOf(id), await waitlist.offeredTo(id)]).toEqual([200, 'busy', []])
  })

  test('is offered to nobody when nobody waits, and no Task is made', async () => {
    const before = (await waitlist.openOffers()).length
    const { visit: stored } = await taken()
    await cancel(stored)
    expect((await waitlist.openOffers()).length).toBe(before)
  })

  test('has one open offer, however often it is freed', async () => {
    const entry = await waitlist.join()
    const { id, visit: stored } = await taken()
    await cancel(stored)
    const again = await bookings.booked([id])
    expect(await waitlist.offeredTo(id)).toEqual([])
    await cancel(again)
    expect(await waitlist.offeredTo(id)).toEqual([entry.id])
    expect(await waitlist.all(`Task?code=waitlist-offer&focus=Appointment/${entry.id}`)).toHaveLength(1)
  })
})

describe('whose turn it is', () => {
  const free = async (more: object = {}, times: object = {}): Promise<readonly (string | undefined)[]> => {
    const { id, visit: stored } = await taken(more, times)
    await cancel(stored)
    return await waitlist.offeredTo(id)
  }

  test('goes by priority, then by when they joined', async () => {
    const late = await waitlist.join({ created: '2026-02-02' })
    const early = await waitlist.join({ created: '2026-02-01' })
    const urgent = await waitlist.join({ created: '2026-02-03', priority: 1 })
    await waitlist.join({ created: '2026-01-01', priority: 9 })
    expect([await free(), await free(), await free()]).toEqual([[urgent.id], [early.id], [late.id]])
  })

  test('who has an open offer is passed over, so that slots reach different patients', async () => {
    const entry = await waitlist.join()
    expect(await free()).toEqual([entry.id])
    expect(await free()).toEqual([])
  })

  interface Case {
    readonly entry?: object
    readonly actors?: readonly string[]
    readonly slot?: object
    readonly wanted: boolean
  }
  const requestedPeriod = (start: string, end?: string) => ({ requestedPeriod: [{ start, ...(end && { end }) }] })
  const CASES: Readonly<Record<string, Case>> = {
    'a period that holds its start': { entry: requestedPeriod('2031-03-02', '2031-03-03'), wanted: true },
    'an open period': { entry: requestedPeriod('2031-03-03'), wanted: true },
    'a period that ends when it starts': { entry: requestedPeriod('2031-03-01', half(0)), wanted: false },
    'a period of another day': { entry: requestedPeriod('2031-03-04', '2031-03-05'), wanted: false },
    'its type': {
      entry: { appointmentType: type('CHECKUP') },
      slot: { appointmentType: type('CHECKUP') },
      wanted: true,
    },
    'a type, where the slot takes any': { entry: { appointmentType: type('CHECKUP') }, wanted: true },
    'another type': {
      entry: { appointmentType: type('ROUTINE') },
      slot: { appointmentType: type('CHECKUP') },
      wanted: false,
    },
    'no type': { slot: { appointmentType: type('CHECKUP') }, wanted: true },
    'the practitioner of its role': { actors: ['Practitioner/practitioner-okafor'], wanted: true },
    'one of two practitioners': {
      actors: ['Practitioner/practitioner-delgado', 'Practitioner/practitioner-okafor'],
      wanted: true,
    },
    'another practitioner': { actors: ['Practitioner/practitioner-delgado'], wanted: false },
    'its place': { actors: ['Location/location-maple-street'], wanted: true },
    'another place': { actors: ['Location/location-riverside'], wanted: false },
    'a visit as long': { entry: { minutesDuration: 30 }, wanted: true },
    'a longer visit': { entry: { minutesDuration: 45 }, wanted: false },
  }
  test.each(Object.entries(CASES))('is offered as it is wanted to who asks for %s', async (_name, one) => {
    const entry = await waitlist.join(one.entry, ...(one.actors ?? []))
    expect(await free(one.slot)).toEqual(one.wanted ? [entry.id] : [])
  })

  test('a slot that policies let nobody book is not offered', async () => {
    await waitlist.join()
    const start = new Date(Date.now() + 3_600_000).toISOString()
    const { id, visit: stored } = await taken({}, { start, end: new Date(Date.now() + 7_200_000).toISOString() })
    await bookings.policies({ minimumNoticeMinutes: 120 })
    await cancel(stored)
    expect([await bookings.statusOf(id), await waitlist.offeredTo(id)]).toEqual(['free', []])
  })

  test('of slots that are freed at once each is offered to another entry', async () => {
    const entries = [await waitlist.join(), await waitlist.join(), await waitlist.join(), await waitlist.join()]
    const visits = await Promise.all(entries.map(() => taken()))
    await Promise.all(visits.map(({ visit: stored }) => cancel(stored)))
    const offered = await Promise.all(visits.map(({ id }) => waitlist.offeredTo(id)))
    expect(offered.flat().sort()).toEqual(entries.map(({ id }) => id).sort())
  })

  test('of slots that are freed at once one is offered to a single entry', async () => {
    const entry = await waitlist.join()
    const visits = await Promise.all(Array.from({ length: 6 }, () => taken()))
    await Promise.all(visits.map(({ visit: stored }) => cancel(stored)))
    const offered = await Promise.all(visits.map(({ id }) => waitlist.offeredTo(id)))
    expect(offered.flat()).toEqual([entry.id])
  })

  test('of more slots than one change looks after, each is offered in the end, those of the others in the background', async () => {
    const COUNT = 22
    const entries = await Promise.all(Array.from({ length: COUNT }, () => waitlist.join()))
    const visits = await Promise.all(entries.map(() => taken()))
    const cancelled = visits.map(
      ({ visit: { id, ...rest } }) => [`PUT Appointment/${id}`, { ...rest, id, status: 'cancelled' }] as const,
    )
    expect((await bookings.transaction(...cancelled)).status).toBe(200)
    const offered = async () => (await Promise.all(visits.map(({ id }) => waitlist.offeredTo(id)))).flat()
    while ((await offered()).length < COUNT) await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await offered()).sort()).toEqual(entries.map(({ id }) => id).sort())
  })

  test('of a list that is too long for one change the first is found in the background', async () => {
    const first = await waitlist.join({ created: '2026-01-02', ...requestedPeriod('2031-03-03') })
    const patient = await waitlist.newPatient()
    const other = {
      resourceType: 'Appointment',
      status: 'waitlist',
      created: '2026-01-01',
      ...requestedPeriod('2030-01-01', '2030-01-02'),
    }
    const posts = Array.from(
      { length: 120 },
      () => ['POST Appointment', { ...other, ...participants(patient) }] as const,
    )
    expect((await bookings.transaction(...posts)).status).toBe(200)
    const { id, visit: stored } = await taken()
    await cancel(stored)
    while ((await waitlist.offeredTo(id)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await waitlist.offeredTo(id)).toEqual([first.id])
    const gone = (await waitlist.all<Resource>(`Appointment?status=waitlist&patient=${patient}&_count=200`)).map(
      (entry) => [`DELETE Appointment/${entry.id}`] as const,
    )
    expect((await bookings.transaction(...gone)).status).toBe(200)
  })
})

describe('an offer', () => {
  const offered = async () => {
    const entry = await waitlist.join()
    const { id, visit: stored } = await taken()
    await cancel(stored)
    const [task] = await waitlist.openOffers(id)
    return { entry, id, task: task?.id, patient: { participant: entry.participant } }
  }
  const statusOf = async (task: string | undefined): Promise<string> => (await bookings.read(`Task/${task}`)).status

  test('is completed when its patient books the slot, and the entry ends', async () => {
    const { entry, id, task, patient } = await offered()
    await bookings.booked([id], patient)
    expect(await statusOf(task)).toBe('completed')
    expect(await bookings.read(`Appointment/${entry.id}`)).toMatchObject({
      status: 'cancelled',
      cancelationReason: { text: 'The patient has booked a visit' },
    })
  })

  test('is closed when somebody else takes the slot; the entry waits on', async () => {
    const { entry, id, task } = await offered()
    await bookings.booked([id])
    expect([await statusOf(task), (await bookings.read(`Appointment/${entry.id}`)).status]).toEqual([
      'cancelled',
      'waitlist',
    ])
  })

  test('is completed when staff book the entry itself', async () => {
    const { entry, id, task } = await offered()
    const answer = await bookings.change(entry, { status: 'booked', slot: slotsOf([id]), start: half(0), end: half(1) })
    expect([answer.status, await statusOf(task)]).toEqual([200, 'completed'])
  })

  test('is closed when the slot is deleted', async () => {
    const { id, task } = await offered()
    expect((await server.fhir('DELETE', `/Slot/${id}`)).status).toBeLessThan(300)
    expect(await statusOf(task)).toBe('cancelled')
  })

  test.each<[string, (entry: Resource) => Promise<unknown>]>([
    ['is cancelled', cancel],
    ['is deleted', ({ id }) => server.fhir('DELETE', `/Appointment/${id}`)],
    ['books another visit', ({ participant }) => bookings.booked([], { participant })],
  ])('goes to the next entry when its own %s', async (_what, end) => {
    const { entry, id } = await offered()
    const next = await waitlist.join()
    await end(entry)
    expect(await waitlist.offeredTo(id)).toEqual([next.id])
  })
})

describe('an entry', () => {
  test('waits on when its patient books what it does not ask for', async () => {
    const entry = await waitlist.join({ requestedPeriod: [{ start: '2031-03-01', end: '2031-03-02' }] })
    await bookings.booked([], { participant: entry.participant })
    expect((await bookings.read(`Appointment/${entry.id}`)).status).toBe('waitlist')
  })

  test('ends when the visit of its patient moves to what it asks for', async () => {
    const entry = await waitlist.join({ requestedPeriod: [{ start: '2031-03-03', end: half(2) }] })
    const stored = await bookings.booked([], { participant: entry.participant, start: half(20), end: half(21) })
    await bookings.change(stored, { start: half(1), end: half(2) })
    expect((await bookings.read(`Appointment/${entry.id}`)).status).toBe('cancelled')
  })
})

test('the waitlist of another clinic is offered nothing, and its entries stay', async () => {
  const { server: two, ours, theirs } = await startTwoClinics()
  try {
    const entry = { resourceType: 'Appointment', status: 'waitlist', ...participants('Patient/abernathy-ruth') }
    await theirs('PUT', '/Patient/abernathy-ruth', { resourceType: 'Patient', id: 'abernathy-ruth' })
    const waiting = await theirs('POST', '/Appointment', entry)
    expect(waiting.status).toBe(201)
    await ours('PUT', '/Slot/one', slot('one', 0))
    const booked = await ours('POST', '/Appointment', visit(['one']))
    await ours('PUT', `/Appointment/${booked.body.id}`, { ...booked.body, status: 'cancelled' })
    for (const each of [ours, theirs]) expect((await each('GET', '/Task?code=waitlist-offer')).body.total ?? 0).toBe(0)
    expect((await theirs('GET', `/Appointment/${waiting.body.id}`)).body.status).toBe('waitlist')
  } finally {
    await two.close()
  }
})

describe('an offer that staff close as its patient does not take it', () => {
  const outcome = (code: string) => ({
    coding: [{ system: 'https://sandbox-emr.example/fhir/CodeSystem/task-outcome', code }],
  })
  const complete = (task: Task | undefined, outcome: object) =>
    server.fhir('POST', `/Task/${task?.id}/$complete`, {
      resourceType: 'Parameters',
      parameter: [{ name: 'outcome', valueCodeableConcept: outcome }],
    })
  const WAYS: Readonly<Record<string, (task: Task | undefined) => Promise<{ readonly status: number }>>> = {
    'by $complete': (task) => complete(task, outcome('refused')),
    'as nobody answers': (task) => complete(task, outcome('no-answer')),
    'as it is not needed any more': (task) => complete(task, outcome('not-needed')),
    'by PUT of the status failed': (task) => server.fhir('PUT', `/Task/${task?.id}`, { ...task, status: 'failed' }),
    'by PUT of the status rejected': (task) => server.fhir('PUT', `/Task/${task?.id}`, { ...task, status: 'rejected' }),
    'by PATCH': (task) =>
      server.fhir('PATCH', `/Task/${task?.id}`, [{ op: 'replace', path: '/status', value: 'rejected' }]),
  }

  test.each(Object.entries(WAYS))('%s goes to the next one, and not to the same entry again', async (_name, refuse) => {
    const [first, second] = [await waitlist.join({ priority: 1 }), await waitlist.join({ priority: 2 })]
    const { id, visit: stored } = await taken()
    await cancel(stored)
    expect(await waitlist.offeredTo(id)).toEqual([first.id])
    expect((await refuse((await waitlist.openOffers(id))[0])).status).toBe(200)
    await until(async () => (await waitlist.offeredTo(id))[0] === second.id)
    expect((await refuse((await waitlist.openOffers(id))[0])).status).toBe(200)
    expect(await waitlist.offeredTo(id)).toEqual([])
    const { id: third } = await waitlist.join({ priority: 3 })
    await bookings.booked([id]).then(cancel)
    expect(await waitlist.offeredTo(id)).toEqual([third])
  })

  test('with another outcome is not passed on', async () => {
    await waitlist.join({ priority: 1 })
    await waitlist.join({ priority: 2 })
    const { id, visit: stored } = await taken()
    await cancel(stored)
    expect((await complete((await waitlist.openOffers(id))[0], { text: 'the patient calls back' })).status).toBe(200)
    expect((await waitlist.freedSlots()).filter(({ key }) => key === id)).toEqual([])
  })
})
