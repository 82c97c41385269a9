/** Subscriptions that are changed while something is sent for them, or waits: the change decides, and no secret goes elsewhere. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Subscription } from 'fhir/r4'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { arrived, change, eventually, inStatus, patient, read, subscribe, wanted } from './support.ts'
import { notifiedIn, toTopic } from './topic-support.ts'

let server: TestServer
let receiver: Receiver
let slow: Slow

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  receiver = await startReceiver()
  slow = await startSlow()
})
afterEach(async () => {
  await receiver.close()
  await slow.close()
})

/** A receiver that responds when the test wants it to. */
interface Slow {
  readonly url: string
  readonly waiting: readonly ServerResponse[]
  readonly close: () => Promise<void>
}

async function startSlow(): Promise<Slow> {
  const waiting: ServerResponse[] = []
  const http = createServer((asked, response) => {
    asked.resume().once('end', () => waiting.push(response))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/slow`,
    waiting,
    close: () => {
      http.closeAllConnections()
      return new Promise((resolve) => http.close(() => resolve()))
    },
  }
}

const create = (family: string) => server.fhir('POST', '/Patient', patient(family))

/** How its deliveries are. */
async function watch(id: string) {
  const headers = { authorization: `Bearer ${server.token}` }
  return (await request(server.url, 'GET', `/clinics/demo-clinic/subscriptions/${id}`, undefined, headers)).body
}

const withChannel = (id: string, channel: Subscription['channel']) =>
  change(server, id, { status: 'requested', channel })

test.each([404, 410, 200])(
  'the response %i of the receiver that it had decides nothing about the one that it has now',
  async (status) => {
    const id = await subscribe(server, wanted('Patient?family=Late', { endpoint: slow.url }))
    await create('Late')
    await eventually(() => slow.waiting[0], 'an attempt')
    await withChannel(id, { type: 'rest-hook', endpoint: receiver.url })
    slow.waiting[0]?.writeHead(status).end()
    await inStatus(server, id, 'active')
    await create('Late')
    const first = status === 200 ? 2 : 1
    await arrived(receiver, 3 - first)
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
      [1, 2].slice(first - 1).map((number) => `${id}.${number}`),
    )
    await eventually(async () => (await watch(id)).undelivered === 0 || undefined, 'the record of all deliveries')
  },
)

test('a handshake that another receiver accepts makes nothing active', async () => {
  const asked = toTopic({ endpoint: slow.url })
  const { id } = (await server.fhir('POST', '/Subscription', asked)).body
  await eventually(() => slow.waiting[0], 'a handshake')
  receiver.answer(503)
  await withChannel(id, { ...asked.channel, endpoint: receiver.url })
  slow.waiting[0]?.writeHead(200).end()
  expect((await inStatus(server, id, 'error')).error).toMatch(/503.*handshake/)
  expect(receiver.received.length).toBe(1)
})

test('another receiver of one that is in error is asked for a handshake at once', async () => {
  receiver.answer(503)
  const asked = toTopic({ endpoint: receiver.url })
  const { id } = (await server.fhir('POST', '/Subscription', asked)).body
  await inStatus(server, id, 'error')
  const other = await startReceiver()
  await change(server, id, { channel: { ...asked.channel, endpoint: other.url } })
  await inStatus(server, id, 'active')
  expect(other.received.length).toBe(1)
  await other.close()
})

test('events that wait for a receiver are those of the connections, once the channel is a websocket', async () => {
  receiver.answer(503)
  const id = await subscribe(server, wanted('Patient?family=Socket', { endpoint: receiver.url }))
  await create('Socket')
  await eventually(async () => (await watch(id)).lastAttempt, 'an attempt')
  await withChannel(id, { type: 'websocket' })
  await inStatus(server, id, 'active')
  const { attempts, undelivered, delivery } = await watch(id)
  expect([attempts.length, undelivered, delivery]).toEqual([1, 0, undefined])
})

test('its attempts are kept when it is turned off and requested again', async () => {
  const id = await subscribe(server, wanted('Patient?family=Kept', { endpoint: receiver.url }))
  await create('Kept')
  await eventually(async () => (await watch(id)).lastAttempt, 'an attempt')
  const { attempts } = await watch(id)
  await change(server, id, { status: 'off' })
  expect((await watch(id)).attempts).toEqual(attempts)
  await change(server, id, { status: 'requested' })
  expect((await watch(id)).attempts).toEqual(attempts)
})

test('the hidden value of a header is sent to no other server, also by way of off and of a deletion', async () => {
  const header = ['X-Hook: open sesame']
  const channel = { type: 'rest-hook' as const, header: ['X-Hook: set'] }
  const id = await subscribe(server, wanted('Patient?family=Thief', { endpoint: slow.url, header }))
  const elsewhere = { ...channel, endpoint: receiver.url }
  const refused = async (more: Partial<Subscription>) => {
    const { status, body } = await change(server, id, more)
    expect([status, body.issue[0].expression, body.issue[0].diagnostics]).toEqual([
      422,
      ['Subscription.channel.header[0]'],
      expect.stringMatching(/send the value of the header X-Hook again|no value yet/),
    ])
  }
  await refused({ status: 'requested', channel: elsewhere })
  await refused({ status: 'off', channel: elsewhere })
  await change(server, id, { status: 'off' })
  await refused({ status: 'requested', channel: elsewhere })
  expect((await change(server, id, { status: 'requested' })).status).toBe(200)
  const before = await read(server, id)
  await server.fhir('DELETE', `/Subscription/${id}`)
  for (const status of ['off', 'requested'])
    expect((await server.fhir('PUT', `/Subscription/${id}`, { ...before, status })).status).toBe(422)
})

test('a user name in an endpoint is refused also in one that is off, as everybody reads it', async () => {
  const asked = wanted('Patient', { endpoint: 'https://a:b@example.org/' }, { status: 'off' })
  const { status, body } = await server.fhir('POST', '/Subscription', asked)
  expect([status, body.issue[0].expression]).toEqual([422, ['Subscription.channel.endpoint']])
})

test('a test event goes to no receiver that has refused the handshake, and follows the next one that is accepted', async () => {
  receiver.answer(400)
  const { id } = (await server.fhir('POST', '/Subscription', toTopic({ endpoint: receiver.url }))).body
  await inStatus(server, id, 'error')
  const headers = { authorization: `Bearer ${server.token}` }
  const path = `/clinics/demo-clinic/outbox/subscription-${id}`
  expect((await request(server.url, 'DELETE', path, undefined, headers)).status).toBe(204)
  receiver.answer(200)
  const task = { resourceType: 'Task', status: 'requested', intent: 'order' }
  const focus = `Task/${(await server.fhir('POST', '/Task', task)).body.id}`
  await server.fhir('POST', `/clinics/demo-clinic/subscriptions/${id}/$test`, { focus })
  await arrived(receiver, 3)
  const types = receiver.received.map(({ body }) => notifiedIn(JSON.parse(body)).type)
  expect(types).toEqual(['handshake', 'handshake', 'event-notification'])
})
