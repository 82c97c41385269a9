/** The clock of a clinic, over HTTP: what can be set, by whom, and what goes by it in the FHIR API. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Bundle, OperationOutcome, Slot } from 'fhir/r4'
import { until } from '../support/server-process.ts'
import { allDaySchedule } from './all-day-schedule.ts'
import { askAs, idsOf, type Rehearsed, startRehearsed } from './rehearsed.ts'

const MINUTE = 60_000
const DAY = 86_400_000

let clinic: Rehearsed
let admin: string
beforeAll(async () => {
  clinic = await startRehearsed()
  admin = await clinic.server.login('admin', 'admin')
})
afterAll(() => clinic.server.close())
beforeEach(() => clinic.resetTo('empty'))

const set = (body: unknown, token?: string) => clinic.ask('PUT', '/clock', body, token)
const advance = (by: string) => clinic.ask('POST', '/clock/advance', { by })
/** Milliseconds since 1970 UTC. */
const time = async (token?: string): Promise<number> =>
  Date.parse((await clinic.ask('GET', '/clock', undefined, token)).body.at)
const fhir = (method: string, path: string, body?: unknown) => askAs(clinic.server, admin, method, path, body)
const dateOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)
const found = async <Found>(path: string): Promise<readonly Found[]> =>
  (((await fhir('GET', path)).body as Bundle).entry ?? []).map(({ resource }) => resource as Found)

describe('the clock', () => {
  test('is that of the machine until it is set, and shows the night before clocks change', async () => {
    const { body } = await clinic.ask('GET', '/clock')
    expect(body).toMatchObject({ runs: true, ahead: 'PT0S', timeZone: 'America/New_York' })
    expect(Math.abs(Date.parse(body.at) - Date.now())).toBeLessThan(MINUTE)
    expect((await set({ at: '2027-03-13T09:00:00-05:00' })).body).toMatchObject({
      at: expect.stringMatching(/^2027-03-13T09:.*-05:00$/),
      runs: true,
      nextDaylightSaving: '2027-03-14T00:00:00.000-05:00',
    })
  })

  test('goes on by days of the clinic, of which one has 23 hours, and by hours', async () => {
    await set({ at: '2027-03-13T09:00:00-05:00', runs: false })
    expect((await advance('P1D')).body.at).toBe('2027-03-14T09:00:00.000-04:00')
    expect((await advance('PT24H')).body.at).toBe('2027-03-15T09:00:00.000-04:00')
  })

  test('stands still where it is stopped, and goes on from there', async () => {
    const { body } = await set({ runs: false })
    expect(body.runs).toBe(false)
    expect([await time(), await time()]).toEqual([Date.parse(body.at), Date.parse(body.at)])
    expect((await advance('PT1H')).body).toMatchObject({ runs: false })
    expect((await set({ runs: true })).body.runs).toBe(true)
    const from = await time()
    await until(async () => (await time()) > from)
  })

  test('goes forward only; a reset sets it back', async () => {
    await advance('P8D')
    const ahead = await time()
    for (const { status, text } of [
      await set({ at: new Date(ahead - MINUTE).toISOString() }),
      await advance('-PT1M'),
    ]) {
      expect([status, text]).toEqual([422, expect.stringContaining('a reset of the clinic sets it back')])
    }
    expect(await time()).toBeGreaterThanOrEqual(ahead)
    await clinic.resetTo('empty')
    expect((await clinic.ask('GET', '/clock')).body.ahead).toBe('PT0S')
  })

  test.each<[string, string, unknown, number, string]>([
    ['a time without an offset', 'PUT', { at: '2027-03-13T09:00:00' }, 400, 'a time with its offset'],
    ['a day', 'PUT', { at: '2027-03-13' }, 400, 'a time with its offset'],
    ['a time that is none', 'PUT', { at: '2027-02-30T09:00:00Z' }, 400, 'a time with its offset'],
    ['nothing', 'PUT', {}, 400, 'a time with its offset'],
    ['a word for whether it runs', 'PUT', { at: '2027-03-13T09:00:00Z', runs: 'no' }, 400, 'a time with its offset'],
    ['a member that is not known', 'PUT', { runs: true, run: false }, 400, 'a time with its offset'],
    ['a list', 'PUT', [], 400, 'a time with its offset'],
    [
      'a time eleven years ahead',
      'PUT',
      { at: `${new Date().getUTCFullYear() + 11}-01-01T00:00:00Z` },
      422,
      '10 years ahead',
    ],
    ['no duration', 'POST', { by: 'a day' }, 400, 'ISO 8601 duration'],
    ['a number of milliseconds', 'POST', { by: 1000 }, 400, 'ISO 8601 duration'],
    ['eleven years', 'POST', { by: 'P11Y' }, 422, '10 years ahead'],
    ['more years than a calendar has', 'POST', { by: 'P9999999Y' }, 422, '10 years ahead'],
  ])('is not set to %s', async (_what, method, body, status, says) => {
    const before = (await clinic.ask('GET', '/clock')).body.ahead
    const refused = await clinic.ask(method, method === 'PUT' ? '/clock' : '/clock/advance', body)
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(says)])
    expect((await clinic.ask('GET', '/clock')).body.ahead).toBe(before)
  })

  test('is read by staff, set by admins, and is nobody else’s', async () => {
    const { server, ask } = clinic
    expect((await ask('GET', '/clock', undefined, server.token)).status).toBe(200)
    expect((await set({ runs: false }, server.token)).status).toBe(403)
    expect((await ask('POST', '/clock/advance', { by: 'P1D' }, server.token)).status).toBe(403)
    expect((await askAs(server, admin, 'PUT', '/clinics/other/clock', { runs: false })).status).toBe(403)
    expect((await ask('GET', '/clock', undefined, 'none')).status).toBe(401)
  })

  test('of one clinic is not that of another', async () => {
    const { body: clone } = await askAs(clinic.server, admin, 'POST', '/clinics', { from: { scenario: 'empty' } })
    const ofClone = async () =>
      Date.parse((await askAs(clinic.server, clone.token, 'GET', `/clinics/${clone.id}/clock`)).body.at)
    await advance('P30D')
    expect((await time()) - (await ofClone())).toBeGreaterThan(29 * DAY)
    await askAs(clinic.server, clone.token, 'POST', `/clinics/${clone.id}/clock/advance`, { by: 'P60D' })
    expect((await ofClone()) - (await time())).toBeGreaterThan(29 * DAY)
    expect(await validated(await time(), clone.token)).toEqual([])
    expect(await validated((await ofClone()) - DAY)).toEqual([expect.stringContaining('born-1')])
  })
})

const PROFILE = 'https://example.org/fhir/StructureDefinition/born'

/** The errors of a Patient who is born on that day, by a profile that says that it has come. */
async function validated(birthday: number, token = admin): Promise<readonly string[]> {
  await askAs(clinic.server, token, 'PUT', '/StructureDefinition/born', {
    resourceType: 'StructureDefinition',
    id: 'born',
    url: PROFILE,
    name: 'Born',
    status: 'active',
    kind: 'resource',
    abstract: false,
    type: 'Patient',
    baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
    derivation: 'constraint',
    differential: {
      element: [
        {
          id: 'Patient',
          path: 'Patient',
          constraint: [
            {
              key: 'born-1',
              severity: 'error',
              human: 'The day of birth has come',
              expression: 'birthDate <= today() and birthDate <= now()',
            },
          ],
        },
      ],
    },
  })
  const patient = { resourceType: 'Patient', meta: { profile: [PROFILE] }, birthDate: dateOf(birthday) }
  const { body } = await askAs(clinic.server, token, 'POST', '/Patient/$validate', patient)
  return (body as OperationOutcome).issue
    .filter(({ severity }) => severity === 'error')
    .map(({ diagnostics = '' }) => diagnostics)
}

describe('by the clock of the clinic go', () => {
  test('today() and now() in the invariants of profiles', async () => {
    const tomorrow = Date.now() + 2 * DAY
    expect(await validated(tomorrow)).toEqual([expect.stringContaining('born-1')])
    await advance('P4D')
    expect(await validated(tomorrow)).toEqual([])
  })

  test('dates that are approximately those of a search', async () => {
    const birthDate = dateOf(Date.now() - 300 * DAY)
    await fhir('PUT', '/Patient/p', { resourceType: 'Patient', id: 'p', birthDate })
    const query = `Patient?birthdate=ap${dateOf(Date.now() - 200 * DAY)}`
    expect(await idsOf(clinic.server, admin, query)).toEqual([])
    await advance('P3Y')
    expect(await idsOf(clinic.server, admin, query)).toEqual(['p'])
  })

  test('when a visit has passed', async () => {
    const { status } = await bookAt((await time()) + DAY)
    expect(status).toBe(201)
    await advance('P2D')
    const refused = await bookAt(Date.now() + DAY)
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('which has passed')])
  })

  test('the end of a hold: at once, the Slot is free', async () => {
    const { slot, appointment } = await held()
    expect((await fhir('GET', `/Slot/${slot}`)).body.status).toBe('busy-tentative')
    await advance('PT2H')
    expect((await fhir('GET', `/Slot/${slot}`)).body.status).toBe('free')
    expect((await fhir('GET', `/Appointment/${appointment}`)).body.status).toBe('cancelled')
  })

  test('the Slots of a Schedule: beyond those that there are come new ones', async () => {
    await openAllDay('calendar')
    await until(async () => (await startsFrom('calendar', Date.now())).length > 0)
    await advance('P60D')
    const now = await time()
    await until(async () => (await startsFrom('calendar', now)).length > 0)
    expect(Date.parse((await startsFrom('calendar', now))[0] ?? '') - now).toBeLessThan(DAY)
  })

  test('the Slots of a Schedule, also where it is stopped', async () => {
    await set({ at: '2027-06-01T12:00:00-04:00', runs: false })
    await openAllDay('calendar')
    await until(async () => (await startsFrom('calendar', Date.now())).length > 0)
    expect((await startsFrom('calendar', Date.now()))[0]).toBe('2027-06-01T12:00:00-04:00')
  })
})

describe('the night in which clocks go forward', () => {
  test('has no Slots in the hour that is skipped', async () => {
    await set({ at: '2027-03-13T12:00:00-05:00' })
    await openAllDay('calendar')
    const night = async () =>
      (await startsFrom('calendar', Date.parse('2027-03-14T00:00:00-05:00'))).filter((start) => start < '2027-03-14T04')
    await until(async () => (await night()).length >= 6)
    expect(await night()).toEqual([
      ...['2027-03-14T00:00:00-05:00', '2027-03-14T00:30:00-05:00'],
      ...['2027-03-14T01:00:00-05:00', '2027-03-14T01:30:00-05:00'],
      ...['2027-03-14T03:00:00-04:00', '2027-03-14T03:30:00-04:00'],
    ])
  })
})

describe('by the time of the machine go', () => {
  test('meta.lastUpdated, history, ETag, and pages by _lastUpdated', async () => {
    const from = Date.now()
    await advance('P1Y')
    for (const family of ['One', 'Two', 'Three', 'Four']) {
      await fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family }] })
      await advance('P1D')
    }
    const query = `Patient?_lastUpdated=ge${new Date(from).toISOString()}&_lastUpdated=le${new Date(Date.now() + MINUTE).toISOString()}`
    const first = (await fhir('GET', `/${query}&_sort=_lastUpdated&_count=3`)).body as Bundle
    const next = first.link?.find(({ relation }) => relation === 'next')?.url ?? ''
    const second = (await fhir('GET', next.replace(clinic.server.url, ''))).body as Bundle
    const families = [first, second].flatMap(({ entry = [] }) =>
      entry.map(({ resource }) => (resource as { name?: { family?: string }[] }).name?.[0]?.family),
    )
    expect(families).toEqual(['One', 'Two', 'Three', 'Four'])
    const history = (await fhir('GET', `/Patient/_history?_since=${new Date(from).toISOString()}`)).body as Bundle
    expect(history.entry).toHaveLength(4)
    const ages = (history.entry ?? []).map(({ response }) => Date.now() - Date.parse(response?.lastModified ?? ''))
    expect(ages.every((age) => age >= 0 && age < Date.now() - from + 1_000)).toBe(true)
    expect(await idsOf(clinic.server, admin, `Patient?_lastUpdated=ap${dateOf(Date.now() - 90 * DAY)}`)).toEqual([])
  })

  test('sessions, and bytes that wait to be used', async () => {
    const data = Buffer.from('z'.repeat(40_000)).toString('base64')
    const { body } = await fhir('POST', '/Binary', { resourceType: 'Binary', contentType: 'text/plain', data })
    await advance('P9Y')
    expect((await fhir('GET', `/Binary/${body.id}`)).status).toBe(200)
  })
})

/** A Schedule of half hours at all times of all days, for a week. */
async function openAllDay(id: string): Promise<void> {
  const { status, text } = await fhir('PUT', `/Schedule/${id}`, allDaySchedule(id, { display: 'Dr. Night' }))
  expect([status, text]).toEqual([201, expect.anything()])
}

const startsFrom = async (schedule: string, from: number): Promise<readonly string[]> =>
  (await found<Slot>(`/Slot?schedule=Schedule/${schedule}&start=ge${new Date(from).toISOString()}&_sort=start`)).map(
    ({ start }) => start,
  )

async function slotAt(start: number): Promise<string> {
  await fhir('PUT', '/Schedule/s', { resourceType: 'Schedule', id: 's', actor: [{ display: 'Dr. Day' }] })
  const { body } = await fhir('POST', '/Slot', {
    resourceType: 'Slot',
    schedule: { reference: 'Schedule/s' },
    status: 'free',
    start: new Date(start).toISOString(),
    end: new Date(start + 30 * MINUTE).toISOString(),
  })
  return body.id
}

async function bookAt(start: number, status = 'booked') {
  const slot = await slotAt(start)
  await fhir('PUT', '/Patient/p', { resourceType: 'Patient', id: 'p' })
  const answer = await fhir('POST', '/Appointment', {
    resourceType: 'Appointment',
    status,
    start: new Date(start).toISOString(),
    end: new Date(start + 30 * MINUTE).toISOString(),
    slot: [{ reference: `Slot/${slot}` }],
    participant: [{ actor: { reference: 'Patient/p' }, status: 'accepted' }],
  })
  return { ...answer, slot }
}

async function held(): Promise<{ readonly slot: string; readonly appointment: string }> {
  const { slot, body } = await bookAt((await time()) + DAY, 'proposed')
  const { status, text } = await fhir('POST', '/Appointment/$hold', {
    resourceType: 'Parameters',
    parameter: [{ name: 'appointment-reference', valueReference: { reference: `Appointment/${body.id}` } }],
  })
  expect([status, text]).toEqual([200, expect.anything()])
  return { slot, appointment: body.id }
}
