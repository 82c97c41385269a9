/** get_clinic_info: name, phone number, address and hours of the clinic, and the topic of the question. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { FhirResource } from 'fhir/r4'
import { OTHER_CLINIC, startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'
import { Caller } from '../caller.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
})
afterAll(() => clinics.server.close())

const ask = (topic?: unknown) => new Caller(clinics.server).use('get_clinic_info', topic === undefined ? {} : { topic })

let calls = 0
/** Asks the other clinic, by its number. */
const askThem = (topic?: string) =>
  clinics.server.tool('/emr-scheduling/get_clinic_info', topic === undefined ? {} : { topic }, {
    'x-call-id': `info-${++calls}`,
    'x-call-to': '+12125550199',
  })

const MAPLE_HOURS = 'Monday to Friday from 8 in the morning to 7 in the evening, closed on public holidays'
const RIVERSIDE_HOURS = 'Monday to Friday from 9 in the morning to 5 in the evening, closed on public holidays'

describe('the demo clinic', () => {
  test('states its name, phone number, and address and hours of each location', async () => {
    expect(await ask()).toEqual({
      success: true,
      name: 'Maple Street Family Clinic',
      phone: '+1 212 555 0100',
      address: 'Maple Street: 12 Maple Street, Albany, NY 12207; Riverside: 240 Riverside Avenue, Albany, NY 12202',
      hours: `Maple Street: ${MAPLE_HOURS}; Riverside: ${RIVERSIDE_HOURS}`,
      say: expect.stringMatching(
        /^This is Maple Street Family Clinic\. Maple Street is at 12 Maple Street, .* 0100\.$/,
      ),
    })
  })

  const HOURS = `Maple Street is open ${MAPLE_HOURS}. Riverside is open ${RIVERSIDE_HOURS}.`
  const ADDRESS = /^Maple Street is at 12 Maple Street, Albany, NY 12207\. Riverside is at 240 Riverside Avenue, /
  const PHONE = 'Our phone number is +1 212 555 0100.'

  test.each<[string, string | RegExp]>([
    ['hours', HOURS],
    ['Are you open on Saturday?', HOURS],
    ['when do you close', HOURS],
    ['address', ADDRESS],
    ['Where are you located?', ADDRESS],
    ['phone', PHONE],
    ['what is your number', PHONE],
    ['name', 'This is Maple Street Family Clinic.'],
    ['email', 'Our email address is frontdesk@maplestreet.example.'],
    ['parking', /^Maple Street: Free parking behind .* Riverside: Parking on the street, free for two hours\.$/],
    ['Where can I park my car?', /^Maple Street: Free parking behind /],
    ['wheelchair access', 'Maple Street: Main office, ground floor, step-free.'],
    ['is it step-free', 'Maple Street: Main office, ground floor, step-free.'],
    ['the river', 'Riverside: Second office beside the river park.'],
  ])('speaks of the topic alone: %j', async (topic, say) => {
    expect(await ask(topic)).toMatchObject({
      success: true,
      say: typeof say === 'string' ? say : expect.stringMatching(say),
    })
  })

  test.each(['fax', 'bus', 'do you validate tickets', 'xyzzy', '???', '(.*)+'])(
    'says that it has no information about %j',
    async (topic) => {
      expect(await ask(topic)).toMatchObject({
        success: true,
        code: 'topic-unknown',
        name: 'Maple Street Family Clinic',
        say: expect.stringMatching(
          /^I am sorry, I have no information about (?:our fax number|public transport|that)\.$/,
        ),
      })
    },
  )

  test('does not take a topic that is no text', async () => {
    expect(await ask({ about: 'hours' })).toMatchObject({ success: false, code: 'invalid-argument' })
  })

  test('writes nothing, and staff get the same by GET', async () => {
    const caller = new Caller(clinics.server)
    await caller.use('get_clinic_info', { topic: 'hours' })
    expect(await caller.encounter()).toBeUndefined()
    const { status, body } = await clinics.ours('GET', '/Organization/$get-clinic-info?topic=phone')
    expect(status).toBe(200)
    expect(body.parameter).toContainEqual({ name: 'say', valueString: PHONE })
  })
})

describe('another clinic', () => {
  const put = async (resource: FhirResource & { id: string }) => {
    const { status, body } = await clinics.theirs('PUT', `/${resource.resourceType}/${resource.id}`, resource)
    if (status >= 300) throw new Error(JSON.stringify(body))
  }

  const hours = (days: readonly string[], from: string, until: string) => ({
    url: 'availableTime',
    extension: [
      ...days.map((valueCode) => ({ url: 'daysOfWeek', valueCode })),
      { url: 'availableStartTime', valueTime: from },
      { url: 'availableEndTime', valueTime: until },
    ],
  })

  test('knows nothing of the demo clinic: its name and the dialled number are all it has', async () => {
    expect(await askThem('address')).toEqual({
      success: true,
      name: 'Other Clinic',
      phone: '+12125550199',
      code: 'topic-unknown',
      say: 'I am sorry, I have no information about our address.',
    })
  })

  test('has the hours of its Schedules where nothing states any', async () => {
    await put({
      resourceType: 'Organization',
      id: OTHER_CLINIC,
      name: 'Other Clinic',
      address: [{ text: '1 Elm Road' }],
    })
    await put({
      resourceType: 'Schedule',
      id: 'hours',
      actor: [{ reference: 'Practitioner/x' }],
      extension: [
        {
          url: 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-availability',
          extension: [
            { url: 'slotMinutes', valuePositiveInt: 60 },
            hours(['mon', 'tue', 'thu'], '08:00:00', '12:00:00'),
            hours(['mon', 'tue', 'thu'], '12:00:00', '14:30:00'),
            hours(['sat'], '00:00:00', '00:00:00'),
          ],
        },
      ],
    })
    expect(await askThem('hours')).toMatchObject({
      address: '1 Elm Road',
      hours: 'Monday, Tuesday, and Thursday from 8 in the morning to 2:30 in the afternoon; Saturday around the clock',
      say: 'We are open Monday, Tuesday, and Thursday from 8 in the morning to 2:30 in the afternoon; Saturday around the clock.',
    })
  })

  test('has those that its only location states, and the address of the clinic where that has none', async () => {
    const place = { resourceType: 'Location' as const, name: 'Main' }
    await put({ ...place, id: 'main', hoursOfOperation: [{ openingTime: '20:00:00', closingTime: '02:00:00' }] })
    await put({ ...place, id: 'room', partOf: { reference: 'Location/main' }, hoursOfOperation: [{ allDay: true }] })
    await put({ ...place, id: 'old', status: 'inactive', hoursOfOperation: [{ allDay: true }] })
    expect(await askThem('hours')).toMatchObject({
      address: '1 Elm Road',
      hours: 'every day from 8 in the evening to 2 in the morning',
    })
  })
})
