/** POST /session: user name and password for a token. */
import { Router } from '@koa/router'
import { type PasswordCost, verifyPassword } from '../clinics/accounts.ts'
import { takeAttempt } from '../clinics/login-limit.ts'
import type { Config } from '../config.ts'
import { badRequest, FhirError } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import type { Repository } from '../repository/repository.ts'
import { parseBody, readBody } from './message/body.ts'
import { type SmallRouter, smallRouter } from './server/small-router.ts'
import { type JwtConfig, signToken } from './server/token.ts'

interface SessionDependencies {
  readonly repository: Repository
  readonly config: Pick<Config, 'jwt' | 'demo'>
  /** Of the accounts' hashes; absent: the usual. */
  readonly passwordCost?: PasswordCost | undefined
}

const MAX_BODY_BYTES = 10_000
const MAX_DEPTH = 4
/** Each password check takes 32 MiB and a core; more logins than this at once wait for their turn. */
const LOGINS_AT_ONCE = 1
const LOGINS_WAITING = 200

export function sessionRoutes(dependencies: SessionDependencies): SmallRouter {
  const { jwt } = dependencies.config
  const router = new Router()
  const inTurn = turnstile(LOGINS_AT_ONCE, LOGINS_WAITING)
  router.post('/session', async (koa) => {
    koa.set('cache-control', 'no-store')
    if (jwt.jwksUrl !== undefined) throw foreignTokensOnly(jwt)
    const given = credentials(parseBody(await readBody(koa, MAX_BODY_BYTES), MAX_DEPTH))
    const account = await inTurn(() => logIn(dependencies, given, koa.ip))
    const { token, expiresAt } = signToken(jwt, account)
    koa.body = { token, expiresAt: expiresAt.toISOString(), clinic: account.clinic, role: account.role }
  })
  return smallRouter(['session'], router)
}

interface Credentials {
  readonly username: string
  readonly password: string
}

async function logIn(
  { repository, config, passwordCost }: SessionDependencies,
  { username, password }: Credentials,
  address: string,
) {
  const attempt = await takeAttempt(repository, username, address)
  const account = await verifyPassword(repository, username, password, config.demo, passwordCost)
  if (account === undefined) {
    throw new FhirError(
      401,
      { code: 'login', diagnostics: 'User name or password is wrong' },
      { 'www-authenticate': 'Bearer realm="sandbox-emr"' },
    )
  }
  await attempt.succeeded()
  return account
}

function credentials(body: unknown): Credentials {
  const { username, password } = isObject(body) ? body : {}
  if (isText(username) && isText(password)) return { username, password }
  throw badRequest('The body must be a JSON object with two texts: {"username": "…", "password": "…"}')
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const foreignTokensOnly = ({ issuer }: JwtConfig): FhirError =>
  new FhirError(404, {
    code: 'not-supported',
    diagnostics: `This service gives out no tokens of its own; get one from its issuer, ${issuer}`,
  })

/** Lets `width` callers work at a time and `waiting` more wait in line. @throws FhirError 503 beyond that */
function turnstile(width: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let busy = 0
  const line: (() => void)[] = []
  return async (work) => {
    if (busy < width) busy++
    else if (line.length < waiting) await new Promise<void>((resolve) => line.push(resolve))
    else
      throw new FhirError(
        503,
        { code: 'throttled', diagnostics: 'Too many logins at once; try again' },
        { 'retry-after': '5' },
      )
    try {
      return await work()
    } finally {
      // The next in line takes over this place, so `busy` stays.
      const next = line.shift()
      if (next === undefined) busy--
      else next()
    }
  }
}
