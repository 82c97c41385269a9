/** Subscriptions by a websocket: R4's bind and ping, the backport's tokens, and who may be bound to what. docs/subscriptions.md */
import { get } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { WebSocket } from 'ws'
import { createClinic } from '../../src/clinics/clinics.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'
import { PATIENT } from '../support/booking.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { logInAs, OTHER_CLINIC, withToken } from '../support/two-clinics.ts'
import { bearer, bindingToken, SocketClient } from './socket-client.ts'
import { eventually, subscribe, wanted } from './support.ts'
import { notifiedIn, TOPIC, toTopic } from './topic-support.ts'

let server: TestServer
let other: TestServer
/** Milliseconds that the clock of the server is fast. */
let fast = 0
const clients: Client[] = []

beforeAll(async () => {
  const started = await startServer({}, { clock: () => Date.now() + fast })
  await createClinic(started.app.repository, OTHER_CLINIC, {
    ...{ name: 'Other Clinic', timeZone: 'Europe/Vienna', dialedNumbers: [], defaultRegion: 'US' },
    policies: { overbooking: false, slotTakenStatus: 409 },
  })
  const as = async (username: string, clinic: string) =>
    withToken(started, await logInAs(started, { username, clinic, role: 'admin' }))
  server = await as('ours', DEMO_CLINIC)
  other = await as('other', OTHER_CLINIC)
})
afterAll(() => server.close())
afterEach(() => {
  for (const client of clients.splice(0)) client.socket.terminate()
})

class Client extends SocketClient {
  constructor(headers: Record<string, string> = {}, at = '/websocket') {
    super(server.url, headers, at)
    clients.push(this)
  }
}

const task = { resourceType: 'Task', status: 'requested', intent: 'order', for: { reference: PATIENT } }
const raise = async (of = server): Promise<string> => (await of.fhir('POST', '/Task', task)).body.id
const r4 = () => subscribe(server, wanted('Task?status=requested', { type: 'websocket' }))
const byTopic = (more: object = {}) => subscribe(server, toTopic({ type: 'websocket', ...more }))

const tokenFor = (ids: readonly string[], of = server): Promise<string> => bindingToken(of, ids)

describe('R4', () => {
  test('bind is answered with bound, and each event is a ping', async () => {
    const id = await r4()
    const client = new Client(bearer(server))
    await client.say(`bind ${id}`)
    expect(await client.next()).toEqual([`bound ${id}`])
    await raise()
    await raise()
    expect(await client.next(3)).toEqual([`bound ${id}`, `ping ${id}`, `ping ${id}`])
  })

  test('bind without a token in the header is refused', async () => {
    const client = new Client()
    await client.say(`bind ${await r4()}`)
    expect(await client.next()).toEqual([expect.stringMatching(/^error bind needs .*Authorization/)])
  })

  test('a payload is refused, as only pings are sent', async () => {
    const asked = wanted('Task?status=requested', { type: 'websocket', payload: 'application/fhir+json' })
    expect((await server.fhir('POST', '/Subscription', asked)).status).toBe(422)
  })
})

describe('the backport', () => {
  test('a token binds several Subscriptions, with a handshake each; then come their notifications', async () => {
    const [one, two] = [await byTopic(), await byTopic({ topic: 'task-completed', content: 'full-resource' })]
    const client = new Client()
    await client.say(`bind-with-token ${await tokenFor([one, two])}`)
    const shaken = (await client.next(2)).map((text) => notifiedIn(JSON.parse(text)))
    expect(shaken.map(({ type, topic }) => [type, topic])).toEqual([
      ['handshake', `${TOPIC}/task-raised`],
      ['handshake', `${TOPIC}/task-completed`],
    ])
    const id = await raise()
    await server.fhir('PUT', `/Task/${id}`, { ...task, id, status: 'completed' })
    const [raised, completed] = (await client.next(4)).slice(2).map((text) => notifiedIn(JSON.parse(text)))
    expect(raised).toMatchObject({ numbers: [1], focuses: [`Task/${id}`], entries: [] })
    expect(completed?.entries[0]).toMatchObject({ resource: { id, status: 'completed' } })
  })

  test('a heartbeat comes after its period', async () => {
    const client = new Client()
    await client.say(`bind-with-token ${await tokenFor([await byTopic({ heartbeat: 60 })])}`)
    await client.next()
    fast += 61_000
    expect(notifiedIn(JSON.parse((await client.next(2))[1] ?? '')).type).toBe('heartbeat')
  })

  test('a token is for one use', async () => {
    const token = await tokenFor([await byTopic()])
    const [first, second] = [new Client(), new Client()]
    await first.say(`bind-with-token ${token}`)
    expect(notifiedIn(JSON.parse((await first.next())[0] ?? '')).type).toBe('handshake')
    await second.say(`bind-with-token ${token}`)
    expect(await second.next()).toEqual([expect.stringMatching(/^error the token is unknown, used or expired/)])
  })

  test('of two uses at the same time one succeeds', async () => {
    const token = await tokenFor([await byTopic()])
    const both = [new Client(), new Client()]
    for (const client of both) await client.say(`bind-with-token: ${token}`)
    const answers = (await Promise.all(both.map((client) => client.next()))).map(([text]) => text?.slice(0, 5))
    expect(answers.toSorted()).toEqual(['error', '{"res'])
  })

  test('a token ends after thirty seconds', async () => {
    const token = await tokenFor([await byTopic()])
    fast += 30_001
    const client = new Client()
    await client.say(`bind-with-token ${token}`)
    expect(await client.next()).toEqual([expect.stringMatching(/^error the token/)])
  })
})

describe('another clinic', () => {
  test('binds nothing of this one, with its own token or a binding token', async () => {
    const id = await byTopic()
    const client = new Client(bearer(other))
    await client.say(`bind ${id}`)
    expect(await client.next()).toEqual([`error there is no Subscription/${id}`])
    expect((await other.fhir('GET', `/Subscription/$get-ws-binding-token?id=${id}`)).status).toBe(404)
  })

  test('and this one are not bound by one connection', async () => {
    const own = await subscribe(other, toTopic({ type: 'websocket' }))
    const client = new Client(bearer(server))
    await client.say(`bind ${await r4()}`)
    await client.next()
    await client.say(`bind-with-token ${await tokenFor([own], other)}`)
    expect((await client.next(2))[1]).toMatch(/^error .*another clinic/)
  })

  test('is told nothing of the events of this one', async () => {
    const own = await subscribe(other, wanted('Task?status=requested', { type: 'websocket' }))
    const client = new Client(bearer(other))
    await client.say(`bind ${own}`)
    await client.next()
    await raise()
    await raise(other)
    expect(await client.next(2)).toEqual([`bound ${own}`, `ping ${own}`])
  })
})

test('a request that is refused opens no websocket', async () => {
  for (const [headers, at, sentence] of [
    [{ authorization: 'Bearer nonsense' }, '/websocket', /401/],
    [{ authorization: 'Basic ZGVtbzpkZW1v' }, '/websocket', /401/],
    [bearer(server), '/Patient', /Unexpected server response: 200/],
  ] as const) {
    expect((await new Client(headers, at).end()).reason).toMatch(sentence)
  }
})

test.each<[string, string | Buffer]>([
  ['nothing', ''],
  ['a verb alone', 'bind'],
  ['another verb', 'subscribe me'],
  ['two ids', 'bind one two'],
  ['a path', 'bind ../../Patient'],
  ['an id that there is not', 'bind no-such-id'],
  ['a token that is none', 'bind-with-token x'],
  ['a token of the right form', `bind-with-token ${'a'.repeat(32)}`],
  ['JSON', '{"bind": "1"}'],
  ['bytes', Buffer.from([0, 255, 254])],
  ['right-to-left text and markup', 'bind \u202e<b>1</b>'],
  ['a null', 'bind \0'],
])('a message of %s is answered with a sentence', async (_what, message) => {
  const client = new Client(bearer(server))
  await client.say(message)
  expect(await client.next()).toEqual([expect.stringMatching(/^error [a-z]/)])
})

test('a client that reads slowly is told of no more than it reads, and in the end of all', async () => {
  const id = await byTopic({ content: 'full-resource' })
  const client = new Client(bearer(server))
  await client.say(`bind ${id}`)
  await client.next()
  client.socket.pause()
  const note = Array.from({ length: 6 }, () => ({ text: 'a'.repeat(1_000_000) }))
  const entry = [1, 2, 3, 4].map(() => ({ request: { method: 'POST', url: 'Task' }, resource: { ...task, note } }))
  const { status } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  expect(status).toBe(200)
  await eventually(
    async () =>
      (await server.fhir('GET', `/Subscription/${id}/$events?content=empty`)).body.entry[0].resource.parameter.length >
      7,
  )
  client.socket.resume()
  const [, ...texts] = await client.next(5)
  expect(texts.flatMap((text) => notifiedIn(JSON.parse(text)).numbers)).toEqual([1, 2, 3, 4])
})

test('a message that is too long ends the connection', async () => {
  const client = new Client(bearer(server))
  await client.say('x'.repeat(5_000))
  expect((await client.end()).code).toBe(1009)
})

test('Upgrade to another protocol is served as the request that it is', async () => {
  const h2c = { connection: 'upgrade, http2-settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' }
  const status = await new Promise((resolve, reject) => {
    const asked = get(`${server.url}/Patient?_count=1`, { headers: { ...bearer(server), ...h2c } }, (response) =>
      resolve(response.resume().statusCode),
    )
    asked.on('error', reject)
  })
  expect(status).toBe(200)
})

test('open connections do not hold the shutdown', async () => {
  const short = await startServer()
  const socket = new WebSocket(`${short.url.replace('http', 'ws')}/websocket`)
  await new Promise((resolve) => socket.once('open', resolve))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await short.close()
  await closed
})

test('a binding token says what it is for, where, and until when', async () => {
  const id = await byTopic()
  for (const [method, path] of [
    ['GET', `/${id}/`],
    ['POST', `/${id}/`],
  ] as const) {
    const { body } = await server.fhir(method, `/Subscription${path}$get-ws-binding-token`)
    const values = Object.fromEntries(body.parameter.map(({ name, ...value }: { name: string }) => [name, value]))
    expect(values).toMatchObject({
      subscription: { valueString: id },
      'websocket-url': { valueUrl: `${server.url.replace('http', 'ws')}/websocket` },
      expiration: { valueDateTime: expect.stringMatching(/Z$/) },
    })
  }
})

test('a websocket Subscription is made by PUT, read, found, updated, turned off and deleted', async () => {
  // The steps of the public script Subscriptions/basic of ignixa-lab.
  const { resource } = (await server.fhir('GET', '/metadata')).body.rest[0]
  const { extension } = (await server.fhir('GET', '/metadata')).body.rest[0]
  expect(extension).toContainEqual({
    url: 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-websocket',
    valueUri: `${server.url.replace('http', 'ws')}/websocket`,
  })
  expect(resource.find(({ type }: { type: string }) => type === 'Subscription').updateCreate).toBe(true)
  const at = '/Subscription/script-basic'
  const asked = { ...wanted('Patient?name=marker', { type: 'websocket' }), id: 'script-basic' }
  expect((await server.fhir('PUT', at, asked)).status).toBe(201)
  const { body } = await server.fhir('GET', at)
  expect([body.criteria, body.channel]).toEqual(['Patient?name=marker', { type: 'websocket' }])
  const found = (await server.fhir('GET', '/Subscription?_id=script-basic')).body
  expect(found.entry.map(({ resource }: { resource: { id: string } }) => resource.id)).toEqual(['script-basic'])
  const off = { ...asked, status: 'off', criteria: 'Patient?name=other' }
  expect((await server.fhir('PUT', at, off)).status).toBe(200)
  expect((await server.fhir('GET', at)).body).toMatchObject({ status: 'off', criteria: 'Patient?name=other' })
  expect((await server.fhir('DELETE', at)).status).toBe(204)
  expect((await server.fhir('GET', at)).status).toBe(410)
})

describe('who may be bound:', () => {
  test('a binding token ends with the session that has asked for it', async () => {
    const user = await logInAs(server, { username: 'early', clinic: DEMO_CLINIC, role: 'staff' })
    const early = withToken(server, user)
    const id = await byTopic()
    const token = await tokenFor([id], early)
    await early.fhir('DELETE', '/session')
    const client = new Client()
    await client.say(`bind-with-token ${token}`)
    expect(await client.next()).toEqual([`error there is no Subscription/${id}`])
  })

  test('an operator of the service, who belongs to no clinic, opens no websocket', async () => {
    const token = await logInAs(server, { username: 'otto', clinic: SERVICE, role: 'operator' })
    expect((await new Client({ authorization: `Bearer ${token}` }).end()).reason).toMatch(/403/)
  })

  test('strangers with a hundred connections keep out other strangers, and nobody with a token', async () => {
    const id = await r4()
    const strangers = Array.from({ length: 101 }, () => new Client())
    const opened = ({ socket }: Client) => socket.readyState === WebSocket.OPEN
    const refused = ({ closed }: Client) => closed?.reason.includes('503') === true
    await eventually(() => strangers.every((one) => opened(one) || refused(one)) || undefined, 'an end of all openings')
    expect(strangers.filter(refused).length).toBeGreaterThan(0)
    const ours = new Client(bearer(server))
    await ours.say(`bind ${id}`)
    expect(await ours.next()).toEqual([`bound ${id}`])
  })

  test('a clinic has fifty connections in a process, and others have theirs', async () => {
    const id = await subscribe(other, toTopic({ type: 'websocket' }))
    const all = Array.from({ length: 51 }, () => new Client(bearer(other)))
    const isSettled = ({ closed, socket }: Client) => closed !== undefined || socket.readyState === WebSocket.OPEN
    await eventually(() => all.every(isSettled) || undefined, 'a response to each')
    const refused = all.filter(({ closed }) => closed !== undefined)
    expect(refused.map(({ closed }) => closed?.reason)).toEqual([expect.stringMatching(/429/)])
    const opened = all.filter(({ closed }) => closed === undefined)
    for (const client of opened) await client.say(`bind ${id}`)
    await Promise.all(opened.map((client) => client.next()))
    const byToken = new Client()
    await byToken.say(`bind-with-token ${await tokenFor([id], other)}`)
    expect(await byToken.next()).toEqual(['error the clinic has too many connections'])
    const ours = new Client(bearer(server))
    await ours.say(`bind ${await r4()}`)
    expect((await ours.next())[0]).toMatch(/^bound/)
  })
})

test('a connection to one process is told of the events of another one', async () => {
  const DATABASE_URL = await newLastingDatabaseUrl()
  const one = await startServer({ DATABASE_URL })
  const two = await startServer({ DATABASE_URL })
  try {
    const id = await subscribe(one, wanted('Task?status=requested', { type: 'websocket' }))
    const socket = new WebSocket(`${one.url.replace('http', 'ws')}/websocket`, { headers: bearer(one) })
    const texts: string[] = []
    socket.on('message', (data) => texts.push(String(data)))
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send(`bind ${id}`)
    await eventually(() => texts.length === 1 || undefined)
    await raise(two)
    await eventually(() => texts.length === 2 || undefined)
    expect(texts).toEqual([`bound ${id}`, `ping ${id}`])
  } finally {
    await two.close()
    await one.close()
  }
})
