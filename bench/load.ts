/**
 * Load on a server. Closed loop: each connection sends its next request when the answer to the last one is there; with
 * a rate, all connections send together, and then wait for the next second.
 */
import { createHistogram } from 'node:perf_hooks'
import autocannon from 'autocannon'
import type { ServerProcess, Usage } from './server-process.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type Traffic =
  /** The same requests over and over; each connection begins at another place of the list. */
  | { readonly kind: 'repeated'; readonly requests: readonly HttpRequest[] }
  /** `next` makes request number `n` of connection `connection`, both from 0; no two are alike. */
  | { readonly kind: 'fresh'; readonly next: (connection: number, n: number) => HttpRequest }

export interface Measurement {
  readonly connections: number
  readonly requestsPerSecond: number
  /** Milliseconds from sending to the end of the answer. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Of the server process, milliseconds for each request; undefined where it cannot be read. */
  readonly cpuPerRequest: number | undefined
  /** Of the database's process, where it has one of its own. */
  readonly databaseCpuPerRequest?: number
  /** Resident set size of the server afterwards, bytes. */
  readonly memory: number | undefined
  /** Answers other than 2xx, broken connections and time-outs. */
  readonly errors: number
}

const WARM_UP_SECONDS = 1
/** Requests of earlier runs are not repeated: run `r` of a connection counts from `r` times this. */
const REQUESTS_PER_RUN = 10_000_000

let runs = 0

export interface Load {
  readonly connections: number
  readonly seconds: number
  /** Requests a second over all connections; absent: as many as there are answers. */
  readonly rate?: number
}

/**
 * Measures for some seconds after a second of the same load that does not count.
 * @param database the process behind the server, where there is one
 */
export async function measure(
  server: ServerProcess,
  traffic: Traffic,
  { connections, seconds, rate }: Load,
  database?: Usage,
): Promise<Measurement> {
  await run(server.url, traffic, connections, WARM_UP_SECONDS, rate)
  const [cpu, databaseCpu] = [stopwatch(server), stopwatch(database)]
  const { completed, elapsedSeconds, errors, latency } = await run(server.url, traffic, connections, seconds, rate)
  const [used, databaseUsed] = [cpu(), databaseCpu()]
  return {
    connections,
    requestsPerSecond: completed / elapsedSeconds,
    p50: latency(50),
    p95: latency(95),
    p99: latency(99),
    cpuPerRequest: used === undefined ? undefined : used / completed,
    ...(databaseUsed === undefined ? {} : { databaseCpuPerRequest: databaseUsed / completed }),
    memory: server.memory()?.resident,
    errors,
  }
}

/** Milliseconds of processor time from now on. */
function stopwatch(process: Usage | undefined): () => number | undefined {
  const before = process?.cpuMilliseconds()
  return () => {
    const after = process?.cpuMilliseconds()
    return before === undefined || after === undefined ? undefined : after - before
  }
}

interface Run {
  readonly completed: number
  readonly elapsedSeconds: number
  readonly errors: number
  /** Milliseconds at a percentile. */
  readonly latency: (percentile: number) => number
}

async function run(
  url: string,
  traffic: Traffic,
  connections: number,
  seconds: number,
  overallRate?: number,
): Promise<Run> {
  const first = runs++ * REQUESTS_PER_RUN
  const microseconds = createHistogram()
  let connection = 0
  const started = performance.now()
  const setupClient = (client: autocannon.Client): void =>
    client.setRequests(requestsOf(traffic, connection++, connections, first))
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const paced = overallRate === undefined ? {} : { overallRate }
    const load = autocannon({ url, connections, duration: seconds, setupClient, ...paced }, (error, done) =>
      error ? reject(error) : resolve(done),
    )
    load.on('response', (_client, _status, _bytes, milliseconds) => {
      microseconds.record(Math.max(1, Math.round(milliseconds * 1000)))
    })
  })
  return {
    completed: result.requests.total,
    elapsedSeconds: Math.min(result.duration, (performance.now() - started) / 1000),
    errors: result.non2xx + result.errors + result.timeouts,
    latency: (percentile) => microseconds.percentile(percentile) / 1000,
  }
}

function requestsOf(traffic: Traffic, connection: number, connections: number, first: number): autocannon.Request[] {
  switch (traffic.kind) {
    case 'repeated': {
      const begin = Math.floor((connection * traffic.requests.length) / connections)
      return [...traffic.requests.slice(begin), ...traffic.requests.slice(0, begin)].map((request) => ({ ...request }))
    }
    case 'fresh': {
      let n = first
      return [{ setupRequest: (request) => ({ ...request, ...traffic.next(connection, n++) }) }]
    }
  }
}

/** One request outside a measurement: its status and the text of its answer. */
export async function once(
  url: string,
  { method, path, headers = {}, body }: HttpRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  return { status: response.status, text: await response.text() }
}
