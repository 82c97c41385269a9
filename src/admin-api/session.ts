/**
 * `POST /session`: user name and password for a token. `POST /session/renewal`: the next token of a browser, which keeps
 * its session in a cookie that no script can read. `DELETE /session` ends the session. `GET /session/demo`, in demo mode only: who
 * can log in to look around.
 */
import { randomUUID } from 'node:crypto'
import { Router } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import {
  type Account,
  endSession,
  findAccount,
  isSessionActive,
  type Login,
  type TokenSession,
  versionOf,
} from '../clinics/accounts.ts'
import { revokeProgramToken } from '../clinics/program-tokens.ts'
import type { Config } from '../config.ts'
import { badRequest, conflict, FhirError } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { forbidden } from '../http/authenticate.ts'
import { type ExchangeAccess, exchangeOf, stateOf, tellSecrets } from '../http/exchange.ts'
import type { Credentials, Logins } from '../http/logins.ts'
import { isText, readJsonBody } from '../http/message/body.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import {
  ownTokensOnly,
  type Renewal,
  RenewalTokens,
  type SignedToken,
  signToken,
  type TokenOptions,
} from '../http/token.ts'
import { NO_SUBJECT } from '../record/audit/event.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'

interface SessionDependencies {
  readonly repository: Repository
  readonly config: Pick<Config, 'jwt' | 'demo'>
  readonly logins: Logins
  /** The user names of the demo, which are their passwords. */
  readonly demoUsers: readonly string[]
  /** The address of this server as the client sees it. */
  readonly baseOf: (koa: KoaContext) => string
  /** Sets the session of the request. */
  readonly authenticate: Middleware
}

/** Lifetime of the tokens of browsers, which renew them. */
const SHORT_TOKEN_SECONDS = 600

export function sessionRoutes(dependencies: SessionDependencies): SideRouter {
  const sessions = new Sessions(dependencies)
  const router = new Router()
  router.use(ownTokensOnly(dependencies.config.jwt))
  router.post('/session', (koa) => sessions.begin(koa))
  router.post('/session/renewal', (koa) => sessions.renew(koa))
  router.delete('/session', (koa) => sessions.end(koa))
  if (dependencies.config.demo) router.get('/session/demo', (koa) => sessions.tellDemo(koa))
  return sideRouter(['session'], router)
}

class Sessions {
  readonly #dependencies: SessionDependencies
  readonly #renewals: RenewalTokens
  readonly #cookie: SessionCookie

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies
    this.#renewals = new RenewalTokens(dependencies.config.jwt)
    this.#cookie = new SessionCookie(dependencies.baseOf)
  }

  /** @throws FhirError 400, 401, 403, 429 or 503 */
  async begin(koa: KoaContext): Promise<void> {
    const { renewable, ...given } = readLogin(await readJsonBody(koa))
    tellSecrets(koa, given.password)
    if (renewable) this.#requireSameOrigin(koa)
    const { repository, logins } = this.#dependencies
    const exchange = exchangeOf(koa)
    exchange.accesses = [loginBy(await findAccount(repository, given.username))]
    const account = await logins.check(koa, given)
    if (account === undefined) throw loginNeeded('User name or password is wrong')
    exchange.accesses = [loginBy(account)]
    const login = { id: randomUUID(), version: versionOf(account) }
    koa.body = renewable
      ? this.#beginRenewable(koa, account, login)
      : answerWith(koa, account, this.#sign(account, { login }))
  }

  /** The accounts of the demo, whose passwords are published. */
  async tellDemo(koa: KoaContext): Promise<void> {
    const { repository, demoUsers } = this.#dependencies
    const found = await Promise.all(demoUsers.map((username) => findAccount(repository, username)))
    const accounts = found.flatMap((account) => {
      if (account?.demoOnly !== true || account.disabled === true) return []
      const { username, name, role } = account
      return [{ username, password: username, name, role }]
    })
    koa.body = { accounts }
  }

  #beginRenewable(koa: KoaContext, account: Account, login: Login): object {
    const { token, expiresAt } = this.#renewals.sign(account, login)
    tellSecrets(koa, token)
    this.#cookie.write(koa, token, expiresAt)
    return this.#renewableAnswer(koa, account, login, expiresAt)
  }

  /** @throws FhirError 401 or 403 */
  async renew(koa: KoaContext): Promise<void> {
    this.#requireSameOrigin(koa)
    const renewal = await this.#renewalOf(koa)
    const account = renewal && (await findAccount(this.#dependencies.repository, renewal.session.account))
    if (renewal === undefined || account === undefined) {
      this.#cookie.clear(koa)
      throw loginNeeded('There is no session to renew, or it has ended; log in again with POST /session')
    }
    koa.body = this.#renewableAnswer(koa, account, renewal.session.login, renewal.expiresAt)
  }

  /** @throws FhirError 401, 403 or 409 */
  async end(koa: KoaContext): Promise<void> {
    const { repository, config } = this.#dependencies
    const { account, login } = await this.#sessionToEnd(koa)
    exchangeOf(koa).accesses = [loginBy(await findAccount(repository, account), 'logout')]
    if (login === undefined) {
      throw conflict('This token was not given out by POST /session: it holds until it expires')
    }
    if (login.program !== undefined) await revokeProgramToken(repository, { clinic: login.program, id: login.id })
    else await endSession(repository, account, login, config.jwt.lifetimeSeconds * 1000)
    this.#cookie.clear(koa)
    koa.status = 204
  }

  /** The session of the token, or that of the cookie where there is no token. */
  async #sessionToEnd(koa: KoaContext): Promise<TokenSession> {
    const renewal = koa.get('authorization') === '' ? await this.#renewalOf(koa) : undefined
    if (renewal !== undefined) {
      this.#requireSameOrigin(koa)
      return renewal.session
    }
    await this.#dependencies.authenticate(koa, async () => {})
    const { session } = stateOf(koa)
    if (session === undefined) throw new Error('DELETE /session is served where tokens come from a foreign issuer')
    return session
  }

  /** The session in the cookie of a browser, while it is active. */
  async #renewalOf(koa: KoaContext): Promise<Renewal | undefined> {
    const { repository, config } = this.#dependencies
    const renewal = this.#renewals.read(this.#cookie.read(koa))
    return renewal !== undefined && (await isSessionActive(repository, renewal.session, config.demo))
      ? renewal
      : undefined
  }

  #renewableAnswer(koa: KoaContext, account: Account, login: Login, sessionEnd: Date): object {
    const left = Math.floor((sessionEnd.getTime() - Date.now()) / 1000)
    const token = this.#sign(account, { login, lifetimeSeconds: Math.min(SHORT_TOKEN_SECONDS, left) })
    return { ...answerWith(koa, account, token), renewableUntil: sessionEnd.toISOString() }
  }

  #sign(account: Account, options: TokenOptions): SignedToken {
    return signToken(this.#dependencies.config.jwt, account, options)
  }

  #requireSameOrigin(koa: KoaContext): void {
    requireSameOrigin(koa, this.#dependencies.baseOf(koa))
  }
}

/** An unknown user name is not kept, as users sometimes type their password in its place. */
const loginBy = (account: Account | undefined, interaction: 'login' | 'logout' = 'login'): ExchangeAccess => ({
  ...NO_SUBJECT,
  interaction,
  leastRole: 'admin',
  by:
    account === undefined
      ? { clinic: SERVICE, agent: { kind: 'unknown' } }
      : {
          clinic: account.clinic,
          agent: { kind: 'user', id: account.username, name: account.name, role: account.role },
        },
})

function answerWith(koa: KoaContext, { clinic, role }: Account, { token, expiresAt }: SignedToken) {
  tellSecrets(koa, token)
  return { token, expiresAt: expiresAt.toISOString(), ...(clinic === SERVICE ? {} : { clinic }), role }
}

function readLogin(body: unknown): Credentials & { readonly renewable: boolean } {
  const { username, password, renewable = false } = isObject(body) ? body : {}
  if (isText(username) && isText(password) && typeof renewable === 'boolean') return { username, password, renewable }
  throw badRequest(
    'The body must be a JSON object with two texts, {"username": "…", "password": "…"}, and "renewable": true for a browser that renews its tokens',
  )
}

const loginNeeded = (diagnostics: string): FhirError =>
  new FhirError(401, { code: 'login', diagnostics }, { 'www-authenticate': 'Bearer realm="sandbox-emr"' })

/** The cookie in which a browser keeps its session: sent to `/session` only, and by no page of another site. */
class SessionCookie {
  readonly #baseOf: (koa: KoaContext) => string

  /** @param baseOf the address of this server as the client sees it */
  constructor(baseOf: (koa: KoaContext) => string) {
    this.#baseOf = baseOf
  }

  /** '' when there is none. */
  read(koa: KoaContext): string {
    return koa.cookies.get(nameAt(this.#base(koa))) ?? ''
  }

  write(koa: KoaContext, value: string, expires: Date): void {
    const base = this.#base(koa)
    const path = `${base.pathname.replace(/\/$/, '')}/session`
    const secure = base.protocol === 'https:' ? '; Secure' : ''
    koa.append(
      'Set-Cookie',
      `${nameAt(base)}=${value}; Path=${path}; Expires=${expires.toUTCString()}; HttpOnly; SameSite=Strict${secure}`,
    )
  }

  clear(koa: KoaContext): void {
    this.write(koa, '', new Date(0))
  }

  #base(koa: KoaContext): URL {
    return new URL(this.#baseOf(koa))
  }
}

/** Cookies do not distinguish the ports of a host. */
const nameAt = ({ protocol, port }: URL): string => `emr-session-${port || (protocol === 'https:' ? 443 : 80)}`

/**
 * Refuses requests from pages of other origins (https://www.w3.org/TR/fetch-metadata/). A client that is not a browser
 * sends no such headers, and passes.
 * @param base the address of this server as the client sees it
 * @throws FhirError 403
 */
function requireSameOrigin(koa: KoaContext, base: string): void {
  const site = koa.get('sec-fetch-site')
  const origin = koa.get('origin')
  const isOurs = site === '' ? origin === '' || origin === new URL(base).origin : SITES.has(site)
  if (!isOurs) throw forbidden('A page of another origin asked for this; only pages of this server may')
}

/** `none`: the user himself, not a page. */
const SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])
