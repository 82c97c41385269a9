/** A hostile case: a clinic's stored data, and the requests its staff send while another clinic reads. */
import type { FixtureName } from './fixtures.ts'

export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Without the token of the hostile clinic. */
  readonly anonymous?: true
}

export type Attack =
  | {
      readonly kind: 'requests'
      readonly requests: readonly HostileRequest[]
      /** Connections; each sends its next request after the response to the last one. */
      readonly parallel: number
      /** Repeats the requests for so long; absent: each is sent once. */
      readonly seconds?: number
    }
  /**
   * For attacks with sockets of their own, or requests that depend on responses; judged by the requests sent through
   * `target`.
   */
  | { readonly kind: 'program'; readonly run: (target: Target) => Promise<void> }

export interface Answer {
  readonly status: number
  readonly text: string
}

export interface Target {
  readonly url: string
  /** The Authorization header of the hostile clinic's staff. */
  readonly authorization: string
  /** Sends a request that is judged. Undefined: there was no response. */
  readonly send: (request: HostileRequest) => Promise<Answer | undefined>
  /** When the attack must end. */
  readonly signal: AbortSignal
}

export interface HostileCase {
  readonly name: string
  /** The requests, for the reader of the table. */
  readonly about: string
  /** The data that the clinic has stored before. */
  readonly stored: FixtureName
  /** Creates the requests before the measurement, so that generating them does not disturb it. */
  readonly attack: () => Attack
}

/** A request for each path, one after the other. */
export const gets = (...paths: readonly string[]): Attack => ({
  kind: 'requests',
  requests: paths.map((path) => ({ method: 'GET', path })),
  parallel: 1,
})

const FHIR_JSON = 'application/fhir+json'

export const send = (method: string, path: string, body: object | string, type = FHIR_JSON): HostileRequest => ({
  method,
  path,
  headers: { 'content-type': type, prefer: 'return=minimal' },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

/** One after the other. */
export const inSequence = (...requests: readonly HostileRequest[]): Attack => ({
  kind: 'requests',
  requests,
  parallel: 1,
})

export const inParallel = (parallel: number, requests: readonly HostileRequest[]): Attack => ({
  kind: 'requests',
  requests,
  parallel,
})

/** The same requests by so many connections for some seconds. */
export const flood = (parallel: number, seconds: number, requests: readonly HostileRequest[]): Attack => ({
  kind: 'requests',
  requests,
  parallel,
  seconds,
})

export const times = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n))
