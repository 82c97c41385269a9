/**
 * Metrics for Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/), on a port of their own. Several
 * processes are summed up by the one that started them. docs/metrics.md
 */
import cluster from 'node:cluster'
import { createServer, type Server } from 'node:http'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client'
import { subscriptionCounts } from '../events/counts.ts'
import { RequestMetrics } from '../http/observers/request-metrics.ts'
import { OUTBOX } from '../integrations/outbox/rows.ts'
import { type ComponentHealth, HEALTH_STATES } from '../isolation/fair-queue.ts'
import { EVENT } from '../repository/event-feed.ts'
import type { Repository } from '../repository/repository.ts'

/** Seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Deliveries, and changes, that are counted at most. */
const MOST_DUE = 1_000

/** A part of a process that reports on itself. */
interface Measured {
  readonly repository: Pick<Repository, 'dueRecords' | 'clinics' | 'readRecent'>
  readonly loads: () => readonly ComponentHealth[]
}

/** Begins to measure this process. @returns the observer of its exchanges */
export function startMeasuring(): RequestMetrics {
  collectDefaultMetrics()
  // In a worker it responds to the primary process.
  if (cluster.isWorker) new AggregatorRegistry()
  const seconds = { buckets: BUCKETS }
  return new RequestMetrics({
    requests: new Histogram({
      ...{ name: 'emr_request_duration_seconds', help: 'Seconds until the response of a request was ready' },
      ...{ labelNames: ['interaction', 'status'], ...seconds },
    }),
    toolCalls: new Counter({
      ...{ name: 'emr_tool_calls_total', help: 'Tool calls of live calls, by the code of their result' },
      labelNames: ['tool', 'outcome'],
    }),
    toolSeconds: new Histogram({
      ...{ name: 'emr_tool_duration_seconds', help: 'Seconds until the response of a tool call was ready' },
      ...{ labelNames: ['tool'], ...seconds },
    }),
    sent: new Histogram({
      ...{ name: 'emr_sent_request_duration_seconds', help: 'Seconds until a system of a clinic had responded' },
      ...{ labelNames: ['system', 'outcome'], ...seconds },
    }),
  })
}

/** Measures the parts of this process whenever the metrics are read. */
export function measureParts({ repository, loads }: Measured): void {
  const gauge = (name: string, help: string, read: (part: ComponentHealth) => number): void => {
    new Gauge({
      ...{ name, help, labelNames: ['part'], aggregator: 'max' },
      collect() {
        for (const part of loads()) this.set({ part: part.name }, read(part))
      },
    })
  }
  gauge('emr_part_state', 'State of a part: 0 ok, 1 behind, 2 degraded, 3 down', ({ state }) =>
    HEALTH_STATES.indexOf(state),
  )
  gauge('emr_part_waiting', 'Requests or records that wait for a part', ({ waiting }) => waiting)
  gauge('emr_part_oldest_seconds', 'Seconds that the oldest of them has waited', ({ oldestMs }) => oldestMs / 1_000)
  gauge('emr_part_missing', 'Events or exchanges that a record has lost since the start', ({ missing = 0 }) => missing)
  new Gauge({
    ...{ name: 'emr_outbox_due', help: `Deliveries that are due, as far as ${MOST_DUE}`, aggregator: 'max' },
    async collect() {
      const due = await repository.dueRecords(OUTBOX, { limit: MOST_DUE }).catch(() => undefined)
      if (due !== undefined) this.set(Math.min(due.length, MOST_DUE))
    },
  })
  measureEvents(repository)
}

function measureEvents(repository: Measured['repository']): void {
  new Gauge({
    ...{ name: 'emr_subscriptions', help: 'Subscriptions of all clinics that are not off', aggregator: 'max' },
    labelNames: ['status'],
    async collect() {
      const counts = await subscriptionCounts(repository).catch(() => undefined)
      for (const [status, count] of Object.entries(counts ?? {})) this.set({ status }, count)
    },
  })
  new Gauge({
    ...{ name: 'emr_events_waiting', aggregator: 'max' },
    help: `Changes that wait to be compared with Subscriptions, as far as ${MOST_DUE}`,
    async collect() {
      const waiting = await repository.dueRecords(EVENT, { limit: MOST_DUE }).catch(() => undefined)
      if (waiting !== undefined) this.set(Math.min(waiting.length, MOST_DUE))
    },
  })
}

/**
 * Serves the metrics of this process, or, where it has started others, theirs together.
 * @throws Error of the operating system, e.g. EADDRINUSE
 */
export async function serveMetrics({ host, port }: { readonly host: string; readonly port: number }): Promise<Server> {
  const ofWorkers = new AggregatorRegistry()
  const text = (): Promise<string> =>
    Object.keys(cluster.workers ?? {}).length > 0 ? ofWorkers.clusterMetrics() : register.metrics()
  const server = createServer(async ({ method, url }, response) => {
    if (method !== 'GET' || url !== '/metrics') return response.writeHead(404).end('GET /metrics is all that is here')
    try {
      const body = await text()
      response.writeHead(200, { 'content-type': register.contentType, 'cache-control': 'no-store' }).end(body)
    } catch {
      response.writeHead(503).end('A process has not reported its metrics in time')
    }
    return response
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, host, resolve)
  await promise
  // It does not keep a process from ending that has closed the rest.
  return server.unref()
}
