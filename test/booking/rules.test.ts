/** The rules for booked appointments, in every way of writing one, and the refusals of bad input. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Bookings, bookingsOn, expectRefused, half, PATIENT, slot, slotsOf, visit } from '../support/booking.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let bookings: Bookings
beforeAll(async () => {
  server = await startServer()
  bookings = bookingsOn(server)
})
afterAll(() => server.close())

const PAST = { start: '2020-03-03T09:00:00Z', end: '2020-03-03T09:30:00Z' }

type Way = (body: object) => Promise<FhirResponse>
const WAYS: readonly (readonly [string, Way])[] = [
  ['POST', (body) => bookings.book(body)],
  ['PUT', (body) => putNew(body)],
  ['a transaction that creates it', (body) => bookings.transaction(['POST Appointment', body])],
  [
    'a transaction that updates it',
    (body) => {
      const id = randomUUID()
      return bookings.transaction([`PUT Appointment/${id}`, { ...body, id }])
    },
  ],
]
const putNew = (body: object) => {
  const id = randomUUID()
  return server.fhir('PUT', `/Appointment/${id}`, { ...body, id })
}

describe('a time that has passed', () => {
  describe.each(WAYS)('by %s', (_name, write) => {
    test.each(['proposed', 'pending', 'booked'])(
      'is 422 for a visit that is %s, and its slot stays free',
      async (status) => {
        const [id = ''] = await bookings.freeSlots(1, PAST)
        expectRefused(await write(visit([id], { ...PAST, status })), 422, 'past-time')
        expectRefused(await write(visit([], { ...PAST, status })), 422, 'past-time')
        expect(await bookings.statusOf(id)).toBe('free')
      },
    )

    test.each(['arrived', 'checked-in', 'fulfilled', 'noshow', 'cancelled', 'entered-in-error'])(
      'is recorded for one that is %s, whether its slots exist or not',
      async (status) => {
        for (const slots of [[], [`none-${randomUUID()}`]])
          expect((await write(visit(slots, { ...PAST, status }))).status).toBeLessThan(202)
      },
    )
  })

  test('is 422 for a booked visit that moves there, by PUT and by PATCH', async () => {
    const [id = ''] = await bookings.freeSlots()
    const stored = await bookings.booked([id])
    expectRefused(await bookings.change(stored, PAST), 422, 'past-time')
    const patch = Object.entries(PAST).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }))
    expectRefused(await server.fhir('PATCH', `/Appointment/${stored.id}`, patch), 422, 'past-time')
    expect(await bookings.statusOf(id)).toBe('busy')
  })

  test('is 422 for a proposed visit that is booked too late; it can be cancelled, and a booked one goes on', async () => {
    const stored = { ...visit([], PAST), id: 'late', status: 'proposed' }
    await server.app.repository.change('demo-clinic', async (unit) => {
      await unit.put(stored, 'PUT')
      await unit.put({ ...stored, id: 'yesterday', status: 'booked' }, 'PUT')
    })
    expectRefused(await bookings.change(stored, { status: 'booked' }), 422, 'past-time')
    expect((await bookings.change(stored, { status: 'cancelled' })).status).toBe(200)
    const yesterday = { ...stored, id: 'yesterday', status: 'booked' }
    expect((await bookings.change(yesterday, { comment: 'Was late' })).status).toBe(200)
    expect((await bookings.change(yesterday, { status: 'noshow' })).status).toBe(200)
  })

  test('a visit that took place in a slot of another system keeps its reference', async () => {
    const reference = 'https://elsewhere.example/fhir/Slot/7'
    const { status, body } = await bookings.book(visit([], { ...PAST, status: 'fulfilled', slot: [{ reference }] }))
    expect([status, body.slot]).toEqual([201, [{ reference }]])
  })

  test('a visit is recorded in its slot, which nobody else can have then', async () => {
    const [id = ''] = await bookings.freeSlots(1, PAST)
    await bookings.booked([id], { ...PAST, status: 'fulfilled' })
    expect(await bookings.statusOf(id)).toBe('busy')
    expect((await bookings.book(visit([id], { ...PAST, status: 'fulfilled' }))).status).toBe(409)
  })
})

describe('bad input: refused with the reason, and nothing changes', () => {
  interface Case {
    readonly body: (ids: readonly string[]) => object
    readonly reason?: string
    readonly says: RegExp
  }
  const participants = (...references: readonly string[]) => ({
    participant: references.map((reference) => ({ actor: { reference }, status: 'accepted' })),
  })
  const CASES: Readonly<Record<string, Case>> = {
    'an end before the start': {
      body: () => visit([], { start: half(1), end: half(0) }),
      reason: 'end-before-start',
      says: /must not end before it starts/,
    },
    'slots of two practitioners': {
      body: ([a = '', , , other = '']) => visit([a, other], {}, [0, 2]),
      reason: 'slots-of-two-schedules',
      says: /of Schedule\/calendar and .* of Schedule\/other; an appointment takes slots of one schedule/,
    },
    'slots of two practitioners that are proposed': {
      body: ([a = '', , , other = '']) => visit([a, other], { status: 'proposed' }, [0, 2]),
      reason: 'slots-of-two-schedules',
      says: /of one schedule/,
    },
    'slots with a gap': { body: ([a = '', , c = '']) => visit([a, c], {}, [0, 3]), says: /do not follow one another/ },
    'a start that is not that of the slot': { body: ([a = '']) => visit([a], {}, [-1, 1]), says: /must be equal/ },
    'a slot that there is not': { body: () => visit(['none']), reason: 'slot-not-found', says: /Slot\?status=free/ },
    'a slot that there is not, proposed': {
      body: () => visit(['none'], { status: 'proposed' }),
      reason: 'slot-not-found',
      says: /no slot none/,
    },
    'a slot of another server': {
      body: () => visit([], { slot: [{ reference: 'https://elsewhere.example/Slot/1' }] }),
      says: /name a slot of this clinic/,
    },
    'a patient that there is not': {
      body: ([a = '']) => visit([a], participants('Patient/nobody')),
      reason: 'reference-not-found',
      says: /There is no Patient\/nobody in this clinic/,
    },
    'a practitioner that there is not': {
      body: ([a = '']) => visit([a], participants(PATIENT, 'Practitioner/nobody')),
      reason: 'reference-not-found',
      says: /no Practitioner\/nobody/,
    },
    'a role and a place that there are not': {
      body: ([a = '']) => visit([a], participants('PractitionerRole/none', 'Location/none')),
      reason: 'reference-not-found',
      says: /no PractitionerRole\/none.*no Location\/none/s,
    },
    'no participant': { body: ([a = '']) => visit([a], { participant: [] }), says: /participant/ },
    'a participant without type and actor (app-1)': {
      body: ([a = '']) => visit([a], { participant: [{ status: 'accepted' }] }),
      says: /app-1/,
    },
    'a start without an end (app-2)': {
      body: () => ({ ...visit([]), end: undefined }),
      says: /app-2/,
    },
    'booked without a time (app-3)': {
      body: () => ({ ...visit([]), start: undefined, end: undefined }),
      says: /app-3/,
    },
    'a cancelationReason of one that is booked (app-4)': {
      body: ([a = '']) => visit([a], { cancelationReason: { text: 'Ill' } }),
      says: /app-4/,
    },
    'a status that there is not': { body: ([a = '']) => visit([a], { status: 'maybe' }), says: /maybe/ },
  }

  describe.each(WAYS)('by %s', (_name, write) => {
    test.each(Object.entries(CASES))('%s', async (_what, { body, reason, says }) => {
      const slots = [...(await bookings.freeSlots(3)), `other-${randomUUID()}`]
      await bookings.put(slot(slots[3] ?? '', 1, { schedule: { reference: 'Schedule/other' } }))
      const before = (await bookings.read('Appointment?_summary=count')).total
      const answer = await write(body(slots))
      expect([answer.status, answer.text]).toEqual([422, expect.stringMatching(says)])
      if (reason !== undefined) expectRefused(answer, 422, reason)
      expect(await bookings.statusesOf(slots)).toEqual(['free', 'free', 'free', 'free'])
      expect((await bookings.read('Appointment?_summary=count')).total).toBe(before)
    })
  })

  test('a transaction frees a slot for the entries that are carried out after that: an update, not a create', async () => {
    const [id = ''] = await bookings.freeSlots()
    const stored = await bookings.booked([id])
    const cancel = [`PUT Appointment/${stored.id}`, { ...stored, status: 'cancelled' }] as const
    expectRefused(await bookings.transaction(cancel, ['POST Appointment', visit([id])]), 409, 'slot-unavailable')
    const next = `next-${randomUUID()}`
    const answer = await bookings.transaction(cancel, [`PUT Appointment/${next}`, { ...visit([id]), id: next }])
    expect([answer.status, await bookings.statusOf(id)]).toEqual([200, 'busy'])
  })

  test('a transaction that makes a booked slot free and books it once more is 409, and nothing changes', async () => {
    const [id = ''] = await bookings.freeSlots()
    const stored = await bookings.booked([id])
    const free = [`PUT Slot/${id}`, slot(id, 0)] as const
    expectRefused(await bookings.transaction(free, ['POST Appointment', visit([id])]), 409, 'slot-held')
    expect(await bookings.statusOf(id)).toBe('busy')
    const cancelled = { ...stored, status: 'cancelled' }
    const moved = [free, ['POST Appointment', visit([id])], [`PUT Appointment/${stored.id}`, cancelled]] as const
    expect((await bookings.transaction(...moved)).status).toBe(200)
    expect((await bookings.read(`Appointment?slot=Slot/${id}&status=booked&_summary=count`)).total).toBe(1)
  })

  test('other slots of a proposed visit, at the time that it has, are 422', async () => {
    const [first = '', second = ''] = await bookings.freeSlots(2)
    const stored = await bookings.booked([first], { status: 'proposed' })
    const answer = await bookings.change(stored, { slot: slotsOf([second]) })
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('they must be equal')])
  })

  test('a stale If-Match is 412', async () => {
    const [from = '', to = ''] = await bookings.freeSlots(2)
    const stored = await bookings.booked([from])
    await bookings.change(stored, { comment: 'newer' })
    const moved = { ...stored, slot: slotsOf([to]), start: half(1), end: half(2) }
    const headers = { 'if-match': 'W/"1"' }
    expect((await server.fhir('PUT', `/Appointment/${stored.id}`, moved, headers)).status).toBe(412)
    const patch = [{ op: 'replace', path: '/status', value: 'cancelled' }]
    expect((await server.fhir('PATCH', `/Appointment/${stored.id}`, patch, headers)).status).toBe(412)
    expect((await server.fhir('DELETE', `/Appointment/${stored.id}`, undefined, headers)).status).toBe(412)
    expect(await bookings.statusesOf([from, to])).toEqual(['busy', 'free'])
  })

  test('a move to slots of two practitioners leaves the visit where it is', async () => {
    const [from = '', next = ''] = await bookings.freeSlots(2)
    const stored = await bookings.booked([from])
    const [other = ''] = await bookings.freeSlots(1, { schedule: { reference: 'Schedule/other' } })
    await bookings.put(slot(other, 1, { schedule: { reference: 'Schedule/other' } }))
    const answer = await bookings.change(stored, { slot: slotsOf([from, other]), end: half(2) })
    expectRefused(answer, 422, 'slots-of-two-schedules')
    expect(await bookings.statusesOf([from, next, other])).toEqual(['busy', 'free', 'free'])
  })
})

describe('references', () => {
  const of = (reference: string) => visit([], { participant: [{ actor: { reference }, status: 'accepted' }] })

  test.each([
    'RelatedPerson/none',
    'Device/none',
    'HealthcareService/none',
    'https://elsewhere.example/fhir/Patient/1',
  ])('to %s may dangle', async (reference) => {
    expect((await bookings.book(of(reference))).status).toBe(201)
  })

  test('to a patient that is created in the same transaction resolve', async () => {
    const patient = { resourceType: 'Patient', id: 'beside', name: [{ family: 'Beside' }] }
    const answer = await bookings.transaction(
      ['POST Appointment', of('Patient/beside')],
      ['PUT Patient/beside', patient],
    )
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
  })

  test('to a patient that was deleted are 422 in a new appointment, and an old one can be cancelled', async () => {
    await bookings.put({ resourceType: 'Patient', id: 'leaving', name: [{ family: 'Leaving' }] })
    const { body } = await bookings.book(of('Patient/leaving'))
    await server.fhir('DELETE', '/Patient/leaving')
    expectRefused(await bookings.book(of('Patient/leaving')), 422, 'reference-not-found')
    expect((await bookings.change(body, { status: 'cancelled' })).status).toBe(200)
  })

  test('that must resolve are told in /metadata', async () => {
    const { rest } = await bookings.read('metadata')
    const { referencePolicy, documentation } = rest[0].resource.find(
      ({ type }: { type: string }) => type === 'Appointment',
    )
    expect(referencePolicy).toContain('enforced')
    for (const name of ['Appointment.slot', 'Patient', 'Practitioner', 'PractitionerRole', 'Location'])
      expect(documentation).toContain(name)
  })
})

describe('the life of a visit', () => {
  test('is booked, confirmed, checked in and fulfilled, and its slots stay busy', async () => {
    const slots = await bookings.freeSlots(2)
    let current = await bookings.booked(slots, { status: 'pending' })
    for (const status of ['booked', 'arrived', 'checked-in', 'fulfilled']) {
      const patch = [{ op: 'replace', path: '/status', value: status }]
      const answer = await server.fhir('PATCH', `/Appointment/${current.id}`, patch)
      expect([answer.status, answer.body.status]).toEqual([200, status])
      current = answer.body
      expect(await bookings.statusesOf(slots)).toEqual(['busy', 'busy'])
    }
  })

  test('a cancelled visit frees its slots and keeps its cancelationReason', async () => {
    const slots = await bookings.freeSlots(2)
    const stored = await bookings.booked(slots)
    const cancelationReason = { coding: [{ system: REASONS, code: 'pat' }] }
    expect((await bookings.change(stored, { status: 'cancelled', cancelationReason })).status).toBe(200)
    expect(await bookings.read(`Appointment/${stored.id}`)).toMatchObject({ status: 'cancelled', cancelationReason })
    expect(await bookings.statusesOf(slots)).toEqual(['free', 'free'])
  })

  test('a group visit is one appointment: it takes its slot once, and is found for each patient', async () => {
    const group = [PATIENT, 'Patient/silva-joao', 'Patient/ito-kenji', 'Practitioner/practitioner-okafor']
    const [id = ''] = await bookings.freeSlots()
    const participant = group.map((reference) => ({ actor: { reference }, status: 'accepted' }))
    const stored = await bookings.booked([id], { participant })
    for (const actor of group) {
      const found = await bookings.read(`Appointment?actor=${actor}&slot=Slot/${id}`)
      expect(found.entry.map((entry: { resource: { id: string } }) => entry.resource.id)).toEqual([stored.id])
    }
    expect((await bookings.change(stored, { participant: participant.slice(1) })).status).toBe(200)
    expect(await bookings.statusOf(id)).toBe('busy')
  })

  test('moves in a transaction with another: new slots are taken and old ones freed at once', async () => {
    const [a = '', b = '', c = ''] = await bookings.freeSlots(3)
    const first = await bookings.booked([a])
    const answer = await bookings.transaction(
      [`PUT Appointment/${first.id}`, { ...first, slot: slotsOf([b]), start: half(1), end: half(2) }],
      ['POST Appointment', visit([c], {}, [2, 3])],
    )
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
    expect(await bookings.statusesOf([a, b, c])).toEqual(['free', 'busy', 'busy'])
  })

  test('a transaction that moves one to a slot that is taken changes nothing', async () => {
    const [a = '', b = '', c = ''] = await bookings.freeSlots(3)
    const first = await bookings.booked([a])
    await bookings.booked([b], { start: half(1), end: half(2) })
    const answer = await bookings.transaction(
      ['POST Appointment', visit([c], {}, [2, 3])],
      [`PUT Appointment/${first.id}`, { ...first, slot: slotsOf([b]), start: half(1), end: half(2) }],
    )
    expectRefused(answer, 409, 'slot-unavailable')
    expect(await bookings.statusesOf([a, b, c])).toEqual(['busy', 'busy', 'free'])
    expect((await bookings.read(`Appointment/${first.id}`)).meta.versionId).toBe('1')
  })
})

const REASONS = 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason'

describe('GET /Appointment', () => {
  test('gives total on every page (ITI-118), by GET and by POST', async () => {
    await bookings.put({ resourceType: 'Patient', id: 'often', name: [{ family: 'Often' }] })
    const participant = [{ actor: { reference: 'Patient/often' }, status: 'accepted' }]
    for (let count = 0; count < 5; count++) await bookings.booked([], { participant })
    let page = await bookings.read('Appointment?patient=Patient/often&_count=2&_include=Appointment:patient&_sort=date')
    const totals: number[] = []
    for (;;) {
      totals.push(page.total)
      const next = page.link.find(({ relation }: { relation: string }) => relation === 'next')?.url
      if (next === undefined) break
      page = (await server.fhir('GET', next.slice(server.url.length))).body
    }
    expect(totals).toEqual([5, 5, 5])
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const posted = await server.fhir('POST', '/Appointment/_search', 'patient=Patient/often&_count=1', form)
    expect(posted.body.total).toBe(5)
    expect((await bookings.read('Patient/often/Appointment?_count=1')).total).toBe(5)
  })
})
