/** Receivers that are away for long, and clocks that are set while events wait. docs/clock.md */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { waitAfter } from '../../src/integrations/outbox/rows.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { arrived, change, eventually, inStatus, patient, read, subscribe, wanted } from './support.ts'

const CLINIC = '/clinics/demo-clinic'
const DAY = 24 * 3_600_000

let server: TestServer
let receiver: Receiver
let admin: string

beforeAll(async () => {
  server = await startServer()
  admin = await server.login('admin', 'admin')
})
afterAll(() => server.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const create = (family: string) => server.fhir('POST', '/Patient', patient(family))
const idsOf = () => receiver.received.map(({ headers }) => headers['webhook-id'])

const ask = (method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
  return request(server.url, method, `${CLINIC}${path}`, body, headers)
}

async function asked(method: string, path: string, body?: object) {
  const answer = await ask(method, path, body)
  expect([answer.status, answer.text]).toEqual([200, expect.anything()])
  return answer.body
}

const now = async (): Promise<number> => Date.parse((await asked('GET', '/clock')).at)
const advance = (milliseconds: number) =>
  asked('POST', '/clock/advance', { by: `PT${Math.ceil(milliseconds / 1_000)}S` })

/** The row of a Subscription after so many attempts. */
const rowAfter = (id: string, attempts: number) =>
  eventually(async () => {
    const { messages } = await asked('GET', '/outbox?state=waiting')
    const row = messages.find(({ messageId }: { messageId: string }) => messageId === `subscription-${id}`)
    return row?.attempts?.length === attempts ? row : undefined
  }, `attempt ${attempts}`)

/** The attempts that there are within a time. */
function attemptsWithin(time: number): number {
  let [attempts, at] = [1, 0]
  for (;;) {
    at += waitAfter(attempts)
    if (at > time) return attempts
    attempts += 1
  }
}

test('a receiver that is down for a day is tried more and more seldom, and then gets all events of the day in their order', async () => {
  receiver.answer(503)
  const id = await subscribe(server, wanted('Patient?family=Day', { endpoint: receiver.url }))
  await create('Day')
  const began = await now()
  let attempts = 1
  for (;;) {
    const { nextTry } = await rowAfter(id, attempts)
    if (Date.parse(nextTry) > began + DAY) break
    await create('Day')
    await advance(Date.parse(nextTry) - (await now()))
    attempts += 1
  }
  expect(attempts).toBe(attemptsWithin(DAY))
  expect(receiver.received).toHaveLength(attempts)
  expect(await read(server, id)).toMatchObject({ status: 'active' })
  receiver.answer(204)
  await advance(DAY / 2)
  await arrived(receiver, 2 * attempts)
  expect(idsOf()).toEqual([
    ...Array.from({ length: attempts }, () => `${id}.1`),
    ...Array.from({ length: attempts }, (_, index) => `${id}.${index + 1}`),
  ])
  expect((await inStatus(server, id, 'active')).error).toBeUndefined()
})

describe('while events wait', () => {
  test('the clock of the clinic is set a month forward: they are delivered in order, once', async () => {
    receiver.answer(503)
    const id = await subscribe(server, wanted('Patient?family=Forward', { endpoint: receiver.url }))
    for (let n = 0; n < 3; n += 1) await create('Forward')
    await rowAfter(id, 1)
    receiver.answer(204)
    await advance(30 * DAY)
    await arrived(receiver, 4)
    await create('Forward')
    await arrived(receiver, 5)
    expect(idsOf()).toEqual([1, 1, 2, 3, 4].map((number) => `${id}.${number}`))
  })

  test('the clock is set forward during an attempt: each event arrives once at least, in order', async () => {
    receiver.answer('silent')
    const id = await subscribe(server, wanted('Patient?family=Meanwhile', { endpoint: receiver.url }))
    for (let n = 0; n < 3; n += 1) await create('Meanwhile')
    await arrived(receiver, 1)
    await advance(DAY)
    receiver.answer(204)
    // Its next try may be due at once by the new clock.
    await eventually(async () => (await asked('GET', `/subscriptions/${id}`)).attempts.length > 0)
    await advance(DAY / 2)
    await eventually(() => idsOf().includes(`${id}.3`))
    expect([...new Set(idsOf())]).toEqual([1, 2, 3].map((number) => `${id}.${number}`))
    expect((await read(server, id)).status).toBe('active')
  })

  test('the clock stands: what is new is delivered, what has failed waits until the clock goes on', async () => {
    await asked('PUT', '/clock', { runs: false })
    const id = await subscribe(server, wanted('Patient?family=Standing', { endpoint: receiver.url }))
    await create('Standing')
    await arrived(receiver, 1)
    receiver.answer(503)
    await create('Standing')
    await create('Standing')
    const { nextTry } = await rowAfter(id, 1)
    receiver.answer(204)
    expect(Date.parse(nextTry)).toBe((await now()) + waitAfter(1))
    await asked('PUT', '/clock', { at: nextTry, runs: true })
    await arrived(receiver, 4)
    expect(idsOf()).toEqual([1, 2, 2, 3].map((number) => `${id}.${number}`))
  })

  test('the clock is never set back but by a reset, which ends them; under the earlier clock new events are delivered', async () => {
    receiver.answer(503)
    const old = await subscribe(server, wanted('Patient?family=Back', { endpoint: receiver.url }))
    await create('Back')
    await rowAfter(old, 1)
    expect((await ask('PUT', '/clock', { at: new Date((await now()) - DAY).toISOString() })).status).toBe(422)
    receiver.answer(204)
    await asked('POST', '/reset', { scenario: 'empty' })
    expect(Math.abs((await now()) - Date.now())).toBeLessThan(DAY)
    expect((await asked('GET', '/outbox?state=waiting')).messages).toEqual([])
    const id = await subscribe(server, wanted('Patient?family=Back', { endpoint: receiver.url }))
    await create('Back')
    await arrived(receiver, 2)
    expect(idsOf()).toEqual([`${old}.1`, `${id}.1`])
  })
})

test('a clone of the clinic takes over nothing that waits, and the source delivers it', async () => {
  receiver.answer(503)
  const id = await subscribe(server, wanted('Patient?family=Cloned', { endpoint: receiver.url }))
  await create('Cloned')
  await create('Cloned')
  await rowAfter(id, 1)
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
  const clone = await request(server.url, 'POST', '/clinics', { from: {}, ttl: 'PT30M' }, headers)
  expect([clone.status, clone.text]).toEqual([201, expect.anything()])
  receiver.answer(204)
  const copy = (method: string, path: string, body?: unknown) =>
    server.fhir(method, path, body, { authorization: `Bearer ${clone.body.token}` })
  const { body } = await copy('GET', `/Subscription/${id}`)
  expect(body.status).toBe('off')
  await copy('PUT', `/Subscription/${id}`, { ...body, status: 'requested' })
  await inStatus({ fhir: copy }, id, 'active')
  await copy('POST', '/Patient', patient('Cloned', { gender: 'male' }))
  await arrived(receiver, 2)
  expect(idsOf()).toEqual([`${id}.1`, `${id}.1`])
  await advance(waitAfter(1))
  await arrived(receiver, 4)
  expect(idsOf().slice(2)).toEqual([`${id}.1`, `${id}.2`])
  await change(server, id, { status: 'off' })
})

test('a reset during an attempt ends what waits, and the same Subscription begins anew with its first event', async () => {
  const id = await subscribe(server, wanted('Patient?family=Meantime', { endpoint: receiver.url }))
  for (const number of [1, 2]) {
    await create('Meantime')
    await arrived(receiver, number)
  }
  const snapshot = await ask('PUT', '/snapshots/meantime')
  expect([200, 201]).toContain(snapshot.status)
  receiver.answer('silent')
  await create('Meantime')
  await arrived(receiver, 3)
  await asked('POST', '/reset', { snapshot: 'meantime' })
  receiver.answer(204)
  await change(server, id, { status: 'requested' })
  await inStatus(server, id, 'active')
  for (const number of [4, 5]) {
    await create('Meantime')
    await arrived(receiver, number)
  }
  expect(idsOf()).toEqual([1, 2, 3, 1, 2].map((number) => `${id}.${number}`))
})
