/** A foreign token issuer on the loopback interface: it signs tokens and publishes its keys as a JWKS. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import jsonwebtoken, { type Algorithm } from 'jsonwebtoken'

interface Key {
  readonly kid: string
  readonly alg: Algorithm
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export interface TokenIssuer {
  readonly jwksUrl: string
  /** Keys published from now on; tokens are signed with the first. */
  publish(...keys: readonly Key[]): void
  sign(claims: object, options?: { readonly key?: Key; readonly kid?: string; readonly header?: object }): string
  /** How often the key set was fetched. */
  readonly requests: () => number
  /** The traceparent headers with which it was fetched. */
  readonly traces: readonly (string | undefined)[]
  /** The HTTP status of the responses with the key set. */
  setStatus(status: number): void
  readonly close: () => Promise<unknown>
}

export function rsaKey(kid: string): Key {
  return { kid, alg: 'RS256', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) }
}

export function ecKey(kid: string): Key {
  return { kid, alg: 'ES256', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
}

export async function startIssuer(...initial: readonly [Key, ...Key[]]): Promise<TokenIssuer> {
  let keys: readonly Key[] = initial
  const traces: (string | undefined)[] = []
  let status = 200
  const server = createServer(({ headers }, response) => {
    traces.push(headers.traceparent?.toString())
    response.statusCode = status
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ keys: keys.map(jwkOf) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    publish: (...next) => {
      keys = next
    },
    sign: (claims, { key = keys[0] ?? initial[0], kid = key.kid, header = {} } = {}) =>
      jsonwebtoken.sign(claims, key.privateKey, {
        algorithm: key.alg,
        keyid: kid,
        header: { alg: key.alg, ...header },
      }),
    requests: () => traces.length,
    traces,
    setStatus: (next) => {
      status = next
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

const jwkOf = ({ kid, alg, publicKey }: Key) => ({ ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' })
