/** Appointment/$find: docs/operations/appointment-find.md. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Appointment, Bundle, OperationOutcome } from 'fhir/r4'
import { readProposal } from '../../src/booking/proposal.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { appointmentType, availability, open, slotMinutes, timeZone } from '../scheduling/availability-samples.ts'
import { PATIENT } from '../support/booking.ts'
import type { FhirResponse } from '../support/server.ts'
import { OTHER_CLINIC, startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  await putAll(CALENDARS)
})
afterAll(() => clinics.server.close())

/** A Monday in New York, where the clinic is: 14:00 UTC is nine o'clock. Nothing else is stored in that week. */
const at = (day: number, halfHours: number): string =>
  new Date(Date.UTC(2031, 2, 3 + day, 14, 30 * halfHours)).toISOString()
const WEEK = { start: '2031-03-03', end: '2031-03-07' }

interface Stored {
  readonly resourceType: string
  readonly id: string
  readonly [element: string]: unknown
}

const slot = (schedule: string, day: number, start: number, more: object = {}): Stored => ({
  resourceType: 'Slot',
  id: `${schedule}-${day}-${start}`,
  schedule: { reference: `Schedule/${schedule}` },
  status: 'free',
  start: at(day, start),
  end: at(day, start + 1),
  ...more,
})
const place = (id: string, more: object): Stored => ({ resourceType: 'Location', id, ...more })
const of = (address: string) => ({ reference: address })

/** Hips by Ann at the harbour, skin by Bob (in a role) on the hill, and a service that has a Schedule of its own. */
const CALENDARS: readonly Stored[] = [
  { resourceType: 'Organization', id: 'north', name: 'North' },
  ...['ann', 'bob'].map((id) => ({
    resourceType: 'Practitioner',
    id,
    identifier: [{ system: 'http://staff', value: `no|${id}` }],
  })),
  place('harbour', { name: 'Harbour House', managingOrganization: of('Organization/north') }),
  place('hill', { name: 'The Hill', alias: ['Top'], address: { city: 'Zürich', postalCode: '8001' } }),
  {
    resourceType: 'PractitionerRole',
    id: 'bob-on-the-hill',
    practitioner: of('Practitioner/bob'),
    organization: of('Organization/north'),
    location: [of('Location/hill')],
    specialty: [{ coding: [{ code: 'skin', display: 'Dermatology' }] }],
  },
  { resourceType: 'HealthcareService', id: 'scans', location: [of('Location/hill')] },
  {
    resourceType: 'Schedule',
    id: 'hips',
    actor: [{ ...of('Practitioner/ann'), display: 'Dr. Ann' }, of('Location/harbour')],
    specialty: [{ coding: [{ system: 'http://kinds', code: 'hip', display: 'Orthopedics' }] }],
    serviceType: [{ text: 'Consultation' }],
    extension: [
      availability(timeZone('UTC'), slotMinutes(30), open('09:00', '10:00'), appointmentType('CHECKUP', 60)),
      // Its hours are behind the Slots of this test.
    ],
    planningHorizon: { start: '2030-01-01', end: '2030-01-02' },
  },
  { resourceType: 'Schedule', id: 'skin', actor: [of('PractitionerRole/bob-on-the-hill')] },
  { resourceType: 'Schedule', id: 'scans', actor: [of('HealthcareService/scans')] },
  ...[0, 1, 4].map((start) => slot('hips', 0, start)),
  slot('hips', 0, 2, { status: 'busy' }),
  slot('hips', 2, 8),
  ...[0, 9].map((start) => slot('skin', 0, start)),
  slot('scans', 1, 0),
]
const ALL = ['hips-0-0', 'skin-0-0', 'hips-0-1', 'hips-0-4', 'skin-0-9', 'scans-1-0', 'hips-2-8']

async function putAll(resources: readonly Stored[], fhir = clinics.ours): Promise<void> {
  for (const resource of resources) {
    const { status, text } = await fhir('PUT', `/${resource.resourceType}/${resource.id}`, resource)
    if (status > 299) throw new Error(text)
  }
}

async function storeTogether(resources: readonly Stored[]): Promise<void> {
  const entry = resources.map((resource) => ({
    resource,
    request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
  }))
  const { status, text } = await clinics.ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  if (status > 299) throw new Error(text)
}

type Query = Readonly<Record<string, string | number | readonly string[]>>

const get = (query: Query, fhir = clinics.ours): Promise<FhirResponse> => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return fhir('GET', `/Appointment/$find?${new URLSearchParams(pairs)}`)
}
const post = (parameter: readonly object[], fhir = clinics.ours): Promise<FhirResponse> =>
  fhir('POST', '/Appointment/$find', {
    resourceType: 'Parameters',
    parameter: [{ name: 'start', valueDateTime: WEEK.start }, { name: 'end', valueDateTime: WEEK.end }, ...parameter],
  })

/** The next page. */
async function nextOf(bundle: Bundle): Promise<Bundle> {
  const { url = '' } = bundle.link?.find(({ relation }) => relation === 'next') ?? {}
  return (await clinics.ours('GET', url.slice(clinics.server.url.length))).body
}

const resourcesIn = (bundle: Bundle) => (bundle.entry ?? []).flatMap(({ resource }) => resource ?? [])
const appointmentsIn = (bundle: Bundle): readonly Appointment[] =>
  resourcesIn(bundle).filter((one): one is Appointment => one.resourceType === 'Appointment')
const issuesIn = (bundle: Bundle) =>
  resourcesIn(bundle)
    .filter((one): one is OperationOutcome => one.resourceType === 'OperationOutcome')
    .flatMap(({ issue }) => issue)
const slotsIn = (bundle: Bundle): readonly string[] =>
  appointmentsIn(bundle).map(({ slot: slots = [] }) =>
    slots.map(({ reference = '' }) => reference.slice('Slot/'.length)).join('+'),
  )

/** The Slots that are offered in the week of the test; the clinic has no others then. */
async function found(query: Query): Promise<readonly string[]> {
  const { status, text, body } = await get({ ...WEEK, ...query })
  expect([status, text]).toEqual([200, expect.anything()])
  return slotsIn(body)
}

const idsFor = async (query: Query) => appointmentsIn((await get({ ...WEEK, ...query })).body).map(({ id = '' }) => id)
const proposal = async (id: string, clinic = DEMO_CLINIC) =>
  readProposal(await clinics.server.app.access(clinic, { kind: 'server' }).reader(), id)

describe('the answer', () => {
  test('is a searchset of proposed Appointments in order of start, by GET and by POST', async () => {
    const { status, body } = await get({ ...WEEK, practitioner: 'Practitioner/ann' })
    expect([status, body.type, body.total]).toEqual([200, 'searchset', 4])
    expect(body.entry[0].search.mode).toBe('match')
    expect(body.entry[0].resource).toEqual({
      resourceType: 'Appointment',
      id: '0.1.hips-0-0',
      status: 'proposed',
      serviceType: [{ text: 'Consultation' }],
      specialty: [{ coding: [{ system: 'http://kinds', code: 'hip', display: 'Orthopedics' }] }],
      start: at(0, 0),
      end: at(0, 1),
      minutesDuration: 30,
      slot: [{ reference: 'Slot/hips-0-0' }],
      participant: [
        { actor: { reference: 'Practitioner/ann', display: 'Dr. Ann' }, status: 'needs-action' },
        { actor: { reference: 'Location/harbour' }, status: 'needs-action' },
      ],
    })
    const posted = await post([{ name: 'practitioner', valueReference: of('Practitioner/ann') }])
    expect(posted.body.entry).toEqual(body.entry)
    expect(await found({})).toEqual(ALL)
  })

  test.each(['batch', 'transaction'])('is the same in a %s', async (type) => {
    const url = `Appointment/$find?${new URLSearchParams({ ...WEEK, reason: type, practitioner: 'Practitioner/ann' })}`
    const bundle = { resourceType: 'Bundle', type, entry: [{ request: { method: 'GET', url } }] }
    const { body } = await clinics.ours('POST', '/', bundle)
    const [offered] = appointmentsIn(body.entry[0].resource)
    expect(await proposal(offered?.id ?? '')).toMatchObject({ reasonCode: [{ text: type }], start: at(0, 0) })
  })

  test('is empty where there is nothing', async () => {
    const { body } = await get({ start: '2031-05-05', end: '2031-05-06' })
    expect([body.total, body.entry]).toEqual([0, undefined])
  })

  test('has pages, whose links repeat what was asked for, also by POST', async () => {
    const pages: string[] = []
    let { body } = await post([
      { name: '_count', valueInteger: 2 },
      { name: 'timing', valueTiming: { repeat: { dayOfWeek: ['mon', 'tue'] } } },
      { name: 'practitioner', valueReference: of('Practitioner/ann') },
      { name: 'practitioner', valueReference: { identifier: { system: 'http://staff', value: 'no|bob' } } },
    ])
    for (;;) {
      pages.push(slotsIn(body).join())
      const next = body.link.find(({ relation }: { relation: string }) => relation === 'next')
      if (next === undefined) break
      body = (await clinics.ours('GET', next.url.slice(clinics.server.url.length))).body
    }
    expect(pages).toEqual(['hips-0-0,skin-0-0', 'hips-0-1,hips-0-4', 'skin-0-9'])
  })

  test.each<readonly [string, Query, number]>([
    ['of all', {}, 7],
    ['of those with somebody, but for what ends too late', { practitioner: 'Practitioner/ann', end: at(2, 8.5) }, 3],
    ['of those of a kind', { specialty: 'hip' }, 4],
    ['of those of an inactive Schedule, which are none', { end: '2031-03-08' }, 7],
  ])('has the total %s on every page, unless it is not wanted', async (_what, query, total) => {
    await putAll([
      { resourceType: 'Schedule', id: 'closed', active: false, actor: [of('Practitioner/ann')] },
      slot('closed', 5, 0),
    ])
    for (const asked of [{}, { _total: 'estimate' }, { _total: 'accurate' }]) {
      const { body } = await get({ ...WEEK, ...query, ...asked, _count: 1 })
      const second = await nextOf(body)
      expect([body.total, second.total, slotsIn(second).length, issuesIn(body)]).toEqual([total, total, 1, []])
    }
    expect((await get({ ...WEEK, ...query, _count: 1, _total: 'none' })).body.total).toBeUndefined()
  })

  test('counts the first 500 times of many, or those in the first 100 Slots where their kind decides, and says so', async () => {
    const weeks = { start: '2032-03-01', end: '2032-12-31' }
    const DENSE = { resourceType: 'Schedule', id: 'dense', actor: [of('Practitioner/cid')] }
    const many = Array.from({ length: 510 }, (_, n) => slot('dense', 366 + Math.floor(n / 20), n % 20))
    await putAll([{ resourceType: 'Practitioner', id: 'cid' }, DENSE])
    await storeTogether(many)
    const asked = { ...weeks, practitioner: 'Practitioner/cid', _count: 2 }
    const { body } = await get(asked)
    expect([body.total, issuesIn(body)]).toMatchObject([500, [{ severity: 'information', expression: ['_total'] }]])
    const second = await nextOf(body)
    expect([second.total, issuesIn(second).length]).toEqual([500, 1])
    expect((await get({ ...asked, _total: 'accurate' })).body).toMatchObject({ total: 510 })
    const timed = { ...asked, timing: '{"repeat":{"when":["MORN"]}}' }
    const first = (await get(timed)).body
    expect(first.total).toBeGreaterThan(10)
    expect([first.total < 100, issuesIn(first).length]).toEqual([true, 1])
    expect((await get({ ...timed, _total: 'accurate' })).body.total).toBeGreaterThan(first.total)
    await clinics.ours('PUT', '/Schedule/dense', { ...DENSE, active: false })
  })

  test('is made of what can be read neither as an Appointment nor found by a search, as nothing is stored', async () => {
    const [id = ''] = await idsFor({ practitioner: 'Practitioner/ann' })
    const read = await clinics.ours('GET', `/Appointment/${id}`)
    expect([read.status, read.body.issue[0].code]).toEqual([404, 'not-found'])
    const search = await clinics.ours('GET', '/Appointment?date=ge2031-03-03&date=lt2031-03-08&_total=accurate')
    expect(search.body.total).toBe(0)
  })
})

describe('whom to see and where', () => {
  test.each<readonly [string, Query, readonly string[]]>([
    ['a practitioner of the Schedule', { practitioner: 'Practitioner/ann' }, ALL.filter((id) => id.startsWith('hips'))],
    ['a practitioner by a role', { practitioner: 'Practitioner/bob' }, ['skin-0-0', 'skin-0-9']],
    ['a role', { practitioner: 'PractitionerRole/bob-on-the-hill' }, ['skin-0-0', 'skin-0-9']],
    [
      'any of several, the preferred one first',
      { practitioner: ['Practitioner/bob', 'Practitioner/ann'], end: '2031-03-03T14:30:00Z' },
      ['skin-0-0', 'hips-0-0'],
    ],
    [
      'an organization by its roles and places',
      { organization: 'Organization/north' },
      ALL.filter((id) => !id.startsWith('scans')),
    ],
    ['a location', { 'location-reference': 'Location/harbour' }, ALL.filter((id) => id.startsWith('hips'))],
    [
      'a location by role and service',
      { 'location-reference': 'Location/hill' },
      ['skin-0-0', 'skin-0-9', 'scans-1-0'],
    ],
    ['the name of a location', { 'location-string': 'harbour' }, ALL.filter((id) => id.startsWith('hips'))],
    ['its alias', { 'location-string': 'top' }, ['skin-0-0', 'skin-0-9', 'scans-1-0']],
    ['its address', { 'location-string': ['zurich', 'nowhere'] }, ['skin-0-0', 'skin-0-9', 'scans-1-0']],
    [
      'both a practitioner and a location',
      { practitioner: ['Practitioner/ann', 'Practitioner/bob'], 'location-string': '8001' },
      ['skin-0-0', 'skin-0-9'],
    ],
    ['a specialty of the Schedule', { specialty: 'orthopedics' }, ALL.filter((id) => id.startsWith('hips'))],
    ['a specialty of the role', { specialty: '|SKIN' }, ['skin-0-0', 'skin-0-9']],
    ['a type of visit', { 'visit-type': 'consultation' }, ALL.filter((id) => id.startsWith('hips'))],
    ['an appointment type, with its minutes', { 'visit-type': 'checkup' }, ['hips-0-0+hips-0-1']],
  ])('%s', async (_what, query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test('who is not there is named, and whoever else is asked for is found', async () => {
    const { body } = await get({ ...WEEK, practitioner: ['Practitioner/nobody', 'Practitioner/bob'] })
    expect(slotsIn(body)).toEqual(['skin-0-0', 'skin-0-9'])
    expect(issuesIn(body)).toMatchObject([{ severity: 'warning', code: 'not-found', expression: ['practitioner'] }])
    expect(issuesIn(body)[0]?.diagnostics).toContain('Practitioner/nobody')
    expect(body.entry.at(-1).search.mode).toBe('outcome')
  })

  test.each<readonly [string, Query]>([
    ['practitioner', { practitioner: 'http://elsewhere.example/Practitioner/ann' }],
    ['organization', { organization: 'Organization/nobody' }],
    ['location-reference', { 'location-reference': 'Location/nowhere' }],
    ['location-string', { 'location-string': 'Atlantis' }],
    ['patient-reference', { 'patient-reference': ['Patient/nobody', PATIENT] }],
  ])('where nothing that is asked for is there, nothing is offered: %s', async (name, query) => {
    const { status, body } = await get({ ...WEEK, ...query })
    expect([status, slotsIn(body)]).toEqual([200, []])
    expect(issuesIn(body)).toMatchObject([{ severity: 'warning', code: 'not-found', expression: [name] }])
  })
})

describe('when', () => {
  const ucum = (value: number, code: string) => ({ value, system: 'http://unitsofmeasure.org', code })
  const timing = (repeat: object, more: object = {}): Query => ({ timing: JSON.stringify({ repeat, ...more }) })

  test.each<readonly [string, Query, readonly string[]]>([
    ['a day of the week, in the clinic’s zone', timing({ dayOfWeek: ['wed'] }), ['hips-2-8']],
    ['a time of day', timing({ timeOfDay: ['09:30:00', '11:00:00'] }), ['hips-0-1', 'hips-0-4']],
    ['a part of the day', timing({ when: ['AFT', 'NIGHT'] }), ['skin-0-9', 'hips-2-8']],
    ['a period', timing({ boundsPeriod: { start: '2031-03-04', end: '2031-03-04' } }), ['scans-1-0']],
    ['a length', timing({ duration: 1, durationUnit: 'h' }), ['hips-0-0+hips-0-1']],
    ['a length at most', timing({ duration: 20, durationMax: 25, durationUnit: 'min' }), []],
    ['a length from the start on', timing({ boundsDuration: ucum(1, 'd') }), ALL.slice(0, 5)],
    ['a range of lengths', timing({ boundsRange: { high: { value: 2, unit: 'd' } } }), ALL.slice(0, 6)],
    ['a time before a meal', timing({ when: ['ACD'] }), ['hips-0-4']],
    ['a time after a meal', timing({ when: ['PCM'] }), ['hips-0-0', 'skin-0-0', 'hips-0-1', 'scans-1-0']],
    [
      'minutes after a part of the day',
      timing({ when: ['MORN.early'], offset: 60 }),
      ['hips-0-0', 'skin-0-0', 'hips-0-1', 'scans-1-0'],
    ],
    ['minutes before a meal', timing({ when: ['ACD'], offset: 90 }), ['hips-0-1']],
    ['a code of a part of the day', { timing: '{"code":{"coding":[{"code":"PM"}]}}' }, ['skin-0-9', 'hips-2-8']],
    ['the data beside a code of somebody', timing({ dayOfWeek: ['wed'] }, { code: { text: 'our own' } }), ['hips-2-8']],
    ['an event', { timing: JSON.stringify({ event: ['2031-03-05', at(0, 1)] }) }, ['hips-0-1', 'hips-2-8']],
    ['times with an offset', { start: '2031-03-03T10:00:00-05:00', end: '2031-03-03T11:30:00-05:00' }, ['hips-0-4']],
  ])('%s', async (_what, query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test.each([
    [timing({ frequency: 2, period: 1, periodUnit: 'wk', dayOfWeek: ['wed'] }), ['frequency', 'period', 'periodUnit']],
    [timing({ count: 3, countMax: 5, dayOfWeek: ['wed'] }), ['count', 'countMax']],
  ])('how often is not a matter of one visit, so it is left to who books: %j', async (query, names) => {
    const { body } = await get({ ...WEEK, ...query })
    expect(slotsIn(body)).toEqual(['hips-2-8'])
    expect(issuesIn(body)).toMatchObject([
      { severity: 'information', expression: names.map((name) => `timing.repeat.${name}`) },
    ])
  })

  test('a code that says how often', async () => {
    const { body } = await get({ ...WEEK, timing: '{"code":{"text":"qid"}}' })
    expect([slotsIn(body), issuesIn(body)]).toMatchObject([ALL, [{ expression: ['timing.code'] }]])
  })

  test('what has passed is left out', async () => {
    const { body } = await get({ start: '2020-01-01', end: '2031-12-31', _count: 100 })
    const now = Date.now()
    for (const { start = '' } of appointmentsIn(body)) expect(Date.parse(start)).toBeGreaterThan(now)
    const past = await get({ start: '2020-01-01', end: '2020-01-02' })
    expect(slotsIn(past.body)).toEqual([])
    expect(issuesIn(past.body)).toMatchObject([{ severity: 'information', expression: ['end'] }])
  })

  test.each<readonly [string, Query, number, string]>([
    ['a start that is missing', { end: '2031-03-04' }, 400, 'start'],
    ['an end before the start', { start: '2031-03-04', end: '2031-03-03' }, 400, 'end'],
    ['a date that does not exist', { ...WEEK, start: '2031-02-30' }, 400, 'start'],
    ['a practitioner without a type', { ...WEEK, practitioner: 'ann' }, 400, 'practitioner[0]'],
    ['a practitioner of another type', { ...WEEK, practitioner: PATIENT }, 400, 'practitioner[0]'],
    ['a reference to nothing', { ...WEEK, 'patient-reference': '{"display":"Ruth"}' }, 400, 'patient-reference[0]'],
    ['a page of nothing', { ...WEEK, _count: 0 }, 400, '_count'],
    ['a total of another kind', { ...WEEK, _total: 'all' }, 400, '_total'],
    ['a cursor of something else', { ...WEEK, _cursor: 'bm90aGluZw' }, 400, '_cursor'],
    ['a cursor of an older server', { ...WEEK, _cursor: btoa('{"place":{"start":1}}') }, 400, '_cursor'],
    ['an unknown parameter', { ...WEEK, doctor: 'ann' }, 400, 'doctor'],
    ['a timing that is none', { ...WEEK, timing: 'mornings' }, 400, 'timing'],
    ['a day that is none', { ...WEEK, ...timing({ dayOfWeek: ['monday'] }) }, 400, 'timing.repeat.dayOfWeek[0]'],
    [
      'a visit of weeks',
      { ...WEEK, ...timing({ duration: 2, durationUnit: 'wk' }) },
      422,
      'timing.repeat.durationUnit',
    ],
    [
      'bounds of a length',
      { ...WEEK, ...timing({ boundsDuration: ucum(3, 'km') }) },
      422,
      'timing.repeat.boundsDuration',
    ],
    ['a code that nobody knows', { ...WEEK, timing: '{"code":{"text":"our own"}}' }, 422, 'timing.code'],
  ])('%s is refused, and named', async (_what, query, status, expression) => {
    const answer = await get(query)
    expect([answer.status, answer.body.issue[0].expression]).toEqual([status, [expression]])
  })
})

describe('what is said about the visit', () => {
  test('is part of what is proposed, and of what its id leads to', async () => {
    const asked = {
      practitioner: 'Practitioner/ann',
      'patient-reference': PATIENT,
      'visit-type': 'CHECKUP',
      reason: ['Hip pain', 'http://snomed.info/sct|49218002'],
      'referral-identifier': 'http://referrals|R-7',
      'insurance-reference': 'Coverage/any',
    }
    const { body } = await get({ ...WEEK, ...asked })
    const [offered] = appointmentsIn(body)
    expect(offered).toMatchObject({
      appointmentType: { coding: [{ code: 'CHECKUP' }] },
      reasonCode: [{ text: 'Hip pain' }, { coding: [{ system: 'http://snomed.info/sct', code: '49218002' }] }],
      basedOn: [{ type: 'ServiceRequest', identifier: { system: 'http://referrals', value: 'R-7' } }],
      supportingInformation: [{ reference: 'Coverage/any' }],
      minutesDuration: 60,
    })
    expect(offered?.participant[0]).toEqual({ actor: { reference: PATIENT }, status: 'needs-action' })
    expect(issuesIn(body)).toMatchObject([{ severity: 'warning', expression: ['insurance-reference'] }])
    const { id = '', ...rest } = offered ?? {}
    expect(await proposal(id)).toEqual(rest)
    expect(await idsFor(asked)).toEqual([id])
    expect(await idsFor({ ...asked, reason: 'Another' })).not.toEqual([id])
  })

  test('makes a group visit of several patients', async () => {
    const patients = [PATIENT, 'Patient/group-member']
    await putAll([{ resourceType: 'Patient', id: 'group-member' }])
    const { body } = await get({ ...WEEK, 'patient-reference': patients, _count: 1 })
    const actors = appointmentsIn(body)[0]?.participant.map(({ actor }) => actor?.reference)
    expect(actors?.slice(0, 2)).toEqual(patients)
  })

  test('a patient-resource of the clinic takes part; another one is for $book, and is not stored', async () => {
    const known = await post([
      { name: 'patient-resource', resource: { resourceType: 'Patient', id: 'abernathy-ruth' } },
    ])
    expect(appointmentsIn(known.body)[0]?.participant[0]?.actor).toEqual({ reference: PATIENT })
    const stranger = { resourceType: 'Patient', id: 'stranger', name: [{ family: 'Stranger' }] }
    const { body } = await post([{ name: 'patient-resource', resource: stranger }])
    expect(slotsIn(body)).toEqual(ALL)
    expect(issuesIn(body)).toMatchObject([{ severity: 'information', expression: ['patient-resource'] }])
    expect(JSON.stringify(body.link)).not.toContain('Stranger')
    expect((await clinics.ours('GET', '/Patient/stranger')).status).toBe(404)
  })
})

describe('the id of a proposal', () => {
  test('leads to its Slots as they are now, free or not, until one is gone', async () => {
    await putAll([slot('scans', 3, 0), slot('scans', 3, 1)])
    const query = { start: at(3, 0), end: at(3, 2), timing: '{"repeat":{"duration":60,"durationUnit":"min"}}' }
    const [id = ''] = await idsFor(query)
    expect(id).toBe('0.2.scans-3-0')
    await putAll([slot('scans', 3, 1, { status: 'busy', end: at(3, 3) })])
    expect(await proposal(id)).toMatchObject({ status: 'proposed', end: at(3, 3), minutesDuration: 90 })
    await clinics.ours('DELETE', '/Slot/scans-3-1')
    expect(await proposal(id)).toBeUndefined()
    await clinics.ours('DELETE', '/Slot/scans-3-0')
  })

  test('is possible for a Slot whose own id has 64 characters', async () => {
    const id = `long-${'x'.repeat(59)}`
    await putAll([{ ...slot('scans', 3, 4), id }])
    const query = { start: at(3, 4), end: at(3, 5) }
    const [short = ''] = await idsFor(query)
    expect(short.length).toBeLessThan(64)
    expect((await proposal(short))?.slot).toEqual([{ reference: `Slot/${id}` }])
    const [forPatient = ''] = await idsFor({ ...query, 'patient-reference': PATIENT })
    expect(forPatient).not.toBe(short)
    expect((await proposal(forPatient))?.participant[0]?.actor?.reference).toBe(PATIENT)
    await clinics.ours('DELETE', `/Slot/${id}`)
  })

  test.each([
    '0',
    '0.1',
    '0.0.hips-0-0',
    '0.300.hips-0-0',
    '0.2.hips-2-8',
    '0.1.none',
    'x.1.hips-0-0',
    'aaaaaaaaaaa.1.hips-0-0',
  ])('is not %s', async (id) => {
    expect(await proposal(id)).toBeUndefined()
  })

  test('offers to book: what $find proposes can be created as it is', async () => {
    const [offered] = appointmentsIn(
      (await get({ ...WEEK, practitioner: 'Practitioner/bob', 'patient-reference': PATIENT })).body,
    )
    const { id: _id, ...rest } = offered ?? {}
    const booked = await clinics.ours('POST', '/Appointment', { ...rest, status: 'booked' })
    expect([booked.status, booked.text]).toEqual([201, expect.anything()])
    expect(await found({ practitioner: 'Practitioner/bob' })).toEqual(['skin-0-9'])
    await clinics.ours('PUT', `/Appointment/${booked.body.id}`, { ...booked.body, status: 'cancelled' })
    expect(await found({ practitioner: 'Practitioner/bob' })).toEqual(['skin-0-0', 'skin-0-9'])
  })

  test('is what $hold and $book take: held time is not offered, and booked as it was proposed', async () => {
    const asked = { practitioner: 'Practitioner/ann', 'visit-type': 'checkup', 'patient-reference': PATIENT }
    const [id = ''] = await idsFor(asked)
    expect(id).toMatch(/\.2\.hips-0-0$/)
    const call = (operation: string, of: string) =>
      clinics.ours('POST', `/Appointment/$${operation}`, {
        resourceType: 'Parameters',
        parameter: [{ name: 'appointment-reference', valueReference: { reference: `Appointment/${of}` } }],
      })
    const held = await call('hold', id)
    expect([held.status, held.text]).toEqual([200, expect.anything()])
    expect(await found({ practitioner: 'Practitioner/ann' })).toEqual(['hips-0-4', 'hips-2-8'])
    expect((await call('hold', id)).body.resourceType).toBe('OperationOutcome')
    const booked = await call('book', appointmentsIn(held.body)[0]?.id ?? '')
    expect(appointmentsIn(booked.body)).toMatchObject([
      { status: 'booked', start: at(0, 0), end: at(0, 2), appointmentType: { coding: [{ code: 'CHECKUP' }] } },
    ])
    const [{ id: visit = '' } = {}] = appointmentsIn(booked.body)
    await clinics.ours('PUT', `/Appointment/${visit}`, { ...appointmentsIn(booked.body)[0], status: 'cancelled' })
    expect(await idsFor(asked)).toEqual([id])
  })

  test('of a Schedule whose practitioner is gone can be booked too', async () => {
    const schedule = {
      resourceType: 'Schedule',
      id: 'orphan',
      actor: [{ ...of('Practitioner/gone'), display: 'Dr. Gone' }],
    }
    await putAll([schedule, slot('orphan', 60, 0)])
    const [offered] = appointmentsIn((await get({ start: at(60, 0), end: at(60, 1) })).body)
    expect(offered?.participant).toEqual([{ actor: { display: 'Dr. Gone' }, status: 'needs-action' }])
    const { id: _id, ...rest } = offered ?? {}
    expect((await clinics.ours('POST', '/Appointment', { ...rest, status: 'booked' })).status).toBe(201)
  })
})

describe('another clinic', () => {
  test('has other times, practitioners and places, and no id of a proposal leads there', async () => {
    expect(slotsIn((await get(WEEK, clinics.theirs)).body)).toEqual([])
    const { body } = await get(
      { ...WEEK, practitioner: 'Practitioner/ann', 'location-string': 'harbour', 'patient-reference': PATIENT },
      clinics.theirs,
    )
    expect(slotsIn(body)).toEqual([])
    expect(issuesIn(body).map(({ expression }) => expression?.[0])).toEqual([
      'practitioner',
      'location-string',
      'patient-reference',
    ])
    await putAll(
      [slot('hips', 0, 0)].map((one) => ({ ...one, schedule: of('Schedule/theirs') })),
      clinics.theirs,
    )
    await putAll([{ resourceType: 'Schedule', id: 'theirs', actor: [{ display: 'Somebody' }] }], clinics.theirs)
    const [plain = ''] = await idsFor({ practitioner: 'Practitioner/ann' })
    expect((await proposal(plain, OTHER_CLINIC))?.participant).toEqual([
      { actor: { display: 'Somebody' }, status: 'needs-action' },
    ])
    const [withContext = ''] = await idsFor({ practitioner: 'Practitioner/ann', 'patient-reference': PATIENT })
    expect(await proposal(withContext)).toBeDefined()
    expect(await proposal(withContext, OTHER_CLINIC)).toBeUndefined()
  })
})
