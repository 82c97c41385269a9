/** Exchanges that are sent again: over HTTP, to this server itself, as requests of the user who replays them. */

import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { Context as KoaContext } from 'koa'
import { dialedNumber, readSettings } from '../clinics/settings.ts'
import type { Config } from '../config.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import { ownAddress } from '../http/connections.ts'
import { traceIn } from '../http/exchange.ts'
import { shownHeaders } from '../http/observers/request-observer.ts'
import { traceparentOf } from '../isolation/trace-context.ts'
import {
  beginningOfBytes,
  type ExchangeDetail,
  type ExchangeSummary,
  MAX_BODY,
  type SeenHeaders,
} from '../record/journal/exchange.ts'
import { keptBody, keptHeaders } from '../record/journal/redaction.ts'
import { type Comparison, compared, repeatedHeaders } from '../record/journal/replay.ts'
import { formsOf, Secrets } from '../record/journal/secrets.ts'
import type { Repository } from '../repository/repository.ts'

interface ReplayParts {
  readonly server: () => Server
  readonly repository: Repository
  readonly config: Pick<Config, 'webhookSecret' | 'demo'>
  /** In demo mode: the clinic of calls that name none. */
  readonly demoClinic: string | undefined
}

export interface Replayed extends Comparison {
  /** The id of the replay's own exchange. */
  readonly exchange: string
  readonly status: number
  readonly duration: number
  /** The response is the same. */
  readonly same: boolean
}

interface Recorded {
  readonly summary: ExchangeSummary
  readonly detail: ExchangeDetail
}

/** Milliseconds; longer than any request may take. */
const DEADLINE = 30_000

export class Replays {
  readonly #parts: ReplayParts

  constructor(parts: ReplayParts) {
    this.#parts = parts
  }

  /** @throws FhirError 422 for a call that cannot be made again, 503 where this server cannot be reached */
  async replay(koa: KoaContext, clinic: string, { summary, detail }: Recorded): Promise<Replayed> {
    const headers = {
      ...repeatedHeaders(detail.request.headers),
      ...forwardedBy(koa),
      ...(await this.#credentials(koa, clinic, summary, detail)),
      'x-replay-of': summary.id,
      traceparent: traceparentOf(traceIn(koa)),
    }
    const since = performance.now()
    const answer = await this.#send(summary, headers, detail.request.body?.text)
    const secrets = new Secrets(formsOf(this.#parts.config.webhookSecret))
    const contentType = answer.headers['content-type'] ?? ''
    const body = answer.bytes.length === 0 ? undefined : beginningOfBytes(answer.bytes)
    const after = {
      status: answer.status,
      headers: keptHeaders(answer.headers, secrets),
      ...(body === undefined ? {} : { body: keptBody(body, contentType, secrets) }),
    }
    const before = { status: summary.status, ...detail.response }
    const comparison = compared(before, after)
    return {
      exchange: answer.headers['x-request-id'] ?? '',
      status: answer.status,
      duration: Math.round((performance.now() - since) * 10) / 10,
      same: comparison.differences.length === 0,
      ...comparison,
    }
  }

  /** Credentials of the replay. A tool call becomes a new call, so that it does not change the original one. */
  async #credentials(
    koa: KoaContext,
    clinic: string,
    { tools, address }: ExchangeSummary,
    { request: { headers } }: ExchangeDetail,
  ): Promise<SeenHeaders> {
    const isOfPlatform = tools !== undefined || headers['x-voice-secret'] !== undefined
    if (!isOfPlatform) return { authorization: koa.get('authorization') }
    if (tools === undefined) throw unprocessable(`${address} is sent by voice platforms alone; call a tool instead`)
    return {
      'x-voice-secret': this.#parts.config.webhookSecret,
      ...(await this.#newCall(clinic, headers['x-call-to'])),
    }
  }

  /** @throws FhirError 422 where no number leads to the clinic, or its calls have a check of their own */
  async #newCall(clinic: string, dialled: string | undefined): Promise<SeenHeaders> {
    const { repository, demoClinic } = this.#parts
    const { dialedNumbers, callSecurity } = await readSettings(repository, clinic)
    if (callSecurity !== undefined) {
      throw unprocessable('The calls of the clinic are signed by its voice platform, so only that can repeat them')
    }
    const leadsHere = dialled !== undefined && (await dialedNumber(repository, dialled))?.clinic === clinic
    const number = leadsHere ? dialled : dialedNumbers[0]
    if (number === undefined && demoClinic !== clinic) {
      throw unprocessable('The clinic has no dialled number, so no call can reach it')
    }
    return { 'x-call-id': `replay-${randomUUID()}`, ...(number === undefined ? {} : { 'x-call-to': number }) }
  }

  async #send(
    { method, address }: ExchangeSummary,
    headers: SeenHeaders,
    body: string | undefined,
  ): Promise<{ readonly status: number; readonly headers: SeenHeaders; readonly bytes: Buffer }> {
    const own = ownAddress(this.#parts.server())
    if (own === undefined) throw unreachable()
    const length: SeenHeaders = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const signal = AbortSignal.timeout(DEADLINE)
        httpRequest(
          { ...own, path: address, method, headers: { ...headers, ...length }, agent: false, signal },
          resolve,
        )
          .once('error', reject)
          .end(body)
      })
      return {
        status: response.statusCode ?? 0,
        headers: shownHeaders(response.headers),
        bytes: await beginningIn(response),
      }
    } catch (error) {
      if (error instanceof FhirError) throw error
      throw unreachable()
    }
  }
}

/** Headers by which the response has the addresses that the client knows. */
function forwardedBy({ req: { headers } }: KoaContext): SeenHeaders {
  const names = ['host', 'x-forwarded-host', 'x-forwarded-proto'] as const
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
}

/** The beginning of the body, slightly longer than the part that is compared. */
async function beginningIn(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece)
    length += piece.length
    if (length > MAX_BODY) break
  }
  return Buffer.concat(pieces)
}

const unreachable = (): FhirError =>
  new FhirError(503, { code: 'transient', diagnostics: 'This server cannot reach itself now; try again later' })
