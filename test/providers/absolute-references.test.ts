/** A reference with our own base address means the same as a relative one, for the rules of providers too. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../support/server.ts'

const BASE = 'https://emr.example/fhir'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ BASE_URL: BASE })
  await server.fhir('PUT', '/Schedule/s', {
    resourceType: 'Schedule',
    id: 's',
    actor: [{ reference: 'Practitioner/x' }],
  })
})
afterAll(() => server.close())

const times = { start: '2031-03-03T09:00:00Z', end: '2031-03-03T09:30:00Z' }
const slot = (id: string) => ({
  resourceType: 'Slot',
  id,
  schedule: { reference: 'Schedule/s' },
  status: 'free',
  ...times,
})
const appointment = (reference: string) => ({
  resourceType: 'Appointment',
  status: 'booked',
  ...times,
  slot: [{ reference }],
  participant: [{ actor: { reference: 'Patient/abernathy-ruth' }, status: 'accepted' }],
})
const statusOf = async (id: string) => (await server.fhir('GET', `/Slot/${id}`)).body.status

describe('Appointment.slot', () => {
  test('is taken, found and freed by its absolute address', async () => {
    await server.fhir('PUT', '/Slot/one', slot('one'))
    const { status, body } = await server.fhir('POST', '/Appointment', appointment(`${BASE}/Slot/one`))
    expect([status, body.slot[0].reference]).toEqual([201, `${BASE}/Slot/one`])
    expect(await statusOf('one')).toBe('busy')
    expect((await server.fhir('POST', '/Appointment', appointment('Slot/one'))).status).toBe(409)
    expect((await server.fhir('GET', '/Appointment?slot=Slot/one')).body.total).toBe(1)
    await server.fhir('PUT', `/Appointment/${body.id}`, { ...body, status: 'cancelled' })
    expect(await statusOf('one')).toBe('free')
  })

  test('may be written by the same transaction, wherever it stands in the Bundle', async () => {
    const entry = [
      { resource: appointment(`${BASE}/Slot/two`), request: { method: 'POST', url: 'Appointment' } },
      { resource: slot('two'), request: { method: 'PUT', url: 'Slot/two' } },
    ]
    expect((await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })).status).toBe(200)
    expect(await statusOf('two')).toBe('busy')
  })

  test.each(['https://elsewhere.example/fhir/Slot/one', `${BASE}/Slot/one/_history/1`, `${BASE}/Schedule/s`])(
    '%s is 422',
    async (reference) => {
      expect((await server.fhir('POST', '/Appointment', appointment(reference))).status).toBe(422)
    },
  )
})

describe('DocumentReference.subject', () => {
  test.each([
    [`${BASE}/Patient/abernathy-ruth`, 201],
    [`${BASE}/Patient/nobody`, 422],
    [`${BASE}/Location/x`, 422],
    ['https://elsewhere.example/fhir/Patient/nobody', 201],
  ])('%s is %i', async (reference, status) => {
    const document = {
      resourceType: 'DocumentReference',
      status: 'current',
      subject: { reference },
      content: [{ attachment: { contentType: 'text/plain', data: 'eA==' } }],
    }
    expect((await server.fhir('POST', '/DocumentReference', document)).status).toBe(status)
  })
})

test('a server without BASE_URL on an IPv6 address finds a reference with its own address', async () => {
  const other = await startServer({ HOST: '::1', PORT: '3999' })
  try {
    const address = 'http://[::1]:3999/Patient/abernathy-ruth'
    const observation = {
      resourceType: 'Observation',
      status: 'final',
      code: { text: 'Pulse' },
      subject: { reference: address },
    }
    expect((await other.fhir('POST', '/Observation', observation)).status).toBe(201)
    const found = await other.fhir('GET', '/Observation?subject=Patient/abernathy-ruth&code:text=Pulse')
    expect(found.body.total).toBe(1)
  } finally {
    await other.close()
  }
})
