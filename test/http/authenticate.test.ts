/** Access by token: our own (HS256), and the tokens of a foreign issuer (JWKS). */
import { createHmac, randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import jsonwebtoken from 'jsonwebtoken'
import Koa from 'koa'
import { pino } from 'pino'
import { authenticate } from '../../src/http/authenticate.ts'
import { errors } from '../../src/http/errors.ts'
import { observed, userOf } from '../../src/http/exchange.ts'
import type { JwksOptions } from '../../src/http/jwks.ts'
import { type JwtConfig, signToken } from '../../src/http/token.ts'
import { ecKey, rsaKey, startIssuer, type TokenIssuer } from '../support/token-issuer.ts'

const OWN: JwtConfig = { secret: randomBytes(32).toString('base64url'), lifetimeSeconds: 3600 }
const ISSUER = 'https://login.example'
const AUDIENCE = 'https://emr.example'

const seconds = (): number => Math.floor(Date.now() / 1000)
const claims = (more: object = {}) => ({
  sub: 'u-1',
  name: 'Ada Nurse',
  clinic: 'clinic-a',
  role: 'staff',
  iat: seconds(),
  exp: seconds() + 600,
  ...more,
})

const running: (() => unknown)[] = []
afterEach(async () => {
  jest.restoreAllMocks()
  for (const stop of running.splice(0)) await stop()
})

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly issue?: { code: string; diagnostics: string }[]; readonly error?: string }
}

/** A server whose response is the user; the function sends it an Authorization header. */
async function serve(jwt: JwtConfig, jwks?: JwksOptions) {
  const koa = new Koa()
  koa.use(observed([]))
  koa.use(errors(pino({ level: 'silent' }), { plain: new Set(['clinics']), json: new Set() }))
  koa.use(authenticate({ jwt }, jwks))
  koa.use((ctx) => {
    ctx.body = userOf(ctx)
  })
  const server = await new Promise<Server>((resolve) => {
    const listening = koa.listen(0, '127.0.0.1', () => resolve(listening))
  })
  running.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  const { port } = server.address() as AddressInfo
  return async (authorization: string | undefined, path = '/Patient'): Promise<Answer> => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
  }
}

const own = (payload: object, secret = OWN.secret): string => forged({ alg: 'HS256', typ: 'JWT' }, payload, secret)

/** A token with any header, signed with HMAC or not at all. */
function forged(header: object, payload: object, secret?: string): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const content = `${encode(header)}.${encode(payload)}`
  const signature = secret === undefined ? '' : createHmac('sha256', secret).update(content).digest('base64url')
  return `${content}.${signature}`
}

const reasonOf = (answer: Answer): string => answer.body.issue?.[0]?.diagnostics ?? ''

describe('a token of our own', () => {
  test('lets its user in, with the clinic and the role that it names', async () => {
    const send = await serve(OWN)
    const { token, expiresAt } = signToken(OWN, {
      username: 'ada',
      name: 'Ada Nurse',
      clinic: 'clinic-a',
      role: 'admin',
    })
    const answer = await send(`Bearer ${token}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ sub: 'ada', name: 'Ada Nurse', clinic: 'clinic-a', role: 'admin' })
    expect(Math.abs(expiresAt.getTime() - Date.now() - 3_600_000)).toBeLessThan(5_000)
  })

  test('has exactly the claims sub, name, clinic, role, iat and exp', () => {
    const { token } = signToken(OWN, { username: 'ada', name: 'Ada', clinic: 'clinic-a', role: 'staff' })
    expect(Object.keys(jsonwebtoken.decode(token) as object)).toEqual(['sub', 'name', 'clinic', 'role', 'iat', 'exp'])
  })

  test.each<[string, () => string]>([
    ['has alg none', () => forged({ alg: 'none', typ: 'JWT' }, claims())],
    ['has alg none and a signature', () => forged({ alg: 'none', typ: 'JWT' }, claims(), OWN.secret)],
    ['is signed with HS512', () => jsonwebtoken.sign(claims(), OWN.secret, { algorithm: 'HS512' })],
    ['is signed with another secret', () => own(claims(), 'x'.repeat(40))],
    ['is signed with an RSA key', () => jsonwebtoken.sign(claims(), rsaKey('k').privateKey, { algorithm: 'RS256' })],
    ['was changed after it was signed', () => tampered(own(claims()))],
    ['has expired', () => own(claims({ exp: seconds() - 1 }))],
    ['is not valid yet', () => own(claims({ nbf: seconds() + 60 }))],
    ['never expires', () => own({ ...claims(), exp: undefined })],
    ['has no sub', () => own({ ...claims(), sub: undefined })],
    ['has a number as its name', () => own(claims({ name: 7 }))],
    ['has no name', () => own({ ...claims(), name: undefined })],
    ['has no clinic', () => own({ ...claims(), clinic: undefined })],
    ['has a clinic that is no FHIR id', () => own(claims({ clinic: 'a/b' }))],
    ['has an empty clinic', () => own(claims({ clinic: '' }))],
    ['has a role that does not exist', () => own(claims({ role: 'root' }))],
    ['has no role', () => own({ ...claims(), role: undefined })],
    ['is meant for another service', () => own(claims({ aud: 'https://other.example' }))],
    ['is no token at all', () => 'abc.def.ghi'],
    ['has a crit header', () => forged({ alg: 'HS256', crit: ['b64'], b64: true }, claims(), OWN.secret)],
  ])('that %s is refused with 401', async (_what, token) => {
    const send = await serve(OWN)
    const answer = await send(`Bearer ${token()}`)
    expect(answer.status).toBe(401)
    expect(answer.body.issue?.[0]?.code).toBe('login')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="sandbox-emr", error="invalid_token"')
  })

  test.each([
    ['sub', "the claim 'sub'"],
    ['name', "the claim 'name'"],
    ['clinic', "the claim 'clinic'"],
    ['role', "the claim 'role'"],
    ['exp', "the claim 'exp'"],
  ])('without %s is told which claim is missing', async (claim, told) => {
    const send = await serve(OWN)
    expect(reasonOf(await send(`Bearer ${own({ ...claims(), [claim]: undefined })}`))).toContain(told)
  })

  test('may name the configured audience and issuer, and no others', async () => {
    const config = { ...OWN, issuer: ISSUER, audience: AUDIENCE }
    const send = await serve(config)
    const { token } = signToken(config, { username: 'ada', name: 'Ada', clinic: 'clinic-a', role: 'staff' })
    expect((await send(`Bearer ${token}`)).status).toBe(200)
    expect((await send(`Bearer ${own(claims({ aud: ['https://other.example', AUDIENCE] }))}`)).status).toBe(200)
    expect((await send(`Bearer ${own(claims({ aud: 'https://other.example' }))}`)).status).toBe(401)
    expect((await send(`Bearer ${own(claims({ iss: 'https://other.example' }))}`)).status).toBe(401)
  })

  test('is refused once it has expired, although it was let in before', async () => {
    const send = await serve(OWN)
    const token = own(claims())
    expect((await send(`Bearer ${token}`)).status).toBe(200)
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 601_000)
    const answer = await send(`Bearer ${token}`)
    expect(answer.status).toBe(401)
    expect(reasonOf(answer)).toMatch(/expired at .*Z/)
  })
})

describe('a request', () => {
  test('without a token is 401 with an OperationOutcome that says how to get one', async () => {
    const send = await serve(OWN)
    const answer = await send(undefined)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="sandbox-emr"')
    expect(reasonOf(answer)).toContain('POST /session')
  })

  test('without a token on a configuration route gets {"error"}', async () => {
    const send = await serve(OWN)
    const answer = await send(undefined, '/clinics/clinic-a/sandbox')
    expect(answer.status).toBe(401)
    expect(Object.keys(answer.body)).toEqual(['error'])
  })

  test.each(['Basic ZGVtbzpkZW1v', 'Bearer', 'Bearer a b', own(claims())])(
    'with the header %s is 401',
    async (header) => {
      const send = await serve(OWN)
      expect((await send(header)).status).toBe(401)
    },
  )

  test('may write the scheme in any case', async () => {
    const send = await serve(OWN)
    expect((await send(`bearer ${own(claims())}`)).status).toBe(200)
  })
})

describe('a token of a foreign issuer', () => {
  const first = rsaKey('first')
  let issuer: TokenIssuer

  const config = (): JwtConfig => ({ ...OWN, jwksUrl: issuer.jwksUrl, issuer: ISSUER, audience: AUDIENCE })
  const foreign = (more: object = {}) => claims({ iss: ISSUER, aud: AUDIENCE, ...more })
  const start = async (...keys: Parameters<typeof startIssuer>): Promise<void> => {
    issuer = await startIssuer(...keys)
    running.push(issuer.close)
  }

  // Loading the key library takes the first request a moment; the tests need not wait for it one by one.
  beforeAll(() => import('jose'))

  test.each([first, ecKey('curve')])('signed with $alg lets its user in', async (key) => {
    await start(key)
    const send = await serve(config())
    const answer = await send(`Bearer ${issuer.sign(foreign())}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ sub: 'u-1', name: 'Ada Nurse', clinic: 'clinic-a', role: 'staff' })
  })

  test.each<[string, () => string]>([
    ['is signed with our own secret', () => own(foreign())],
    [
      'has HS256 and the public key as its secret',
      () =>
        forged(
          { alg: 'HS256', typ: 'JWT', kid: 'first' },
          foreign(),
          first.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
        ),
    ],
    ['has alg none', () => forged({ alg: 'none', typ: 'JWT', kid: 'first' }, foreign())],
    ['names another issuer', () => issuer.sign(foreign({ iss: 'https://evil.example' }))],
    ['names no issuer', () => issuer.sign(foreign({ iss: undefined }))],
    ['names another audience', () => issuer.sign(foreign({ aud: 'https://other.example' }))],
    ['names no audience', () => issuer.sign(foreign({ aud: undefined }))],
    ['has expired', () => issuer.sign(foreign({ exp: seconds() - 60 }))],
    ['is not valid yet', () => issuer.sign(foreign({ nbf: seconds() + 60 }))],
    ['has no clinic', () => issuer.sign(foreign({ clinic: undefined }))],
    ['has a crit header', () => issuer.sign(foreign(), { header: { crit: ['exp'] } })],
    ['names a key that the issuer does not have', () => issuer.sign(foreign(), { kid: 'made-up' })],
    [
      'is signed with a key of somebody else under a good key id',
      () => issuer.sign(foreign(), { key: rsaKey('first') }),
    ],
    ['was changed after it was signed', () => tampered(issuer.sign(foreign()))],
    [
      'uses another algorithm than its key is for',
      () => jsonwebtoken.sign(foreign(), first.privateKey, { algorithm: 'PS256', keyid: 'first' }),
    ],
  ])('that %s is refused with 401', async (_what, token) => {
    await start(first)
    const send = await serve(config())
    const answer = await send(`Bearer ${token()}`)
    expect(answer.status).toBe(401)
    expect(answer.body.issue?.[0]?.code).toBe('login')
  })

  test('without a key id is let in when the issuer has one key only', async () => {
    await start(first)
    const send = await serve(config())
    const token = jsonwebtoken.sign(foreign(), first.privateKey, { algorithm: 'RS256' })
    expect((await send(`Bearer ${token}`)).status).toBe(200)
  })

  test('is let in by a clock that is a few seconds behind that of the issuer', async () => {
    await start(first)
    const send = await serve(config())
    expect((await send(`Bearer ${issuer.sign(foreign({ nbf: seconds() + 3 }))}`)).status).toBe(200)
  })

  test('signed with a new key is let in as soon as the issuer publishes the key', async () => {
    await start(first)
    const send = await serve(config(), { cooldownMs: 0, timeoutMs: 1_000 })
    expect((await send(`Bearer ${issuer.sign(foreign())}`)).status).toBe(200)
    issuer.publish(rsaKey('second'), first)
    expect((await send(`Bearer ${issuer.sign(foreign())}`)).status).toBe(200)
  })

  test('that was let in is checked again after five minutes', async () => {
    await start(first)
    const send = await serve(config())
    const token = issuer.sign(foreign({ exp: seconds() + 3600 }))
    expect((await send(`Bearer ${token}`)).status).toBe(200)
    const verify = jest.spyOn(jsonwebtoken, 'verify')
    await send(`Bearer ${token}`)
    expect(verify).toHaveBeenCalledTimes(0)
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 301_000)
    await send(`Bearer ${token}`)
    expect(verify).toHaveBeenCalledTimes(1)
  })

  test('made up with key ids of its own does not make the server ask the issuer each time', async () => {
    await start(first)
    const send = await serve(config(), { cooldownMs: 60_000, timeoutMs: 1_000 })
    const tokens = Array.from({ length: 20 }, (_, index) => issuer.sign(foreign(), { kid: `made-up-${index}` }))
    const answers = await Promise.all(tokens.map((token) => send(`Bearer ${token}`)))
    expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 401))
    expect(issuer.requests()).toBe(1)
  })

  test('gets 503 with Retry-After, not 401, while the keys of the issuer cannot be read', async () => {
    await start(first)
    issuer.setStatus(500)
    const send = await serve(config(), { cooldownMs: 0, timeoutMs: 1_000 })
    const token = issuer.sign(foreign())
    const answer = await send(`Bearer ${token}`)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    issuer.setStatus(200)
    expect((await send(`Bearer ${token}`)).status).toBe(200)
  })

  test('does not make the server ask an issuer again that has just failed', async () => {
    await start(first)
    issuer.setStatus(500)
    const send = await serve(config(), { cooldownMs: 60_000, timeoutMs: 1_000 })
    expect((await send(`Bearer ${issuer.sign(foreign())}`)).status).toBe(503)
    expect((await send(`Bearer ${issuer.sign(foreign())}`)).status).toBe(503)
    expect(issuer.requests()).toBe(1)
  })

  test('gets 503 when the issuer is not there at all', async () => {
    await start(first)
    const token = issuer.sign(foreign())
    const send = await serve(config())
    await issuer.close()
    expect((await send(`Bearer ${token}`)).status).toBe(503)
  })

  test('cannot be configured without the issuer and the audience that it must name', () => {
    expect(() => authenticate({ jwt: { ...OWN, jwksUrl: 'http://127.0.0.1:1/jwks' } })).toThrow(
      'JWKS_URL needs JWT_ISSUER and JWT_AUDIENCE',
    )
  })
})

/** The same token with another clinic in it, and the old signature. */
function tampered(token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const changed = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), clinic: 'clinic-b' }
  return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.')
}
