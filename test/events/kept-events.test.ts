/** The log of a Subscription: which events are kept, for how long, and where a backlog ends. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { SUBSCRIPTION, type SubscriptionState } from '../../src/events/state.ts'
import { OUTBOX, subscriptionKey } from '../../src/integrations/outbox/rows.ts'
import { EVENT, SUBSCRIBED, SUBSCRIBED_KEY } from '../../src/repository/event-feed.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { arrived, change, eventually, inStatus, patient, subscribe, wanted, writeMany } from './support.ts'
import { toTopic } from './topic-support.ts'

const CLINIC = 'demo-clinic'
const DAY = 24 * 3_600_000
const LOG = recordKind<unknown>('subscription-event')

let ahead = 0
let server: TestServer
let receiver: Receiver

beforeAll(async () => {
  server = await startServer({}, { clock: () => Date.now() + ahead })
})
afterAll(() => server.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  const { body } = await server.fhir('GET', '/Subscription?status=active,error,requested')
  for (const { resource } of body.entry ?? []) await server.fhir('DELETE', `/Subscription/${resource.id}`)
  await receiver.close()
})

const create = (family: string) => server.fhir('POST', '/Patient', patient(family))
const idsOf = () => receiver.received.map(({ headers }) => headers['webhook-id'])

const stateOf = async (id: string): Promise<SubscriptionState> => {
  const record = await server.app.repository.readRecord(CLINIC, SUBSCRIPTION, id)
  if (record === undefined) throw new Error(`There is no state of ${id}`)
  return record.value
}

/** As if other events had been made, or delivered, meanwhile. */
const setProgress = (id: string, progress: Partial<SubscriptionState>): Promise<void> =>
  server.app.repository.change(CLINIC, async ({ records }) => {
    const record = await records.read(SUBSCRIPTION, id)
    if (record !== undefined) records.put(SUBSCRIPTION, id, { ...record.value, ...progress }, { due: record.due })
  })

/** The numbers of the events in the log. */
async function logOf(id: string): Promise<readonly number[]> {
  const kept = await server.app.repository.records(LOG, { clinic: CLINIC, after: `${id}/`, limit: 2_000 })
  return kept.flatMap(({ key }) => (key.startsWith(`${id}/`) ? [Number(key.split('/')[1])] : []))
}

const kept = (id: string, numbers: readonly number[]) =>
  eventually(async () => JSON.stringify(await logOf(id)) === JSON.stringify(numbers), `the log ${numbers}`)

const delivered = (id: string, number: number) =>
  eventually(async () => (await stateOf(id)).delivered === number, `the delivery of ${number}`)

/** Whether nothing of it is under way. */
const settled = (id: string) =>
  eventually(async () => {
    const row = await server.app.repository.readRecord(CLINIC, OUTBOX, subscriptionKey(id))
    return row === undefined
  }, 'the end of the delivery')

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('with 50,000 events that wait a Subscription goes on; one more turns it off, and nothing grows further', async () => {
  receiver.answer(503)
  const id = await subscribe(server, wanted('Patient?family=Backlog', { endpoint: receiver.url }))
  await create('Backlog')
  await arrived(receiver, 1)
  await setProgress(id, { last: 49_999 })
  await create('Backlog')
  await kept(id, [1, 50_000])
  expect((await stateOf(id)).status).toBe('active')
  await create('Backlog')
  const { error } = await inStatus(server, id, 'off')
  expect(error).toMatch(
    /^More than 50000 events wait for the receiver: later ones are not kept, since \d{4}-\d\d-\d\dT/,
  )
  for (let n = 0; n < 3; n += 1) await create('Backlog')
  const { repository } = server.app
  const subscribed = await repository.readRecord(CLINIC, SUBSCRIBED, SUBSCRIBED_KEY)
  expect([subscribed?.value.types, subscribed?.value.running]).toEqual([{}, 0])
  expect(await repository.records(EVENT, { clinic: CLINIC, limit: 10 })).toEqual([])
  expect(await logOf(id)).toEqual([1, 50_000, 50_001])
  receiver.answer(204)
  await setProgress(id, { delivered: 49_999 })
  await change(server, id, { status: 'requested' })
  await arrived(receiver, 3)
  await create('Backlog')
  await arrived(receiver, 4)
  expect(idsOf().slice(1)).toEqual([50_000, 50_001, 50_002].map((number) => `${id}.${number}`))
})

test('of delivered events the newest thousand are kept; what is not delivered stays, however much it is', async () => {
  const id = await subscribe(
    server,
    toTopic({ topic: 'patient-registered', endpoint: receiver.url, content: 'empty', maxCount: 100 }),
  )
  receiver.answer(503)
  await writeMany(
    server,
    Array.from({ length: 1_100 }, () => patient('Thousand')),
  )
  await kept(id, upTo(1, 1_100))
  receiver.answer(204)
  await eventually(async () => {
    ahead += 60_000
    return (await stateOf(id)).delivered === 1_100
  }, 'the delivery of all')
  await kept(id, upTo(101, 1_100))
})

describe('a delivered event goes after a week', () => {
  test('or within a day after it, from the log of a Subscription that has two events each day', async () => {
    const id = await subscribe(server, wanted('Patient?family=Daily', { endpoint: receiver.url }))
    for (let number = 1; number <= 20; number += 1) {
      await create('Daily')
      await delivered(id, number)
      ahead += DAY / 2
    }
    const oldest = await eventually(async () => {
      const [first = 0] = await logOf(id)
      return first > 4 ? first : undefined
    }, 'a log without the events of the first two days')
    expect(oldest).toBeLessThanOrEqual(8)
    expect(await logOf(id)).toEqual(upTo(oldest, 20))
  })

  test('from the log of a Subscription with heartbeats, and of one whose receiver does not take what came since', async () => {
    const beating = toTopic({ topic: 'patient-registered', endpoint: receiver.url, heartbeat: 600 })
    const id = await subscribe(server, beating)
    await create('Beaten')
    await delivered(id, 1)
    const other = await startReceiver()
    const failing = await subscribe(server, wanted('Patient?family=Beaten', { endpoint: other.url }))
    await create('Beaten')
    await delivered(failing, 1)
    await delivered(id, 2)
    other.answer(503)
    for (let day = 0; day < 8; day += 1) {
      const before = receiver.received.length
      ahead += DAY
      await arrived(receiver, before + 1)
      await settled(id)
      if (day === 6) await create('Beaten')
    }
    await kept(id, [3])
    await kept(failing, [2])
    await other.close()
  })
})

test('an event that is not delivered stays beyond a week, and is delivered when it is asked for', async () => {
  const id = await subscribe(server, wanted('Patient?family=Late', { endpoint: receiver.url }))
  await create('Late')
  await delivered(id, 1)
  receiver.answer(503)
  await create('Late')
  await create('Late')
  await arrived(receiver, 2)
  ahead += 9 * DAY
  expect((await inStatus(server, id, 'error')).error).toMatch(/503; given up at/)
  await kept(id, [2, 3])
  receiver.answer(204)
  await change(server, id, { status: 'requested' })
  await arrived(receiver, 5)
  expect(idsOf().slice(-2)).toEqual([`${id}.2`, `${id}.3`])
})
