/**
 * list_appointments, reschedule_appointment and cancel_appointment: only for the verified patient's own appointments.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { appointmentsOf, startVisits, type Visits } from './visits.ts'

let visits: Visits
beforeAll(async () => {
  visits = await startVisits()
})
afterAll(() => visits.server.close())

describe('a caller who is not verified', () => {
  test.each([
    ['list_appointments', {}],
    ['reschedule_appointment', { appointmentKey: 'xxxxxxxxx', slotKey: 'xxxxxxxxx' }],
    ['cancel_appointment', { appointmentKey: 'xxxxxxxxx' }],
  ])('%s: is asked who they are', async (tool, args) => {
    for (const caller of [visits.caller(), visits.caller('+15185550111')]) {
      expect(await caller.use(tool, args)).toMatchObject({
        success: false,
        code: 'not-verified',
        say: expect.stringMatching(/full name and your date of birth/),
      })
    }
  })
})

describe('list_appointments', () => {
  test('lists what is yet to come, in order of start', async () => {
    const { id, caller } = await visits.verified()
    await caller.booked({ when: 'March 12th at two' })
    await caller.booked({ when: 'tomorrow at two' })
    const past = {
      resourceType: 'Appointment',
      participant: [{ actor: { reference: `Patient/${id}` }, status: 'accepted' }],
    }
    await visits.put({
      ...past,
      id: `past-${id}`,
      status: 'fulfilled',
      start: '2025-01-03T09:00:00Z',
      end: '2025-01-03T10:00:00Z',
    })
    await visits.put({
      ...past,
      id: `off-${id}`,
      status: 'cancelled',
      start: '2025-03-20T09:00:00Z',
      end: '2025-03-20T10:00:00Z',
    })
    await visits.put({
      ...past,
      id: `asked-${id}`,
      status: 'proposed',
      start: '2025-03-20T13:00:00Z',
      end: '2025-03-20T14:00:00Z',
    })
    const key = expect.stringMatching(/^[2-9b-z]{9}$/)
    const visit = (start: string, label: string, status = 'booked') => ({ appointmentKey: key, start, label, status })
    expect(await caller.use('list_appointments', {})).toEqual({
      success: true,
      appointments: [
        visit(
          '2025-03-04T14:00:00-05:00',
          'Tuesday, March 4th, at 2 in the afternoon with Dr. Ada Quill at Maple Street',
        ),
        visit(
          '2025-03-12T14:00:00-04:00',
          'Wednesday, March 12th, at 2 in the afternoon with Dr. Ada Quill at Maple Street',
        ),
        visit('2025-03-20T09:00:00-04:00', 'Thursday, March 20th, at 9 in the morning', 'proposed'),
      ],
      say: 'You have appointments on Tuesday, March 4th, at 2 in the afternoon with Dr. Ada Quill at Maple Street; Wednesday, March 12th, at 2 in the afternoon with Dr. Ada Quill at Maple Street; Thursday, March 20th, at 9 in the morning, not confirmed yet.',
    })
  })

  test('says so where there is none', async () => {
    const { caller } = await visits.verified()
    expect(await caller.use('list_appointments', {})).toEqual({
      success: true,
      appointments: [],
      say: 'You have no appointment that is yet to come.',
    })
  })
})

describe('reschedule_appointment', () => {
  test('takes the new time and frees the old one; the appointment keeps its key', async () => {
    const { id, caller } = await visits.verified()
    const appointmentKey = await caller.booked({ when: 'March 6th at ten' })
    const before = (await appointmentsOf(visits, id))[0]
    const slotKey = await caller.slotKey({ practitionerName: 'Núñez', when: 'March 7th at ten' })
    expect(await caller.use('reschedule_appointment', { appointmentKey, slotKey })).toEqual({
      success: true,
      appointmentKey,
      start: '2025-03-07T10:00:00-05:00',
      label: 'Friday, March 7th, at 10 in the morning with Dr. José Núñez at Riverside',
      say: 'Your appointment is now on Friday, March 7th, at 10 in the morning with Dr. José Núñez at Riverside.',
    })
    const [after, ...more] = await appointmentsOf(visits, id)
    expect([after?.id, more]).toEqual([before?.id, []])
    expect(await visits.read(before?.slot?.[0]?.reference ?? '')).toMatchObject({ status: 'free' })
    expect(await visits.read(after?.slot?.[0]?.reference ?? '')).toMatchObject({ status: 'busy' })
    expect((await visits.read(`Provenance?target=Appointment/${after?.id}`)).total).toBe(2)
  })

  test('to a time that is taken changes nothing', async () => {
    const [one, other] = [await visits.verified(), await visits.verified()]
    const appointmentKey = await one.caller.booked({ when: 'March 6th at eleven' })
    const slotKey = await one.caller.slotKey({ when: 'March 7th at eleven' })
    await other.caller.booked({ when: 'March 7th at eleven' })
    expect(await one.caller.use('reschedule_appointment', { appointmentKey, slotKey })).toMatchObject({
      success: false,
      code: 'slot-unavailable',
      say: expect.stringMatching(/look for another one/),
    })
    expect((await appointmentsOf(visits, one.id))[0]?.start).toBe('2025-03-06T11:00:00-05:00')
  })

  test('of a longer visit to a time that is too short is refused', async () => {
    const { caller } = await visits.verified()
    const appointmentKey = await caller.booked({
      practitionerName: 'Núñez',
      appointmentType: 'check-up',
      when: 'March 10th',
    })
    const slotKey = await caller.slotKey({ practitionerName: 'Núñez', when: 'March 11th' })
    expect(await caller.use('reschedule_appointment', { appointmentKey, slotKey })).toMatchObject({
      success: false,
      code: 'type-not-at-this-time',
    })
  })

  describe('of a visit for a service', () => {
    const concept = (code: string) => ({ coding: [{ system: 'urn:services', code, display: code }] })
    const open = async (name: string, schedule: object, from: string, until: string) => {
      const id = name.toLowerCase()
      await visits.put({ resourceType: 'Practitioner', id, name: [{ family: name }] })
      await visits.put({ resourceType: 'Schedule', id, actor: [{ reference: `Practitioner/${id}` }], ...schedule })
      const times = { start: `2025-03-12T${from}:00-04:00`, end: `2025-03-12T${until}:00-04:00` }
      const slot = { resourceType: 'Slot', status: 'free', schedule: { reference: `Schedule/${id}` } }
      await visits.put({ ...slot, id, ...times })
    }
    const [dressing, vaccination] = [concept('dressing'), concept('vaccination')]
    beforeAll(async () => {
      const wounds = { specialty: [concept('wounds')], serviceCategory: [concept('nursing')] }
      await open('Ives', { ...wounds, serviceType: [dressing, vaccination] }, '08:00', '09:00')
      await open('Jarrow', { serviceType: [dressing] }, '08:00', '08:30')
      await open('Kettle', { serviceType: [concept('x-ray')] }, '08:00', '09:00')
      await open('Lomax', { serviceType: [vaccination, dressing], specialty: [concept('skin')] }, '10:00', '11:00')
    })

    test('to a time that is too short, or for another service, is refused; elsewhere it has the specialty of there', async () => {
      const { id, caller } = await visits.verified()
      const appointmentKey = await caller.booked({ practitionerName: 'Ives', appointmentType: 'dressing' })
      const moveTo = async (practitionerName: string) =>
        caller.use('reschedule_appointment', { appointmentKey, slotKey: await caller.slotKey({ practitionerName }) })
      for (const name of ['Jarrow', 'Kettle'])
        expect([name, (await moveTo(name)).code]).toEqual([name, 'type-not-at-this-time'])
      expect((await moveTo('Lomax')).success).toBe(true)
      const [moved] = await appointmentsOf(visits, id)
      expect(moved).toMatchObject({ serviceType: [dressing], specialty: [concept('skin')] })
      expect(moved?.serviceCategory).toBeUndefined()
    })
  })
})

describe('cancel_appointment', () => {
  test('cancels, frees the time, and keeps the reason', async () => {
    const { id, caller } = await visits.verified()
    const appointmentKey = await caller.booked({ when: 'March 12th at nine' })
    const args = { appointmentKey, reason: 'I am travelling' }
    const answer = {
      success: true,
      status: 'cancelled',
      say: 'Your appointment on Wednesday, March 12th, at 9 in the morning with Dr. Ada Quill at Maple Street is cancelled.',
    }
    expect(await caller.use('cancel_appointment', args)).toEqual(answer)
    expect(await caller.use('cancel_appointment', args)).toEqual(answer)
    const [appointment] = await appointmentsOf(visits, id)
    expect(appointment).toMatchObject({
      status: 'cancelled',
      cancelationReason: { coding: [{ code: 'pat' }], text: 'I am travelling' },
    })
    expect(await visits.read(appointment?.slot?.[0]?.reference ?? '')).toMatchObject({ status: 'free' })
    expect((await visits.read(`Provenance?target=Appointment/${appointment?.id}`)).total).toBe(2)
  })

  test('that is too late by the policy has its code and its sentence, and nothing changes', async () => {
    const { id, caller } = await visits.verified()
    const appointmentKey = await caller.booked()
    const slotKey = await caller.slotKey({ when: 'March 13th' })
    await visits.policies({ cancellationWindowHours: 48 })
    try {
      for (const [tool, args] of [
        ['cancel_appointment', { appointmentKey }],
        ['reschedule_appointment', { appointmentKey, slotKey }],
      ] as const) {
        expect(await caller.use(tool, args)).toMatchObject({
          success: false,
          code: 'cancellation-window',
          say: expect.stringMatching(/too late to cancel or move/),
        })
      }
    } finally {
      await visits.policies({})
    }
    expect((await appointmentsOf(visits, id))[0]?.status).toBe('booked')
  })

  test('of a visit that is over is refused', async () => {
    const { id, caller } = await visits.verified()
    const appointmentKey = await caller.booked({ when: 'March 5th at three' })
    const [appointment] = await appointmentsOf(visits, id)
    if (appointment?.id === undefined) throw new Error('no appointment')
    await visits.put({ ...appointment, id: appointment.id, status: 'noshow' })
    expect(await caller.use('cancel_appointment', { appointmentKey })).toMatchObject({
      success: false,
      code: 'illegal-status-move',
      say: 'I am sorry, that appointment cannot be changed any more.',
    })
  })
})

describe('a key', () => {
  test.each(['reschedule_appointment', 'cancel_appointment'])(
    '%s: of another call is unknown, of its own patient too',
    async (tool) => {
      const { caller } = await visits.verified()
      const foreign = await caller.booked()
      const { caller: other } = await visits.verified()
      for (const appointmentKey of [foreign, 'xxxxxxxxx', 'Appointment/1']) {
        expect(await other.use(tool, { appointmentKey, slotKey: await other.slotKey() })).toMatchObject({
          success: false,
          code: 'unknown-key',
        })
      }
    },
  )

  test('of somebody else, who was verified in the same call before, is unknown', async () => {
    const { caller, id } = await visits.verified()
    const appointmentKey = await caller.booked()
    await visits.put({
      resourceType: 'Patient',
      id: `second-${id}`,
      active: true,
      birthDate: '1970-07-07',
      name: [{ family: 'Zweite', given: ['Anna'] }],
    })
    expect(
      await caller.use('verify_patient', { statedName: 'Anna Zweite', statedDateOfBirth: '1970-07-07' }),
    ).toMatchObject({ verified: true })
    expect((await caller.use('list_appointments', {})).appointments).toEqual([])
    expect(await caller.use('cancel_appointment', { appointmentKey })).toMatchObject({
      success: false,
      code: 'unknown-key',
    })
    expect((await appointmentsOf(visits, id))[0]?.status).toBe('booked')
  })
})
