/** A visit reserves the time of its actors: no other visit may overlap it, and overlapping slots are not offered. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { keysForTimes } from '../../src/calls/visits/offered-time.ts'
import { readConfig } from '../../src/config.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { signToken } from '../../src/http/token.ts'
import { Caller } from '../calls/caller.ts'
import { parameters, reference, type Visits, visitsOn } from '../support/appointment-operations.ts'
import { capacity, expectRefused, half, PATIENT, type Resource, slotsOf } from '../support/booking.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'
import { startTwoClinics } from '../support/two-clinics.ts'

const BASE_URL = 'https://emr.example/fhir'
const JWT_SECRET = 's'.repeat(40)

let server: TestServer
let visits: Visits
/** Milliseconds by which the clock of the server is ahead. */
let ahead = 0
beforeAll(async () => {
  server = await startServer({ BASE_URL, JWT_SECRET }, { clock: () => Date.now() + ahead })
  visits = visitsOn(server)
  await visits.open()
})
afterAll(() => server.close())

const PHYSICAL = 'http://terminology.hl7.org/CodeSystem/location-physical-type'

const stored = async (resourceType: string, more: object = {}): Promise<string> => {
  const id = `r-${randomUUID()}`
  await visits.put({ resourceType, id, ...more })
  return `${resourceType}/${id}`
}
const doctor = () => stored('Practitioner')
const roleOf = (practitioner: string) => stored('PractitionerRole', { practitioner: { reference: practitioner } })
const place = (code: string, more: object = {}) =>
  stored('Location', { physicalType: { coding: [{ system: PHYSICAL, code }] }, ...more })
const scheduleOf = (actors: readonly string[], more: object = {}) =>
  stored('Schedule', { actor: actors.map((actor) => ({ reference: actor })), ...more })

type Halves = readonly [from: number, to: number]

/** A free Slot. @returns its id */
const slotIn = async (schedule: string, [from, to]: Halves, more: object = {}): Promise<string> => {
  const slot = { schedule: { reference: schedule }, status: 'free', start: half(from), end: half(to), ...more }
  return (await stored('Slot', slot)).slice('Slot/'.length)
}

const taking = (actor: string, more: object = {}) => ({ actor: { reference: actor }, status: 'accepted', ...more })

/** A booked visit of a patient with these participants. */
const visitOf = ([from, to]: Halves, participants: readonly object[], more: object = {}) => ({
  resourceType: 'Appointment',
  status: 'booked',
  start: half(from),
  end: half(to),
  participant: [taking(PATIENT), ...participants],
  ...more,
})

/** A visit in a Slot, whose Schedule has the actors. */
const visitIn = async (schedule: string, halves: Halves, more: object = {}) =>
  visitOf(halves, [], { slot: slotsOf([await slotIn(schedule, halves)]), ...more })

const withActor = (actor: string, halves: Halves, more: object = {}) => visitOf(halves, [taking(actor)], more)

const booked = async (body: object): Promise<Resource> => {
  const answer = await visits.post(body)
  expect([answer.status, answer.text]).toEqual([201, expect.anything()])
  return answer.body
}

type Pair = readonly [first: object, second: object]

const TWO_OF_ONE: Readonly<Record<string, () => Promise<Pair>>> = {
  'in overlapping slots of one schedule': async () => {
    const schedule = await scheduleOf([await doctor()])
    return [await visitIn(schedule, [0, 2]), await visitIn(schedule, [1, 3])]
  },
  'in slots of two schedules of one practitioner': async () => {
    const actor = await doctor()
    return [await visitIn(await scheduleOf([actor]), [0, 1]), await visitIn(await scheduleOf([actor]), [0, 1])]
  },
  'without a slot after one in a slot, which does not name the practitioner': async () => {
    const actor = await doctor()
    return [await visitIn(await scheduleOf([actor]), [0, 1]), withActor(actor, [0, 1])]
  },
  'in a slot after one without a slot': async () => {
    const actor = await doctor()
    return [withActor(actor, [0, 1]), await visitIn(await scheduleOf([actor]), [0, 1])]
  },
  'without slots': async () => {
    const actor = await doctor()
    return [withActor(actor, [0, 2]), withActor(actor, [1, 3])]
  },
  'the second within the first': async () => {
    const actor = await doctor()
    return [withActor(actor, [0, 9]), withActor(actor, [4, 5])]
  },
  'the first within the second': async () => {
    const actor = await doctor()
    return [withActor(actor, [4, 5]), withActor(actor, [0, 9])]
  },
  'the first begins 23 hours before the second': async () => {
    const actor = await doctor()
    return [withActor(actor, [0, 48]), withActor(actor, [46, 49])]
  },
  'of a practitioner and a role of the same': async () => {
    const actor = await doctor()
    return [withActor(actor, [0, 1]), withActor(await roleOf(actor), [0, 1])]
  },
  'of two roles of one practitioner': async () => {
    const actor = await doctor()
    return [withActor(await roleOf(actor), [0, 1]), withActor(await roleOf(actor), [0, 1])]
  },
  'in slots of the schedules of two roles of one practitioner': async () => {
    const actor = await doctor()
    const schedules = [await scheduleOf([await roleOf(actor)]), await scheduleOf([await roleOf(actor)])]
    return [await visitIn(schedules[0] ?? '', [0, 1]), await visitIn(schedules[1] ?? '', [0, 1])]
  },
  'of a role that is vacant': async () => {
    const actor = await stored('PractitionerRole')
    return [withActor(actor, [0, 1]), withActor(actor, [0, 1])]
  },
  'in one room': async () => {
    const room = await place('ro')
    return [withActor(room, [0, 1]), withActor(room, [0, 1])]
  },
  'in one bed': async () => {
    const bed = await place('bd')
    return [withActor(bed, [0, 1]), withActor(bed, [0, 1])]
  },
  'in a room of the schedules of two practitioners': async () => {
    const room = await place('ro')
    const schedules = [await scheduleOf([await doctor(), room]), await scheduleOf([await doctor(), room])]
    return [await visitIn(schedules[0] ?? '', [0, 1]), await visitIn(schedules[1] ?? '', [0, 1])]
  },
  'with one device, which is kept elsewhere': async () => {
    const device = `Device/d-${randomUUID()}`
    return [withActor(device, [0, 1]), withActor(device, [0, 1])]
  },
  'by the address of this server': async () => {
    const actor = await doctor()
    return [withActor(actor, [0, 1]), withActor(`${BASE_URL}/${actor}`, [0, 1])]
  },
  'by a reference to a version': async () => {
    const actor = await doctor()
    return [withActor(`${actor}/_history/1`, [0, 1]), withActor(actor, [0, 1])]
  },
  'by a participant whose status is not known': async () => {
    const actor = await doctor()
    const url = 'http://hl7.org/fhir/StructureDefinition/data-absent-reason'
    const participant = {
      actor: { reference: actor },
      _status: { extension: [{ url, valueCode: 'unknown' }] },
    }
    return [visitOf([0, 1], [participant]), withActor(actor, [0, 1])]
  },
  'the second of two practitioners': async () => {
    const [one, other] = [await doctor(), await doctor()]
    return [withActor(one, [0, 1]), visitOf([0, 1], [taking(other), taking(one)])]
  },
  'the first is pending': async () => {
    const actor = await doctor()
    return [withActor(actor, [0, 1], { status: 'pending' }), withActor(actor, [0, 1])]
  },
  'the first has arrived': async () => {
    const actor = await doctor()
    return [withActor(actor, [0, 1], { status: 'arrived' }), withActor(actor, [0, 1])]
  },
  'the second is recorded': async () => {
    const actor = await doctor()
    return [withActor(actor, [-9, -8], { status: 'fulfilled' }), withActor(actor, [-9, -8], { status: 'checked-in' })]
  },
  'with times of two zones': async () => {
    const actor = await doctor()
    const times = { start: '2031-03-03T04:00:00-05:00', end: '2031-03-03T04:30:00-05:00' }
    return [withActor(actor, [0, 1]), withActor(actor, [0, 1], times)]
  },
}

describe('a second visit that overlaps is 409, in whichever order they come', () => {
  test.each(Object.entries(TWO_OF_ONE))('%s', async (_which, pair) => {
    const [first, second] = await pair()
    const { id } = await booked(first)
    const refused = await visits.post(second)
    expectRefused(refused, 409, 'slot-unavailable')
    expect(refused.body.issue[0]).toMatchObject({ severity: 'error', code: 'conflict' })
    expect(refused.text).not.toMatch(/abernathy/)
    expect((await server.fhir('DELETE', `/Appointment/${id}`)).status).toBe(204)
    await booked(second)
    expectRefused(await visits.post(first), 409, 'slot-unavailable')
  })
})

const APART: Readonly<Record<string, () => Promise<Pair>>> = {
  'one begins when the other ends': async () => {
    const actor = await doctor()
    return [withActor(actor, [0, 1]), withActor(actor, [1, 2])]
  },
  'the patient alone is the same': async () => [withActor(await doctor(), [0, 1]), withActor(await doctor(), [0, 1])],
  ...Object.fromEntries(
    ['si', 'bu', 'lvl', 'wa', 'jdn'].map((code) => [
      `both are at a place of type ${code}`,
      async () => {
        const site = await place(code)
        return [withActor(site, [0, 1]), withActor(site, [0, 1])] as const
      },
    ]),
  ),
  'both are at a place that does not say what it is': async () => {
    const site = await stored('Location')
    return [withActor(site, [0, 1]), withActor(site, [0, 1])]
  },
  'the type of the place is of another code system': async () => {
    const site = await stored('Location', { physicalType: { coding: [{ code: 'ro' }] } })
    return [withActor(site, [0, 1]), withActor(site, [0, 1])]
  },
  'the place is a kind of room': async () => {
    const kind = await place('ro', { mode: 'kind' })
    return [withActor(kind, [0, 1]), withActor(kind, [0, 1])]
  },
  'both are of a service': async () => {
    const service = await stored('HealthcareService')
    return [withActor(service, [0, 1]), withActor(service, [0, 1])]
  },
  'overlapping slots are of the schedule of a service': async () => {
    const schedule = await scheduleOf([await stored('HealthcareService')])
    return [await visitIn(schedule, [0, 2]), await visitIn(schedule, [1, 3])]
  },
  'the practitioner has declined': async () => {
    const actor = await doctor()
    return [visitOf([0, 1], [taking(actor, { status: 'declined' })]), withActor(actor, [0, 1])]
  },
  'the practitioner is informed only': async () => {
    const actor = await doctor()
    return [withActor(actor, [0, 1]), visitOf([0, 1], [taking(actor, { required: 'information-only' })])]
  },
  'one has no actor but a type': async () => {
    const [actor, type] = [await doctor(), [{ text: 'nurse' }]]
    return [withActor(actor, [0, 1]), visitOf([0, 1], [{ type, status: 'accepted' }])]
  },
  'the practitioners have one id on two servers': async () => {
    const actor = await doctor()
    return [withActor(actor, [0, 1]), withActor(`https://elsewhere.example/fhir/${actor}`, [0, 1])]
  },
  ...Object.fromEntries(
    ['proposed', 'waitlist', 'cancelled', 'noshow', 'entered-in-error'].map((status) => [
      `one is ${status}`,
      async () => {
        const actor = await doctor()
        return [withActor(actor, [0, 1], { status }), withActor(actor, [0, 1])] as const
      },
    ]),
  ),
}

describe('two visits at one time are booked where', () => {
  test.each(Object.entries(APART))('%s', async (_which, pair) => {
    for (const visit of await pair()) await booked(visit)
  })

  test('the schedule says that its actors have two, and a third is 409', async () => {
    const actor = await doctor()
    await scheduleOf([actor], capacity(2))
    await booked(withActor(actor, [0, 2]))
    await booked(withActor(actor, [1, 3]))
    await booked(withActor(actor, [2, 3]))
    expectRefused(await visits.post(withActor(actor, [1, 2])), 409, 'slot-unavailable')
  })

  test('the clinic allows overbooking; its status for a slot that is taken is the one here', async () => {
    const actor = await doctor()
    await booked(withActor(actor, [0, 1]))
    await visits.policies({ slotTakenStatus: 422 })
    expectRefused(await visits.post(withActor(actor, [0, 1])), 422, 'slot-unavailable')
    await visits.policies({ overbooking: true })
    await booked(withActor(actor, [0, 1]))
    await booked(await visitIn(await scheduleOf([actor]), [0, 1]))
    await visits.policies({})
  })
})

test('a capacity that is no number from 1 to 1000, or is said twice, is 422', async () => {
  const [one] = capacity(2).extension
  const { extension: none } = capacity(0)
  const { extension: many } = capacity(1_001)
  for (const extension of [none, many, [one, one], [{ url: one?.url, valueString: '2' }]]) {
    const body = { resourceType: 'Schedule', actor: [{ reference: 'Practitioner/x' }], extension }
    expect((await server.fhir('POST', '/Schedule', body)).status).toBe(422)
  }
})

/** An actor whose first two half hours are taken, and how a second visit gets there. */
interface Scene {
  readonly actor: string
  /** A Slot of a second Schedule of the actor at that time. */
  readonly slot: string
  readonly body: ReturnType<typeof visitOf>
}

const wayIn: Readonly<Record<string, (scene: Scene) => Promise<FhirResponse>>> = {
  POST: ({ body }) => visits.post(body),
  'POST in a slot': ({ slot }) => visits.post(visitOf([0, 1], [], { slot: slotsOf([slot]) })),
  'PUT of a new id': ({ body }) => {
    const id = randomUUID()
    return server.fhir('PUT', `/Appointment/${id}`, { ...body, id })
  },
  'a conditional create': ({ body }) => {
    const identifier = [{ system: 'urn:test', value: randomUUID() }]
    const criteria = `identifier=urn:test|${identifier[0]?.value}`
    return server.fhir('POST', '/Appointment', { ...body, identifier }, { 'if-none-exist': criteria })
  },
  'a conditional update': ({ body }) => {
    const identifier = [{ system: 'urn:test', value: randomUUID() }]
    return server.fhir('PUT', `/Appointment?identifier=urn:test|${identifier[0]?.value}`, { ...body, identifier })
  },
  'a transaction': ({ body }) => visits.transaction(['POST Appointment', body]),
  'PUT of other times': async ({ actor, body }) =>
    visits.change(await booked(withActor(actor, [6, 7])), { start: body.start, end: body.end }),
  'PUT of a later end': async ({ actor }) => visits.change(await booked(withActor(actor, [-3, -1])), { end: half(1) }),
  'PATCH of the participants': async ({ actor }) => {
    const { id } = await booked(withActor(await doctor(), [0, 1]))
    const patch = [{ op: 'add', path: '/participant/-', value: taking(actor) }]
    return server.fhir('PATCH', `/Appointment/${id}`, patch)
  },
  'PATCH of the status proposed': async ({ body }) => {
    const { id } = await booked({ ...body, status: 'proposed' })
    return server.fhir('PATCH', `/Appointment/${id}`, [{ op: 'replace', path: '/status', value: 'booked' }])
  },
  'PUT of one that waits': async ({ body }) =>
    visits.change(await booked({ ...body, status: 'waitlist' }), { status: 'booked' }),
  'a reply that accepts after it declined': async ({ actor }) => {
    const { id } = await booked(visitOf([0, 1], [taking(actor, { status: 'declined' })]))
    return server.fhir('POST', '/AppointmentResponse', {
      resourceType: 'AppointmentResponse',
      appointment: { reference: `Appointment/${id}` },
      actor: { reference: actor },
      participantStatus: 'accepted',
    })
  },
  $hold: async ({ slot }) => visits.hold(await visits.offer([slot])),
  '$book of a time that was offered': async ({ slot }) => visits.book(await visits.offer([slot])),
  '$book by the names of Argonaut': async ({ slot }) =>
    visits.call('$book', { name: 'appt-id', valueUri: `Appointment/${await visits.offer([slot])}` }),
  '$book of a resource': ({ body }) =>
    server.fhir('POST', '/Appointment/$book', parameters({ name: 'appointment-resource', resource: body })),
  $confirm: async ({ body }) => visits.call(`${(await booked({ ...body, status: 'proposed' })).id}/$confirm`),
  $reschedule: async ({ slot }) => {
    const { id } = await booked(await visitIn(await scheduleOf([await doctor()]), [6, 7]))
    return visits.call(`${id}/$reschedule`, reference('slot', `Slot/${slot}`))
  },
}

describe('the time of a practitioner that is taken is refused by', () => {
  const scene = async (): Promise<Scene> => {
    const actor = await doctor()
    const slot = await slotIn(await scheduleOf([actor]), [0, 1])
    await booked(withActor(actor, [0, 2]))
    return { actor, slot, body: withActor(actor, [0, 1]) }
  }

  test.each(Object.entries(wayIn))('%s', async (_way, write) => {
    expectRefused(await write(await scene()), 409, 'slot-unavailable')
  })

  test('the entry of a batch, and the others are written', async () => {
    const { actor, body } = await scene()
    const bundle = {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [body, withActor(actor, [2, 3])].map((resource) => ({
        resource,
        request: { method: 'POST', url: 'Appointment' },
      })),
    }
    const { entry } = (await server.fhir('POST', '/', bundle)).body
    expect(entry.map(({ response }: { response: { status: string } }) => response.status.slice(0, 3))).toEqual([
      '409',
      '201',
    ])
  })

  test('a transaction that books it twice itself', async () => {
    const actor = await doctor()
    const [one, other] = [withActor(actor, [0, 2]), withActor(actor, [1, 3])]
    expectRefused(
      await visits.transaction(['POST Appointment', one], ['POST Appointment', other]),
      409,
      'slot-unavailable',
    )
  })

  test('a transaction that brings two schedules of the practitioner, with their slots and visits', async () => {
    const actor = await doctor()
    const entries = ['one', 'other'].flatMap((name): [string, object][] => {
      const id = `${name}-${randomUUID()}`
      const schedule = { resourceType: 'Schedule', id, actor: [{ reference: actor }] }
      const times = { start: half(0), end: half(1) }
      const slot = { resourceType: 'Slot', id, status: 'free', schedule: { reference: `Schedule/${id}` }, ...times }
      return [
        [`PUT Schedule/${id}`, schedule],
        [`PUT Slot/${id}`, slot],
        ['POST Appointment', visitOf([0, 1], [], { slot: slotsOf([id]) })],
      ]
    })
    expectRefused(await visits.transaction(...entries), 409, 'slot-unavailable')
    expect((await visits.transaction(...entries.slice(0, 3))).status).toBe(200)
  })

  test('book_appointment, and the caller hears that it was just taken', async () => {
    const { slot } = await scene()
    const caller = new Caller(server)
    const call = { clinic: DEMO_CLINIC, callId: caller.id }
    const [slotKey] = await server.app
      .access(DEMO_CLINIC, { kind: 'call', id: caller.id })
      .change((ctx) => keysForTimes(ctx, call, [{ slots: [slot], start: half(0) }]))
    expect(await caller.use('book_appointment', { slotKey })).toMatchObject({
      success: false,
      code: 'slot-unavailable',
      say: 'I am sorry, that time has just been taken. Shall I look for another one?',
    })
  })

  test('a visit of more than 24 hours or 50 actors is 422, and one without actors whose time counts is booked', async () => {
    const actor = await doctor()
    expectRefused(await visits.post(withActor(actor, [0, 49])), 422, 'visit-too-long')
    await booked(withActor(actor, [0, 48]))
    await booked(visitOf([0, 490], []))
    const devices = Array.from({ length: 51 }, () => taking(`Device/d-${randomUUID()}`))
    expectRefused(await visits.post(visitOf([0, 1], devices)), 422, 'too-many-actors')
    await booked(visitOf([0, 1], devices.slice(1)))
  })
})

test('an operator brings the past as it was, and books nothing twice that is to come', async () => {
  const { token } = signToken(readConfig({ JWT_SECRET }).jwt, {
    username: 'operator',
    name: 'Operator',
    clinic: DEMO_CLINIC,
    role: 'operator',
  })
  const post = (body: object) => server.fhir('POST', '/Appointment', body, { authorization: `Bearer ${token}` })
  const actor = await doctor()
  const past = { status: 'fulfilled', start: '2020-03-02T09:00:00Z', end: '2020-03-02T10:00:00Z' }
  expect((await post(withActor(actor, [0, 1], past))).status).toBe(201)
  expectRefused(await visits.post(withActor(actor, [0, 1], past)), 409, 'slot-unavailable')
  expect((await post(withActor(actor, [0, 1], past))).status).toBe(201)
  expect((await post(withActor(actor, [0, 1]))).status).toBe(201)
  expectRefused(await post(withActor(actor, [0, 1], { status: 'arrived' })), 409, 'slot-unavailable')
})

describe('a change that frees the time takes it', () => {
  test('by a transaction that cancels one visit and books another, whichever comes first', async () => {
    for (const order of [0, 1]) {
      const actor = await doctor()
      const first = await booked(withActor(actor, [0, 1]))
      const entries: [string, object][] = [
        [`PUT Appointment/${first.id}`, { ...first, status: 'cancelled' }],
        [`PUT Appointment/${randomUUID()}`, withActor(actor, [0, 1])],
      ]
      const [, url = ''] = entries[1]?.[0].split(' ') ?? []
      const second = { ...entries[1]?.[1], id: url.split('/')[1] }
      const both: [string, object][] = [entries[0] ?? ['', {}], [`PUT ${url}`, second]]
      const answer = await visits.transaction(...(order === 0 ? both : both.toReversed()))
      expect([answer.status, answer.text]).toEqual([200, expect.anything()])
    }
  })

  test('by a transaction in which two visits change places', async () => {
    const actor = await doctor()
    const [one, other] = [await booked(withActor(actor, [0, 1])), await booked(withActor(actor, [1, 2]))]
    const answer = await visits.transaction(
      [`PUT Appointment/${one.id}`, { ...one, start: other['start'], end: other['end'] }],
      [`PUT Appointment/${other.id}`, { ...other, start: one['start'], end: one['end'] }],
    )
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
  })

  test('by $book that cancels another visit of the practitioner', async () => {
    const actor = await doctor()
    const first = await booked(await visitIn(await scheduleOf([actor]), [0, 2]))
    const slot = await slotIn(await scheduleOf([actor]), [1, 3])
    const answer = await visits.book(await visits.offer([slot]), {
      name: 'cancelled-appt-id',
      valueUri: `Appointment/${first.id}`,
    })
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
  })

  test('by $reschedule to a slot that overlaps the time that the visit has', async () => {
    const actor = await doctor()
    const first = await booked(await visitIn(await scheduleOf([actor]), [0, 2]))
    const slot = await slotIn(await scheduleOf([actor]), [1, 3])
    const answer = await visits.call(`${first.id}/$reschedule`, reference('slot', `Slot/${slot}`))
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
    expect(await visits.statusOf(slot)).toBe('busy')
  })

  test('and a visit that stays at its time is changed although another one overlaps it already', async () => {
    const actor = await doctor()
    await visits.policies({ overbooking: true })
    const [one, other] = [await booked(withActor(actor, [0, 2])), await booked(withActor(actor, [1, 3]))]
    await visits.policies({})
    expect((await visits.change(one, { comment: 'brings a dog' })).status).toBe(200)
    expect((await visits.change(one, { status: 'arrived' })).status).toBe(200)
    expect((await visits.change(other, { end: half(2) })).status).toBe(200)
    expectRefused(await visits.change(other, { start: half(0), end: half(1) }), 409, 'slot-unavailable')
  })

  test('and a hold that has expired, which nobody has ended yet, takes no time', async () => {
    const actor = await doctor()
    const slot = await slotIn(await scheduleOf([actor]), [0, 1])
    const held = await visits.held(await visits.offer([slot]))
    expectRefused(await visits.post(withActor(actor, [0, 1])), 409, 'slot-unavailable')
    ahead += 6 * 60_000
    await booked(withActor(actor, [0, 1]))
    expectRefused(await visits.book(held.id), 409, 'hold-expired')
    expect(await visits.statusOf(slot)).toBe('busy-unavailable')
  })
})

describe('free times leave out what overlaps', () => {
  /** A practitioner with a slot of half hours 0 to 2 in one schedule, and three single ones in another. */
  const twoSchedules = async () => {
    const actor = await doctor()
    const [one, other] = [await scheduleOf([actor]), await scheduleOf([actor])]
    const long = await slotIn(one, [0, 2])
    const short = await Promise.all([0, 1, 2].map((from) => slotIn(other, [from, from + 1])))
    return { actor, one, other, long, short }
  }
  const freeIn = async (actor: string): Promise<readonly string[]> => {
    const { entry = [] } = await visits.read(`Slot?status=free&schedule.actor=${actor}&_count=100`)
    return entry.map(({ resource }: { resource: Resource }) => resource.id).sort()
  }
  const found = async (actor: string): Promise<readonly string[]> => {
    const answer = await visits.call(
      '$find',
      { name: 'start', valueDateTime: half(-1) },
      { name: 'end', valueDateTime: half(9) },
      { name: 'practitioner', valueReference: { reference: actor } },
    )
    const { entry = [], total } = answer.body
    const slots = entry.map(({ resource }: { resource: { slot: { reference: string }[] } }) =>
      resource.slot[0]?.reference.slice('Slot/'.length),
    )
    expect([answer.status, total]).toEqual([200, slots.length])
    return slots.sort()
  }
  /** As a search of Slots and $find tell. */
  const expectFree = async (actor: string, slots: readonly string[]): Promise<void> => {
    expect(await freeIn(actor)).toEqual([...slots].sort())
    expect(await found(actor)).toEqual([...slots].sort())
  }

  test('while the visit lasts: booked, moved, cancelled, booked by another, deleted', async () => {
    const { actor, long, short } = await twoSchedules()
    await expectFree(actor, [long, ...short])
    const first = await booked(visitOf([0, 2], [], { slot: slotsOf([long]) }))
    await expectFree(actor, short.slice(2))
    const moved = await visits.call(`${first.id}/$reschedule`, reference('slot', `Slot/${short[2]}`))
    expect(moved.status).toBe(200)
    await expectFree(actor, [long, ...short.slice(0, 2)])
    expect((await visits.call(`${first.id}/$cancel`)).status).toBe(200)
    await expectFree(actor, [long, ...short])
    const { id } = await booked(withActor(actor, [1, 2]))
    await expectFree(actor, [short[0] ?? '', short[2] ?? ''])
    expect((await server.fhir('DELETE', `/Appointment/${id}`)).status).toBe(204)
    await expectFree(actor, [long, ...short])
  })

  test('and a hold, until it expires', async () => {
    const { actor, long, short } = await twoSchedules()
    await visits.held(await visits.offer([long]))
    await expectFree(actor, short.slice(2))
    ahead += 6 * 60_000
    await expectFree(actor, [long, ...short])
  })

  test('until the last of the visits that overlap a slot is gone', async () => {
    const { actor, long, short } = await twoSchedules()
    const [one, other] = [await booked(withActor(actor, [0, 1])), await booked(withActor(actor, [1, 2]))]
    await expectFree(actor, short.slice(2))
    await visits.change(one, { status: 'cancelled' })
    await expectFree(actor, [short[0] ?? '', short[2] ?? ''])
    await visits.change(other, { status: 'noshow' })
    await expectFree(actor, [long, ...short])
  })

  test('also the slot that a visit leaves for another one at the same time', async () => {
    const { actor, one, long, short } = await twoSchedules()
    const beside = await slotIn(one, [0, 1])
    const visit = await booked(visitOf([0, 1], [], { slot: slotsOf([short[0] ?? '']) }))
    await expectFree(actor, short.slice(1))
    expect((await visits.change(visit, { slot: slotsOf([beside]) })).status).toBe(200)
    await expectFree(actor, short.slice(1))
    await visits.change(visit, { status: 'cancelled' })
    await expectFree(actor, [long, beside, ...short])
  })

  test('until both visits of one overbooked slot are gone, of which one alone names the practitioner', async () => {
    const { actor, long, short } = await twoSchedules()
    const slot = slotsOf([short[0] ?? ''])
    await visits.policies({ overbooking: true })
    const named = await booked(visitOf([0, 1], [taking(actor)], { slot }))
    const other = await booked(visitOf([0, 1], [], { slot }))
    await visits.policies({})
    await visits.change(named, { status: 'cancelled' })
    await expectFree(actor, short.slice(1))
    await visits.change(other, { status: 'cancelled' })
    await expectFree(actor, [long, ...short])
  })

  test('also where the visit of one of two actors goes while one of the other is booked', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [first, second] = [await doctor(), await doctor()]
      const slot = await slotIn(await scheduleOf([first, second]), [0, 1])
      const leaving = await booked(withActor(first, [0, 1]))
      expect(await visits.statusOf(slot)).toBe('busy-unavailable')
      const [gone, coming] = await Promise.all([
        server.fhir('DELETE', `/Appointment/${leaving.id}`),
        visits.post(withActor(second, [0, 1])),
      ])
      expect([gone.status, coming.status, await visits.statusOf(slot)]).toEqual([204, 201, 'busy-unavailable'])
    }
  })

  test('also slots that are made, freed or moved there later, until the visit goes', async () => {
    const { actor, one, other, long, short } = await twoSchedules()
    const visit = await booked(withActor(actor, [0, 2]))
    const made = await slotIn(one, [1, 2])
    const blocked = await slotIn(other, [0, 1], { status: 'busy-unavailable' })
    expect(await visits.statusOf(made)).toBe('busy-unavailable')
    await visits.put({ ...(await visits.read(`Slot/${blocked}`)), status: 'free' })
    await visits.put({ ...(await visits.read(`Slot/${short[2]}`)), start: half(1), end: half(2) })
    await expectFree(actor, [])
    await visits.change(visit, { status: 'cancelled' })
    await expectFree(actor, [long, made, blocked, ...short])
  })

  test('what somebody has blocked stays so when the visit goes', async () => {
    const { actor, other, long, short } = await twoSchedules()
    const blocked = await slotIn(other, [0, 1], { status: 'busy-unavailable' })
    const visit = await booked(withActor(actor, [0, 2]))
    await visits.put({ ...(await visits.read(`Slot/${short[0]}`)), status: 'busy-unavailable', meta: undefined })
    await visits.change(visit, { status: 'cancelled' })
    await expectFree(actor, [long, ...short.slice(1)])
    expect(await visits.statusesOf([blocked, short[0] ?? ''])).toEqual(['busy-unavailable', 'busy-unavailable'])
  })

  test('where as many visits are as the schedule allows', async () => {
    const actor = await doctor()
    const schedule = await scheduleOf([actor], capacity(2))
    const slots = await Promise.all([0, 0, 1].map((from) => slotIn(schedule, [from, from + 1])))
    await booked(withActor(actor, [0, 1]))
    await expectFree(actor, slots)
    await booked(visitOf([0, 1], [], { slot: slotsOf(slots.slice(0, 1)) }))
    await expectFree(actor, slots.slice(2))
  })

  test('and other practitioners in another room have theirs', async () => {
    const [one, other, room] = [await doctor(), await doctor(), await place('ro')]
    const shared = await Promise.all([one, other].map((actor) => scheduleOf([actor, room])))
    const slots = await Promise.all(shared.map((schedule) => slotIn(schedule, [0, 1])))
    const elsewhere = await slotIn(await scheduleOf([other]), [0, 1])
    await booked(visitOf([0, 1], [], { slot: slotsOf(slots.slice(0, 1)) }))
    expect(await visits.statusesOf([...slots, elsewhere])).toEqual(['busy', 'busy-unavailable', 'free'])
  })

  test('of several actors: a slot is free again when the last of them is', async () => {
    const [one, other, room] = [await doctor(), await doctor(), await place('ro')]
    const slot = await slotIn(await scheduleOf([one, room]), [0, 1])
    const visit = await booked(visitOf([0, 1], [taking(other), taking(room)]))
    const participant = [taking(PATIENT), taking(one)]
    expect((await visits.change(visit, { participant })).status).toBe(200)
    expect(await visits.statusOf(slot)).toBe('busy-unavailable')
    expect((await server.fhir('DELETE', `/Appointment/${visit.id}`)).status).toBe(204)
    expect(await visits.statusOf(slot)).toBe('free')
  })

  test('of Slots that are generated too, and those of a new plan', async () => {
    const actor = await doctor()
    await booked(withActor(actor, [0, 2], { start: tomorrow(9), end: tomorrow(10) }))
    const working = (slotMinutes: number) => ({
      extension: [
        {
          url: 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-availability',
          extension: [
            { url: 'timeZone', valueCode: 'UTC' },
            { url: 'horizonDays', valuePositiveInt: 3 },
            { url: 'slotMinutes', valuePositiveInt: slotMinutes },
            {
              url: 'availableTime',
              extension: [
                ...['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => ({
                  url: 'daysOfWeek',
                  valueCode: day,
                })),
                { url: 'availableStartTime', valueTime: '08:00:00' },
                { url: 'availableEndTime', valueTime: '12:00:00' },
              ],
            },
          ],
        },
      ],
    })
    const schedule = await scheduleOf([actor], working(60))
    const free = async () => {
      const generated = await server.fhir('POST', `/${schedule}/$generate-slots`)
      expect([generated.status, generated.text]).toEqual([200, expect.anything()])
      const { entry = [] } = await visits.read(
        `Slot?status=free&schedule=${schedule}&start=ge${tomorrow(0)}&start=lt${tomorrow(23)}&_sort=start`,
      )
      return entry.map(({ resource }: { resource: Resource }) => String(resource['start']).slice(11, 16))
    }
    expect(await free()).toEqual(['08:00', '10:00', '11:00'])
    await visits.put({ ...(await visits.read(schedule)), ...working(120) })
    expect(await free()).toEqual(['10:00'])
  })

  test('a patient waiting for it is not offered what is freed but reserved', async () => {
    const actor = await doctor()
    const long = await slotIn(await scheduleOf([actor]), [0, 2])
    const first = await booked(visitOf([0, 2], [], { slot: slotsOf([long]) }))
    await visits.policies({ overbooking: true })
    const second = await booked(withActor(actor, [0, 1]))
    await visits.policies({})
    const waits = await booked(visitOf([0, 2], [taking(actor)], { status: 'waitlist' }))
    const offers = async () =>
      (await visits.read(`Task?focus=Appointment/${waits.id}&status=requested&_summary=count`)).total
    await visits.change(first, { status: 'cancelled' })
    expect([await visits.statusOf(long), await offers()]).toEqual(['busy-unavailable', 0])
    await visits.change(second, { status: 'cancelled' })
    expect(await visits.statusOf(long)).toBe('free')
    expect(await offers()).toBe(1)
  })
})

const tomorrow = (hour: number): string => {
  const day = new Date(Date.now() + ahead + 86_400_000).toISOString().slice(0, 10)
  return `${day}T${String(hour).padStart(2, '0')}:00:00Z`
}

describe('two visits of one patient at one time', () => {
  const PREFER = { prefer: 'return=OperationOutcome' }
  const warnings = async (body: object) =>
    ((await server.fhir('POST', '/Appointment', body, PREFER)).body.issue ?? []).filter(
      ({ severity }: { severity: string }) => severity === 'warning',
    )

  test('are a warning, of $validate too, and not where they are at two times, or one is cancelled', async () => {
    const patient = await stored('Patient')
    const of = (halves: Halves, more: object = {}) => ({
      ...visitOf(halves, []),
      participant: [taking(patient)],
      ...more,
    })
    expect(await warnings(of([0, 2]))).toEqual([])
    const [warning] = await warnings(of([1, 3]))
    expect(warning).toMatchObject({ details: { coding: [{ code: 'patient-has-other-visit' }] } })
    expect(await warnings(of([3, 4]))).toEqual([])
    expect(await warnings(of([1, 2], { status: 'cancelled' }))).toEqual([])
    const validated = await server.fhir('POST', '/Appointment/$validate?mode=create', of([1, 2]))
    expect(validated.body.issue).toContainEqual(expect.objectContaining({ severity: 'warning', code: 'business-rule' }))
  })
})

test('a practitioner of another clinic has time of their own', async () => {
  const clinics = await startTwoClinics()
  try {
    const id = `p-${randomUUID()}`
    const visit = visitOf([0, 1], [taking(`Practitioner/${id}`)], { participant: [taking(`Practitioner/${id}`)] })
    for (const fhir of [clinics.ours, clinics.theirs]) {
      await fhir('PUT', `/Practitioner/${id}`, { resourceType: 'Practitioner', id })
      expect((await fhir('POST', '/Appointment', visit)).status).toBe(201)
      expectRefused(await fhir('POST', '/Appointment', visit), 409, 'slot-unavailable')
    }
  } finally {
    await clinics.server.close()
  }
})
