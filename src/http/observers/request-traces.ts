/**
 * Requests, their parts, and what they send, as spans of OpenTelemetry
 * (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). No name or attribute is a text that a client, a patient or a
 * clinic has chosen, so that addresses of systems and paths are left out. docs/traces.md
 */
import { SpanKind } from '@opentelemetry/api'
import type { Context as KoaContext } from 'koa'
import { isResourceType } from '../../fhir/definitions.ts'
import { present } from '../../fhir/resource.ts'
import type { EndedSpan, Sampling } from '../../isolation/trace-context.ts'
import { type SeenExchange, tenths } from '../../record/journal/exchange.ts'
import { type Exchange, type Observer, routeOf } from '../exchange.ts'
import { requestIdOf } from '../headers.ts'
import { firstSegment } from '../side-router.ts'

/** A span as it is given to OpenTelemetry. */
export interface RecordedSpan extends Omit<EndedSpan, 'attributes'> {
  readonly kind: SpanKind
  readonly attributes: Readonly<Record<string, string | number>>
}

interface Recording {
  readonly sampling: Sampling
  readonly record: (span: RecordedSpan) => void
}

export class RequestTraces implements Observer {
  readonly sampling: Sampling
  readonly #record: Recording['record']

  constructor({ sampling, record }: Recording) {
    this.sampling = sampling
    this.#record = record
  }

  observe(exchange: Exchange, koa: KoaContext): void {
    const { trace: context, at, since, spans = [] } = exchange
    if (!context?.isRecorded || firstSegment(koa.path) === HEALTH) return
    const [method, route] = [methodOf(koa.method), templateOf(exchange, koa)]
    const attributes = {
      ...{ 'http.request.method': method, 'http.response.status_code': koa.status, 'url.scheme': 'http' },
      ...present({ 'http.route': route, 'emr.interaction': exchange.accesses[0]?.interaction }),
      ...{ 'emr.exchange': requestIdOf(koa), 'emr.waiting_ms': tenths(exchange.waited ?? 0) },
      ...{ 'emr.store_ms': tenths(exchange.stored ?? 0) },
      ...(koa.status >= 500 ? { 'error.type': String(koa.status) } : {}),
    }
    const name = nameOf(method, route)
    this.#record({ name, context, kind: SpanKind.SERVER, at, duration: performance.now() - since, attributes })
    for (const span of spans) this.#record({ ...span, kind: SpanKind.INTERNAL })
  }

  /** An exchange with a system of a clinic. */
  observeSent({ id, trace: context, at, duration, method, system, status, outcome, reason }: SeenExchange): void {
    if (!context?.isRecorded) return
    const error = outcome === 'ok' ? undefined : (reason?.code ?? String(status))
    const attributes = {
      ...{ 'http.request.method': method, 'emr.exchange': id },
      ...present({
        'peer.service': system,
        'http.response.status_code': status === 0 ? undefined : status,
        'error.type': error,
      }),
    }
    this.#record({ name: nameOf(method, system), context, kind: SpanKind.CLIENT, at, duration, attributes })
  }
}

/** Health checks come every few seconds, and are about nothing. */
const HEALTH = 'health'

/** Any other is a text of the client. */
const METHODS: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'])
const OTHER_METHOD = '_OTHER'

const methodOf = (method: string): string => (METHODS.has(method) ? method : OTHER_METHOD)

const nameOf = (method: string, route = ''): string => `${method === OTHER_METHOD ? 'HTTP' : method} ${route}`.trim()

/** `/:type/:id` -> `/Patient/{id}`. Undefined where no route was found. */
function templateOf(exchange: Exchange, koa: KoaContext): string | undefined {
  const type = exchange.accesses[0]?.type
  const route = exchange.route ?? routeOf(koa)
  const typed = isResourceType(type) ? route?.replace(/^\/:type\b/, `/${type}`) : route
  return typed?.replace(/:(\w+)/g, '{$1}')
}
