/** Events while requests meet faults: the change that was made is told, and the one that was not is not. docs/faults.md */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { half, slot, visit } from '../support/booking.ts'
import { attempt } from '../support/faults.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { arrived, eventually, patient, subscribe, wanted } from './support.ts'

let server: TestServer
let receiver: Receiver

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const payload = 'application/fhir+json'
const told = () => receiver.received.map(({ body }) => JSON.parse(body))
const faulty = (fault: string) => ({ 'x-sandbox-fault': fault })

/** Faults with which a change is not made, and those with which it is. */
const UNMADE = ['throttled', 'maintenance', 'gateway', 'token-expired', 'no-scope', 'hang; seconds=0', 'reset']
const MADE = ['lost-answer', 'half-answer', 'accepted', 'empty-201', 'slow; seconds=0']

test('the changes of requests with faults are told exactly as far as they were made', async () => {
  await subscribe(server, wanted('Patient?family=Faulty', { endpoint: receiver.url, payload }))
  const idOf = (fault: string) => fault.split(';')[0] ?? ''
  for (const fault of [...UNMADE, ...MADE]) {
    const id = idOf(fault)
    await attempt(server, 'PUT', `/Patient/${id}`, { ...patient('Faulty'), id }, faulty(fault))
  }
  await server.fhir('PUT', '/Patient/last', { ...patient('Faulty'), id: 'last' })
  const made = [...MADE.map(idOf), 'last'].sort()
  await arrived(receiver, made.length)
  // Changes of different resources within a millisecond have no order.
  expect(
    told()
      .map(({ id, meta }) => `${id} ${meta.versionId}`)
      .sort(),
  ).toEqual(made.map((id) => `${id} 1`))
  const { body } = await server.fhir('GET', '/Patient?family=Faulty')
  expect(body.entry.map(({ resource }: { resource: { id: string } }) => resource.id).sort()).toEqual(made)
})

test('the version that somebody else has written a moment before is told, and the change that it prevents is not', async () => {
  await subscribe(server, wanted('Patient?family=Versions', { endpoint: receiver.url, payload }))
  const { body } = await server.fhir('POST', '/Patient', patient('Versions'))
  const headers = { ...faulty('version-moved'), 'if-match': 'W/"1"' }
  const change = { ...body, gender: 'other' }
  expect((await attempt(server, 'PUT', `/Patient/${body.id}`, change, headers)).status).toBe(412)
  await server.fhir('PUT', `/Patient/${body.id}`, change)
  await arrived(receiver, 3)
  expect(told().map(({ meta, gender }) => [meta.versionId, gender])).toEqual([
    ['1', undefined],
    ['2', undefined],
    ['3', 'other'],
  ])
})

test('of a time that is taken by somebody else at the last moment that booking alone is told, and a visit that is moved is told again', async () => {
  await server.fhir('PUT', '/Schedule/faulty', {
    ...{ resourceType: 'Schedule', id: 'faulty' },
    actor: [{ reference: 'Practitioner/practitioner-okafor' }],
  })
  for (const number of [0, 1, 2]) {
    const one = slot(`faulty-${number}`, number, { schedule: { reference: 'Schedule/faulty' } })
    await server.fhir('PUT', `/Slot/${one.id}`, one)
  }
  await subscribe(server, wanted('Appointment', { endpoint: receiver.url, payload }))
  const at = (number: number) => ({
    ...visit([`faulty-${number}`]),
    start: half(number),
    end: half(number + 1),
  })
  const refused = await attempt(server, 'POST', '/Appointment', at(0), faulty('slot-gone'))
  expect(refused.status).toBeGreaterThanOrEqual(400)
  const moved = await attempt(server, 'POST', '/Appointment', at(1), faulty('moved; after=0'))
  expect(moved.status).toBe(201)
  const last = await eventually(() => told().find(({ id, meta }) => id === moved.body.id && meta.versionId === '2'))
  expect(last.start).not.toBe(moved.body.start)
  const { body } = await server.fhir('GET', '/Appointment/_history?_count=1000')
  const versions: { resource: { id: string; meta: { versionId: string }; start: string } }[] = body.entry
  const made = versions.filter(({ resource }) => resource.start >= half(0) && resource.start < half(48))
  const nameOf = ({ id, meta }: (typeof versions)[number]['resource']) => `${id} ${meta.versionId}`
  expect(told().map(nameOf)).toEqual(made.map(({ resource }) => nameOf(resource)).toReversed())
})
