/** How connections of the websocket end, and what the journal and the audit trail have of them. docs/subscriptions.md */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { setDisabled } from '../../src/clinics/accounts.ts'
import { createClinic } from '../../src/clinics/clinics.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { PATIENT } from '../support/booking.ts'
import { EXCHANGES, exchanges, exchangeWith, setJournal } from '../support/journal.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { rsaKey, startIssuer } from '../support/token-issuer.ts'
import { logInAs, OTHER_CLINIC, withToken } from '../support/two-clinics.ts'
import { bearer, bindingToken, SocketClient } from './socket-client.ts'
import { change, eventually, subscribe, wanted } from './support.ts'
import { toTopic } from './topic-support.ts'

let server: TestServer
let other: TestServer
/** Milliseconds that the clock of the server is fast. */
let fast = 0
const clients: SocketClient[] = []

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

function connect(headers: Record<string, string> = {}, { url } = server): SocketClient {
  const client = new SocketClient(url, headers)
  clients.push(client)
  return client
}

const json = { 'content-type': 'application/json' }
const task = { resourceType: 'Task', status: 'requested', intent: 'order', for: { reference: PATIENT } }
const raise = async (of = server): Promise<string> => (await of.fhir('POST', '/Task', task)).body.id
const byTopic = (of = server) => subscribe(of, toTopic({ type: 'websocket' }))
const r4 = () => subscribe(server, wanted('Task?status=requested', { type: 'websocket' }))

/** A connection that is bound with the header of the user. */
async function bound(id: string, user = server): Promise<SocketClient> {
  const client = connect(bearer(user))
  await client.say(`bind ${id}`)
  await client.next()
  return client
}

describe('a connection ends, and its reason says so,', () => {
  test('when the Subscription is turned off', async () => {
    const id = await byTopic()
    const client = await bound(id)
    await change(server, id, { status: 'off' })
    expect(await client.end()).toEqual({ code: 1000, reason: 'the Subscription is off' })
  })

  test('when the Subscription is deleted', async () => {
    const id = await r4()
    const client = await bound(id)
    await server.fhir('DELETE', `/Subscription/${id}`)
    expect(await client.end()).toEqual({ code: 1000, reason: 'the Subscription has been deleted' })
  })

  test('when the sandbox of its clinic is turned off', async () => {
    const client = await bound(await byTopic(other), other)
    const sandbox = (enabled: boolean) => other.fhir('PUT', '/clinics/other-clinic/sandbox', { enabled })
    expect((await sandbox(false)).status).toBe(200)
    expect(await client.end()).toEqual({ code: 1000, reason: 'the sandbox of the clinic is turned off' })
    await sandbox(true)
  })

  test('when the clinic is reset', async () => {
    const client = await bound(await byTopic(other), other)
    expect((await other.fhir('POST', '/clinics/other-clinic/reset', { scenario: 'empty' }, json)).status).toBe(200)
    expect(await client.end()).toEqual({ code: 1000, reason: 'the data of the clinic have been reset' })
  })

  /** Connections bound with the header and with a binding token of one user, and another of somebody else, which stays. */
  async function ofOneUser(user: TestServer) {
    const id = await byTopic()
    const [byHeader, byToken, stays] = [connect(bearer(user)), connect(), connect(bearer(server))]
    await byHeader.say(`bind ${id}`)
    await byToken.say(`bind-with-token ${await bindingToken(user, [id])}`)
    await stays.say(`bind ${id}`)
    for (const client of [byHeader, byToken, stays]) await client.next()
    return { ends: [byHeader, byToken], stays }
  }

  async function expectEnded({ ends, stays }: Awaited<ReturnType<typeof ofOneUser>>, reason: string): Promise<void> {
    for (const client of ends) expect(await client.end()).toEqual({ code: 1000, reason })
    await raise()
    expect((await stays.next(2)).length).toBe(2)
    for (const client of ends) expect(client.texts.length).toBe(1)
  }

  const staff = async (username: string): Promise<TestServer> =>
    withToken(server, await logInAs(server, { username, clinic: DEMO_CLINIC, role: 'staff' }))

  test('when the account of the user is disabled', async () => {
    const connections = await ofOneUser(await staff('leaving'))
    await setDisabled(server.app.repository, 'leaving', true)
    await expectEnded(connections, 'the account of the user is disabled or gone')
  })

  test('when the session is ended', async () => {
    const evening = await staff('evening')
    const connections = await ofOneUser(evening)
    expect((await evening.fhir('DELETE', '/session')).status).toBe(204)
    await expectEnded(connections, 'the session has ended')
  })

  test('when the token of a program is revoked', async () => {
    const { body } = await server.fhir('POST', '/tokens', { name: 'Listener', role: 'staff' }, json)
    const connections = await ofOneUser(withToken(server, body.token))
    expect((await server.fhir('DELETE', `/tokens/${body.id}`)).status).toBe(204)
    await expectEnded(connections, 'the token of the program has been revoked')
  })

  test('when the token expires', async () => {
    const client = await bound(await byTopic())
    fast += 31 * 86_400_000
    expect(await client.end()).toEqual({ code: 1000, reason: 'the token has expired' })
    fast = 0
  })
})

test('a token of a foreign issuer ends its connections when it expires, and not before', async () => {
  const issuer = await startIssuer(rsaKey('key'))
  const [iss, aud] = ['https://login.example', 'https://emr.example']
  const foreign = await startServer(
    { JWKS_URL: issuer.jwksUrl, JWT_ISSUER: iss, JWT_AUDIENCE: aud },
    { clock: () => Date.now() + fast },
  )
  const signed = (seconds: number): TestServer => {
    const exp = Math.floor(Date.now() / 1000) + seconds
    const token = issuer.sign({ sub: 'u1', name: 'Una', clinic: DEMO_CLINIC, role: 'staff', iss, aud, exp })
    return withToken(foreign, token)
  }
  try {
    const [short, long] = [signed(3_600), signed(7_200)]
    const id = await byTopic(long)
    const [byHeader, byToken, stays] = [bearer(short), {}, bearer(long)].map((headers) =>
      connect(headers, foreign),
    ) as [SocketClient, SocketClient, SocketClient]
    await byHeader.say(`bind ${id}`)
    await byToken.say(`bind-with-token ${await bindingToken(short, [id])}`)
    await stays.say(`bind ${id}`)
    for (const client of [byHeader, byToken, stays]) await client.next()
    fast = 3_606_000
    for (const client of [byHeader, byToken])
      expect(await client.end()).toEqual({ code: 1000, reason: 'the token has expired' })
    await raise(long)
    expect((await stays.next(2)).length).toBe(2)
  } finally {
    fast = 0
    await foreign.close()
    await issuer.close()
  }
})

test('a client that says too much ends its connection, one message after the other too', async () => {
  const client = connect(bearer(server))
  for (let said = 1; client.closed === undefined && said < 500; said += 1) {
    await client.say('nonsense')
    await eventually(() => client.texts.length >= said || client.closed !== undefined)
  }
  expect(client.closed).toEqual({ code: 1008, reason: 'too many messages' })
})

describe('the records of a connection:', () => {
  const sent = async (id: string, count: number) =>
    await eventually(async () => {
      const all = await exchanges(server, '?path=/websocket&direction=out&count=100')
      const found = all.filter(({ resource }) => resource === `Subscription/${id}`)
      return found.length >= count ? found.toReversed() : undefined
    }, `${count} exchanges`)

  test('the journal has the binding and the notifications, with their Bundles, as exchanges that went out', async () => {
    const id = await byTopic()
    const client = await bound(id)
    await raise()
    await client.next(2)
    const found = await sent(id, 2)
    expect(found.map(({ operation, status, outcome }) => [operation, status, outcome])).toEqual([
      ['bind', 101, 'ok'],
      ['notify', 101, 'ok'],
    ])
    expect(found[0]).toMatchObject({ system: 'subscription', method: 'GET', user: { id: 'ours', role: 'admin' } })
    for (const [index, { id: exchange }] of found.entries()) {
      const { request } = await exchangeWith(server, exchange)
      expect(JSON.parse(request.body.text)).toEqual(JSON.parse(client.texts[index] ?? ''))
    }
  })

  test('the messages of R4 are listed, those of one look in one exchange', async () => {
    const id = await r4()
    const client = await bound(id)
    await server.fhir('POST', '/', {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [1, 2, 3].map(() => ({ resource: task, request: { method: 'POST', url: 'Task' } })),
    })
    await client.next(4)
    const told = async () => {
      const found = await sent(id, 2)
      const bodies = await Promise.all(found.map(async (one) => (await exchangeWith(server, one.id)).request.body.text))
      return bodies.flatMap((text) => JSON.parse(text))
    }
    expect(await eventually(async () => ((await told()).length >= 4 ? await told() : undefined))).toEqual(client.texts)
  })

  test('a binding that is refused is there, with the reason', async () => {
    const client = connect(bearer(server))
    await client.say('bind no-such-id')
    await client.next()
    const [refused] = await sent('no-such-id', 1)
    expect(refused).toMatchObject({
      ...{ status: 403, outcome: 'refused', operation: 'bind' },
      reason: { code: 'not-bound', text: 'there is no Subscription/no-such-id' },
    })
  })

  test('they are of the clinic: another one finds nothing of them', async () => {
    const id = await byTopic()
    await bound(id)
    const [{ id: exchange }] = await sent(id, 1)
    const of = EXCHANGES.replace(DEMO_CLINIC, OTHER_CLINIC)
    expect((await other.fhir('GET', `${of}/${exchange}`)).status).toBe(404)
    expect((await other.fhir('GET', `${EXCHANGES}/${exchange}`)).status).toBe(403)
    const { body } = await other.fhir('GET', `${of}?path=/websocket`)
    expect(JSON.stringify(body)).not.toContain(id)
  })

  test('with a journal that is off nothing is recorded', async () => {
    await setJournal(server, { journal: 'off' })
    const id = await byTopic()
    const unseen = await bound(id)
    unseen.socket.terminate()
    await unseen.end()
    await setJournal(server, { journal: 'full' })
    const seen = await bound(id)
    await raise()
    await seen.next(2)
    expect((await sent(id, 2)).map(({ operation }) => operation)).toEqual(['bind', 'notify'])
  })

  test('the audit trail has each binding by its user, and what was refused; no notification', async () => {
    const id = await byTopic()
    const client = await bound(id)
    await raise()
    await client.next(2)
    await client.say('bind no-such-id')
    await client.next(3)
    const events = await eventually(async () => {
      const { body } = await server.fhir('GET', `/AuditEvent?entity=Subscription/${id}&_count=50`)
      const found = (body.entry ?? []).map(({ resource }: { resource: object }) => resource)
      const bindings = found.filter((event: object) => JSON.stringify(event).includes('bind a websocket'))
      return bindings.length > 0 ? bindings : undefined
    })
    expect(events.length).toBe(1)
    expect(events[0]).toMatchObject({
      outcome: '0',
      agent: expect.arrayContaining([expect.objectContaining({ altId: 'ours' })]),
    })
    const { body } = await server.fhir('GET', '/AuditEvent?entity=Subscription/no-such-id')
    expect(body.entry[0].resource).toMatchObject({ outcome: '4' })
  })
})

test('a clinic that opens connections one after the other is refused with 429 for a while, and others are not', async () => {
  const opened = async (user: TestServer): Promise<SocketClient> => {
    const client = connect(bearer(user))
    await eventually(() => client.closed !== undefined || client.socket.readyState === client.socket.OPEN || undefined)
    client.socket.terminate()
    return client
  }
  let last: SocketClient | undefined
  for (let n = 0; n < 500 && last?.closed?.code !== 0; n += 1) last = await opened(other)
  expect(last?.closed).toEqual({ code: 0, reason: expect.stringMatching(/429/) })
  expect((await opened(server)).closed?.code).not.toBe(0)
})
