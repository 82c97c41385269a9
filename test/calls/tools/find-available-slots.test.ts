/** find_available_slots: the times offered to a caller, and the questions asked back. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startTwoClinics } from '../../support/two-clinics.ts'
import { startVisits, type VisitCaller, type Visits } from './visits.ts'

let visits: Visits
let caller: VisitCaller
beforeAll(async () => {
  visits = await startVisits()
  caller = visits.caller()
})
afterAll(() => visits.server.close())

const find = (args: object) => caller.use('find_available_slots', args)
const quill = (when?: string) => ({ practitionerName: 'Quill', ...(when === undefined ? {} : { when }) })

describe('a time', () => {
  test('has a key, its start with the offset of the clinic, and a label as a person says it', async () => {
    expect(await find(quill('tomorrow at two'))).toEqual({
      success: true,
      slots: [
        {
          slotKey: expect.stringMatching(/^[2-9b-z]{9}$/),
          start: '2025-03-04T14:00:00-05:00',
          label: 'Tuesday, March 4th, at 2 in the afternoon with Dr. Ada Quill at Maple Street',
        },
      ],
      more: false,
      say: 'I have Tuesday, March 4th, at 2 in the afternoon with Dr. Ada Quill. Would you like that?',
    })
  })

  test('has the offset of its own day where the clocks change in between', async () => {
    const [slot] = await caller.find5(quill('March 10th in the morning'))
    expect(slot?.start).toBe('2025-03-10T09:00:00-04:00')
  })

  test('keeps its key all through the call, and has another one in another call', async () => {
    const [first, again] = [await caller.find5(quill()), await caller.find5(quill())]
    expect(again).toEqual(first)
    const [other] = await visits.caller().find5(quill())
    expect([other?.start, other?.slotKey === first[0]?.slotKey]).toEqual([first[0]?.start, false])
  })

  test('that is not free is not offered, nor one that the policies let nobody book', async () => {
    const [slot] = (await visits.read('Slot?schedule=Schedule/quill&start=2025-03-12T09:00:00-04:00')).entry as {
      resource: { resourceType: string; id: string }
    }[]
    if (slot === undefined) throw new Error('no such slot')
    await visits.put({ ...slot.resource, status: 'busy-unavailable' })
    expect((await caller.times(quill('March 12th in the morning')))[0]).toBe('03-12 09:30')
    await visits.policies({ minimumNoticeMinutes: 239 })
    expect((await caller.times(quill('today')))[0]).toBe('03-03 11:00')
    await visits.policies({})
  })
})

describe('the offer', () => {
  test.each<[string, string | undefined, readonly string[]]>([
    [
      'is the first time of each part of a day where little is said',
      undefined,
      ['03-03 09:00', '03-03 12:00', '03-04 09:00', '03-04 12:00', '03-05 09:00'],
    ],
    [
      'is of several days where the part of the day is said',
      'any afternoon next week',
      ['03-10 12:00', '03-11 12:00', '03-12 12:00', '03-13 12:00', '03-14 12:00'],
    ],
    [
      'lies evenly among the times of one morning',
      'tomorrow morning',
      ['03-04 09:00', '03-04 09:30', '03-04 10:30', '03-04 11:00', '03-04 11:30'],
    ],
    [
      'is all where there are few',
      'tomorrow between ten and eleven thirty',
      ['03-04 10:00', '03-04 10:30', '03-04 11:00'],
    ],
    [
      'is of the days that are asked for, and their parts',
      'any Friday',
      ['03-07 09:00', '03-07 12:00', '03-14 09:00', '03-14 12:00'],
    ],
    ['has no times but those that are asked for', 'any Friday at two', ['03-07 14:00', '03-14 14:00']],
  ])('%s', async (_rule, when, times) => {
    expect(await caller.times(quill(when))).toEqual(times)
  })

  test('names those who are free at the same time where few times are', async () => {
    const slots = await caller.find5({ when: 'tomorrow at ten' })
    expect(new Set(slots.map(({ start }) => start)).size).toBe(1)
    const labels = slots.map(({ label }) => label).join()
    expect(labels).toMatch(/Quill/)
    expect(labels).toMatch(/Núñez/)
  })

  test.each([
    ['there are others', quill(), true],
    ['there are none', quill('tomorrow between ten and eleven thirty'), false],
  ])('says whether %s', async (_what, args, more) => {
    expect((await find(args)).more).toBe(more)
  })

  test('is the nearest later times where nothing is free then, and says so', async () => {
    const answer = await find(quill('on Saturday'))
    expect(answer).toMatchObject({ success: true, code: 'later-times' })
    expect(answer.say).toMatch(/^Nothing is free then\. The next I have is Monday, March 10th, at 9 in the morning;/)
    expect((await caller.times(quill('tomorrow at six in the evening')))[0]).toBe('03-05 09:00')
  })

  test('is none where nothing is free at all, and the waitlist is offered', async () => {
    expect(await find(quill('next month'))).toEqual({
      success: true,
      slots: [],
      more: false,
      code: 'nothing-free',
      say: 'I am sorry, I find no free time. Would you like to be put on the waitlist?',
    })
  })
})

describe('who and where', () => {
  test.each(['doctor Quill', 'Ada Quill', 'with Dr. Quill please', 'QUILL', 'Doctor Ada'])(
    '%s is Dr. Ada Quill',
    async (name) => {
      const slots = await caller.find5({ practitionerName: name })
      expect(slots.every(({ label }) => label.includes('with Dr. Ada Quill'))).toBe(true)
      expect(slots.length).toBe(5)
    },
  )

  test.each(['Nunez', 'jose nuñez', 'doctor Núñez'])('accents do not count: %s', async (practitionerName) => {
    const [slot] = await caller.find5({ practitionerName })
    expect(slot?.label).toContain('Dr. José Núñez at Riverside')
  })

  test.each(['any doctor', 'anybody', 'no preference'])('%j is everybody', async (practitionerName) => {
    expect(await caller.times({ practitionerName })).toEqual(await caller.times({}))
  })

  test('a place is found by its name', async () => {
    const slots = await caller.find5({ locationName: 'the riverside office' })
    expect(slots.every(({ label }) => label.endsWith('at Riverside'))).toBe(true)
  })

  const REFUSED: readonly (readonly [string, object, string, RegExp])[] = [
    [
      'a name that sounds alike is asked back',
      { practitionerName: 'Kwill' },
      'practitioner-unclear',
      /^Do you mean Dr\. Ada Quill\?$/,
    ],
    [
      'several are asked back with their names',
      { locationName: 'Albany' },
      'location-unclear',
      /^Which place do you mean: (Maple Street or Riverside|Riverside or Maple Street)\?$/,
    ],
    [
      'nobody of that name: who there is',
      { practitionerName: 'doctor Smith' },
      'practitioner-unknown',
      /You can see .*Dr\. Ada Quill/,
    ],
    ['no such place: where it is', { locationName: 'Boston' }, 'location-unknown', /We are at .*Riverside/],
    [
      'somebody who is not there',
      { practitionerName: 'Quill', locationName: 'Riverside' },
      'practitioner-not-at-location',
      /Dr\. Ada Quill does not see patients at Riverside/,
    ],
    [
      'no such kind of visit: what there is',
      { appointmentType: 'a massage' },
      'appointment-type-unknown',
      /We offer Check-up/,
    ],
    [
      'a question where the time is not certain',
      quill('next Tuesday after two'),
      'when-unclear',
      /^Do you mean Tuesday, March 4th, or /,
    ],
    [
      'a time that is not understood',
      quill('purple monkey'),
      'when-not-understood',
      /^Sorry\. The time was not understood/,
    ],
    ['a time that has passed', quill('yesterday'), 'when-not-understood', /^Sorry\. /],
    ['more words than a time has', quill('tomorrow '.repeat(200)), 'when-not-understood', /^Sorry\. That is too long/],
  ]
  test.each(REFUSED)('%s', async (_rule, args, code, say) => {
    const answer = await find(args)
    expect(answer).toMatchObject({ success: false, code })
    expect(answer.say).toMatch(say)
  })
})

describe('the kind of visit', () => {
  test('may be said, or be a key of list_appointment_types; a longer visit takes adjacent slots', async () => {
    const types = (await caller.use('list_appointment_types', {})).appointmentTypes as {
      appointmentTypeKey: string
      name: string
    }[]
    const key = types.find(({ name }) => name === 'Check-up')?.appointmentTypeKey
    const args = { when: 'tomorrow morning', practitionerName: 'Núñez' }
    const said = await caller.times({ ...args, appointmentType: 'a checkup' })
    // Sixty minutes do not fit at half past eleven.
    expect(said).toEqual(['03-04 09:00', '03-04 09:30', '03-04 10:00', '03-04 10:30', '03-04 11:00'])
    expect(await caller.times({ ...args, appointmentType: key })).toEqual(said)
  })

  test('a key of another call is unknown', async () => {
    const types = (await visits.caller().use('list_appointment_types', {})).appointmentTypes as {
      appointmentTypeKey: string
    }[]
    expect(await find({ appointmentType: types[0]?.appointmentTypeKey })).toMatchObject({
      success: false,
      code: 'unknown-key',
    })
  })
})

test('staff get the times without keys', async () => {
  const parameter = [{ name: 'practitionerName', valueString: 'Quill' }]
  const { status, body } = await visits.server.fhir('POST', '/Slot/$find-available-slots', {
    resourceType: 'Parameters',
    parameter,
  })
  expect(status).toBe(200)
  const slots = body.parameter.filter(({ name }: { name: string }) => name === 'slots')
  expect(slots).toHaveLength(5)
  expect(JSON.stringify(slots)).not.toContain('slotKey')
})

test('a clinic is offered no times of another one', async () => {
  const { server } = await startTwoClinics()
  try {
    const headers = { 'x-call-id': 'times-of-the-other', 'x-call-to': '+12125550199' }
    const answer = await server.tool('/emr-scheduling/find_available_slots', {}, headers)
    expect(answer).toMatchObject({ success: true, slots: [], code: 'nothing-free' })
    const named = await server.tool('/emr-scheduling/find_available_slots', { practitionerName: 'Okafor' }, headers)
    expect(named).toMatchObject({ code: 'practitioner-unknown', say: 'I am sorry, I do not find that name here.' })
  } finally {
    await server.close()
  }
})

test('in a clinic of a hundred Schedules each practitioner is found by name', async () => {
  const large = await startVisits()
  try {
    for (let n = 0; n < 100; n++)
      await large.put({ resourceType: 'Schedule', id: `a-${n}`, active: true, actor: [{ display: `Room ${n}` }] })
    const last = { resourceType: 'Schedule', id: 'z', active: true, actor: [{ display: 'Dr. Hugo Thistlewood' }] }
    await large.put(last)
    const first = { resourceType: 'Schedule', id: 'a', active: true, actor: [{ display: 'Dr. Wilma Oxenbridge' }] }
    await large.put(first)
    for (const practitionerName of ['doctor Thistlewood', 'doctor Oxenbridge']) {
      expect(await large.caller().use('find_available_slots', { practitionerName })).toMatchObject({
        success: true,
        code: 'nothing-free',
        slots: [],
      })
    }
  } finally {
    await large.server.close()
  }
})

/** More Slots than the server reads at once. */
const SLOTS_BEFORE_FRIDAY = 9_000
const SLOTS_AT_ONCE = 500

test('a Friday is found behind thousands of free Slots on other days', async () => {
  const large = await startVisits()
  const first = Date.parse('2025-03-03T13:00:00Z')
  const slot = (n: number) => ({
    resourceType: 'Slot',
    schedule: { reference: `Schedule/busy-${n % 2}` },
    status: 'free',
    start: new Date(first + Math.floor(n / 2) * 60_000).toISOString(),
    end: new Date(first + Math.floor(n / 2) * 60_000 + 60_000).toISOString(),
  })
  try {
    for (const id of ['busy-0', 'busy-1'])
      await large.put({ resourceType: 'Schedule', id, active: true, actor: [{ display: `Room ${id}` }] })
    for (let n = 0; n < SLOTS_BEFORE_FRIDAY; n += SLOTS_AT_ONCE) {
      const entry = Array.from({ length: SLOTS_AT_ONCE }, (_, index) => ({
        resource: slot(n + index),
        request: { method: 'POST', url: 'Slot' },
      }))
      const { status } = await large.server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
      expect(status).toBe(200)
    }
    const answer = await large.caller().use('find_available_slots', { when: 'any Friday' })
    expect(answer.code).toBeUndefined()
    const starts = (answer.slots as readonly { readonly start: string }[]).map(({ start }) => start.slice(0, 10))
    expect(new Set(starts)).toEqual(new Set(['2025-03-07', '2025-03-14']))
  } finally {
    await large.server.close()
  }
})
