/** Receivers that fail: retries, and when and why notifications end. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Outbound } from '../../src/integrations/outbound-request.ts'
import { MAX_TRIES, waitAfter } from '../../src/integrations/outbox/rows.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { arrived, change, eventually, inStatus, patient, read, subscribe, wanted } from './support.ts'
import { notifiedIn, toTopic } from './topic-support.ts'

const HOUR = 3_600_000

let ahead = 0
let server: TestServer
let receiver: Receiver
let admin: string

beforeAll(async () => {
  server = await startServer({}, { clock: () => Date.now() + ahead })
  admin = await server.login('admin', 'admin')
})
afterAll(() => server.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const create = (family: string) => server.fhir('POST', '/Patient', patient(family))
const idsOf = () => receiver.received.map(({ headers }) => headers['webhook-id'])

const outbox = async (state: string) => {
  const headers = { authorization: `Bearer ${admin}` }
  return (await request(server.url, 'GET', `/clinics/demo-clinic/outbox?state=${state}`, undefined, headers)).body
    .messages
}
const rowOf = async (id: string, state: string) =>
  (await outbox(state)).find(({ messageId }: { messageId: string }) => messageId === `subscription-${id}`)

/** Whether so many attempts have been recorded. */
const attemptsOf = async (id: string, count: number) =>
  [await rowOf(id, 'waiting'), await rowOf(id, 'dead')].some((row) => row?.attempts?.length === count) || undefined

describe('a receiver that is down', () => {
  test('gets all events later, in their order', async () => {
    receiver.answer(503)
    const id = await subscribe(server, wanted('Patient?family=Down', { endpoint: receiver.url }))
    for (let n = 0; n < 3; n += 1) await create('Down')
    await arrived(receiver, 1)
    await eventually(() => rowOf(id, 'waiting').then((row) => row?.reason))
    expect(await rowOf(id, 'waiting')).toMatchObject({
      type: 'subscription',
      subscription: { reference: `Subscription/${id}` },
      reason: 'the receiver responded with 503',
    })
    receiver.answer(204)
    ahead += HOUR
    await arrived(receiver, 4)
    expect(idsOf()).toEqual([1, 1, 2, 3].map((number) => `${id}.${number}`))
    await eventually(async () => ((await rowOf(id, 'waiting')) === undefined ? true : undefined))
  })

  test('is given up after sixteen tries; the Subscription says why, and continues without loss when it is requested again', async () => {
    receiver.answer(500)
    const id = await subscribe(server, wanted('Patient?family=Given', { endpoint: receiver.url }))
    await create('Given')
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      await arrived(receiver, tries)
      await eventually(() => attemptsOf(id, tries))
      ahead += waitAfter(tries) + 1_000
    }
    const { error } = await inStatus(server, id, 'error')
    expect(error).toMatch(/^The receiver responded with 500; given up at \d{4}-\d\d-\d\dT/)
    await create('Given')
    receiver.answer(200)
    await change(server, id, { status: 'requested' })
    await arrived(receiver, MAX_TRIES + 2)
    expect(idsOf().slice(-2)).toEqual([`${id}.1`, `${id}.2`])
    expect((await inStatus(server, id, 'active')).error).toBeUndefined()
  })

  test('becomes active again when staff send its dead letter again', async () => {
    receiver.answer(400)
    const id = await subscribe(server, wanted('Patient?family=Letter', { endpoint: receiver.url }))
    await create('Letter')
    await inStatus(server, id, 'error')
    expect(await rowOf(id, 'dead')).toMatchObject({
      attempts: [{ events: { from: 1, to: 1 }, exchanges: [expect.any(String)] }],
    })
    receiver.answer(200)
    const headers = { authorization: `Bearer ${admin}` }
    await request(server.url, 'POST', `/clinics/demo-clinic/outbox/subscription-${id}/$resend`, undefined, headers)
    await inStatus(server, id, 'active')
    expect(idsOf()).toEqual([`${id}.1`, `${id}.1`])
  })
})

test('a receiver that does not respond within its deadline is tried again, and keeps no other receiver waiting', async () => {
  const other = await startReceiver()
  receiver.answer('silent')
  await subscribe(server, wanted('Patient?family=Slow', { endpoint: receiver.url }))
  await subscribe(server, wanted('Patient?family=Slow', { endpoint: other.url }))
  for (let n = 0; n < 5; n += 1) await create('Slow')
  await arrived(other, 5)
  expect(receiver.received.length).toBe(1)
  await other.close()
})

test('410 ends it: the Subscription is off, and says so', async () => {
  receiver.answer(410)
  const id = await subscribe(server, wanted('Patient?family=Gone', { endpoint: receiver.url }))
  await create('Gone')
  expect((await inStatus(server, id, 'off')).error).toMatch(/410/)
  expect(await rowOf(id, 'dead')).toBeUndefined()
})

test('a redirect is not followed, and gives it up', async () => {
  const other = await startReceiver()
  receiver.answer(307, { location: other.url })
  const id = await subscribe(server, wanted('Patient?family=Moved', { endpoint: receiver.url }))
  await create('Moved')
  expect((await inStatus(server, id, 'error')).error).toMatch(/responded with 307/)
  expect(other.received).toEqual([])
  await other.close()
})

describe('where private addresses are refused', () => {
  let strict: TestServer
  beforeAll(async () => {
    strict = await startServer({ ALLOW_PRIVATE_ADDRESSES: 'off' })
  })
  afterAll(() => strict.close())

  test.each(['127.0.0.1', 'localhost'])(
    'a receiver at %s gets nothing, and the Subscription says why',
    async (host) => {
      const endpoint = receiver.url.replace('127.0.0.1', host)
      const id = await subscribe(strict, wanted(`Patient?family=${host}`, { endpoint }))
      await strict.fhir('POST', '/Patient', patient(host))
      expect((await inStatus(strict, id, 'error')).error).toMatch(/must lead to the public Internet/)
      expect(receiver.received).toEqual([])
    },
  )
})

test('a name that leads to a private address at a later attempt is refused at that attempt', async () => {
  let late = 0
  const asked: string[] = []
  const resolve = ((name: string, _options: object, callback: (error: Error | null, addresses: object[]) => void) => {
    asked.push(name)
    if (asked.length === 1) callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
    else callback(null, [{ address: '127.0.0.1', family: 4 }])
  }) as unknown as NonNullable<Outbound['resolve']>
  const strict = await startServer({ ALLOW_PRIVATE_ADDRESSES: 'off' }, { resolve, clock: () => Date.now() + late })
  try {
    const endpoint = receiver.url.replace('127.0.0.1', 'receiver.example')
    const id = await subscribe(strict, wanted('Patient?family=Rebound', { endpoint }))
    await strict.fhir('POST', '/Patient', patient('Rebound'))
    await eventually(() => asked.length === 1 || undefined)
    const row = { name: 'outbox', of: 'generation' } as const
    await eventually(async () => {
      const stored = await strict.app.repository.readRecord('demo-clinic', row, `subscription-${id}`)
      return (stored?.value as { tries?: number } | undefined)?.tries === 1 || undefined
    }, 'the first attempt')
    expect((await read(strict, id)).status).toBe('active')
    late += HOUR
    expect((await inStatus(strict, id, 'error')).error).toMatch(/must lead to the public Internet/)
    expect(asked).toEqual(['receiver.example', 'receiver.example'])
    expect(receiver.received).toEqual([])
  } finally {
    await strict.close()
  }
})

test('events wait while the sandbox of the clinic is off', async () => {
  const id = await subscribe(server, wanted('Patient?family=Off', { endpoint: receiver.url }))
  receiver.answer(503)
  await create('Off')
  await arrived(receiver, 1)
  receiver.answer(200)
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
  const sandbox = (enabled: boolean) => request(server.url, 'PUT', '/clinics/demo-clinic/sandbox', { enabled }, headers)
  await sandbox(false)
  ahead += HOUR
  const messages = await eventually(async () => {
    const stored = await server.app.repository.readRecord(
      'demo-clinic',
      { name: 'outbox', of: 'generation' },
      `subscription-${id}`,
    )
    const { due } = stored ?? {}
    return due !== undefined && due !== null && due > Date.now() + ahead && due < Date.now() + ahead + 20_000
      ? stored
      : undefined
  })
  expect(messages.value).toMatchObject({ tries: 1 })
  expect(receiver.received).toHaveLength(1)
  await sandbox(true)
  ahead += HOUR
  await arrived(receiver, 2)
  expect((await read(server, id)).status).toBe('active')
})

describe('the topic delivery-given-up', () => {
  const watched = (endpoint: string) => toTopic({ topic: 'delivery-given-up', endpoint, content: 'id-only' })
  const focusesOf = (watcher: Receiver) =>
    watcher.received.slice(1).flatMap(({ body }) => notifiedIn(JSON.parse(body)).focuses)

  /** A Subscription whose receiver responds with this status to its first event. */
  async function failing(status: number, endpoint = receiver.url): Promise<string> {
    const id = await subscribe(server, wanted('Patient?family=Lost', { endpoint }))
    receiver.answer(status)
    await create('Lost')
    await inStatus(server, id, status === 410 ? 'off' : 'error')
    return id
  }

  test('tells of a Subscription that the server puts into error or turns off, and of none that a client turns off', async () => {
    const watcher = await startReceiver()
    const id = await subscribe(server, watched(watcher.url))
    try {
      const refused = await failing(400)
      await change(server, refused, { status: 'off' })
      const gone = await failing(410)
      await arrived(watcher, 3)
      expect(focusesOf(watcher)).toEqual([`Subscription/${refused}`, `Subscription/${gone}`])
    } finally {
      await change(server, id, { status: 'off' })
      await watcher.close()
    }
  })

  test('never tells a Subscription of itself, so that a failure leads to no further one', async () => {
    const [dead, watcher] = [await startReceiver(), await startReceiver()]
    const both = [await subscribe(server, watched(dead.url)), await subscribe(server, watched(watcher.url))]
    try {
      dead.answer(400)
      const first = await failing(400)
      await inStatus(server, both[0] ?? '', 'error')
      await arrived(watcher, 3)
      expect(focusesOf(watcher)).toEqual([`Subscription/${first}`, `Subscription/${both[0]}`])
      const { body } = await server.fhir('GET', `/Subscription/${both[0]}/$events`)
      expect(notifiedIn(body).focuses).toEqual([`Subscription/${first}`])
    } finally {
      for (const id of both) await change(server, id, { status: 'off' })
      await dead.close()
      await watcher.close()
    }
  })

  test('takes filters by status and channel of the Subscription', async () => {
    const watcher = await startReceiver()
    const asked = toTopic({ topic: 'delivery-given-up', endpoint: watcher.url, filters: ['Subscription?status=off'] })
    const id = await subscribe(server, asked)
    try {
      await failing(400)
      const gone = await failing(410)
      await arrived(watcher, 2)
      expect(focusesOf(watcher)).toEqual([`Subscription/${gone}`])
    } finally {
      await change(server, id, { status: 'off' })
      await watcher.close()
    }
  })
})
