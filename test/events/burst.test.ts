/** Many events at once, and many Subscriptions: each event reaches each receiver, once at least and in order. */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { inStatus, patient, subscribe, wanted, writeMany } from './support.ts'
import { notifiedIn, toTopic } from './topic-support.ts'

let server: TestServer
let receiver: Receiver
let silent: Receiver

beforeEach(async () => {
  server = await startServer()
  receiver = await startReceiver()
  silent = await startReceiver()
  silent.answer('silent')
})
afterEach(async () => {
  await server.close()
  await receiver.close()
  await silent.close()
})

const times = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index))
const numbersTo = (count: number) => times(count, (index) => index + 1)

test('2,000 changes of 200 patients in a row arrive once at least, the versions of each patient in their order', async () => {
  const [subjects, rounds] = [200, 10]
  const payload = 'application/fhir+json'
  const id = await subscribe(server, wanted('Patient?family=Burst', { endpoint: receiver.url, payload }))
  // Clients side by side; each changes the same patients again and again.
  const client = async (first: number) => {
    for (let round = 1; round <= rounds; round += 1) {
      const own = times(100, (index) => ({ ...patient('Burst'), id: `burst-${first + index}` }))
      await writeMany(
        server,
        own.map((one) => ({ ...one, multipleBirthInteger: round })),
      )
    }
  }
  await Promise.all([client(0), client(100)])
  const told = () => receiver.received.map(({ body }) => JSON.parse(body))
  await until(() => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size === subjects * rounds)
  const bySubject = Map.groupBy(told(), (one) => one.id)
  expect(bySubject.size).toBe(subjects)
  for (const versions of bySubject.values()) {
    const arrived = [...new Set(versions.map(({ meta }) => Number(meta.versionId)))]
    expect(arrived).toEqual(numbersTo(rounds))
  }
  expect((await inStatus(server, id, 'active')).error).toBeUndefined()
})

test('2,000 events of a topic arrive in notifications of a hundred at most, with all numbers in their order', async () => {
  const count = 2_000
  const id = await subscribe(server, toTopic({ endpoint: receiver.url, maxCount: 100 }))
  const tasks = (from: number) =>
    times(count / 4, (index) => ({
      ...{ resourceType: 'Task', id: `burst-${from + index}`, status: 'requested', intent: 'order' },
    }))
  await Promise.all(times(4, (client) => writeMany(server, tasks((client * count) / 4))))
  const told = () =>
    receiver.received.map(({ body }) => notifiedIn(JSON.parse(body))).filter(({ type }) => type !== 'handshake')
  await until(() => receiver.received.at(-1)?.headers['webhook-id'] === `${id}.${count}`)
  const notifications = told()
  for (const { numbers } of notifications) expect(numbers.length).toBeLessThanOrEqual(100)
  expect(notifications.length).toBeLessThan(count / 10)
  expect([...new Set(notifications.flatMap(({ numbers }) => numbers))]).toEqual(numbersTo(count))
  expect(new Set(notifications.flatMap(({ focuses }) => focuses))).toEqual(
    new Set(times(count, (index) => `Task/burst-${index}`)),
  )
})

test('each of a thousand Subscriptions of a clinic is told of every event, in order', async () => {
  const [count, events] = [1_000, 2]
  await writeMany(
    server,
    times(count, (index) =>
      wanted('Patient?family=Everybody', { endpoint: `${receiver.url}/${index}` }, { id: `one-${index}` }),
    ),
  )
  const total = async (status: string) =>
    (await server.fhir('GET', `/Subscription?status=${status}&_summary=count`)).body.total
  await until(async () => (await total('active')) === count)
  for (let event = 0; event < events; event += 1) await server.fhir('POST', '/Patient', patient('Everybody'))
  const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  await until(() => ids().size === count * events)
  const byReceiver = Map.groupBy(receiver.received, ({ path }) => path)
  expect(byReceiver.size).toBe(count)
  for (const [path, requests] of byReceiver) {
    const told = [...new Set(requests.map(({ headers }) => headers['webhook-id']))]
    expect(told).toEqual(numbersTo(events).map((number) => `one-${path.split('/').at(-1)}.${number}`))
  }
  expect(await total('active')).toBe(count)
})

test('a receiver that never responds to its many Subscriptions does not hold up another one', async () => {
  const count = 300
  await writeMany(
    server,
    times(count, (index) =>
      wanted('Patient?family=Held', { endpoint: `${silent.url}/${index}` }, { id: `held-${index}` }),
    ),
  )
  for (let index = 0; index < count; index += 100) await inStatus(server, `held-${index + 99}`, 'active')
  await subscribe(server, wanted('Patient?family=Quick', { endpoint: receiver.url }))
  await server.fhir('POST', '/Patient', patient('Held'))
  await until(() => silent.received.length > 0)
  await server.fhir('POST', '/Patient', patient('Quick'))
  await until(() => receiver.received.length > 0)
  expect(silent.received.length).toBeLessThan(count / 2)
})
