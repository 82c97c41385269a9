/** Appointment/$hold, IHE ITI-116: docs/operations/appointment-hold.md. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Extension } from 'fhir/r4'
import { HOLD_EXPIRES_URL } from '../../src/scheduling/appointment-status.ts'
import { type Clock, reference, startCalendar, type Visits, visitsOn } from '../support/appointment-operations.ts'
import { expectRefused, half, type Resource, visit } from '../support/booking.ts'
import type { FhirResponse, TestServer } from '../support/server.ts'
import { startTwoClinics } from '../support/two-clinics.ts'

let server: TestServer
let visits: Visits
let clock: Clock
beforeAll(async () => {
  ;({ server, visits, clock } = await startCalendar())
})
beforeEach(() => visits.policies({}))
afterAll(() => server.close())

const endOf = ({ extension }: Resource): string | undefined =>
  (extension as Extension[]).find(({ url }) => url === HOLD_EXPIRES_URL)?.valueInstant

/** As IHE asks, besides our own code. */
function expectUnavailable(answer: FhirResponse, status: number, reason: string): void {
  expectRefused(answer, status, reason)
  expect(answer.body.resourceType).toBe('OperationOutcome')
  expect(answer.body.issue).toEqual([expect.objectContaining({ severity: 'fatal', code: 'not-found' })])
}

describe('$hold', () => {
  test('of what $find offers is one pending Appointment, whose slots are busy-tentative, and says when it ends', async () => {
    const slots = await visits.slots(2)
    const held = await visits.held(await visits.offer(slots))
    expect(held).toMatchObject({ status: 'pending', start: half(0), end: half(2) })
    expect(endOf(held)).toBe(new Date(clock.now + 5 * 60_000).toISOString())
    expect(await visits.statusesOf(slots)).toEqual(['busy-tentative', 'busy-tentative'])
    expect(await visits.read(`Appointment/${held.id}`)).toEqual(held)
  })

  test('of an Appointment that is stored and proposed keeps its id', async () => {
    const [id = ''] = await visits.slots()
    const proposed = await visits.booked([id], { status: 'proposed' })
    expect(await visits.held(proposed.id)).toMatchObject({ id: proposed.id, status: 'pending' })
    expect(await visits.statusOf(id)).toBe('busy-tentative')
  })

  test('takes absolute references and the name that Argonaut has for it', async () => {
    for (const parameter of [
      (id: string) => reference('appointment-reference', `${server.url}/Appointment/${id}`),
      (id: string) => ({ name: 'appt-id', valueUri: `Appointment/${id}` }),
    ]) {
      const answer = await visits.call('$hold', parameter(await visits.offer(await visits.slots())))
      expect(visits.onlyAppointment(answer).status).toBe('pending')
    }
  })

  test('lasts as long as the clinic says', async () => {
    await visits.policies({ holdMinutes: 30 })
    const held = await visits.held(await visits.offer(await visits.slots()))
    expect(endOf(held)).toBe(new Date(clock.now + 30 * 60_000).toISOString())
  })

  test.each([0, 1_441, 2.5, 'long'])('of %p minutes is no policy: 422 that says what is', async (holdMinutes) => {
    const { body } = await server.fhir('GET', '/clinics/demo-clinic/settings')
    const answer = await server.fhir('PUT', '/clinics/demo-clinic/settings', { ...body, policies: { holdMinutes } })
    expect([answer.status, answer.text]).toEqual([
      422,
      expect.stringContaining('policies.holdMinutes must be a whole number from 1 to 1440'),
    ])
  })

  test('is POST', async () => {
    expect((await server.fhir('GET', '/Appointment/$hold?appointment-reference=x')).status).toBe(405)
  })
})

describe('while it is held', () => {
  test('nobody else holds or books the time, in any way', async () => {
    const slots = await visits.slots(2)
    const offered = await visits.offer(slots.slice(0, 1))
    const held = await visits.held(offered)
    expectUnavailable(await visits.hold(offered), 409, 'slot-unavailable')
    expectUnavailable(await visits.hold(await visits.offer(slots)), 409, 'slot-unavailable')
    expectUnavailable(await visits.hold(held.id), 409, 'slot-unavailable')
    expectRefused(await visits.book(offered), 409, 'slot-unavailable')
    expectRefused(await visits.post(visit(slots.slice(0, 1))), 409, 'slot-unavailable')
    expect(await visits.statusesOf(slots)).toEqual(['busy-tentative', 'free'])
  })

  test('of 16 clients that hold one slot at once one succeeds', async () => {
    const offered = await visits.offer(await visits.slots())
    const answers = await Promise.all(Array.from({ length: 16 }, () => visits.hold(offered)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expectUnavailable(answer, 409, 'slot-unavailable')
  })

  test('the status of the refusal is what the clinic says', async () => {
    await visits.policies({ slotTakenStatus: 422 })
    const offered = await visits.offer(await visits.slots())
    const held = await visits.held(offered)
    expectUnavailable(await visits.hold(offered), 422, 'slot-unavailable')
    expectUnavailable(await visits.hold(held.id), 422, 'slot-unavailable')
  })

  test('a client cannot prolong it: the extension stays as the server has set it', async () => {
    const held = await visits.held(await visits.offer(await visits.slots()))
    const later = { url: HOLD_EXPIRES_URL, valueInstant: '2099-01-01T00:00:00.000Z' }
    const other = { url: 'http://example.org/why', valueString: 'x' }
    for (const extension of [[other, later], [other], [other, later, later]]) {
      const { status, body } = await visits.change(held, { extension })
      expect([status, body.extension]).toEqual([200, [other, ...(held.extension as object[])]])
    }
  })

  test('and who sends the extension with a plain appointment holds nothing', async () => {
    const [id = ''] = await visits.slots()
    const later = { url: HOLD_EXPIRES_URL, valueInstant: '2020-01-01T00:00:00.000Z' }
    const stored = await visits.booked([id], { status: 'pending', extension: [later] })
    expect(stored).not.toHaveProperty('extension')
    expect((await visits.change(stored, { extension: [later] })).body).not.toHaveProperty('extension')
  })
})

describe('what is refused', () => {
  test('without a reference: 400 that names the parameter', async () => {
    const { status, body } = await visits.call('$hold', { name: 'appointment-reference', valueReference: {} })
    expect([status, body.issue[0].expression]).toEqual([400, ['appointment-reference']])
    expectRefused(await visits.call('$hold'), 400, 'missing-parameter')
  })

  test.each(['Patient/1', 'https://elsewhere.example/Appointment/1', 'Appointment/1/_history/1', 'x y'])(
    'a reference to %s: 400 that says what is right',
    async (address) => {
      const answer = await visits.call('$hold', reference('appointment-reference', address))
      expectRefused(answer, 400, 'invalid-parameter')
      expect(answer.body.issue[0].diagnostics).toContain('Appointment/<id>')
    },
  )

  test('what $find never offered, or offers no more: 404', async () => {
    const [id = ''] = await visits.slots()
    const offered = await visits.offer([id])
    await server.fhir('DELETE', `/Slot/${id}`)
    for (const unknown of ['nothing', offered, 'abcdefghijk.1.x'])
      expectUnavailable(await visits.hold(unknown), 404, 'appointment-not-found')
  })

  test('an Appointment that is over, and one that was deleted', async () => {
    const over = await visits.booked([], { status: 'fulfilled' })
    expectRefused(await visits.hold(over.id), 422, 'illegal-status-move')
    const deleted = await visits.booked([], { status: 'proposed' })
    await server.fhir('DELETE', `/Appointment/${deleted.id}`)
    expectUnavailable(await visits.hold(deleted.id), 410, 'appointment-not-found')
  })

  test('a time that has passed, or comes too soon: the rules of booking', async () => {
    const past = { start: '2020-03-03T09:00:00Z', end: '2020-03-03T09:30:00Z' }
    const [id = ''] = await visits.slots(1, past)
    expectRefused(await visits.hold(await visits.offer([id])), 422, 'past-time')
    await visits.policies({ minimumNoticeMinutes: 525_600 })
    const { start, end } = soon()
    const [near = ''] = await visits.slots(1, { start, end })
    expectRefused(await visits.hold(await visits.offer([near])), 422, 'minimum-notice')
    expect(await visits.statusesOf([id, near])).toEqual(['free', 'free'])
  })

  const soon = () => ({
    start: new Date(clock.now + 3_600_000).toISOString(),
    end: new Date(clock.now + 5_400_000).toISOString(),
  })
})

describe('a hold of one clinic', () => {
  test('is not seen, booked or ended by another', async () => {
    const { server: two, ours, theirs } = await startTwoClinics()
    try {
      const mine = visitsOn({ fhir: ours, app: two.app })
      await mine.open()
      await mine.put({ resourceType: 'Patient', id: 'visitor', name: [{ family: 'V' }] })
      const offered = await mine.offer(await mine.slots(), { patients: ['Patient/visitor'] })
      const other = visitsOn({ fhir: theirs, app: two.app })
      expectUnavailable(await other.hold(offered), 404, 'appointment-not-found')
      const held = await mine.held(offered)
      expectUnavailable(await other.hold(held.id), 404, 'appointment-not-found')
      expectRefused(await other.book(held.id), 404, 'appointment-not-found')
      for (const operation of ['$cancel', '$confirm'])
        expect((await other.call(`${held.id}/${operation}`)).status).toBe(404)
      expect((await mine.read(`Appointment/${held.id}`)).status).toBe('pending')
    } finally {
      await two.close()
    }
  })
})

test('the hold of another day starts at that time', async () => {
  clock.now += 86_400_000
  const held = await visits.held(await visits.offer(await visits.slots()))
  expect(endOf(held)).toBe(new Date(clock.now + 5 * 60_000).toISOString())
})
