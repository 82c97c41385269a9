/** The journal of a server's clinic, as its staff read it. */
import { type FhirResponse, request, type TestServer } from './server.ts'

export const EXCHANGES = '/clinics/demo-clinic/exchanges'

// biome-ignore lint/suspicious/noExplicitAny: assertions look into exchanges of every shape
export type Shown = any

/** The exchange of a response. @throws Error when it does not appear */
export async function exchangeOf(
  server: Pick<TestServer, 'fhir'>,
  answer: FhirResponse,
  of = EXCHANGES,
): Promise<Shown> {
  return await exchangeWith(server, answer.headers.get('x-request-id') ?? '', of)
}

/** Milliseconds; a request ends a moment after its client has the response. */
const PATIENCE = 30_000

export async function exchangeWith(server: Pick<TestServer, 'fhir'>, id: string, of = EXCHANGES): Promise<Shown> {
  for (const deadline = Date.now() + PATIENCE; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const { status, body, text } = await server.fhir('GET', `${of}/${id}`)
    if (status === 200) return body
    if (Date.now() > deadline) throw new Error(`There is no exchange ${id}: ${text}`)
  }
}

/** @param query of the list */
export async function exchanges(server: Pick<TestServer, 'fhir'>, query = ''): Promise<readonly Shown[]> {
  const { status, body, text } = await server.fhir('GET', `${EXCHANGES}${query}`)
  if (status !== 200) throw new Error(text)
  return body.exchanges
}

/** An event of a live stream. */
export interface StreamEvent {
  readonly event: string
  readonly id: string
  readonly data: Shown
}

export interface OpenStream {
  readonly response: Response
  /** The events received so far. */
  readonly events: readonly StreamEvent[]
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>
  readonly close: () => void
}

/** A live stream, read as it comes. */
export async function openStream(
  url: string,
  token: string,
  path = `${EXCHANGES}/live`,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  const leaving = new AbortController()
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: leaving.signal,
  })
  const events: StreamEvent[] = []
  const ended = read(response, events).catch(() => {})
  return { response, events, ended, close: () => leaving.abort() }
}

async function read({ body }: Response, events: StreamEvent[]): Promise<void> {
  let text = ''
  for await (const piece of body ?? []) {
    text += Buffer.from(piece).toString()
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) events.push(...eventIn(part))
  }
}

function eventIn(part: string): readonly StreamEvent[] {
  const fields = new Map(part.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]))
  const event = fields.get('event')
  if (event === undefined) return []
  return [{ event, id: fields.get('id') ?? '', data: JSON.parse(fields.get('data') ?? '{}') }]
}

/** Changes the journal settings of the demo clinic. */
export async function setJournal(server: TestServer, settings: object): Promise<void> {
  const path = '/clinics/demo-clinic/settings'
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const before = (await request(server.url, 'GET', path, undefined, headers)).body
  const { status, text } = await request(server.url, 'PUT', path, { ...before, ...settings }, headers)
  if (status !== 200) throw new Error(text)
}
