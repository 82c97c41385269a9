/** The journal as it happens: server-sent events, from where a client was, by whichever server of the store. */
import { afterEach, describe, expect, test } from '@jest/globals'
import { removeAccount, renameAccount, setDisabled } from '../../src/clinics/accounts.ts'
import { MAX_WATCHERS } from '../../src/record/journal/live.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { EXCHANGES, exchanges, type OpenStream, openStream } from '../support/journal.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'

const servers: TestServer[] = []
const streams: OpenStream[] = []
afterEach(async () => {
  for (const stream of streams.splice(0)) stream.close()
  for (const server of servers.splice(0)) await server.close()
})

const SECRET = 'one secret for all servers of a test'

/** Two servers of one store, as two workers are. */
async function startTwo(): Promise<readonly [TestServer, TestServer]> {
  const DATABASE_URL = await newLastingDatabaseUrl()
  const one = await startServer({ DATABASE_URL, JWT_SECRET: SECRET })
  servers.push(one)
  const other = await startServer({ DATABASE_URL, JWT_SECRET: SECRET })
  servers.push(other)
  return [one, other]
}

async function open({ url, token }: TestServer, path?: string, headers?: Record<string, string>): Promise<OpenStream> {
  const stream = await openStream(url, token, path, headers)
  streams.push(stream)
  return stream
}

const ended = (url: string, path: string, method: string, token: string) =>
  request(url, method, path, undefined, { authorization: `Bearer ${token}` })

const read = ({ fhir }: TestServer, n: number) => fhir('GET', `/Patient?identifier=${n}`)
const readsIn = ({ events }: OpenStream) =>
  events
    .filter(({ event, data }) => event === 'exchange' && data.address.startsWith('/Patient?identifier'))
    .map(({ data }) => Number(data.address.split('=')[1]))

describe('a live stream', () => {
  test('has what any server of the store answers, once, and goes on where it was at another server', async () => {
    const [one, other] = await startTwo()
    const stream = await open(one)
    expect([stream.response.status, stream.response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no')
    await until(() => stream.events.length > 0)
    expect(stream.events[0]).toMatchObject({ event: 'start' })
    for (let n = 0; n < 4; n += 1) await read(n % 2 === 0 ? one : other, n)
    await until(() => readsIn(stream).length === 4)
    expect(readsIn(stream).toSorted()).toEqual([0, 1, 2, 3])
    stream.close()
    for (let n = 4; n < 8; n += 1) await read(n % 2 === 0 ? one : other, n)
    const { id } = stream.events.at(-1) ?? { id: '' }
    const again = await open(other, undefined, { 'last-event-id': id })
    await until(() => readsIn(again).length === 4)
    await read(one, 8)
    await until(() => readsIn(again).length === 5)
    expect(readsIn(again).toSorted()).toEqual([4, 5, 6, 7, 8])
  })

  test('is filtered as the list is', async () => {
    const server = await startServer()
    servers.push(server)
    const stream = await open(server, `${EXCHANGES}/live?status=4xx`)
    await read(server, 1)
    await server.fhir('GET', '/Patient/there-is-none')
    await until(() => stream.events.some(({ event }) => event === 'exchange'))
    const found = stream.events.filter(({ event }) => event === 'exchange').map(({ data }) => data.address)
    expect(found).toEqual(['/Patient/there-is-none'])
  })

  test('tells of what was missed and is not kept any more', async () => {
    const server = await startServer({ JOURNAL_ENTRIES: '100' })
    servers.push(server)
    for (let n = 0; n < 130; n += 1) await read(server, n)
    await until(async () => (await exchanges(server, '?before=3')).length === 0)
    const stream = await open(server, `${EXCHANGES}/live?after=1`)
    await until(() => readsIn(stream).includes(129))
    const gap = stream.events.find(({ event }) => event === 'gap')?.data.gap
    expect(gap).toEqual({ count: expect.any(Number), why: 'they are not kept any more' })
    const first = stream.events.find(({ event }) => event === 'exchange')?.data.number
    expect(gap.count).toBe(first - 2)
  })

  test('ends when the server is stopped, which does not wait for it', async () => {
    const server = await startServer()
    const stream = await open(server)
    await until(() => stream.events.length > 0)
    await server.close()
    await stream.ended
    expect(stream.response.status).toBe(200)
  })

  test('is one of a number that a clinic may have open, and gives its place back', async () => {
    const server = await startServer()
    servers.push(server)
    const open16 = await Promise.all(Array.from({ length: MAX_WATCHERS }, () => open(server)))
    const refused = await server.fhir('GET', `${EXCHANGES}/live`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    open16[0]?.close()
    await until(async () => {
      const stream = await open(server)
      return stream.response.status === 200
    })
  })

  test.each([
    ['is ended', ({ url, token }: TestServer) => ended(url, '/session', 'DELETE', token)],
    [
      'is that of an account that is disabled',
      (server: TestServer) => setDisabled(server.app.repository, 'demo', true),
    ],
    [
      'is that of an account that gets another name',
      ({ app }: TestServer) => renameAccount(app.repository, 'demo', 'X'),
    ],
    ['is that of an account that is removed', ({ app }: TestServer) => removeAccount(app.repository, 'demo')],
  ])('ends, and shows nothing more, when its session %s', async (_how, endSession) => {
    const server = await startServer()
    servers.push(server)
    const stream = await open(server)
    await until(() => stream.events.length > 0)
    const admin = await server.login('admin', 'admin')
    await endSession(server)
    await request(server.url, 'GET', '/Patient?identifier=7', undefined, { authorization: `Bearer ${admin}` })
    // A heartbeat comes after 15 seconds without an event: the stream has not waited for one.
    await stream.ended
    expect(readsIn(stream)).toEqual([])
  })

  test('is for nobody without a token, and of no other clinic', async () => {
    const server = await startServer()
    servers.push(server)
    const without = await openStream(server.url, 'no token')
    expect(without.response.status).toBe(401)
    expect((await server.fhir('GET', '/exchanges/live')).status).toBe(403)
  })
})
