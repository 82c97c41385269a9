/** A collector of OpenTelemetry on this machine: it keeps what it is sent by OTLP over HTTP, as JSON. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CollectedSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly isError: boolean
}

export interface CollectedLine {
  readonly text: string
  readonly traceId?: string
}

export interface Collector {
  readonly url: string
  readonly spans: () => readonly CollectedSpan[]
  readonly lines: () => readonly CollectedLine[]
  /** All that it was sent, as text. */
  readonly texts: () => string
  /** From now on it takes what it is sent, and never responds. */
  readonly fallSilent: () => void
  readonly close: () => Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const texts: { readonly path: string; readonly text: string }[] = []
  let isSilent = false
  const server = createServer(async (request, response) => {
    const text = await wholeOf(request)
    // The exporter has given up, as the machine is busy.
    if (text === undefined) return
    texts.push({ path: request.url ?? '', text })
    if (!isSilent) response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sentTo = <Sent>(path: string): readonly Sent[] =>
    texts.filter((sent) => sent.path === path).map(({ text }) => JSON.parse(text))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => sentTo<SentSpans>('/v1/traces').flatMap(spansIn),
    lines: () => sentTo<SentLines>('/v1/logs').flatMap(linesIn),
    texts: () => texts.map(({ text }) => text).join('\n'),
    fallSilent: () => {
      isSilent = true
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** The body; undefined where the client has left before its end. */
const wholeOf = (request: IncomingMessage): Promise<string | undefined> =>
  Array.fromAsync(request).then(
    (chunks) => Buffer.concat(chunks).toString(),
    () => undefined,
  )

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** https://github.com/open-telemetry/opentelemetry-proto */
interface SentSpans {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

interface SentSpan extends Omit<CollectedSpan, 'attributes' | 'isError'> {
  readonly attributes: readonly Attribute[]
  readonly status?: { readonly code?: number }
}

interface SentLines {
  readonly resourceLogs: readonly {
    readonly scopeLogs: readonly {
      readonly logRecords: readonly { readonly body?: { readonly stringValue?: string }; readonly traceId?: string }[]
    }[]
  }[]
}

const valuesOf = (attributes: readonly Attribute[]): CollectedSpan['attributes'] =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const FAILED = 2

const spansIn = ({ resourceSpans }: SentSpans): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ attributes, status, ...span }) => ({
        ...span,
        attributes: { ...valuesOf(resource.attributes), ...valuesOf(attributes) },
        isError: status?.code === FAILED,
      })),
  )

const linesIn = ({ resourceLogs }: SentLines): readonly CollectedLine[] =>
  resourceLogs
    .flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
    .map(({ body, traceId }) => ({ text: body?.stringValue ?? '', ...(traceId === undefined ? {} : { traceId }) }))
