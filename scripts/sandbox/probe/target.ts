/** The server that is probed: requests to it, bounded in number, time and size, and what is known of each. */
import type { FhirResource } from 'fhir/r4'
import type { ExchangeSummary } from '../../../src/record/journal/exchange.ts'

/** A probe sends some sixty. */
const MOST_REQUESTS = 300
const MOST_BYTES = 10_000_000
/** Milliseconds for one response. */
const PATIENCE = 30_000
const MOST_REDIRECTS = 3

/** There is no response by which anything could be judged. */
export class NoAnswer extends Error {}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Undefined where it is no JSON. */
  readonly body: unknown
  readonly text: string
}

export interface Ask {
  /** A text is sent as it is. */
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Place {
  /** The base of the FHIR server, without a slash at its end. */
  readonly base: string
  readonly token?: string
  /** By which the requests are found in the journal, where the server has one. */
  readonly run: string
}

export class Target {
  readonly base: string
  readonly #place: Place
  readonly #exchanges: ExchangeSummary[] = []

  constructor(place: Place) {
    this.base = place.base
    this.#place = place
  }

  /** All requests so far, in order. */
  get exchanges(): readonly ExchangeSummary[] {
    return this.#exchanges
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask('GET', path, { headers })
  }

  /** @param path below the base: `Patient/1`. @throws NoAnswer */
  async ask(method: string, path: string, { body, headers = {} }: Ask = {}): Promise<Answer> {
    if (this.#exchanges.length >= MOST_REQUESTS) throw new NoAnswer(`A probe sends ${MOST_REQUESTS} requests at most`)
    const begun = Date.now()
    const sent = {
      method,
      headers: {
        ...this.#headers,
        ...(body === undefined ? {} : { 'content-type': 'application/fhir+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }
    try {
      const answer = await this.#follow(new URL(`${this.base}/${path}`), sent)
      this.#note({ method, path, begun, answer })
      return answer
    } catch (error) {
      this.#note({ method, path, begun })
      throw error instanceof NoAnswer ? error : new NoAnswer(`${method} /${path} has no response: ${reasonOf(error)}`)
    }
  }

  get #headers(): Readonly<Record<string, string>> {
    const { token, run } = this.#place
    return {
      ...{ accept: 'application/fhir+json', 'x-run-id': run },
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    }
  }

  /** Redirects of the same server are followed; to another one nothing is sent, least of all a token. */
  async #follow(address: URL, sent: RequestInit, redirects = 0): Promise<Answer> {
    const response = await fetch(address, { ...sent, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) })
    const location = response.headers.get('location')
    const isRedirect = [301, 302, 307, 308].includes(response.status) && location !== null
    if (!isRedirect || sent.method !== 'GET') return await answerOf(response)
    await response.body?.cancel()
    const next = new URL(location, address)
    if (next.origin !== address.origin) throw new NoAnswer(`It redirects to another server, ${next.origin}`)
    if (redirects >= MOST_REDIRECTS) throw new NoAnswer(`It redirects more than ${MOST_REDIRECTS} times`)
    return await this.#follow(next, sent, redirects + 1)
  }

  #note({ method, path, begun, answer }: { method: string; path: string; begun: number; answer?: Answer }): void {
    const number = this.#exchanges.length + 1
    const status = answer?.status ?? 0
    this.#exchanges.push({
      ...{ id: answer?.headers.get('x-request-id') ?? `request ${number}`, direction: 'in' },
      ...{ time: new Date(begun).toISOString(), duration: Date.now() - begun },
      ...{ method, address: `/${path}`, ...meaningOf(method, path) },
      ...{ status, outcome: status >= 500 || status === 0 ? 'failed' : status >= 400 ? 'refused' : 'ok' },
    })
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await textOf(response)
  return { status: response.status, headers: response.headers, body: jsonIn(text), text }
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.byteLength
    if (size > MOST_BYTES) throw new NoAnswer(`The response has more than ${MOST_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  const { cause, message, name } = error as { cause?: { code?: string }; message?: string; name?: string }
  return name === 'TimeoutError'
    ? `none came within ${PATIENCE / 1000} seconds`
    : (cause?.code ?? message ?? 'no reason')
}

const BY_METHOD: Readonly<Record<string, readonly [ofType: string, ofInstance: string]>> = {
  GET: ['search-type', 'read'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  DELETE: ['delete', 'delete'],
}

/** The interaction of a request. https://hl7.org/fhir/R4/http.html */
function meaningOf(method: string, path: string): Pick<ExchangeSummary, 'interaction' | 'type' | 'operation'> {
  const [type = '', second] = (path.split('?')[0] ?? '').split('/')
  if (type === 'metadata') return { interaction: 'capabilities' }
  if (second?.startsWith('$')) return { interaction: 'operation', type, operation: second }
  const interaction = BY_METHOD[method]?.[second === undefined ? 0 : 1]
  return interaction === undefined ? { type } : { interaction, type }
}

export const isResource = <R extends FhirResource>(body: unknown, type: R['resourceType']): body is R =>
  typeof body === 'object' && body !== null && (body as { resourceType?: unknown }).resourceType === type
