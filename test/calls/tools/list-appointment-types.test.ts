/** list_appointment_types: the kinds of visits that the clinic offers. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Extension, Schedule, Slot } from 'fhir/r4'
import { valueOfKey } from '../../../src/calls/session/call-keys.ts'
import { OTHER_CLINIC, startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'
import { Caller } from '../caller.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
})
afterAll(() => clinics.server.close())

const TOOL = 'list_appointment_types'

interface Listed {
  readonly appointmentTypeKey: string
  readonly name: string
  readonly durationMinutes: number
}

const listOf = async (caller: Caller): Promise<readonly Listed[]> =>
  (await caller.use(TOOL, {})).appointmentTypes as readonly Listed[]

const queryOf = async ({ id }: Caller, key: string | undefined) => {
  const { app } = clinics.server
  const ctx = await app.access('demo-clinic', { kind: 'server' }).reader()
  return valueOfKey(ctx, { clinic: 'demo-clinic', callId: id }, 'appointment-type', key ?? '')
}

describe('the demo clinic', () => {
  test('offers the service types and appointment types of its Schedules, each once, with its length, sorted by name', async () => {
    const key = expect.stringMatching(/^[2-9b-z]{9}$/)
    expect(await new Caller(clinics.server).use(TOOL, {})).toEqual({
      success: true,
      appointmentTypes: [
        { appointmentTypeKey: key, name: 'General Practice', durationMinutes: 30 },
        { appointmentTypeKey: key, name: 'Immunization', durationMinutes: 30 },
        { appointmentTypeKey: key, name: 'Routine check-up', durationMinutes: 60 },
      ],
      say: 'We offer General Practice, Immunization, and Routine check-up. Which one would you like?',
    })
  })

  test('gives keys that belong to the call, the same ones whenever it is asked', async () => {
    const [caller, other] = [new Caller(clinics.server), new Caller(clinics.server)]
    const first = await listOf(caller)
    expect(await listOf(caller)).toEqual(first)
    const keys = first.map(({ appointmentTypeKey }) => appointmentTypeKey)
    for (const { appointmentTypeKey } of await listOf(other)) expect(keys).not.toContain(appointmentTypeKey)
    expect(await queryOf(other, keys[0])).toBeUndefined()
    const query = await queryOf(caller, keys[0])
    expect(query).toBe('service-type=http%3A%2F%2Fterminology.hl7.org%2FCodeSystem%2Fservice-type%7C124')
    const { body } = await clinics.ours('GET', `/Slot?${query}&_count=1`)
    expect(body.entry[0].resource.serviceType[0].coding[0].code).toBe('124')
  })

  test('tells staff the same without keys', async () => {
    const { status, body } = await clinics.ours('POST', '/Schedule/$list-appointment-types')
    expect(status).toBe(200)
    const [first] = body.parameter.filter(({ name }: { name: string }) => name === 'appointmentTypes')
    expect(first.part).toEqual([
      { name: 'name', valueString: 'General Practice' },
      { name: 'durationMinutes', valuePositiveInt: 30 },
    ])
  })
})

describe('another clinic', () => {
  let calls = 0
  const them = (callId = `types-${++calls}`) =>
    clinics.server.tool(`/emr-scheduling/${TOOL}`, {}, { 'x-call-id': callId, 'x-call-to': '+12125550199' })

  const type = (code: string, display?: string) => ({
    coding: [{ system: 'http://example.org/types', code, ...(display === undefined ? {} : { display }) }],
  })

  const hours = (appointmentType?: string): Extension => ({
    url: 'availableTime',
    extension: [
      { url: 'daysOfWeek', valueCode: appointmentType === undefined ? 'mon' : 'tue' },
      ...(appointmentType === undefined ? [] : [{ url: 'appointmentType', valueCode: appointmentType }]),
    ],
  })

  const templateOf = (...parts: Extension[]): Extension => ({
    url: 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-availability',
    extension: [{ url: 'slotMinutes', valuePositiveInt: 20 }, ...parts],
  })

  const kind = (code: string, display: string, minutes: number): Extension => ({
    url: 'appointmentType',
    extension: [
      { url: 'type', valueCodeableConcept: type(code, display) },
      { url: 'minutes', valuePositiveInt: minutes },
    ],
  })

  const put = async (resource: Partial<Schedule> & { id: string }) => {
    const { status, body } = await clinics.theirs('PUT', `/Schedule/${resource.id}`, {
      resourceType: 'Schedule',
      actor: [{ reference: 'Practitioner/x' }],
      ...resource,
    })
    if (status >= 300) throw new Error(JSON.stringify(body))
  }

  test('has none, and says so, before it has Schedules', async () => {
    expect(await them()).toEqual({
      success: true,
      appointmentTypes: [],
      say: 'I have no list of the kinds of appointments. Tell me what you need to be seen for.',
    })
  })

  test('offers the types of its availability, and service types only where slots are for visits of any type', async () => {
    await put({
      id: 'a',
      serviceType: [type('svc', 'Service of Monday')],
      extension: [
        templateOf(hours(), hours('CHECKUP'), kind('CHECKUP', 'check-up', 40), kind('NEW', 'New patient', 60)),
      ],
    })
    await put({
      id: 'b',
      serviceType: [type('never', 'Never offered')],
      extension: [templateOf(hours('CHECKUP'), kind('CHECKUP', 'Another name', 45))],
    })
    await put({ id: 'c', active: false, serviceType: [type('inactive')], extension: [templateOf(hours())] })
    await put({
      id: 'd',
      planningHorizon: { end: '2020-01-01' },
      serviceType: [type('over')],
      extension: [templateOf(hours())],
    })
    const { appointmentTypes, say } = await them()
    expect(appointmentTypes).toEqual(
      [
        { name: 'check-up', durationMinutes: 45 },
        { name: 'New patient', durationMinutes: 60 },
        { name: 'Service of Monday', durationMinutes: 20 },
      ].map((one) => ({ appointmentTypeKey: expect.any(String), ...one })),
    )
    expect(say).toBe('We offer check-up, New patient, and Service of Monday. Which one would you like?')
  })

  test('offers what the Slots say of a Schedule without availability', async () => {
    await put({ id: 'e', serviceType: [type('hand', 'Made by hand')] })
    const tomorrow = Date.now() + 86_400_000
    const at = (minutes: number) => new Date(tomorrow + minutes * 60_000).toISOString()
    const slots: Slot[] = [
      { resourceType: 'Slot', schedule: { reference: 'Schedule/e' }, status: 'free', start: at(0), end: at(15) },
      {
        ...{ resourceType: 'Slot', schedule: { reference: 'Schedule/e' }, status: 'free', start: at(60), end: at(85) },
        appointmentType: { ...type('WALKIN'), text: 'Walk-in' },
      },
    ]
    for (const slot of slots) expect((await clinics.theirs('POST', '/Slot', slot)).status).toBe(201)
    const { appointmentTypes } = await them()
    expect(appointmentTypes).toContainEqual({
      appointmentTypeKey: expect.any(String),
      name: 'Made by hand',
      durationMinutes: 15,
    })
    expect(appointmentTypes).toContainEqual({
      appointmentTypeKey: expect.any(String),
      name: 'Walk-in',
      durationMinutes: 25,
    })
  })

  test('does not share keys, even with a call of the same id', async () => {
    const { appointmentTypes } = await them('shared')
    const [{ appointmentTypeKey }] = appointmentTypes as [Listed]
    const ctx = await clinics.server.app.access('demo-clinic', { kind: 'server' }).reader()
    const call = { clinic: OTHER_CLINIC, callId: 'shared' }
    expect(await valueOfKey(ctx, call, 'appointment-type', appointmentTypeKey)).toBeUndefined()
  })
})
