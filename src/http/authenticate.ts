/**
 * The user, the session and the clinic of a request. Authentication: `Authorization: Bearer` with a token of our own (HS256) or of a foreign issuer (JWKS), never both.
 * With a token of our own the session must be active. https://www.rfc-editor.org/rfc/rfc6750,
 * https://hl7.org/fhir/R4/security.html#authentication.
 */
import type { IncomingMessage } from 'node:http'
import jsonwebtoken from 'jsonwebtoken'
import type { Context as KoaContext, Middleware, Next } from 'koa'
import koaJwt from 'koa-jwt'
import { LRUCache } from 'lru-cache'
import { isSessionActive } from '../clinics/accounts.ts'
import { type ClinicFacts, clinicFacts } from '../clinics/clinics.ts'
import { isProgramTokenKept, LastUses } from '../clinics/program-tokens.ts'
import type { Config } from '../config.ts'
import { upTo } from '../fhir/memoize.ts'
import { FhirError } from '../fhir/outcome.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { stateOf, tellUserAccess, userOf } from './exchange.ts'
import { type JwksOptions, jwksKeyLoader, KeysUnavailable, PUBLIC_KEY_ALGORITHMS, UnknownKey } from './jwks.ts'
import { ClaimError, type JwtConfig, readClaims, refuseExtensions, type User, type VerifiedToken } from './token.ts'

/** Milliseconds after which a token of a foreign issuer is checked again, in case its key was withdrawn. */
const RECHECK_FOREIGN_MS = 5 * 60 * 1000
/** Verified tokens remembered, those used last. */
const REMEMBERED_TOKENS = 10_000
/** A foreign issuer's clock may be ahead or behind by this much. */
const CLOCK_TOLERANCE_SECONDS = 5

/**
 * Sets the user and the session of a request.
 * @throws FhirError 401 with what is wrong with the token, 503 when it cannot be checked
 */
export function authenticate({ jwt: config }: Pick<Config, 'jwt'>, jwksOptions?: JwksOptions): Middleware {
  const verify = verifier(config, jwksOptions)
  const verified = new LRUCache<string, Remembered>(upTo(REMEMBERED_TOKENS))
  const foreign = config.jwksUrl !== undefined
  const toleranceMs = foreign ? CLOCK_TOLERANCE_SECONDS * 1000 : 0
  const verifyAndRemember = async (koa: KoaContext, header: string): Promise<Remembered> => {
    const checkAgain = foreign ? Date.now() + RECHECK_FOREIGN_MS : Number.POSITIVE_INFINITY
    const entry = { ...(await verify(koa, header)), checkAgain }
    verified.set(header, entry)
    return entry
  }
  const accept = (koa: KoaContext, { expires, notBefore, user, session }: Remembered): void => {
    const now = Date.now()
    const tokenEnds = expires + toleranceMs
    if (now >= tokenEnds) throw unauthorized(expired(expires))
    if (now < notBefore - toleranceMs) throw unauthorized('the token is not valid yet')
    Object.assign(stateOf(koa), { user, session, tokenEnds })
  }
  return (koa, next) => {
    const header = koa.req.headers.authorization ?? ''
    const known = verified.get(header)
    if (known === undefined || Date.now() >= known.checkAgain) {
      return verifyAndRemember(koa, header).then((entry) => {
        accept(koa, entry)
        return next()
      })
    }
    accept(koa, known)
    return next()
  }
}

/** The same, where the session of the token has not ended. @throws FhirError 401 or 503 */
export function authenticateSession(config: Pick<Config, 'jwt' | 'demo'>, repository: Repository): Middleware {
  const readToken = authenticate(config)
  const requireProgram = programsAdmitted(repository)
  const requireSession: Middleware = (koa, next) => {
    const { session } = stateOf(koa)
    const isOn = session === undefined || isSessionActive(repository, session, config.demo)
    const inside = session?.login?.program === undefined ? next : () => requireProgram(koa, next)
    return isOn instanceof Promise ? isOn.then((known) => goOn(known, inside)) : goOn(isOn, inside)
  }
  return (koa, next) => {
    const user = acting.get(koa.req)
    if (user === undefined) return readToken(koa, () => requireSession(koa, next))
    stateOf(koa).user = user
    return next()
  }
}

/** Requests that have come over no socket, by the user for whom the server makes them: those of jobs, which have no token. */
const acting = new WeakMap<IncomingMessage, User>()

/** @param user whose rights have been looked at */
export const actFor = (request: IncomingMessage, user: User): void => void acting.set(request, user)

/** The user for whom the server itself makes a request. */
export const actingUserOf = (request: IncomingMessage): User | undefined => acting.get(request)

/** Admits the token of a program while it is not revoked, and notes its use. @throws FhirError 401 */
function programsAdmitted(repository: Repository): Middleware {
  const uses = new LastUses(repository)
  return async (koa, next) => {
    const { program = '', id = '' } = stateOf(koa).session?.login ?? {}
    if (!(await isProgramTokenKept(repository, program, id))) {
      throw unauthorized('this token of a program has been revoked; an admin makes another one in the settings')
    }
    await uses.note(program, id)
    return await next()
  }
}

/** @throws FhirError 401 */
function goOn(isOn: boolean, next: Next): Promise<unknown> {
  if (!isOn) throw unauthorized('the session of this token has ended; log in again with POST /session')
  return next()
}

interface Remembered extends VerifiedToken {
  readonly checkAgain: number
}

type Verifier = (koa: KoaContext, header: string) => Promise<VerifiedToken>

/** koa-jwt checks signature, algorithm and times; the claims of our own tokens are checked after it. */
function verifier(config: JwtConfig, jwksOptions: JwksOptions | undefined): Verifier {
  const check = koaJwt({
    key: 'claims',
    ...(config.jwksUrl === undefined ? ownTokens(config) : foreignTokens(config, jwksOptions)),
  })
  return async (koa, header) => {
    if (!/^Bearer +[^ ]+$/i.test(header.trim())) throw unauthorized(header === '' ? MISSING : MALFORMED, header !== '')
    try {
      await check(koa, async () => {})
      refuseExtensions(header.trim().split(/ +/).at(-1) ?? '')
      return readClaims(stateOf(koa).claims, config)
    } catch (error) {
      throw refusal(error)
    }
  }
}

const ownTokens = ({ secret }: JwtConfig): koaJwt.Options => ({ secret, algorithms: ['HS256'] })

function foreignTokens(config: JwtConfig, jwksOptions: JwksOptions | undefined): koaJwt.Options {
  const { jwksUrl = '', issuer, audience } = config
  // Without them koa-jwt would check neither, and a token for any service would be accepted.
  if (!issuer || !audience) throw new Error('JWKS_URL needs JWT_ISSUER and JWT_AUDIENCE')
  const options = {
    secret: jwksKeyLoader(jwksUrl, jwksOptions),
    algorithms: PUBLIC_KEY_ALGORITHMS,
    issuer,
    audience,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
  }
  return options
}

const MISSING = 'the header is missing; send "Authorization: Bearer <token>" with a token from POST /session'
const MALFORMED = 'the Authorization header must read "Bearer <token>"'

/** The error for the client; the wording of libraries is not passed on. */
function refusal(error: unknown): FhirError {
  const cause = error instanceof Error && 'originalError' in error ? error.originalError : error
  if (cause instanceof KeysUnavailable) {
    return new FhirError(
      503,
      {
        code: 'transient',
        diagnostics: 'Tokens cannot be checked now: the keys of their issuer cannot be read. Try again later.',
      },
      { 'retry-after': '5' },
    )
  }
  return unauthorized(reasonOf(cause))
}

function reasonOf(cause: unknown): string {
  if (cause instanceof ClaimError) return cause.message
  if (cause instanceof UnknownKey) return `it is not signed by the trusted issuer: ${cause.message}`
  if (cause instanceof jsonwebtoken.TokenExpiredError) return expired(cause.expiredAt.getTime())
  if (cause instanceof jsonwebtoken.NotBeforeError) return `the token is not valid before ${cause.date.toISOString()}`
  const message = cause instanceof Error ? cause.message : ''
  if (message.startsWith('jwt audience')) return "the claim 'aud' names another service than this one"
  if (message.startsWith('jwt issuer')) return "the claim 'iss' names another issuer than the one trusted here"
  return 'the token is not one that this service trusts (its form, algorithm or signature is wrong)'
}

const expired = (at: number): string => `the token expired at ${new Date(at).toISOString()}; get a new one`

/** 401. A request without any token gets no error code: https://www.rfc-editor.org/rfc/rfc6750#section-3.1. */
const unauthorized = (reason: string, tokenGiven = true): FhirError =>
  new FhirError(
    401,
    { code: 'login', diagnostics: `Not authenticated: ${reason}` },
    { 'www-authenticate': `Bearer realm="sandbox-emr"${tokenGiven ? ', error="invalid_token"' : ''}` },
  )

/**
 * @param what the user wants to do: "make clinics"
 * @throws FhirError 403 unless the user is an operator
 */
export function requireOperator({ role }: User, what: string): void {
  if (role !== 'operator') throw forbidden(`Only an operator of the service may ${what}; your role is '${role}'`)
}

export const forbidden = (diagnostics: string): FhirError => new FhirError(403, { code: 'forbidden', diagnostics })

/**
 * The clinic in the path, which must be that of the user.
 * @param what the user wants to do
 * @param subject of the message: `The outbox`
 * @throws FhirError 403 for another one, whether it exists or not
 */
export function ownClinic(koa: KoaContext, what: string, subject: string): string {
  const { clinic } = userOf(koa)
  tellUserAccess(koa, what)
  if (koa.params.clinic === clinic) return clinic
  throw forbidden(`${subject} of a clinic is for its own staff; yours is '${clinic}'`)
}

/**
 * For all routes: 403 when the clinic named in the token does not exist, as with a token of a foreign issuer. Its settings
 * are in memory from here on, so that all observers of the request know the secrets of the clinic.
 */
export function requireClinic(repository: Repository): Middleware {
  return (koa, next) => {
    const { clinic } = userOf(koa)
    if (clinic === SERVICE) return next()
    const facts = clinicFacts(repository, clinic)
    if (facts instanceof Promise) return facts.then((found) => keep(koa, found)).then(next)
    keep(koa, facts)
    return next()
  }
}

/** @throws FhirError 403 */
function keep(koa: KoaContext, facts: ClinicFacts | undefined): void {
  if (facts === undefined) throw noSuchClinic()
  stateOf(koa).clinic = facts
}

const noSuchClinic = (): FhirError =>
  forbidden("The claim 'clinic' of the token names no clinic of this service; an operator makes one with POST /clinics")

/**
 * For FHIR data routes: 403 while the sandbox of the user's clinic is off, and for users of no clinic, who read nothing but
 * the events of the audit trail that belong to no clinic either.
 */
export const requireSandbox: Middleware = (koa, next) => {
  const { clinic } = stateOf(koa)
  if (clinic === undefined ? isReadOfTrail(koa) : clinic.isSandboxEnabled) return next()
  throw clinic === undefined ? ofNoClinic() : sandboxIsOff()
}

const isReadOfTrail = ({ method, path }: KoaContext): boolean =>
  (method === 'GET' || method === 'HEAD') && /^\/AuditEvent(?:\/trail-[\w-]+)?$/.test(path)

const ofNoClinic = (): FhirError =>
  forbidden(
    'Your account belongs to no clinic, so the only FHIR data it can read is GET /AuditEvent; log in with an account of the clinic',
  )

export const sandboxIsOff = (): FhirError =>
  new FhirError(403, {
    code: 'forbidden',
    diagnostics:
      'The sandbox of this clinic is turned off; its data are kept. PUT /clinics/{id}/sandbox {"enabled": true} turns it on',
    reason: 'sandbox-off',
  })

/**
 * For FHIR data routes: a clinic has the conformance resources that the server ships before its first request is answered.
 * Each process checks each clinic once; requests that arrive meanwhile wait for that check.
 * @param ship writes what a clinic lacks
 * @param goOn admits each request that has waited, since all would continue at once otherwise
 */
export function shipResources(ship: (clinic: string) => Promise<void>, goOn: Middleware): Middleware {
  const complete = new Set<string>()
  const underWay = new Map<string, Promise<void>>()
  const shipTo = async (clinic: string): Promise<void> => {
    try {
      await ship(clinic)
      complete.add(clinic)
    } finally {
      // After a failure the next request tries again.
      underWay.delete(clinic)
    }
  }
  return (koa, next) => {
    const { clinic } = userOf(koa)
    if (clinic === SERVICE || complete.has(clinic)) return next()
    const shipping = underWay.get(clinic) ?? shipTo(clinic)
    underWay.set(clinic, shipping)
    return shipping.then(() => goOn(koa, next))
  }
}
