/** Sessions: logging in, limits on guessing, renewal, and the end. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import jsonwebtoken from 'jsonwebtoken'
import { changePassword, createAccount, removeAccount, setDisabled } from '../../src/clinics/accounts.ts'
import { recordKind, SERVICE } from '../../src/repository/record-kinds.ts'
import { RECENT } from '../../src/storage/port.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { CHEAP_PASSWORDS } from '../support/passwords.ts'
import { request, startServer, type TestServer } from '../support/server.ts'

const running: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of running.splice(0)) await stop()
})

type Parts = NonNullable<Parameters<typeof startServer>[1]>

async function start(env: Record<string, string> = {}, parts: Parts = {}): Promise<TestServer> {
  const server = await startServer(env, parts)
  running.unshift(server.close)
  return server
}

const login = (server: TestServer, username: unknown, password: unknown) =>
  request(server.url, 'POST', '/session', { username, password }, { 'content-type': 'application/json' })

const logins = (server: TestServer, count: number, username: string, password: string) =>
  Promise.all(Array.from({ length: count }, () => login(server, username, password)))

const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status).sort()

const ADA = { username: 'ada', name: 'Ada', clinic: 'demo-clinic', role: 'staff' } as const
const PASSWORD = 'a long password'
/** A server outside demo mode needs them. */
const SECRETS = { JWT_SECRET: 's'.repeat(40), WEBHOOK_SECRET: 'w'.repeat(20) }

async function tokenOfAda(server: TestServer): Promise<string> {
  await createAccount(server.app.repository, ADA, PASSWORD, CHEAP_PASSWORDS)
  return await server.login('ada', PASSWORD)
}

const read = (server: TestServer, token: string, headers: Record<string, string> = {}) =>
  request(server.url, 'GET', '/Organization/demo-clinic', undefined, { authorization: `Bearer ${token}`, ...headers })

const logOut = (server: TestServer, headers: Record<string, string>) =>
  request(server.url, 'DELETE', '/session', undefined, headers)

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
    const production = await start({ DATABASE_URL, DEMO: 'off', ...SECRETS })
    expect((await login(production, 'demo', 'demo')).status).toBe(401)
  })

  test('is shown for the accounts of the demo in demo mode, and nowhere else', async () => {
    const shown = async (server: TestServer) => {
      const { status, body } = await request(server.url, 'GET', '/session/demo')
      return [status, body.accounts?.map(({ username, password }: Record<string, string>) => [username, password])]
    }
    const DATABASE_URL = await newLastingDatabaseUrl()
    const demo = await start({ DATABASE_URL })
    expect(await shown(demo)).toEqual([
      200,
      [
        ['demo', 'demo'],
        ['admin', 'admin'],
      ],
    ])
    await demo.close()
    running.shift()
    expect(await shown(await start({ DATABASE_URL, DEMO: 'off', ...SECRETS }))).toEqual([404, undefined])
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

describe('after 10 failures at an address where the password was right before', () => {
  // The waits are seconds, and a busy machine may take as long for the attempts.
  const standing = () => {
    const time = { now: Date.now() }
    return { time, clock: () => time.now }
  }

  test('the next attempt has to wait, with 429 and Retry-After, even with the right password; other users do not', async () => {
    const { time, clock } = standing()
    const server = await start({}, { clock })
    expect(statuses(await logins(server, 10, 'demo', 'wrong'))).toEqual(times(10, 401))
    const refused = await login(server, 'DEMO', 'demo')
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'too-many-logins',
      '1',
    ])
    expect((await login(server, 'admin', 'admin')).status).toBe(200)
    time.now += 1_000
    expect((await login(server, 'demo', 'demo')).status).toBe(200)
  })

  test('guesses made in parallel are refused like any others', async () => {
    const server = await start({}, { clock: standing().clock })
    expect(statuses(await logins(server, 25, 'demo', 'wrong'))).toEqual([...times(10, 401), ...times(15, 429)])
  })

  test('a restart of the server changes nothing', async () => {
    const DATABASE_URL = await newLastingDatabaseUrl()
    const first = await start({ DATABASE_URL })
    await logins(first, 10, 'demo', 'wrong')
    await first.close()
    running.shift()
    // The start may have taken longer than the wait, which is a second now.
    const answers = await logins(await start({ DATABASE_URL, DEMO: 'off', ...SECRETS }), 10, 'demo', 'wrong')
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(9)
  })

  test('behind a trusted proxy, the owner gets in from his own address, and a stranger waits at his', async () => {
    const server = await start({ TRUST_PROXY: 'loopback' })
    const from = (address: string, password: string) =>
      request(
        server.url,
        'POST',
        '/session',
        { username: 'demo', password },
        {
          'content-type': 'application/json',
          'x-forwarded-for': address,
        },
      )
    expect((await from('203.0.113.1', 'demo')).status).toBe(200)
    for (let i = 0; i < 30; i++) await from(`198.51.100.${i}`, 'wrong')
    for (let i = 0; i < 5; i++) await from('198.51.100.200', 'wrong')
    expect((await from('198.51.100.200', 'demo')).status).toBe(429)
    expect((await from('203.0.113.1', 'demo')).status).toBe(200)
  })
})

describe('a successful login', () => {
  test('forgets the failures before it', async () => {
    const server = await start()
    await logins(server, 4, 'demo', 'wrong')
    expect((await login(server, 'demo', 'demo')).status).toBe(200)
    expect(statuses(await logins(server, 9, 'demo', 'wrong'))).toEqual(times(9, 401))
    expect((await login(server, 'demo', 'demo')).status).toBe(200)
  })

  test('may happen 24 times at once for one user', async () => {
    const server = await start()
    expect(statuses(await logins(server, 24, 'demo', 'demo'))).toEqual(times(24, 200))
  })
})

describe('a session', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  test('ends with DELETE /session, and the others of the account do not', async () => {
    const [one, other] = [await server.login('demo', 'demo'), await server.login('demo', 'demo')]
    const answer = await logOut(server, { authorization: `Bearer ${one}` })
    expect([answer.status, answer.text]).toEqual([204, ''])
    const refused = await read(server, one)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="sandbox-emr", error="invalid_token"',
    ])
    expect(refused.body.issue[0].diagnostics).toContain('the session of this token has ended')
    expect((await logOut(server, { authorization: `Bearer ${one}` })).status).toBe(401)
    expect((await read(server, other)).status).toBe(200)
  })

  test.each<[string, (server: TestServer) => Promise<unknown>]>([
    ['has another password', ({ app }) => changePassword(app.repository, 'ada', 'another password', CHEAP_PASSWORDS)],
    ['is disabled', ({ app }) => setDisabled(app.repository, 'ada', true)],
    ['is removed', ({ app }) => removeAccount(app.repository, 'ada')],
    [
      'is removed and made again',
      async ({ app }) => {
        await removeAccount(app.repository, 'ada')
        await createAccount(app.repository, ADA, PASSWORD, CHEAP_PASSWORDS)
      },
    ],
    [
      'is disabled and enabled again',
      async ({ app }) => {
        await setDisabled(app.repository, 'ada', true)
        await setDisabled(app.repository, 'ada', false)
      },
    ],
  ])('ends at once when its account %s', async (_what, change) => {
    const started = await start()
    const token = await tokenOfAda(started)
    expect((await read(started, token)).status).toBe(200)
    await change(started)
    expect((await read(started, token)).status).toBe(401)
    expect((await read(started, started.token)).status).toBe(200)
  })

  test(`ends in other servers of the same store within ${RECENT} ms`, async () => {
    const env = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET: 's'.repeat(40) }
    const [first, second] = [await start(env), await start(env)]
    const token = await tokenOfAda(first)
    const loggedOut = await first.login('ada', PASSWORD)
    for (const one of [token, loggedOut]) expect((await read(second, one)).status).toBe(200)
    await logOut(first, { authorization: `Bearer ${loggedOut}` })
    await sleep(RECENT)
    expect([(await read(second, token)).status, (await read(second, loggedOut)).status]).toEqual([200, 401])
    await changePassword(first.app.repository, 'ada', 'another password', CHEAP_PASSWORDS)
    await sleep(RECENT)
    expect((await read(second, token)).status).toBe(401)
  })

  test('costs the store nothing: the account is read from memory', async () => {
    const readRecord = jest.spyOn(server.app.repository, 'readRecord')
    for (let i = 0; i < 5; i++) expect((await read(server, server.token)).status).toBe(200)
    expect(readRecord).not.toHaveBeenCalled()
    readRecord.mockRestore()
  })

  test('of an account of before there were sessions goes on, and ends with a change of the account', async () => {
    const started = await start({ JWT_SECRET: 's'.repeat(40) })
    const { repository } = started.app
    await createAccount(repository, ADA, PASSWORD, CHEAP_PASSWORDS)
    await repository.change(SERVICE, async (unit) => {
      const kind = recordKind<{ version?: number }>('account')
      const { version: _version, ...old } = (await unit.records.read(kind, 'ada'))?.value ?? {}
      unit.records.put(kind, 'ada', old)
    })
    const iat = Math.floor(Date.now() / 1000) - 60
    const claims = { sub: 'ada', name: 'Ada', clinic: 'demo-clinic', role: 'staff', iat, exp: iat + 3600 }
    const tokens = [jsonwebtoken.sign(claims, 's'.repeat(40)), await started.login('ada', PASSWORD)]
    for (const token of tokens) expect((await read(started, token)).status).toBe(200)
    await changePassword(repository, 'ada', 'another password', CHEAP_PASSWORDS)
    for (const token of tokens) expect((await read(started, token)).status).toBe(401)
  })

  test('is none where somebody else has signed the token with the secret: it holds until it expires', async () => {
    const started = await start({ JWT_SECRET: 's'.repeat(40) })
    const iat = Math.floor(Date.now() / 1000)
    const claims = { sub: 'gateway', name: 'Gateway', clinic: 'demo-clinic', role: 'staff', iat, exp: iat + 3600 }
    const token = jsonwebtoken.sign(claims, 's'.repeat(40))
    expect((await read(started, token)).status).toBe(200)
    expect((await logOut(started, { authorization: `Bearer ${token}` })).status).toBe(409)
  })

  test('ends with all others of the account when more than 500 have been ended one by one', async () => {
    const token = await server.login('admin', 'admin')
    const kind = recordKind<object>('account')
    await server.app.repository.change(SERVICE, async (unit) => {
      const stored = (await unit.records.read(kind, 'admin'))?.value
      const until = Date.now() + 3_600_000
      unit.records.put(kind, 'admin', {
        ...stored,
        endedSessions: Array.from({ length: 500 }, (_, index) => ({ id: `session-${index}`, until })),
      })
    })
    const last = await server.login('admin', 'admin')
    await logOut(server, { authorization: `Bearer ${last}` })
    for (const one of [token, last]) expect((await read(server, one)).status).toBe(401)
    expect((await read(server, await server.login('admin', 'admin'))).status).toBe(200)
  })
})

describe('a browser', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  const json = { 'content-type': 'application/json' }
  const logIn = (headers: Record<string, string> = {}, at = server) =>
    request(
      at.url,
      'POST',
      '/session',
      { username: 'demo', password: 'demo', renewable: true },
      { ...json, ...headers },
    )
  const renew = (headers: Record<string, string>, at = server) =>
    request(at.url, 'POST', '/session/renewal', undefined, headers)
  const cookieOf = (answer: { readonly headers: Headers }) =>
    (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''

  test('gets a token for ten minutes, and keeps its session in a cookie that no script and no other site can use', async () => {
    const answer = await logIn()
    expect(answer.status).toBe(200)
    const seconds = (time: string) => (Date.parse(time) - Date.now()) / 1000
    expect(seconds(answer.body.expiresAt)).toBeLessThanOrEqual(600)
    expect(seconds(answer.body.renewableUntil)).toBeGreaterThan(28_000)
    expect(answer.headers.get('set-cookie')).toMatch(
      new RegExp(
        `^emr-session-${new URL(server.url).port}=[\\w.-]+; Path=/session; Expires=.*; HttpOnly; SameSite=Strict$`,
      ),
    )
    expect((await read(server, answer.body.token)).status).toBe(200)
  })

  test('behind a proxy with TLS gets a Secure cookie for the address that it sees', async () => {
    const started = await start({ BASE_URL: 'https://emr.example/fhir' })
    expect((await logIn({}, started)).headers.get('set-cookie')).toMatch(
      /^emr-session-443=.*; Path=\/fhir\/session; .*; HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  test('renews its token by the cookie, until it logs out', async () => {
    const first = await logIn()
    const cookie = cookieOf(first)
    const renewed = await renew({ cookie })
    expect(renewed.status).toBe(200)
    expect(Object.keys(renewed.body)).toEqual(['token', 'expiresAt', 'clinic', 'role', 'renewableUntil'])
    expect(renewed.body.renewableUntil).toBe(first.body.renewableUntil)
    expect((await read(server, renewed.body.token)).status).toBe(200)
    const out = await logOut(server, { cookie })
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringContaining('=; Path=/session; Expires=Thu, 01 Jan 1970'),
    ])
    const refused = await renew({ cookie })
    expect([refused.status, Object.keys(refused.body)]).toEqual([401, ['error']])
    for (const { body } of [first, renewed]) expect((await read(server, body.token)).status).toBe(401)
  })

  test('cannot renew a session whose account has changed', async () => {
    const started = await start()
    const cookie = cookieOf(await logIn({}, started))
    await changePassword(started.app.repository, 'demo', 'another password', CHEAP_PASSWORDS)
    expect((await renew({ cookie }, started)).status).toBe(401)
  })

  test('cannot use the cookie as a token, nor a token as the cookie', async () => {
    const { body, ...answer } = await logIn()
    const [name = '', renewal = ''] = cookieOf(answer).split('=')
    expect((await read(server, renewal)).status).toBe(401)
    expect((await renew({ cookie: `${name}=${body.token}` })).status).toBe(401)
  })

  test.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1' },
    { origin: 'https://evil.example' },
  ])('is refused where another site asks: %j', async (headers) => {
    const cookie = cookieOf(await logIn())
    expect((await logIn(headers)).status).toBe(403)
    expect((await renew({ cookie, ...headers })).status).toBe(403)
    expect((await logOut(server, { cookie, ...headers })).status).toBe(403)
    expect((await renew({ cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await renew({ cookie, origin: server.url })).status).toBe(200)
  })

  test('without a session has none to renew or to end: 401', async () => {
    for (const answer of [await renew({}), await renew({ cookie: 'emr-session-1=x' }), await logOut(server, {})]) {
      expect([answer.status, Object.keys(answer.body)]).toEqual([401, ['error']])
    }
  })

  test('finds nothing of this where tokens come from a foreign issuer: 404', async () => {
    const foreign = await start({
      JWKS_URL: 'http://127.0.0.1:9/jwks',
      JWT_ISSUER: 'https://login.example',
      JWT_AUDIENCE: 'emr',
    })
    expect([
      (await logIn({}, foreign)).status,
      (await renew({}, foreign)).status,
      (await logOut(foreign, {})).status,
    ]).toEqual([404, 404, 404])
  })
})
