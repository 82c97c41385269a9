/** The replies of participants, and how the appointment shows them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Bookings, bookingsOn, capacity, expectRefused, PATIENT, type Resource } from '../support/booking.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let bookings: Bookings
beforeAll(async () => {
  server = await startServer()
  bookings = bookingsOn(server)
  // The visits are at the same time.
  for (const actor of [PRACTITIONER, 'Practitioner/practitioner-lindqvist'])
    await bookings.put({
      resourceType: 'Schedule',
      id: actor.slice('Practitioner/'.length),
      ...capacity(1_000),
      actor: [{ reference: actor }],
    })
})
afterAll(() => server.close())

const PRACTITIONER = 'Practitioner/practitioner-okafor'
const TYPES = 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType'
const typed = (code: string) => [{ coding: [{ system: TYPES, code }] }]

const asked = () =>
  bookings.booked([], {
    participant: [
      { actor: { reference: PATIENT }, status: 'needs-action' },
      { actor: { reference: PRACTITIONER }, type: typed('PPRF'), status: 'needs-action' },
      { type: typed('SPRF'), status: 'needs-action' },
    ],
  })

const reply = ({ id }: Pick<Resource, 'id'>, more: object) => ({
  resourceType: 'AppointmentResponse',
  appointment: { reference: `Appointment/${id}` },
  participantStatus: 'accepted',
  ...more,
})
const send = (body: object) => server.fhir('POST', '/AppointmentResponse', body)
const of = (reference: string) => ({ actor: { reference } })

interface Participant {
  readonly status: string
  readonly actor?: object
}
const participantsOf = async ({ id }: Resource): Promise<readonly Participant[]> =>
  (await bookings.read(`Appointment/${id}`)).participant
const statusesOf = async (appointment: Resource) => (await participantsOf(appointment)).map(({ status }) => status)

describe('a reply', () => {
  test.each(['accepted', 'declined', 'tentative'])(
    '%s is the status of its participant, and of no other',
    async (status) => {
      const appointment = await asked()
      const { status: code } = await send(reply(appointment, { ...of(PRACTITIONER), participantStatus: status }))
      expect(code).toBe(201)
      expect(await statusesOf(appointment)).toEqual(['needs-action', status, 'needs-action'])
      expect((await bookings.read(`Appointment/${appointment.id}`)).status).toBe('booked')
    },
  )

  test('is the participant’s by type where they have no actor, who is filled in', async () => {
    const appointment = await asked()
    const body = reply(appointment, { ...of('Practitioner/practitioner-lindqvist'), participantType: typed('SPRF') })
    expect((await send(body)).status).toBe(201)
    expect((await participantsOf(appointment))[2]).toMatchObject({
      status: 'accepted',
      ...of('Practitioner/practitioner-lindqvist'),
    })
  })

  test('by type alone is that of the participant of the type', async () => {
    const appointment = await asked()
    expect((await send(reply(appointment, { participantType: typed('PPRF') }))).status).toBe(201)
    expect(await statusesOf(appointment)).toEqual(['needs-action', 'accepted', 'needs-action'])
  })

  test('that is changed, by PUT and by PATCH, changes the status again; a comment does not', async () => {
    const appointment = await asked()
    const { body } = await send(reply(appointment, of(PATIENT)))
    const declined = await bookings.change(body, { participantStatus: 'declined' })
    expect((await statusesOf(appointment))[0]).toBe('declined')
    await send(reply(appointment, of(PATIENT)))
    await bookings.change(declined.body, { comment: 'Sorry' })
    expect((await statusesOf(appointment))[0]).toBe('accepted')
    const patch = [{ op: 'replace', path: '/participantStatus', value: 'tentative' }]
    await server.fhir('PATCH', `/AppointmentResponse/${body.id}`, patch)
    expect((await statusesOf(appointment))[0]).toBe('tentative')
  })

  test('of the same status writes no new version of the appointment', async () => {
    const appointment = await asked()
    for (let count = 0; count < 2; count++) await send(reply(appointment, of(PATIENT)))
    expect((await bookings.read(`Appointment/${appointment.id}`)).meta.versionId).toBe('2')
  })

  test('comes with the appointment that it is about in one transaction', async () => {
    const { id: _id, meta: _meta, ...body } = await asked()
    const id = 'asked-and-answered'
    const answer = await bookings.transaction(
      ['POST AppointmentResponse', reply({ id }, of(PATIENT))],
      [`PUT Appointment/${id}`, { ...body, id }],
    )
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
    expect((await bookings.read(`Appointment/${id}`)).participant[0].status).toBe('accepted')
  })

  test('all replies that come at once are there', async () => {
    const appointment = await asked()
    const answers = await Promise.all(
      [of(PATIENT), of(PRACTITIONER), { participantType: typed('SPRF') }].map((more) => send(reply(appointment, more))),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(await statusesOf(appointment)).toEqual(['accepted', 'accepted', 'accepted'])
  })

  test('of somebody who does not participate is 422, and is not stored', async () => {
    const appointment = await asked()
    expectRefused(await send(reply(appointment, of('Patient/silva-joao'))), 422, 'not-a-participant')
    expect((await bookings.read(`AppointmentResponse?appointment=Appointment/${appointment.id}`)).total).toBe(0)
  })

  test('to an appointment that is over is 422, unless it says what the appointment says', async () => {
    const appointment = await asked()
    const { body } = await bookings.change(appointment, { status: 'cancelled' })
    expectRefused(await send(reply(body, of(PATIENT))), 422, 'appointment-over')
    expect((await send(reply(body, { ...of(PATIENT), participantStatus: 'needs-action' }))).status).toBe(201)
  })

  test('to an appointment of another server is stored', async () => {
    expect((await send(reply({ id: 'nowhere' }, of(PATIENT)))).status).toBe(201)
  })
})
