/** /health/live and /health/ready: whether the process responds, and which part of it is behind. */
import { afterEach, describe, expect, test } from '@jest/globals'
import type { ResourceStore } from '../../src/storage/port.ts'
import { openTestStore } from '../support/database.ts'
import { testEngine } from '../support/engine.ts'
import { request, startServer, type TestServer } from '../support/server.ts'

let server: TestServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const get = (path: string) => request(server?.url ?? '', 'GET', path)

const OK = { state: 'ok', waiting: 0, oldestMs: expect.any(Number) }

test('needs no token', async () => {
  server = await startServer()
  expect((await get('/health/live')).body).toEqual({ status: 'live' })
  const { status, body } = await get('/health/ready')
  expect([status, body.status]).toEqual([200, 'ready'])
  expect(body.parts).toContainEqual({ name: 'database', ...OK })
  expect(body.parts).toContainEqual({ name: 'bodies in flight', ...OK })
  // The embedded store has neither while it is in memory alone.
  const ofStore = testEngine() === 'mongodb' ? ['writer', 'searches'] : []
  for (const name of ofStore) expect(body.parts).toContainEqual({ name, ...OK })
})

describe('a store', () => {
  /** Called by the health check of the store. */
  let ask: () => Promise<boolean>

  async function startWithStore(): Promise<void> {
    const real = await openTestStore()
    ask = () => real.isEmpty()
    const store: ResourceStore = { ...real, isEmpty: () => ask() }
    server = await startServer({}, { store })
  }

  const database = async () => {
    const { status, body, headers } = await get('/health/ready')
    const part = body.parts.find(({ name }: { name: string }) => name === 'database')
    return { status, state: part.state, retryAfter: headers.get('retry-after'), error: body.error }
  }

  const until = async (state: string): Promise<void> => {
    while ((await database()).state !== state) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  test('that fails is 503 and names it; the process is alive, and ready when the store is back', async () => {
    await startWithStore()
    ask = () => Promise.reject(new Error('away'))
    await until('down')
    expect(await database()).toEqual({
      status: 503,
      state: 'down',
      retryAfter: '5',
      error: 'this does not work now: database',
    })
    expect((await get('/health/live')).status).toBe(200)
    ask = async () => true
    await until('ok')
    expect((await database()).status).toBe(200)
  })

  test('that is silent is not waited for: first it is behind, then it is down', async () => {
    await startWithStore()
    let questions = 0
    ask = () => {
      questions++
      return new Promise(() => undefined)
    }
    expect(await database()).toMatchObject({ status: 200, state: 'behind' })
    await until('down')
    expect(await database()).toMatchObject({ status: 503, state: 'down' })
    expect(questions).toBe(1)
  })
})

test('a server that is being stopped is 503 to requests on connections that are open', async () => {
  server = await startServer()
  const { app, url } = server
  const closed = new Promise<void>((resolve) => app.server.once('request', () => resolve(app.close())))
  const health = fetch(`${url}/health/ready`).then(({ status }) => status)
  expect(await health).toBe(503)
  await closed
  server = undefined
})
