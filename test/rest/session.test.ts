/** POST /session: logging in, and what happens to those who guess. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request, startServer, type TestServer } from '../support/server.ts'

const running: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of running.splice(0)) await stop()
})

async function start(env: Record<string, string> = {}): Promise<TestServer> {
  const server = await startServer(env)
  running.unshift(server.close)
  return server
}

const login = (server: TestServer, username: unknown, password: unknown) =>
  request(server.url, 'POST', '/session', { username, password }, { 'content-type': 'application/json' })

const logins = (server: TestServer, count: number, username: string, password: string) =>
  Promise.all(Array.from({ length: count }, () => login(server, username, password)))

const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status).sort()

const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status)

describe('a login', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  test('answers with a token, its end, the clinic and the role; the token opens the FHIR routes', async () => {
    const { status, headers, body } = await login(server, 'demo', 'demo')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['token', 'expiresAt', 'clinic', 'role'])
    expect(body).toMatchObject({ clinic: 'demo-clinic', role: 'staff' })
    expect(new Date(body.expiresAt).toISOString()).toBe(body.expiresAt)
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now())
    expect(headers.get('cache-control')).toBe('no-store')
    const read = await request(server.url, 'GET', '/Organization/demo-clinic', undefined, {
      authorization: `Bearer ${body.token}`,
    })
    expect(read.status).toBe(200)
  })

  test('of the demo admin has the role admin, whatever the case of the user name', async () => {
    expect((await login(server, ' Admin ', 'admin')).body).toMatchObject({ clinic: 'demo-clinic', role: 'admin' })
  })

  test('with a wrong password and one with an unknown user name get the same 401', async () => {
    const wrong = await login(server, 'demo', 'Demo')
    const unknown = await login(server, 'nobody', 'demo')
    expect(wrong.status).toBe(401)
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer/)
    expect(wrong.body).toEqual({ error: 'User name or password is wrong' })
    expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text])
  })

  test.each([
    ['is not JSON', 'username=demo'],
    ['is empty', ''],
    ['is a list', []],
    ['has no password', { username: 'demo' }],
    ['has a number as user name', { username: 1, password: 'demo' }],
    ['has an empty password', { username: 'demo', password: '' }],
    ['has an object as password', { username: 'demo', password: { $ne: '' } }],
  ])('whose body %s is 400 with {"error"}', async (_what, body) => {
    const answer = await request(server.url, 'POST', '/session', body, { 'content-type': 'application/json' })
    expect(answer.status).toBe(400)
    expect(typeof answer.body.error).toBe('string')
  })

  test('with a body over 10,000 bytes is 413', async () => {
    expect((await login(server, 'demo', 'x'.repeat(10_000))).status).toBe(413)
  })

  test('of a demo account is refused outside demo mode, although the account is in the store', async () => {
    const DATABASE_URL = await newLastingDatabaseUrl()
    const demo = await start({ DATABASE_URL })
    expect((await login(demo, 'demo', 'demo')).status).toBe(200)
    await demo.close()
    running.shift()
    const secrets = { JWT_SECRET: 's'.repeat(40), WEBHOOK_SECRET: 'w'.repeat(20) }
    const production = await start({ DATABASE_URL, DEMO: 'off', ...secrets })
    expect((await login(production, 'demo', 'demo')).status).toBe(401)
  })

  test('is 404 where tokens come from a foreign issuer, and names it', async () => {
    const foreign = await start({
      JWKS_URL: 'http://127.0.0.1:9/jwks',
      JWT_ISSUER: 'https://login.example',
      JWT_AUDIENCE: 'emr',
    })
    const answer = await login(foreign, 'demo', 'demo')
    expect(answer.status).toBe(404)
    expect(answer.body.error).toContain('https://login.example')
  })
})

describe('after 10 failures', () => {
  test('a user name is locked, with 429 and Retry-After, even for the right password; others are not', async () => {
    const server = await start()
    expect(statuses(await logins(server, 10, 'demo', 'wrong'))).toEqual(times(10, 401))
    const refused = await login(server, 'DEMO', 'demo')
    expect(refused.status).toBe(429)
    expect(refused.body.code).toBe('too-many-logins')
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(890)
    expect(wait).toBeLessThanOrEqual(900)
    expect((await login(server, 'admin', 'admin')).status).toBe(200)
  })

  test('guesses made in parallel are refused like any others', async () => {
    const server = await start()
    expect(statuses(await logins(server, 25, 'demo', 'wrong'))).toEqual([...times(10, 401), ...times(15, 429)])
  })

  test('a restart of the server changes nothing', async () => {
    const DATABASE_URL = await newLastingDatabaseUrl()
    const first = await start({ DATABASE_URL })
    await logins(first, 10, 'demo', 'wrong')
    await first.close()
    running.shift()
    expect((await login(await start({ DATABASE_URL }), 'demo', 'demo')).status).toBe(429)
  })
})

describe('a successful login', () => {
  test('forgets the failures before it', async () => {
    const server = await start()
    await logins(server, 9, 'demo', 'wrong')
    expect((await login(server, 'demo', 'demo')).status).toBe(200)
    expect(statuses(await logins(server, 9, 'demo', 'wrong'))).toEqual(times(9, 401))
    expect((await login(server, 'demo', 'demo')).status).toBe(200)
  })

  test('may happen 24 times at once for one user', async () => {
    const server = await start()
    expect(statuses(await logins(server, 24, 'demo', 'demo'))).toEqual(times(24, 200))
  })
})
