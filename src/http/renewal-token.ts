/** The token that renews the session of a browser: a token of its own kind, which opens no route. */
import { createHmac } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import type { Account, Login, TokenSession } from '../clinics/accounts.ts'
import { foldedName } from '../clinics/passwords.ts'
import { isObject } from '../fhir/resource.ts'
import type { JwtConfig, SignedToken } from './token.ts'

export interface Renewal {
  readonly session: TokenSession & { readonly login: Login }
  /** The end of the session. */
  readonly expiresAt: Date
}

export class RenewalTokens {
  /** Differs from the key of the tokens for requests, so neither can pass as the other. */
  readonly #key: Buffer
  readonly #lifetimeSeconds: number

  constructor({ secret, lifetimeSeconds }: JwtConfig) {
    this.#key = createHmac('sha256', secret).update('renewal of sessions').digest()
    this.#lifetimeSeconds = lifetimeSeconds
  }

  sign({ username }: Account, { id, version }: Login): SignedToken {
    const issued = Math.floor(Date.now() / 1000)
    const expires = issued + this.#lifetimeSeconds
    const claims = { sub: username, sid: id, ver: version, iat: issued, exp: expires }
    return {
      token: jsonwebtoken.sign(claims, this.#key, { algorithm: 'HS256' }),
      expiresAt: new Date(expires * 1000),
    }
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
