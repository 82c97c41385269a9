/** Events and attempts of Subscriptions over HTTP: for the staff of their clinic only, with sending again and test events. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { eventually, subscribe, wanted } from '../events/support.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import type { TestServer } from '../support/server.ts'
import { logInAs, startTwoClinics, type TwoClinics, withToken } from '../support/two-clinics.ts'

let clinics: TwoClinics
let server: TestServer
let receiver: Receiver

beforeAll(async () => {
  clinics = await startTwoClinics({ ALLOW_PRIVATE_ADDRESSES: 'on' })
  server = withToken(
    clinics.server,
    await logInAs(clinics.server, { username: 'watcher', clinic: DEMO_CLINIC, role: 'staff' }),
  )
})
afterAll(() => clinics.server.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const PATH = `/clinics/${DEMO_CLINIC}/subscriptions`
const JSON_TYPE = { 'content-type': 'application/json' }

const watched = async (id: string, query = '') => (await server.fhir('GET', `${PATH}/${id}${query}`)).body
const post = (id: string, operation: string, body: object) =>
  server.fhir('POST', `${PATH}/${id}/${operation}`, body, JSON_TYPE)
const created = async (family: string): Promise<string> =>
  (await server.fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family }] })).body.id
const delivered = (id: string, events: number) =>
  eventually(async () => {
    const found = await watched(id)
    return found.events === events && found.undelivered === 0 ? found : undefined
  }, `${events} delivered events`)

test('a Subscription shows its events and attempts, each with its request in the journal, and never a header', async () => {
  const header = ['Authorization: Bearer hidden-from-all']
  const id = await subscribe(server, wanted('Patient?family=Watched', { endpoint: receiver.url, header }))
  const patient = await created('Watched')
  const found = await delivered(id, 1)
  expect(found).toMatchObject({ id, status: 'active', log: [{ number: 1, method: 'POST', isDelivered: true }] })
  expect(found.log[0].focus.reference).toBe(`Patient/${patient}/_history/1`)
  const [attempt, ...others] = found.attempts
  expect(others).toEqual([])
  expect(attempt).toMatchObject({ events: { from: 1, to: 1 }, exchanges: [expect.any(String)] })
  const exchange = await server.fhir('GET', `/clinics/${DEMO_CLINIC}/exchanges/${attempt.exchanges[0]}`)
  expect(exchange.body).toMatchObject({ status: 204 })
  const list = await server.fhir('GET', `${PATH}?ids=${id},nothing`)
  expect(list.body.subscriptions).toMatchObject([{ id, events: 1, undelivered: 0, lastAttempt: attempt }])
  expect(JSON.stringify(found) + list.text + exchange.text).not.toContain('hidden-from-all')
})

test('events of a receiver that fails wait with the reason, and are sent at once when asked for', async () => {
  receiver.answer(503)
  const id = await subscribe(server, wanted('Patient?family=Failing', { endpoint: receiver.url }))
  await created('Failing')
  const failed = await eventually(async () => {
    const found = await watched(id)
    return found.lastAttempt === undefined ? undefined : found
  }, 'a failed attempt')
  expect(failed).toMatchObject({ undelivered: 1, delivery: { state: 'waiting', tries: 1 } })
  expect(failed.lastAttempt.reason).toContain('503')
  receiver.answer(204)
  expect((await post(id, '$resend', { from: 1 })).status).toBe(202)
  expect((await delivered(id, 1)).attempts).toHaveLength(2)
})

test('delivered events are sent again from a number on, in their order, with the ids that they had', async () => {
  const id = await subscribe(server, wanted('Patient?family=Again', { endpoint: receiver.url }))
  for (let count = 0; count < 3; count += 1) await created('Again')
  await delivered(id, 3)
  await eventually(() => receiver.received.length === 3 || undefined)
  expect((await post(id, '$resend', { from: 2 })).status).toBe(202)
  await eventually(() => receiver.received.length === 5 || undefined)
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([1, 2, 3, 2, 3].map((number) => `${id}.${number}`))
  expect((await post(id, '$resend', { from: 4 })).status).toBe(404)
  for (const from of [0, -1, 1.5, 'x', undefined]) expect((await post(id, '$resend', { from })).status).toBe(400)
})

test('a test event is about a resource that one names, also where it does not meet the criteria, and says that it is one', async () => {
  const criteria = 'Patient?family=Nobody'
  const id = await subscribe(server, wanted(criteria, { endpoint: receiver.url, payload: 'application/fhir+json' }))
  const patient = await created('Tested')
  expect((await post(id, '$test', { focus: `Patient/${patient}` })).status).toBe(202)
  expect((await delivered(id, 1)).log).toMatchObject([{ number: 1, isTest: true }])
  await eventually(() => receiver.received.length === 1 || undefined)
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ id: patient, name: [{ family: 'Tested' }] })
  expect((await post(id, '$test', { focus: 'Organization/1' })).status).toBe(422)
  expect((await post(id, '$test', { focus: 'Patient/nobody' })).status).toBe(404)
  expect((await post(id, '$test', {})).status).toBe(400)
})

test('a test event tries a receiver at once that has failed, with what it has missed before it', async () => {
  receiver.answer(503)
  const id = await subscribe(server, wanted('Patient?family=Missed', { endpoint: receiver.url }))
  const patient = await created('Missed')
  await eventually(async () => (await watched(id)).lastAttempt, 'a failed attempt')
  receiver.answer(204)
  expect((await post(id, '$test', { focus: `Patient/${patient}` })).status).toBe(202)
  await delivered(id, 2)
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([1, 1, 2].map((number) => `${id}.${number}`))
})

test('nothing is sent for a Subscription that is off', async () => {
  const id = await subscribe(server, wanted('Patient?family=Off', { endpoint: receiver.url }))
  const { body } = await server.fhir('GET', `/Subscription/${id}`)
  await server.fhir('PUT', `/Subscription/${id}`, { ...body, status: 'off' })
  expect((await post(id, '$test', { focus: `Patient/${await created('Off')}` })).status).toBe(409)
  expect((await post(id, '$resend', { from: 1 })).status).toBe(409)
})

test('attempts that failed are kept when a Subscription is set off', async () => {
  receiver.answer(503)
  const id = await subscribe(server, wanted('Patient?family=Tried', { endpoint: receiver.url }))
  await created('Tried')
  await eventually(async () => (await watched(id)).lastAttempt, 'a failed attempt')
  const { body } = await server.fhir('GET', `/Subscription/${id}`)
  expect((await server.fhir('PUT', `/Subscription/${id}`, { ...body, status: 'off' })).status).toBe(200)
  expect((await watched(id)).attempts).toMatchObject([{ reason: expect.stringContaining('503') }])
})

test('events come page by page, the newest first', async () => {
  const id = await subscribe(server, wanted('Patient?family=Paged', { endpoint: receiver.url }))
  for (let count = 0; count < 53; count += 1) await created('Paged')
  await delivered(id, 53)
  const first = await watched(id)
  expect(first.log.map(({ number }: { number: number }) => number)).toEqual(
    Array.from({ length: 50 }, (_, at) => 53 - at),
  )
  const { log, before } = await watched(id, `?before=${first.before}`)
  expect(log.map(({ number }: { number: number }) => number)).toEqual([3, 2, 1])
  expect(before).toBeUndefined()
})

test('another clinic and operators see nothing of it, and send nothing', async () => {
  const id = await subscribe(server, wanted('Patient?family=Ours', { endpoint: receiver.url }))
  const operator = withToken(
    server,
    await logInAs(clinics.server, { username: 'nowhere', clinic: '', role: 'operator' }),
  )
  for (const stranger of [clinics.theirs, operator.fhir]) {
    for (const path of [`${PATH}?ids=${id}`, `${PATH}/${id}`]) expect((await stranger('GET', path)).status).toBe(403)
    for (const [operation, body] of [
      ['$resend', { from: 1 }],
      ['$test', { focus: 'Patient/1' }],
    ] as const) {
      expect((await stranger('POST', `${PATH}/${id}/${operation}`, body, JSON_TYPE)).status).toBe(403)
    }
  }
  const theirs = (await clinics.theirs('GET', `/clinics/other-clinic/subscriptions/${id}`)).status
  expect([403, 404]).toContain(theirs)
  expect((await server.fhir('GET', `${PATH}?ids=${'x,'.repeat(101)}`)).status).toBe(400)
})
