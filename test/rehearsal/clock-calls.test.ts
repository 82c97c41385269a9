/** The clock of a clinic in live calls: spoken times, the memory of calls and repeats, and what is delivered later. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Communication, Encounter, Slot } from 'fhir/r4'
import { Caller, INTAKE } from '../calls/caller.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { request } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { allDaySchedule } from './all-day-schedule.ts'
import { type Rehearsed, startRehearsed } from './rehearsed.ts'

const MINUTE = 60_000
const DAY = 86_400_000

let clinic: Rehearsed
let crm: Receiver
beforeAll(async () => {
  clinic = await startRehearsed()
  crm = await startReceiver()
})
afterAll(async () => {
  await clinic.server.close()
  await crm.close()
})
beforeEach(() => clinic.resetTo('empty'))

const set = (at: string) => clinic.ask('PUT', '/clock', { at })
const advance = (by: string) => clinic.ask('POST', '/clock/advance', { by })
/** Milliseconds since 1970 UTC. */
const time = async (): Promise<number> => Date.parse((await clinic.ask('GET', '/clock')).body.at)
const fhir = (method: string, path: string, body?: unknown) => clinic.server.fhir(method, path, body)
const caller = () => new Caller(clinic.server)

/** Dr. Nightingale, who is there at all times. */
async function openAllDay(): Promise<void> {
  const name = [{ family: 'Nightingale', given: ['Flora'], prefix: ['Dr.'] }]
  await fhir('PUT', '/Practitioner/night', { resourceType: 'Practitioner', id: 'night', name })
  await fhir('PUT', '/Schedule/night', allDaySchedule('night', { reference: 'Practitioner/night' }))
}

const slotsFrom = async (from: string): Promise<readonly Slot[]> => {
  const { body } = await fhir('GET', `/Slot?schedule=Schedule/night&start=ge${from}&_sort=start&_count=200`)
  return (body.entry ?? []).map(({ resource }: { resource: Slot }) => resource)
}

/** The starts that the tool offers. */
const offered = async (when: string): Promise<readonly string[]> => {
  const { slots = [] } = await caller().use('find_available_slots', { practitionerName: 'Nightingale', when })
  return (slots as readonly { readonly start: string }[]).map(({ start }) => start)
}

describe('spoken times', () => {
  test('"tomorrow at nine" on the day before clocks go forward is nine by the new time', async () => {
    await set('2027-03-13T12:00:00-05:00')
    await openAllDay()
    await until(async () => (await slotsFrom('2027-03-14T12:00:00-04:00')).length > 0)
    expect(await offered('tomorrow at nine in the morning')).toEqual(['2027-03-14T09:00:00-04:00'])
    expect(await offered('tomorrow at 2:30 am')).not.toContainEqual(expect.stringContaining('T02:'))
  })

  test('the hour that comes twice as clocks go back has Slots of two offsets', async () => {
    await set('2027-11-06T12:00:00-04:00')
    await openAllDay()
    await until(async () => (await slotsFrom('2027-11-07T12:00:00-05:00')).length > 0)
    // Slots are generated for its first time; a clinic may open the second one itself.
    await fhir('PUT', '/Slot/second', {
      resourceType: 'Slot',
      id: 'second',
      schedule: { reference: 'Schedule/night' },
      status: 'free',
      start: '2027-11-07T01:30:00-05:00',
      end: '2027-11-07T02:00:00-05:00',
    })
    const night = (await slotsFrom('2027-11-07T01:00:00-04:00')).filter(({ start }) => start < '2027-11-07T02:30')
    expect(night.map(({ start }) => start)).toEqual([
      ...['2027-11-07T01:00:00-04:00', '2027-11-07T01:30:00-04:00'],
      ...['2027-11-07T01:30:00-05:00', '2027-11-07T02:00:00-05:00'],
    ])
    expect(await offered('tomorrow at 1:30 am')).toEqual(['2027-11-07T01:30:00-04:00', '2027-11-07T01:30:00-05:00'])
  })

  test('a date of birth is in the past once the clinic’s clock has passed it, whatever the machine says', async () => {
    const dateOfBirth = new Date(Date.now() + 2 * DAY).toISOString().slice(0, 10)
    const valid = async () => caller().use('validate_intake_field', { fieldName: 'dateOfBirth', value: dateOfBirth })
    expect(await valid()).toMatchObject({ valid: false })
    await advance('P4D')
    expect(await valid()).toMatchObject({ valid: true })
  })
})

/** One tool call with its id, in the default call of the demo clinic unless a call is given. */
async function callOnce(id: string, headers: Record<string, string> = {}): Promise<string> {
  const { body } = await request(
    clinic.server.url,
    'POST',
    '/emr-scheduling/find_available_slots',
    {
      message: { toolCalls: [{ id, function: { arguments: { practitionerName: 'Nightingale', when: 'tomorrow' } } }] },
    },
    { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json', ...headers },
  )
  return body.results[0].result
}

describe('the scenario dst-weekend', () => {
  test('begins on the Friday before the clocks change, and has the Slots of both nights', async () => {
    await clinic.resetTo('dst-weekend')
    const { at, nextDaylightSaving } = (await clinic.ask('GET', '/clock')).body
    expect(Date.parse(nextDaylightSaving) - Date.parse(at)).toBeGreaterThan(DAY)
    expect(Date.parse(nextDaylightSaving) - Date.parse(at)).toBeLessThan(2 * DAY)
    const { body } = await fhir('GET', '/Slot?schedule=Schedule/schedule-fall&_sort=start&_count=200')
    const starts: readonly string[] = body.entry.map(({ resource }: { resource: Slot }) => resource.start)
    const offsets = (hour: string) =>
      starts.filter((start) => start.includes(`T${hour}:00:00`)).map((start) => start.slice(-6))
    expect(offsets('01').toSorted()).toEqual(['-04:00', '-05:00', '-05:00'])
    expect(offsets('02')).toEqual(['-05:00'])
  })
})

describe('the memory of live calls', () => {
  test('lets a repeat of a tool call run anew after 25 hours, not before', async () => {
    await openAllDay()
    await until(async () => (await slotsFrom(new Date(Date.now() + 3 * DAY).toISOString())).length > 0)
    const first = await callOnce('t1')
    await advance('PT23H')
    expect(await callOnce('t1')).toBe(first)
    await advance('PT2H')
    await until(async () => (await slotsFrom(new Date((await time()) + 3 * DAY).toISOString())).length > 0)
    expect(JSON.parse(first)).toMatchObject({ success: true })
    expect(JSON.parse(await callOnce('t1'))).toMatchObject({ success: true })
    expect(await callOnce('t1')).not.toBe(first)
  })

  test('forgets a call after seven days: the same id begins another one', async () => {
    const call = caller()
    const known = async () => (await clinic.ask('GET', `/calls/${call.id}`)).status
    await call.use('submit_intake', INTAKE)
    const before = await call.patientId()
    expect(await known()).toBe(200)
    await advance('P6D')
    expect(await known()).toBe(200)
    await advance('P2D')
    expect(await known()).toBe(404)
    await call.use('submit_intake', { ...INTAKE, firstName: 'Joan', phone: '+12125550188', dateOfBirth: '1961-02-03' })
    expect(await known()).toBe(200)
    expect(await call.patientId()).not.toBe(before)
  })

  test('ends a call in which nothing was said for long', async () => {
    const call = caller()
    await call.use('submit_intake', INTAKE)
    await advance('P1D')
    await until(async () => (await call.encounter())?.status === 'finished')
    expect(await call.use('submit_intake', INTAKE)).toMatchObject({
      success: false,
      code: 'call-ended',
    })
  })
})

describe('a clock that is set while a call is in progress', () => {
  test('holds for its next tool call, and the log and the end of the call go by it', async () => {
    const call = caller()
    const from = await time()
    await call.use('submit_intake', INTAKE)
    await clinic.ask('POST', '/clock/advance', { by: 'PT20M' })
    await call.use('submit_intake', { ...INTAKE, reasonForVisit: 'a cough for three weeks' })
    const log = await call.find<Communication>(`Communication?identifier=${call.id}&_sort=sent`)
    const sent = log.map(({ sent }) => Date.parse(sent ?? ''))
    expect(sent).toHaveLength(2)
    expect((sent[1] ?? 0) - (sent[0] ?? 0)).toBeGreaterThanOrEqual(20 * MINUTE)
    expect(sent[0]).toBeGreaterThanOrEqual(from)
    // The platform has the time of the machine.
    const ended = await request(
      clinic.server.url,
      'POST',
      `/calls/${call.id}/end`,
      { endedAt: new Date().toISOString() },
      { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' },
    )
    expect(ended.status).toBe(200)
    const { period, status } = (await call.encounter()) as Encounter
    expect(status).toBe('finished')
    expect(Date.parse(period?.end ?? '') - Date.parse(period?.start ?? '')).toBeGreaterThanOrEqual(20 * MINUTE)
  })
})

describe('what is left unfinished', () => {
  const abandonments = async () => (await fhir('GET', '/Task?code=abandonment-recovery')).body.entry ?? []

  test('becomes an abandonment once its time has passed, not before', async () => {
    await caller().use('update_registration_field', { firstName: 'Jane', lastName: 'Doe' })
    await advance('PT23H')
    expect(await abandonments()).toEqual([])
    await advance('PT2H')
    await until(async () => (await abandonments()).length === 1)
  })
})

describe('the outbox', () => {
  test('delivers what waits for its next try once the clock has reached it, not before', async () => {
    const { body: settings } = await clinic.ask('GET', '/settings')
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    await clinic.ask('PUT', '/settings', { ...settings, crm: { enabled: true, url: crm.url, secret } })
    await clinic.ask('PUT', '/clock', { runs: false })
    crm.answer(503, { 'retry-after': '3600' })
    await caller().use('submit_intake', INTAKE)
    const waiting = async () => (await clinic.ask('GET', '/outbox?state=waiting')).body.messages
    expect(await waiting()).toMatchObject([{ tries: 1 }])
    crm.answer(204)
    const tries = crm.received.length
    await advance('PT30M')
    await fhir('GET', '/Patient')
    expect([crm.received.length, (await waiting()).length]).toEqual([tries, 1])
    await advance('PT40M')
    await until(async () => (await waiting()).length === 0)
    expect(crm.received.length).toBe(tries + 1)
    await clinic.ask('PUT', '/settings', settings)
  })
})
