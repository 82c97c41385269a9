/** The public keys of a foreign token issuer: https://www.rfc-editor.org/rfc/rfc7517. */
import type { JwksClient } from 'jwks-rsa'
import { isObject } from '../fhir/resource.ts'

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

/**
 * Finds the public key (PEM) for a token's header.
 * @throws UnknownKey, KeysUnavailable from the loader
 */
export function jwksKeyLoader(jwksUrl: string, options: JwksOptions = DEFAULTS): KeyLoader {
  let client: Promise<JwksClient> | undefined
  return async ({ alg, kid }) => {
    if (alg === undefined || !PUBLIC_KEY_ALGORITHMS.includes(alg)) throw new UnknownKey('the algorithm is not accepted')
    // Loaded when first needed: most servers sign their own tokens and start faster without it.
    client ??= connect(jwksUrl, options)
    const key = await (await client).getSigningKey(kid).catch((error: unknown) => {
      throw keyError(error)
    })
    if (key.alg !== undefined && key.alg !== alg) throw new UnknownKey(`the key is not one for ${alg}`)
    return key.getPublicKey()
  }
}

async function connect(jwksUri: string, options: JwksOptions): Promise<JwksClient> {
  const { JwksClient } = await import('jwks-rsa')
  return new JwksClient({
    jwksUri,
    fetcher: sparingFetcher(options),
    cacheMaxAge: KEY_LIFETIME_MS,
    cacheMaxEntries: 20,
  })
}

/** Fetches at most once in a cooldown, failures included; calls meanwhile share the result. */
function sparingFetcher({ cooldownMs, timeoutMs }: JwksOptions): (url: string) => Promise<{ keys: unknown }> {
  let last: { readonly at: number; readonly answer: Promise<{ keys: unknown }> } | undefined
  return (url) => {
    if (last === undefined || Date.now() - last.at >= cooldownMs) {
      last = { at: Date.now(), answer: fetchKeys(url, timeoutMs) }
    }
    return last.answer
  }
}

async function fetchKeys(url: string, timeoutMs: number): Promise<{ keys: unknown }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`The key set answered ${response.status}`)
  return (await response.json()) as { keys: unknown }
}

function keyError(error: unknown): Error {
  if (isObject(error) && error.name === 'SigningKeyNotFoundError') {
    return new UnknownKey('the issuer has no such key', { cause: error })
  }
  return new KeysUnavailable("the issuer's keys could not be read", { cause: error })
}
