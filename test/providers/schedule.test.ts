/** Schedule: working hours that are written, and searches for free times as integrators make them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle, BundleEntry, Resource, Schedule, Slot } from 'fhir/r4'
import { appointmentType, open, scheduleWith, slotMinutes } from '../scheduling/availability-samples.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe('the working hours of a Schedule', () => {
  const faulty = scheduleWith('faulty', slotMinutes(3), open('12:00', '09:00'))

  test('are refused as a whole with 422, an issue for each fault, and nothing is written', async () => {
    const { status, body } = await server.fhir('PUT', '/Schedule/faulty', faulty)
    expect(status).toBe(422)
    expect(body.issue.map((issue: { expression: string[] }) => issue.expression[0])).toEqual([
      'Schedule.extension[0].extension[0]',
      'Schedule.extension[0].extension[1]',
    ])
    expect((await server.fhir('POST', '/Schedule', faulty)).status).toBe(422)
    expect((await server.fhir('GET', '/Schedule/faulty')).status).toBe(404)
  })

  test('are checked when they are patched too', async () => {
    await server.fhir('PUT', '/Schedule/patched', scheduleWith('patched', slotMinutes(30), open('09:00', '10:00')))
    const patch = [{ op: 'replace', path: '/extension/0/extension/0/valuePositiveInt', value: 2 }]
    expect((await server.fhir('PATCH', '/Schedule/patched', patch)).status).toBe(422)
  })

  test('are stored as they were sent, and $validate knows them by their definition', async () => {
    const schedule = scheduleWith('kept', slotMinutes(30), open('09:00', '10:00', ['sun']))
    await server.fhir('PUT', '/Schedule/kept', schedule)
    expect((await server.fhir('GET', '/Schedule/kept')).body).toMatchObject(schedule)
    const valid = await server.fhir('POST', '/Schedule/$validate', schedule)
    expect(errorsOf(valid.body)).toEqual([])
    const { extension: [availability] = [] } = schedule
    const wrong = {
      ...availability,
      extension: [...(availability?.extension ?? []), { url: 'slotSize', valueCode: 'x' }],
    }
    expect(
      errorsOf((await server.fhir('POST', '/Schedule/$validate', { ...schedule, extension: [wrong] })).body),
    ).not.toEqual([])
  })

  test('become Slots in the background, a moment later', async () => {
    const { body } = await server.fhir(
      'POST',
      '/Schedule',
      scheduleWith('ignored', slotMinutes(60), open('00:00', '00:00')),
    )
    const count = async () => (await server.fhir('GET', `/Slot?schedule=Schedule/${body.id}&_summary=count`)).body.total
    // All slots but the past ones of today.
    while ((await count()) < 29 * 24) await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await count()).toBeLessThanOrEqual(30 * 24)
  })

  const errorsOf = ({ issue = [] }: { issue?: readonly { severity: string }[] }) =>
    issue.filter(({ severity }) => severity === 'error')
})

describe('free times are found', () => {
  const GENERAL = 'http://terminology.hl7.org/CodeSystem/service-type|124'
  const FAMILY = 'http://snomed.info/sct|419772000'
  const OKAFOR = 'Practitioner/practitioner-okafor'

  const entries = async (path: string, mode = 'match') => {
    const { status, body } = await server.fhir('GET', path)
    expect([path, status]).toEqual([path, 200])
    const { entry = [] } = body as Bundle
    return entry.filter((one: BundleEntry) => one.search?.mode === mode).flatMap(({ resource }) => resource ?? [])
  }
  const found = async <R extends Resource>(path: string) => (await entries(path)) as R[]
  /** The references of the slots to Schedules of the demo clinic. */
  const schedulesOf = (slots: readonly Slot[]) =>
    [...new Set(slots.map(({ schedule }) => schedule.reference))]
      .filter((reference) => reference?.startsWith('Schedule/schedule-'))
      .toSorted()

  test.each<[string, readonly string[]]>([
    ['schedule=Schedule/schedule-okafor', ['okafor']],
    ['schedule=schedule-okafor,schedule-delgado', ['delgado', 'okafor']],
    [`schedule.actor:Practitioner=practitioner-okafor`, ['okafor']],
    [`schedule.actor=${OKAFOR}`, ['okafor']],
    ['schedule.actor:Location=location-riverside', ['lindqvist']],
    ['schedule.actor:Practitioner.name=okafor', ['okafor']],
    [`service-type=${GENERAL}`, ['delgado', 'lindqvist', 'okafor']],
    ['service-type=http://example.org|124', []],
    [`specialty=${FAMILY}`, ['delgado', 'okafor']],
    [`specialty=394537008`, ['lindqvist']],
    [`schedule.specialty=394537008`, ['lindqvist']],
    ['_tag=https://sandbox-emr.example/fhir/CodeSystem/slot-origin|generated', ['delgado', 'lindqvist', 'okafor']],
  ])('GET /Slot?status=free&%s', async (query, schedules) => {
    const slots = await found<Slot>(`/Slot?status=free&_count=1000&${query}`)
    expect(schedulesOf(slots)).toEqual(schedules.map((name) => `Schedule/schedule-${name}`))
    expect(slots.every(({ status }) => status === 'free')).toBe(true)
  })

  test('in a span of time, first ones first, by both ends of start', async () => {
    const all = await found<Slot>('/Slot?schedule=Schedule/schedule-okafor&status=free&_sort=start&_count=1000')
    const [from, until] = [all[3]?.start ?? '', all[9]?.start ?? '']
    const query = new URLSearchParams({ schedule: 'Schedule/schedule-okafor', status: 'free', _sort: 'start' })
    query.append('start', `ge${from}`)
    query.append('start', `lt${until}`)
    expect((await found<Slot>(`/Slot?${query}`)).map(({ id }) => id)).toEqual(all.slice(3, 9).map(({ id }) => id))
  })

  test('by status, with several and by what it is not', async () => {
    const busy = await found<Slot>('/Slot?status=busy,busy-tentative&_count=1000')
    expect(busy.length).toBeGreaterThan(0)
    expect((await found<Slot>('/Slot?status:not=free&_count=1000')).map(({ id }) => id).toSorted()).toEqual(
      busy.map(({ id }) => id).toSorted(),
    )
  })

  test('with the Schedule, its practitioner and its location', async () => {
    const path =
      '/Slot?schedule=Schedule/schedule-okafor&_include=Slot:schedule&_include:iterate=Schedule:actor&_count=1'
    const included = await entries(path, 'include')
    expect(included.map(({ resourceType, id }) => `${resourceType}/${id}`).toSorted()).toEqual([
      'Location/location-maple-street',
      OKAFOR,
      'Schedule/schedule-okafor',
    ])
    const practitioners = path.replace('Schedule:actor', 'Schedule:actor:Practitioner')
    expect((await entries(practitioners, 'include')).map(({ id }) => id)).not.toContain('location-maple-street')
  })

  test('by the appointment type of the hours', async () => {
    const schedule = scheduleWith(
      'typed',
      slotMinutes(30),
      open('00:00', '00:00', undefined, 'WALKIN'),
      appointmentType('WALKIN', 50, 0, 10),
    )
    await server.fhir('PUT', '/Schedule/typed', schedule)
    await server.fhir('POST', '/Schedule/typed/$generate-slots')
    const visits = await found<Slot>('/Slot?appointment-type=http://terminology.hl7.org/CodeSystem/v2-0276|WALKIN')
    expect(visits).toHaveLength(20)
    const buffers = await found<Slot>('/Slot?schedule=Schedule/typed&status=busy-unavailable')
    expect(buffers.every((slot) => Date.parse(slot.end) - Date.parse(slot.start) === 600_000)).toBe(true)
    expect(buffers).toHaveLength(20)
  })

  test.each<[string, readonly string[]]>([
    ['actor=Practitioner/practitioner-okafor', ['okafor']],
    ['actor:Practitioner=practitioner-okafor', ['okafor']],
    ['actor:Location=location-riverside', ['lindqvist']],
    ['actor:Practitioner.name=lindqvist', ['lindqvist']],
    ['active=true&_id=schedule-okafor,schedule-delgado', ['delgado', 'okafor']],
    ['active=false', []],
    [`service-type=${GENERAL}`, ['delgado', 'lindqvist', 'okafor']],
    [`specialty=${FAMILY}`, ['delgado', 'okafor']],
    ['_has:Slot:schedule:status=busy', ['delgado', 'lindqvist', 'okafor']],
  ])('GET /Schedule?%s', async (query, names) => {
    const schedules = await found<Schedule>(`/Schedule?${query}`)
    const ids = schedules.map(({ id = '' }) => id).filter((id) => id.startsWith('schedule-'))
    expect(ids.toSorted()).toEqual(names.map((name) => `schedule-${name}`))
  })

  test('of R4’s parameters for Schedule and Slot none is left out of /metadata', async () => {
    const { body } = await server.fhir('GET', '/metadata')
    const parametersOf = (type: string): string[] =>
      body.rest[0].resource
        .find((one: { type: string }) => one.type === type)
        .searchParam.map(({ name }: { name: string }) => name)
    // https://hl7.org/fhir/R4/schedule.html#search, https://hl7.org/fhir/R4/slot.html#search
    expect(parametersOf('Schedule')).toEqual(
      expect.arrayContaining([
        'active',
        'actor',
        'date',
        'identifier',
        'service-category',
        'service-type',
        'specialty',
      ]),
    )
    expect(parametersOf('Slot')).toEqual(
      expect.arrayContaining([
        ...['appointment-type', 'identifier', 'schedule', 'service-category', 'service-type', 'specialty', 'start'],
        'status',
      ]),
    )
  })

  test('Schedules by the time that they cover', async () => {
    const planningHorizon = { start: '2030-01-01', end: '2030-06-30' }
    await server.fhir('PUT', '/Schedule/later', {
      resourceType: 'Schedule',
      id: 'later',
      identifier: [{ system: 'http://example.org/calendars', value: '7' }],
      planningHorizon,
      actor: [{ reference: OKAFOR }],
    })
    const ids = async (query: string) => (await found<Schedule>(`/Schedule?${query}`)).map(({ id }) => id)
    expect(await ids('date=ge2030-02-01&date=lt2030-03-01')).toContain('later')
    expect(await ids('date=gt2031')).not.toContain('later')
    expect(await ids('identifier=http://example.org/calendars|7')).toEqual(['later'])
  })
})
