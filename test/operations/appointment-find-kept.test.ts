/** A cached response of $find is never given once its facts have changed: docs/operations/appointment-find.md. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Appointment, Bundle } from 'fhir/r4'
import { type Clock, startCalendar, type Visits } from '../support/appointment-operations.ts'
import { half, PATIENT, type Resource } from '../support/booking.ts'
import type { TestServer } from '../support/server.ts'
import { OTHER_CLINIC, startTwoClinics } from '../support/two-clinics.ts'

const PRACTITIONER = 'Practitioner/kept'
const DAY = 86_400_000
const MINUTE = 60_000

let server: TestServer
let visits: Visits
let clock: Clock
beforeEach(async () => {
  ;({ server, visits, clock } = await startCalendar())
  await visits.put({ resourceType: 'Practitioner', id: 'kept', name: [{ family: 'Kept' }] })
  await visits.open(PRACTITIONER)
})
afterEach(() => server.close())

/** The response of $find for one practitioner. */
async function found(more: Readonly<Record<string, string>> = {}): Promise<Bundle<Appointment>> {
  const query = new URLSearchParams({ start: half(0), end: half(16), practitioner: PRACTITIONER, ...more })
  const { status, text, body } = await server.fhir('GET', `/Appointment/$find?${query}`)
  expect([status, text]).toEqual([200, expect.anything()])
  return body
}

const appointmentsIn = ({ entry = [] }: Bundle<Appointment>): readonly Appointment[] =>
  entry.flatMap(({ resource, search }) => (resource === undefined || search?.mode === 'outcome' ? [] : [resource]))
const slotsIn = (bundle: Bundle<Appointment>) =>
  appointmentsIn(bundle).map(({ slot = [] }) => slot[0]?.reference?.replace('Slot/', ''))
const offered = async (more?: Readonly<Record<string, string>>) => slotsIn(await found(more))

/** Repeats $find until its response is cached. */
const keep = async (more?: Readonly<Record<string, string>>) => {
  await found(more)
  return await found(more)
}

describe('a time that was offered a moment ago', () => {
  test('is gone with its booking, from the total too, and back when that is cancelled', async () => {
    const [first = '', second = '', third = ''] = await visits.slots(3)
    expect(slotsIn(await keep())).toEqual([first, second, third])
    const booked = await visits.booked([second], { start: half(1), end: half(2) })
    const after = await found()
    expect([slotsIn(after), after.total]).toEqual([[first, third], 2])
    await visits.change(booked, { status: 'cancelled' })
    expect((await found()).total).toBe(3)
  })

  test('is gone when it begins, and earlier where the clinic asks for notice', async () => {
    const [first, second, third, fourth] = await visits.slots(4)
    clock.now = Date.parse(half(0)) - 1
    expect(slotsIn(await keep())).toEqual([first, second, third, fourth])
    clock.now = Date.parse(half(0))
    expect(await offered()).toEqual([second, third, fourth])
    await keep()
    await visits.policies({ minimumNoticeMinutes: 31 })
    expect(await offered()).toEqual([third, fourth])
    await keep()
    clock.now += 30 * MINUTE
    expect(await offered()).toEqual([fourth])
  })

  test('is followed by others as the booking horizon moves on', async () => {
    const [first, second] = await visits.slots(2)
    await visits.policies({ bookingHorizonDays: 1 })
    clock.now = Date.parse(half(0)) - DAY
    expect(slotsIn(await keep())).toEqual([first])
    clock.now += 30 * MINUTE
    expect(await offered()).toEqual([first, second])
  })

  test('is gone with its Schedule', async () => {
    await visits.slots(1)
    expect(slotsIn(await keep())).toHaveLength(1)
    const actor = [{ reference: PRACTITIONER }]
    await visits.put({ resourceType: 'Schedule', id: visits.calendar, active: false, actor } as Resource)
    expect(await offered()).toEqual([])
  })

  test('is gone where the role of the practitioner is of another specialty', async () => {
    const role = (text: string) =>
      visits.put({
        resourceType: 'PractitionerRole',
        id: 'kept',
        practitioner: { reference: PRACTITIONER },
        specialty: [{ text }],
      })
    await role('Hips')
    await visits.slots(1)
    expect(slotsIn(await keep({ specialty: 'Hips' }))).toHaveLength(1)
    await role('Knees')
    expect(await offered({ specialty: 'Hips' })).toEqual([])
  })

  test.each(['Practitioner', 'Patient'])('names an actor who is deleted by the display alone: %s', async (type) => {
    const id = 'leaves'
    const actor = { reference: `${type}/${id}`, display: 'Somebody' }
    await visits.put({ resourceType: type, id })
    await visits.put({
      resourceType: 'Schedule',
      id: visits.calendar,
      actor: [{ reference: PRACTITIONER }, actor],
    })
    await visits.slots(1)
    const actors = async () => appointmentsIn(await keep())[0]?.participant.map((one) => one.actor)
    expect(await actors()).toContainEqual(actor)
    await server.fhir('DELETE', `/${type}/${id}`)
    expect(await actors()).toContainEqual({ display: 'Somebody' })
  })
})

test('what is said about the visit is told of that question alone', async () => {
  await visits.slots(1)
  const [plain] = appointmentsIn(await keep())
  const [cough] = appointmentsIn(await keep({ reason: 'Cough', 'patient-reference': PATIENT }))
  const [hip] = appointmentsIn(await keep({ reason: 'Hip' }))
  expect([plain, cough, hip].map((one) => one?.reasonCode?.[0]?.text)).toEqual([undefined, 'Cough', 'Hip'])
  expect(new Set([plain, cough, hip].map((one) => one?.id)).size).toBe(3)
  expect((await visits.bookedAs(cough?.id ?? '')).status).toBe('booked')
})

test('who asks from another moment of the same hour is told of the times from then on', async () => {
  const [first, second, third] = await visits.slots(3)
  const from = (milliseconds: number) => ({ start: new Date(Date.parse(half(0)) + milliseconds).toISOString() })
  const all = [first, second, third]
  for (let time = 0; time < 2; time += 1) {
    expect(await offered(from(0))).toEqual(all)
    expect(await offered(from(1))).toEqual([second, third])
    expect(await offered(from(29 * MINUTE))).toEqual([second, third])
    expect(await offered(from(30 * MINUTE))).toEqual([second, third])
    expect(await offered(from(30 * MINUTE + 1))).toEqual([third])
    expect(await offered(from(2))).toEqual([second, third])
    expect(await offered(from(-1))).toEqual(all)
  }
})

test('every page is told as it is now', async () => {
  const slots = await visits.slots(5)
  const pages = async () => {
    const told: (string | undefined)[][] = []
    let page = await found({ _count: '2' })
    for (;;) {
      told.push(slotsIn(page))
      const next = page.link?.find(({ relation }) => relation === 'next')?.url
      if (next === undefined) return told
      page = (await server.fhir('GET', next.slice(server.url.length))).body
    }
  }
  const [first, second, third, fourth, fifth] = slots
  for (let time = 0; time < 2; time += 1) expect(await pages()).toEqual([[first, second], [third, fourth], [fifth]])
  await visits.booked([fourth ?? ''], { start: half(3), end: half(4) })
  for (let time = 0; time < 2; time += 1)
    expect(await pages()).toEqual([
      [first, second],
      [third, fifth],
    ])
})

test('a timing is heeded, whatever was asked for before', async () => {
  const slots = await visits.slots(4)
  const timing = (timeOfDay: string) => ({ timing: JSON.stringify({ repeat: { timeOfDay: [timeOfDay] } }) })
  const { body } = await server.fhir('GET', '/clinics/demo-clinic/settings')
  const clockTime = (at: number) =>
    new Date(half(at)).toLocaleTimeString('en-GB', { timeZone: body.timeZone as string })
  expect(slotsIn(await keep())).toEqual(slots)
  expect(slotsIn(await keep(timing(clockTime(1))))).toEqual([slots[1]])
  expect(slotsIn(await keep(timing(clockTime(3))))).toEqual([slots[3]])
})

test('another clinic that asks the same is told of its own', async () => {
  const clinics = await startTwoClinics()
  const query = `start=${half(0)}&end=${half(2)}`
  for (const [fhir, more] of [
    [clinics.ours, 1],
    [clinics.theirs, 2],
  ] as const) {
    await fhir('PUT', '/Schedule/s', { resourceType: 'Schedule', id: 's', actor: [{ display: 'Anybody' }] })
    for (let n = 0; n < more; n += 1) {
      const times = { start: half(n), end: half(n + 1) }
      const schedule = { reference: 'Schedule/s' }
      await fhir('PUT', `/Slot/s-${n}`, { resourceType: 'Slot', id: `s-${n}`, status: 'free', schedule, ...times })
    }
  }
  const totals = async () => {
    const answers = [await clinics.ours('GET', `/Appointment/$find?${query}`)]
    answers.push(await clinics.theirs('GET', `/Appointment/$find?${query}`))
    return answers.map(({ body }) => body.total)
  }
  expect(OTHER_CLINIC).not.toBe('demo-clinic')
  expect([await totals(), await totals()]).toEqual([
    [1, 2],
    [1, 2],
  ])
  await clinics.server.close()
})
