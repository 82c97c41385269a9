/** The public keys of a foreign token issuer: https://www.rfc-editor.org/rfc/rfc7517. */
import { KeyObject } from 'node:crypto'
import type { createRemoteJWKSet, FetchImplementation } from 'jose'
import { isObject } from '../fhir/resource.ts'
import { currentBudget } from '../isolation/budget.ts'
import { traceparentOf } from '../isolation/trace-context.ts'

/** Algorithms that an issuer may sign with. No HS…: a public key must never pass as a shared secret. */
export const PUBLIC_KEY_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
]

export interface JwksOptions {
  /** Milliseconds between two requests for the issuer's key set, so that made-up key ids cause no requests. */
  readonly cooldownMs: number
  readonly timeoutMs: number
}

const DEFAULTS: JwksOptions = { cooldownMs: 5_000, timeoutMs: 5_000 }
/** A withdrawn key is trusted no longer than this (and a token verified with it: see authenticate.ts). */
const KEY_LIFETIME_MS = 10 * 60 * 1000

/** The issuer has no such key: the token can't be one of its tokens. */
export class UnknownKey extends Error {
  override readonly name = 'UnknownKey'
}

/** The issuer's keys cannot be fetched, so the token can be neither accepted nor refused. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

interface TokenHeader {
  readonly alg?: string
  readonly kid?: string
}

export type KeyLoader = (header: TokenHeader) => Promise<string>

type KeySet = ReturnType<typeof createRemoteJWKSet>

/**
 * Finds the public key (PEM) for a token's header.
 * @throws UnknownKey, KeysUnavailable from the loader
 */
export function jwksKeyLoader(jwksUrl: string, { cooldownMs, timeoutMs }: JwksOptions = DEFAULTS): KeyLoader {
  let failedAt = Number.NEGATIVE_INFINITY
  let keySet: Promise<KeySet> | undefined
  const connect = async (): Promise<KeySet> => {
    const { createRemoteJWKSet, customFetch } = await import('jose')
    return createRemoteJWKSet(new URL(jwksUrl), {
      [customFetch]: fetchTraced,
      cooldownDuration: cooldownMs,
      timeoutDuration: timeoutMs,
      cacheMaxAge: KEY_LIFETIME_MS,
    })
  }
  return async ({ alg, kid }) => {
    if (alg === undefined || !PUBLIC_KEY_ALGORITHMS.includes(alg)) throw new UnknownKey('the algorithm is not accepted')
    // jose waits between two successful requests only.
    if (Date.now() - failedAt < cooldownMs) throw new KeysUnavailable("the issuer's keys could not be read")
    // Loaded when first needed: most servers sign their own tokens and start faster without it.
    keySet ??= connect()
    const findKey = await keySet
    try {
      const key = await findKey({ alg, ...(kid === undefined ? {} : { kid }) })
      return KeyObject.from(key).export({ type: 'spki', format: 'pem' }).toString()
    } catch (error) {
      if (isObject(error) && NO_SUCH_KEY.includes(String(error.code)))
        throw new UnknownKey('the issuer has no such key', { cause: error })
      failedAt = Date.now()
      throw new KeysUnavailable("the issuer's keys could not be read", { cause: error })
    }
  }
}

/** Part of the trace of the request that needs the keys. */
const fetchTraced: FetchImplementation = (url, { headers, ...options }) => {
  const trace = currentBudget()?.trace
  if (trace !== undefined) headers.set('traceparent', traceparentOf(trace))
  return fetch(url, { ...options, headers })
}

/** Codes of jose's errors for a token whose header fits none of the keys, or several. */
const NO_SUCH_KEY = ['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS']
