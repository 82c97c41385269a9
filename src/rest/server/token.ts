/** The token of a dashboard session: a JWT (https://www.rfc-editor.org/rfc/rfc7519) that names user, clinic and role. */
import jsonwebtoken from 'jsonwebtoken'
import type { Account, Role } from '../../clinics/accounts.ts'
import { isClinicId } from '../../clinics/clinics.ts'
import type { Config } from '../../config.ts'
import { isObject } from '../../fhir/resource.ts'

export type JwtConfig = Config['jwt']

/** Who a request is from, out of a verified token. */
export interface User {
  readonly sub: string
  readonly name: string
  readonly clinic: string
  readonly role: Role
}

export interface VerifiedToken {
  readonly user: User
  /** Milliseconds since 1970 UTC: from when and until when the token holds. */
  readonly notBefore: number
  readonly expires: number
}

export interface SignedToken {
  readonly token: string
  readonly expiresAt: Date
}

/** A token of our own. It names issuer and audience only where they are configured. */
export function signToken(config: JwtConfig, account: Account, now = Date.now()): SignedToken {
  const issuedAt = Math.floor(now / 1000)
  const expires = issuedAt + config.lifetimeSeconds
  const claims = {
    sub: account.username,
    name: account.name,
    clinic: account.clinic,
    role: account.role,
    iat: issuedAt,
    exp: expires,
    ...(config.issuer === undefined ? {} : { iss: config.issuer }),
    ...(config.audience === undefined ? {} : { aud: config.audience }),
  }
  return {
    token: jsonwebtoken.sign(claims, config.secret, { algorithm: 'HS256' }),
    expiresAt: new Date(expires * 1000),
  }
}

/** A token whose signature is right but whose claims are not; the message says which. */
export class ClaimError extends Error {
  override readonly name = 'ClaimError'
}

/**
 * What the claims of a token with a good signature say.
 * @throws ClaimError naming the first claim that is missing or wrong.
 */
export function readClaims(claims: unknown, config: JwtConfig): VerifiedToken {
  if (!isObject(claims)) throw new ClaimError('the payload is not a JSON object')
  const { sub, name, clinic, role, exp, nbf } = claims
  if (!isText(sub)) throw new ClaimError("the claim 'sub' must be a text: the user's id")
  if (!isText(name)) throw new ClaimError("the claim 'name' must be a text: the user's name")
  if (!isClinicId(clinic)) throw new ClaimError("the claim 'clinic' must be the FHIR id of a clinic")
  if (role !== 'staff' && role !== 'admin') throw new ClaimError("the claim 'role' must be 'staff' or 'admin'")
  if (typeof exp !== 'number') throw new ClaimError("the claim 'exp' must say when the token expires")
  checkAddressee(claims, config)
  return {
    user: { sub, name, clinic, role },
    notBefore: typeof nbf === 'number' ? nbf * 1000 : 0,
    expires: exp * 1000,
  }
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

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
