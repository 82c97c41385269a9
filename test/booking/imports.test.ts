/** X-Import: true, by which admins and operators import another system's records, with a mark in the audit trail. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Role } from '../../src/clinics/accounts.ts'
import type { ClinicPolicies } from '../../src/clinics/settings.ts'
import { readConfig } from '../../src/config.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { signToken } from '../../src/http/token.ts'
import { parameters } from '../support/appointment-operations.ts'
import {
  type Bookings,
  bookingsOn,
  bundle,
  expectRefused,
  half,
  PATIENT,
  type Resource,
  slot,
  slotsOf,
} from '../support/booking.ts'
import { EXAMPLE_PEOPLE, SCHEDULING_EXAMPLES } from '../support/scheduling-examples.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'
import { withToken } from '../support/two-clinics.ts'

const JWT_SECRET = 's'.repeat(40)
const IMPORT = { 'x-import': 'true' }

let server: TestServer
let bookings: Bookings
beforeAll(async () => {
  server = await startServer({ JWT_SECRET })
  bookings = bookingsOn(server)
})
afterAll(() => server.close())

const as = (role: Role): TestServer['fhir'] => {
  const { token } = signToken(readConfig({ JWT_SECRET }).jwt, { username: role, name: role, clinic: DEMO_CLINIC, role })
  return withToken(server, token).fhir
}

type Request = Parameters<TestServer['fhir']>
/** By an admin. */
const imported = (method: Request[0], path: string, body?: unknown): Promise<FhirResponse> =>
  as('admin')(method, path, body, IMPORT)
const importedAll = (...entries: readonly (readonly [string, object])[]) => imported('POST', '/', bundle(...entries))
const putOf = (one: Resource) => [`PUT ${one.resourceType}/${one.id}`, one] as const
const importPut = (resource: Resource) => imported('PUT', `/${resource.resourceType}/${resource.id}`, resource)

const PAST = { start: '2020-03-03T09:00:00Z', end: '2020-03-03T09:30:00Z' }
const AHEAD = { start: half(0), end: half(1) }
const fresh = (name: string) => `${name}-${randomUUID()}`

const newDoctor = async (): Promise<string> => {
  const id = fresh('doctor')
  await bookings.put({ resourceType: 'Practitioner', id })
  return `Practitioner/${id}`
}
const newSchedule = async (): Promise<string> => {
  const id = fresh('schedule')
  await bookings.put({ resourceType: 'Schedule', id, actor: [{ reference: await newDoctor() }] })
  return `Schedule/${id}`
}

interface Visit {
  readonly slots?: readonly string[]
  readonly actor?: string
  readonly more?: object
}

const visit = (when: object, { slots = [], actor, more = {} }: Visit = {}): Resource => ({
  resourceType: 'Appointment',
  id: fresh('visit'),
  status: 'booked',
  ...when,
  ...(slots.length === 0 ? {} : { slot: slotsOf(slots) }),
  participant: [PATIENT, ...(actor === undefined ? [] : [actor])].map((reference) => ({
    actor: { reference },
    status: 'accepted',
  })),
  ...more,
})

const slotAt = (when: object, status: string, schedule: string): Resource =>
  slot(fresh('slot'), 0, { ...when, status, schedule: { reference: schedule } })

const withoutMeta = ({ meta: _meta, ...rest }: Record<string, unknown>) => rest

async function expectAsSent(resource: Resource): Promise<void> {
  expect(withoutMeta(await bookings.read(`${resource.resourceType}/${resource.id}`))).toEqual(resource)
}

describe("HL7's examples", () => {
  beforeAll(async () => {
    for (const one of EXAMPLE_PEOPLE) await bookings.put(one)
  })

  const refused = SCHEDULING_EXAMPLES.filter(({ status, start }) => status === 'booked' && start !== undefined)
  test.each(refused.map((one) => [one.id, one] as const))(
    'Appointment/%s is past-time without the header',
    async (_id, one) => {
      expectRefused(await as('admin')('PUT', `/Appointment/${one.id}`, one), 422, 'past-time')
    },
  )

  const ORDERS: readonly (readonly [string, readonly Resource[]])[] = [
    ['Schedules, Slots, Appointments', SCHEDULING_EXAMPLES],
    ['Appointments, Slots, Schedules', SCHEDULING_EXAMPLES.toReversed()],
    ['by their ids', SCHEDULING_EXAMPLES.toSorted((one, other) => one.id.localeCompare(other.id))],
  ]
  /** The resources under new ids, so that none of an order is stored yet. */
  const renamed = (resources: readonly Resource[], suffix: string): readonly Resource[] =>
    JSON.parse(
      JSON.stringify(resources)
        .replace(/"id":"([^"]+)"/g, `"id":"$1-${suffix}"`)
        .replace(/"(Schedule|Slot)\/example"/g, `"$1/example-${suffix}"`),
    )

  test.each(ORDERS)('are stored as they are, one by one: %s', async (_order, resources) => {
    const own = renamed(resources, randomUUID().slice(0, 8))
    for (const one of own) expect([(await importPut(one)).status, one.id]).toEqual([201, one.id])
    for (const one of own) await expectAsSent(one)
  })

  test.each(ORDERS)('are stored as they are, in one transaction: %s', async (_order, resources) => {
    const own = renamed(resources, randomUUID().slice(0, 8))
    const answer = await importedAll(...own.map(putOf))
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
    for (const one of own) await expectAsSent(one)
  })
})

describe('who may import', () => {
  const ROLES: readonly (readonly [Role, number])[] = [
    ['staff', 403],
    ['admin', 201],
    ['operator', 201],
  ]
  test.each(ROLES)('%s: %d', async (role, status) => {
    const answer = await as(role)('POST', '/Appointment', visit(PAST), IMPORT)
    expect(answer.status).toBe(status)
    if (status === 403) {
      expect(answer.body.resourceType).toBe('OperationOutcome')
      expect(answer.body.issue[0]).toMatchObject({
        code: 'forbidden',
        diagnostics: expect.stringContaining('X-Import'),
      })
    }
  })

  test.each(ROLES)('without the header no %s brings the past', async (role) => {
    expectRefused(await as(role)('POST', '/Appointment', visit(PAST)), 422, 'past-time')
  })

  test.each(['false', 'True', '1', '', 'true, true'])('a value %j is 400', async (value) => {
    const answer = await as('admin')('POST', '/Appointment', visit(PAST), { 'x-import': value })
    expect([answer.status, answer.body.issue[0].diagnostics]).toEqual([400, expect.stringContaining('X-Import')])
  })
})

describe('policies of planning', () => {
  const SOON = new Date(Date.now() + 600_000).toISOString()
  const LATER = new Date(Date.now() + 1_800_000).toISOString()
  const soon = { start: SOON, end: LATER }
  const overbooking = false
  const slotTakenStatus = 409
  const withPolicy = async (policy: Partial<ClinicPolicies>, work: () => Promise<void>): Promise<void> => {
    await bookings.policies({ overbooking, slotTakenStatus, ...policy })
    try {
      await work()
    } finally {
      await bookings.policies({ overbooking, slotTakenStatus })
    }
  }
  type Write = (fhir: (...request: Request) => Promise<FhirResponse>) => Promise<FhirResponse>
  const post =
    (body: object): Write =>
    (fhir) =>
      fhir('POST', '/Appointment', body)
  const POLICIES: readonly (readonly [string, Partial<ClinicPolicies>, () => Promise<Write>])[] = [
    ['past-time', {}, async () => post(visit(PAST))],
    ['minimum-notice', { minimumNoticeMinutes: 60 }, async () => post(visit(soon))],
    ['booking-horizon', { bookingHorizonDays: 1 }, async () => post(visit(AHEAD))],
    [
      'too-many-open-appointments',
      { maxOpenAppointments: 1 },
      async () => {
        const [first, second] = [0, 1].map((index) => visit({ start: half(40 + index), end: half(41 + index) }))
        await imported('POST', '/Appointment', first)
        return post(second ?? {})
      },
    ],
    [
      'cancellation-window',
      { cancellationWindowHours: 48 },
      async () => {
        const one = visit(soon)
        await importPut(one)
        return (fhir) => fhir('PUT', `/Appointment/${one.id}`, { ...one, status: 'cancelled' })
      },
    ],
    [
      'cancellation-window',
      { cancellationWindowHours: 48 },
      async () => {
        const one = visit(soon)
        await importPut(one)
        return (fhir) => fhir('DELETE', `/Appointment/${one.id}`)
      },
    ],
    [
      'illegal-status-move',
      {},
      async () => {
        const one = visit(PAST)
        await importPut(one)
        return (fhir) =>
          fhir('PATCH', `/Appointment/${one.id}`, [{ op: 'replace', path: '/status', value: 'fulfilled' }])
      },
    ],
    [
      'past-time',
      {},
      async () => {
        const one = visit(AHEAD)
        await importPut(one)
        const patch = Object.entries(PAST).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }))
        return (fhir) => fhir('PATCH', `/Appointment/${one.id}`, patch)
      },
    ],
  ]

  describe.each(POLICIES)('%s', (reason, policy, writeOf) => {
    test.each<Role>(['admin', 'operator'])('holds for an %s without the header, and not with it', async (role) => {
      await withPolicy(policy, async () => {
        const write = await writeOf()
        const fhir = as(role)
        expectRefused(await write(fhir), 422, reason)
        const answer = await write((method, path, body) => fhir(method, path, body, IMPORT))
        expect([answer.status < 300, answer.text]).toEqual([true, expect.anything()])
      })
    })
  })

  test('do not apply to any entry of a batch or a transaction, nor to conditional writes', async () => {
    for (const type of ['batch', 'transaction']) {
      const id = fresh('conditional')
      const identifier = [{ system: 'urn:x', value: id }]
      const { id: _id, ...body } = visit(PAST, { more: { identifier } })
      const one = visit(PAST)
      const entry = [
        { request: { method: 'PUT', url: `Appointment/${one.id}` }, resource: one },
        { request: { method: 'POST', url: 'Appointment', ifNoneExist: `identifier=${id}` }, resource: body },
      ]
      const answer = await imported('POST', '/', { resourceType: 'Bundle', type, entry })
      const statuses = (found: FhirResponse) =>
        found.body.entry.map(({ response }: { response: { status: string } }) => response.status)
      expect(statuses(answer)).toEqual(['201 Created', '201 Created'])
      const moved = { ...body, start: '2019-03-03T09:00:00Z', end: '2019-03-03T09:30:00Z' }
      const updated = await imported('PUT', `/Appointment?identifier=${id}`, moved)
      expect([updated.status, updated.body.start]).toEqual([200, moved.start])
    }
  })

  test('hold for operations, whatever header they come with', async () => {
    const [id = ''] = await bookings.freeSlots(1, PAST)
    const { id: _id, ...proposed } = visit(PAST, { slots: [id], more: { status: 'proposed' } })
    const book = parameters({ name: 'appointment-resource', resource: proposed })
    expectRefused(await imported('POST', '/Appointment/$book', book), 422, 'past-time')
    const entry = [{ request: { method: 'POST', url: 'Appointment/$book' }, resource: book }]
    const batch = await imported('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
    expect(batch.body.entry[0].response.status).toMatch(/^422/)
    expect(await bookings.statusOf(id)).toBe('free')
  })

  test('leave the status as it was sent', async () => {
    for (const status of ['proposed', 'pending', 'booked', 'arrived', 'fulfilled', 'noshow', 'cancelled', 'waitlist']) {
      const one = visit(PAST, { more: { status } })
      expect((await importPut(one)).status).toBe(201)
      await expectAsSent(one)
    }
  })
})

describe('a busy Slot and its visit', () => {
  const WAYS = ['one by one', 'in a transaction'].flatMap((way) =>
    ['busy', 'free'].flatMap((status) => [true, false].map((isVisitFirst) => ({ way, status, isVisitFirst }))),
  )
  describe.each([
    ['the past', PAST],
    ['the time to come', AHEAD],
  ])('of %s', (_name, when) => {
    test.each(WAYS)(
      'come in any order: $way, Slot $status, visit first: $isVisitFirst',
      async ({ way, status, isVisitFirst }) => {
        const calendar = slotAt(when, status, await newSchedule())
        const one = visit(when, { slots: [calendar.id] })
        const both = isVisitFirst ? [one, calendar] : [calendar, one]
        if (way === 'one by one') for (const resource of both) expect((await importPut(resource)).status).toBe(201)
        else expect((await importedAll(...both.map(putOf))).status).toBe(200)
        await expectAsSent(one)
        await expectAsSent({ ...calendar, status: 'busy' })
      },
    )
  })

  test('may be new by POST in one transaction, which says in any order which is whose', async () => {
    for (const isVisitFirst of [false, true]) {
      const { id: _slot, ...calendar } = slotAt(PAST, 'free', await newSchedule())
      const { id: _visit, ...one } = visit(PAST, {
        more: { slot: [{ reference: 'urn:uuid:6f1b4c54-93fd-4f4a-8d59-5e4d8b1c6f11' }] },
      })
      const ofSlot = {
        fullUrl: 'urn:uuid:6f1b4c54-93fd-4f4a-8d59-5e4d8b1c6f11',
        request: { method: 'POST', url: 'Slot' },
        resource: calendar,
      }
      const entry = [ofSlot, { request: { method: 'POST', url: 'Appointment' }, resource: one }]
      const ordered = isVisitFirst ? entry.toReversed() : entry
      const answer = await imported('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry: ordered })
      expect(answer.status).toBe(200)
      const { location } = answer.body.entry[isVisitFirst ? 1 : 0].response
      expect(await bookings.statusOf(location.split('/').at(-3))).toBe('busy')
    }
  })

  test('come again, as often as the import runs', async () => {
    const calendar = slotAt(AHEAD, 'free', await newSchedule())
    const one = visit(AHEAD, { slots: [calendar.id] })
    for (const _run of [1, 2])
      for (const resource of [calendar, one]) expect((await importPut(resource)).status).toBeLessThan(202)
    expect(await bookings.statusOf(calendar.id)).toBe('busy')
  })

  test('are 409 without the header', async () => {
    const calendar = slotAt(AHEAD, 'busy', await newSchedule())
    await bookings.put(calendar)
    expectRefused(
      await as('admin')('POST', '/Appointment', visit(AHEAD, { slots: [calendar.id] })),
      409,
      'slot-unavailable',
    )
  })

  test('must fit each other, whichever comes first', async () => {
    const schedule = await newSchedule()
    for (const isVisitFirst of [false, true]) {
      const calendar = slotAt(AHEAD, 'busy', schedule)
      const one = visit({ start: half(3), end: half(4) }, { slots: [calendar.id] })
      const [first, second] = isVisitFirst ? [one, calendar] : [calendar, one]
      expect((await importPut(first ?? one)).status).toBe(201)
      const answer = await importPut(second ?? one)
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('they must be equal')])
    }
  })
})

describe('nobody is booked twice in the time to come', () => {
  test('by an import of two visits of one practitioner', async () => {
    const actor = await newDoctor()
    expect((await importPut(visit(AHEAD, { actor }))).status).toBe(201)
    expectRefused(await importPut(visit(AHEAD, { actor })), 409, 'slot-unavailable')
  })

  test('by an import of two visits in one busy Slot', async () => {
    const calendar = slotAt(AHEAD, 'busy', await newSchedule())
    await importPut(calendar)
    expect((await importPut(visit(AHEAD, { slots: [calendar.id] }))).status).toBe(201)
    expectRefused(await importPut(visit(AHEAD, { slots: [calendar.id] })), 409, 'slot-unavailable')
  })

  test('by an import of two visits before their Slot', async () => {
    const { id } = slotAt(AHEAD, 'busy', 'Schedule/none')
    expect((await importPut(visit(AHEAD, { slots: [id] }))).status).toBe(201)
    expectRefused(await importPut(visit(AHEAD, { slots: [id] })), 409, 'slot-unavailable')
  })

  test('by an import of a Slot whose practitioner has another visit at the time of its own', async () => {
    const schedule = await newSchedule()
    const [first, second] = [slotAt(AHEAD, 'busy', schedule), slotAt(AHEAD, 'busy', schedule)]
    for (const one of [first, visit(AHEAD, { slots: [first.id] }), visit(AHEAD, { slots: [second.id] })])
      expect((await importPut(one)).status).toBe(201)
    expectRefused(await importPut(second), 409, 'slot-unavailable')
  })

  test('by imports at the same moment: one wins, whatever they name', async () => {
    const actor = await newDoctor()
    const calendar = slotAt(AHEAD, 'busy', await newSchedule())
    await importPut(calendar)
    const missing = fresh('slot')
    for (const one of [{ actor }, { slots: [calendar.id] }, { slots: [missing] }]) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => importPut(visit(AHEAD, one))))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    }
  })

  test('a Slot and its visit that come at the same moment find each other', async () => {
    for (const _round of Array.from({ length: 10 })) {
      const calendar = slotAt(AHEAD, 'free', await newSchedule())
      const answers = await Promise.all([importPut(calendar), importPut(visit(AHEAD, { slots: [calendar.id] }))])
      expect(answers.map(({ status }) => status)).toEqual([201, 201])
      expect(await bookings.statusOf(calendar.id)).toBe('busy')
    }
  })

  test('but the past is as it was', async () => {
    const actor = await newDoctor()
    const calendar = slotAt(PAST, 'busy', await newSchedule())
    await importPut(calendar)
    for (const one of [{ actor }, { slots: [calendar.id] }]) {
      for (const status of ['booked', 'fulfilled']) {
        const second = visit(PAST, { ...one, more: { status } })
        expect((await importPut(second)).status).toBe(201)
        await expectAsSent(second)
      }
    }
    const long = visit({ start: '2020-01-01T00:00:00Z', end: '2020-01-05T00:00:00Z' }, { actor })
    expect((await importPut(long)).status).toBe(201)
  })
})

test('a visit of the past ends no wait for another one', async () => {
  const waiting = visit({}, { more: { status: 'waitlist', created: '2020-01-01' } })
  expect((await importPut(waiting)).status).toBe(201)
  expect((await importPut(visit(PAST))).status).toBe(201)
  expect((await bookings.read(`Appointment/${waiting.id}`)).status).toBe('waitlist')
})

test('a participant that there is not is 422, and may come in the same transaction, in any order', async () => {
  const actor = `Practitioner/${fresh('doctor')}`
  const one = visit(PAST, { actor })
  expectRefused(await importPut(one), 422, 'reference-not-found')
  const doctor: readonly [string, object] = [`PUT ${actor}`, { resourceType: 'Practitioner', id: actor.split('/')[1] }]
  expect((await importedAll(putOf(one), doctor)).status).toBe(200)
})

describe('the audit trail', () => {
  const jobsOf = async (query: string) => {
    const { body } = await as('admin')('GET', `/AuditEvent?${query}`)
    return body.entry.map(
      ({ resource }: { resource: { subtype: { code: string }[]; entity: { name?: string }[] } }) => [
        resource.subtype[0]?.code,
        resource.entity.find(({ name }) => name !== undefined)?.name,
      ],
    )
  }

  test('tells imports from other writes, by themselves and in a Bundle', async () => {
    const [one, other, plain] = [visit(PAST), visit(PAST), visit(AHEAD)]
    await importPut(one)
    await importedAll(putOf(other))
    await as('admin')('PUT', `/Appointment/${plain.id}`, plain)
    expect(await jobsOf(`entity=Appointment/${one.id}`)).toEqual([['update', 'import']])
    expect(await jobsOf(`entity=Appointment/${other.id}`)).toEqual([['update', 'import']])
    expect(await jobsOf(`entity=Appointment/${plain.id}`)).toEqual([['update', undefined]])
    expect(await jobsOf('entity-name=import&subtype=transaction')).toContainEqual(['transaction', 'import'])
  })

  test('has an import that was refused', async () => {
    const one = visit(AHEAD, { actor: `Practitioner/${fresh('nobody')}` })
    await importPut(one)
    expect(await jobsOf(`entity=Appointment/${one.id}&outcome=4`)).toEqual([['update', 'import']])
  })
})
