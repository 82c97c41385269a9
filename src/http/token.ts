/** The tokens of dashboard sessions, JWTs (https://www.rfc-editor.org/rfc/rfc7519): that of requests names user, clinic and role, that of a browser renews its session. */

import { createHmac } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import type { Middleware } from 'koa'
import { type Account, isRole, type Login, ROLES, type Role, type TokenSession } from '../clinics/accounts.ts'
import { isClinicId } from '../clinics/clinics.ts'
import { foldedName } from '../clinics/passwords.ts'
import type { Config } from '../config.ts'
import { FhirError } from '../fhir/outcome.ts'
import { isObject, present } from '../fhir/resource.ts'
import { SERVICE } from '../repository/record-kinds.ts'

export type JwtConfig = Config['jwt']

/** The user of a request, from a verified token. */
export interface User {
  readonly sub: string
  readonly name: string
  /** SERVICE for an operator without a clinic. */
  readonly clinic: string
  readonly role: Role
  /** The run that the token was given for: docs/runs.md. */
  readonly run?: string
}

export interface VerifiedToken {
  readonly user: User
  /** Absent in tokens of a foreign issuer: their sessions are its own. */
  readonly session?: TokenSession
  /** Milliseconds since 1970 UTC: the span in which the token is valid. */
  readonly notBefore: number
  readonly expires: number
}

export interface SignedToken {
  readonly token: string
  readonly expiresAt: Date
}

export interface TokenOptions {
  /** The login that began the token's session. */
  readonly login?: Login
  readonly lifetimeSeconds?: number
  /** The run that requests with the token belong to while it is open. */
  readonly run?: string
}

/** A token of our own. It names issuer and audience only where they are configured. */
export function signToken(
  config: JwtConfig,
  account: Account,
  { login, lifetimeSeconds = config.lifetimeSeconds, run }: TokenOptions = {},
): SignedToken {
  const claims = {
    name: account.name,
    ...(account.clinic === SERVICE ? {} : { clinic: account.clinic }),
    role: account.role,
    ...(run === undefined ? {} : { run }),
    ...(config.issuer === undefined ? {} : { iss: config.issuer }),
    ...(config.audience === undefined ? {} : { aud: config.audience }),
  }
  return signed(config.secret, lifetimeSeconds, account, login, claims)
}

/** @param more claims, besides the user, the session and the times */
function signed(
  key: string | Buffer,
  lifetimeSeconds: number,
  { username: sub }: Account,
  login: Login | undefined,
  more: object = {},
): SignedToken {
  const iat = Math.floor(Date.now() / 1000)
  const exp = iat + lifetimeSeconds
  const session =
    login === undefined ? {} : { sid: login.id, ver: login.version, ...present({ program: login.program }) }
  const token = jsonwebtoken.sign({ sub, ...more, iat, exp, ...session }, key, { algorithm: 'HS256' })
  return { token, expiresAt: new Date(exp * 1000) }
}

/** For routes of accounts and sessions: 404 with a foreign issuer, as there are none here. */
export const ownTokensOnly =
  ({ jwksUrl, issuer }: JwtConfig): Middleware =>
  (_koa, next) => {
    if (jwksUrl === undefined) return next()
    const diagnostics = `This service gives out no tokens of its own; get one from its issuer, ${issuer}`
    throw new FhirError(404, { code: 'not-supported', diagnostics })
  }

/** A token whose signature is right but whose claims are not; the message says which. */
export class ClaimError extends Error {
  override readonly name = 'ClaimError'
}

/**
 * Refuses a token with the header `crit`, which names extensions that a recipient must understand; this server knows
 * none (https://www.rfc-editor.org/rfc/rfc7515#section-4.1.11).
 * @throws ClaimError
 */
export function refuseExtensions(token: string): void {
  const header = jsonwebtoken.decode(token, { complete: true })?.header
  if (header?.crit === undefined) return
  throw new ClaimError("the header 'crit' asks for extensions of JWT, of which this service knows none")
}

/**
 * The claims of a token with a good signature.
 * @throws ClaimError naming the first claim that is missing or wrong.
 */
export function readClaims(claims: unknown, config: JwtConfig): VerifiedToken {
  if (!isObject(claims)) throw new ClaimError('the payload is not a JSON object')
  const { sub, name, role, exp, nbf, run } = claims
  if (!isName(sub)) throw new ClaimError("the claim 'sub' must be a text: the user's id")
  if (!isName(name)) throw new ClaimError("the claim 'name' must be a text: the user's name")
  const clinic = clinicIn(claims.clinic, role)
  if (!isRole(role)) throw new ClaimError(`the claim 'role' must be one of ${ROLES.join(', ')}`)
  if (typeof exp !== 'number') throw new ClaimError("the claim 'exp' must say when the token expires")
  checkAddressee(claims, config)
  return {
    user: { sub, name, clinic, role, ...(isName(run) && { run }) },
    ...(config.jwksUrl === undefined && { session: sessionIn(sub, claims) }),
    notBefore: typeof nbf === 'number' ? nbf * 1000 : 0,
    expires: exp * 1000,
  }
}

/** SERVICE for an operator without a clinic. */
function clinicIn(clinic: unknown, role: unknown): string {
  if (isClinicId(clinic)) return clinic
  if (role === 'operator' && (clinic === undefined || clinic === SERVICE)) return SERVICE
  throw new ClaimError("the claim 'clinic' must be the FHIR id of a clinic")
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** For our own tokens only: foreign issuers use these claims as they like. */
function sessionIn(sub: string, { iat, sid, ver, program }: Record<string, unknown>): TokenSession {
  return {
    account: foldedName(sub),
    issued: typeof iat === 'number' ? iat * 1000 : 0,
    ...(sid !== undefined && { login: loginIn(sid, ver, program) }),
  }
}

function loginIn(id: unknown, version: unknown, program: unknown): Login {
  if (isName(id) && typeof version === 'number') return { id, version, ...(typeof program === 'string' && { program }) }
  throw new ClaimError("the claims 'sid' and 'ver' must be the session and the version of its account")
}

// Our own tokens need not name issuer and audience. One that does must name this service.
function checkAddressee({ aud, iss }: Record<string, unknown>, { audience, issuer }: JwtConfig): void {
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (aud !== undefined && !audiences.includes(audience)) {
    throw new ClaimError("the claim 'aud' names another service than this one")
  }
  if (iss !== undefined && issuer !== undefined && iss !== issuer) {
    throw new ClaimError("the claim 'iss' names another issuer than the one trusted here")
  }
}

export interface Renewal {
  readonly session: TokenSession & { readonly login: Login }
  /** The end of the session. */
  readonly expiresAt: Date
}

/** Tokens that renew the session of a browser: of their own kind, which opens no route. */
export class RenewalTokens {
  /** Differs from the key of the tokens for requests, so neither can pass as the other. */
  readonly #key: Buffer
  readonly #lifetimeSeconds: number

  constructor({ secret, lifetimeSeconds }: JwtConfig) {
    this.#key = createHmac('sha256', secret).update('renewal of sessions').digest()
    this.#lifetimeSeconds = lifetimeSeconds
  }

  sign(account: Account, login: Login): SignedToken {
    return signed(this.#key, this.#lifetimeSeconds, account, login)
  }

  /** Undefined for a token that is not ours or has expired. */
  read(token: string): Renewal | undefined {
    const claims = this.#verified(token)
    if (!isObject(claims)) return undefined
    const { sub, sid, ver, iat, exp } = claims
    if (typeof sub !== 'string' || typeof sid !== 'string') return undefined
    if (typeof ver !== 'number' || typeof iat !== 'number' || typeof exp !== 'number') return undefined
    const session = { account: foldedName(sub), issued: iat * 1000, login: { id: sid, version: ver } }
    return { session, expiresAt: new Date(exp * 1000) }
  }

  #verified(token: string): unknown {
    try {
      return jsonwebtoken.verify(token, this.#key, { algorithms: ['HS256'] })
    } catch {
      return undefined
    }
  }
}
