/**
 * Spans and log lines, sent to a collector of OpenTelemetry by OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp).
 * The exporters themselves read the variables that say where it is, how long it may take, and which headers it wants.
 * docs/traces.md
 */
import {
  type HrTime,
  ROOT_CONTEXT,
  SamplingDecision,
  SeverityNumber,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import {
  BatchSpanProcessor,
  type IdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { type DestinationStream, type Logger, levels } from 'pino'
import type { Config } from '../config.ts'
import { type RecordedSpan, RequestTraces } from '../http/observers/request-traces.ts'

/** Milliseconds that the stop of the server waits until everything has been sent. */
const STOP_MS = 1_000
/** Spans, and lines, that wait for the collector; those beyond are dropped. */
const MOST_WAITING = { maxQueueSize: 2_048 }

type Wanted = NonNullable<Config['telemetry']>

/** The exports of a process or a thread. */
export class Telemetry {
  readonly traces: RequestTraces | undefined
  /** Receives the lines of the log. */
  readonly logs: DestinationStream | undefined
  readonly #providers: readonly { shutdown(): Promise<void> }[]
  #logger: Logger | undefined

  constructor({ traces, logs }: Wanted) {
    const resource = resourceOf()
    const spans = traces && spansOf(resource, this.#reporting(new OTLPTraceExporter(), 'traces'), traces)
    const lines = logs ? logProvider(resource, this.#reporting(new OTLPLogExporter(), 'logs')) : undefined
    this.traces = spans?.traces
    this.logs = lines && { write: lineWriterOf(lines) }
    this.#providers = [spans?.provider, lines].filter((provider) => provider !== undefined)
  }

  /** Reports to this logger when the collector cannot be reached, and when it can again. */
  reportTo(logger: Logger): void {
    this.#logger = logger
  }

  /** Sends what waits, as far as the time suffices. */
  async close(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, STOP_MS)
    // The exporter has reported a failure already.
    await Promise.race([late, Promise.allSettled(this.#providers.map((provider) => provider.shutdown()))])
    clearTimeout(timer)
  }

  /** An exporter whose first failure in a row is logged: each batch fails while the collector is away. */
  #reporting<E extends Exporter<never>>(exporter: E, what: string): E {
    const send = exporter.export.bind(exporter)
    let isFailing = false
    exporter.export = (items, done) =>
      send(items, (result) => {
        const { error } = result
        const hasFailed = error !== undefined
        if (hasFailed && !isFailing)
          this.#logger?.warn({ what, ...codeOf(error) }, 'the collector of OpenTelemetry does not take them')
        if (!hasFailed && isFailing) this.#logger?.info({ what }, 'the collector of OpenTelemetry takes them again')
        isFailing = hasFailed
        done(result)
      })
    return exporter
  }
}

/** The code of the operating system, or the status of the response. The message is left out, as it may be anything. */
const codeOf = (error: Error): { readonly code?: unknown } => ('code' in error ? { code: error.code } : {})

interface Exporter<Items> {
  export(items: Items, done: (result: { readonly code: number; readonly error?: Error }) => void): void
}

type Resource = ReturnType<typeof defaultResource>

const resourceOf = (): Resource =>
  defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'sandbox-emr' }))
    .merge(
      detectResources({
        detectors: [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector],
      }),
    )

interface Spans {
  readonly provider: TracerProvider
  readonly traces: RequestTraces
}

function spansOf(
  resource: Resource,
  exporter: OTLPTraceExporter,
  { ratio, delayMs: scheduledDelayMillis }: NonNullable<Wanted['traces']>,
): Spans {
  const ids = new NextIds()
  const processor = new BatchSpanProcessor({ exporter, ...MOST_WAITING, scheduledDelayMillis })
  const provider = new TracerProvider({ resource, idGenerator: ids, spanProcessors: [processor] })
  return { provider, traces: new RequestTraces({ sampling: samplingOf(ratio), record: recorderIn(provider, ids) }) }
}

function samplingOf(ratio: number): RequestTraces['sampling'] {
  const sampler = new TraceIdRatioBasedSampler(ratio)
  return (id) => sampler.shouldSample(ROOT_CONTEXT, id).decision === SamplingDecision.RECORD_AND_SAMPLED
}

/** The exchanges have made the ids already. */
class NextIds implements IdGenerator {
  next = { trace: '', span: '' }
  generateTraceId = () => this.next.trace
  generateSpanId = () => this.next.span
}

function recorderIn(provider: TracerProvider, ids: NextIds): (span: RecordedSpan) => void {
  const tracer = provider.getTracer('sandbox-emr')
  return ({ name, context, kind, at, duration, attributes }) => {
    const { trace: traceId, parent: spanId } = context
    ids.next = context
    const isRemote = kind === SpanKind.SERVER
    const parent =
      spanId === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote })
    const span = tracer.startSpan(name, { kind, startTime: hrTime(at), attributes }, parent)
    if ('error.type' in attributes) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(hrTime(at + duration))
  }
}

/** @param at milliseconds since 1970 UTC */
const hrTime = (at: number): HrTime => [Math.floor(at / 1_000), Math.trunc((at % 1_000) * 1_000_000)]

const logProvider = (resource: Resource, exporter: OTLPLogExporter): LoggerProvider =>
  new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter, ...MOST_WAITING })] })

/** https://opentelemetry.io/docs/specs/otel/logs/data-model/#severity-fields */
const SEVERITIES: Readonly<Record<number, SeverityNumber>> = {
  10: SeverityNumber.TRACE,
  20: SeverityNumber.DEBUG,
  30: SeverityNumber.INFO,
  40: SeverityNumber.WARN,
  50: SeverityNumber.ERROR,
  60: SeverityNumber.FATAL,
}

function lineWriterOf(provider: LoggerProvider): (line: string) => void {
  const logger = provider.getLogger('sandbox-emr')
  return (line) => {
    const { level, time, msg, pid: _pid, hostname: _host, trace_id, span_id, ...attributes } = JSON.parse(line)
    const ids = { traceId: trace_id, spanId: span_id, traceFlags: TraceFlags.SAMPLED }
    logger.emit({
      ...{ timestamp: new Date(time), body: msg, attributes },
      ...{ severityNumber: SEVERITIES[level] ?? SeverityNumber.INFO, severityText: levels.labels[level] ?? '' },
      context: trace_id === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, ids),
    })
  }
}
