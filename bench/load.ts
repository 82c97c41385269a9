/**
 * Generates load on a server. By default in a closed loop: each connection sends its next request after the response to
 * the last one. With a rate, all connections send at the same time, and then wait for the next second.
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
  /** The same requests repeatedly; each connection starts at a different position in the list. */
  | { readonly kind: 'repeated'; readonly requests: readonly HttpRequest[] }
  /** `next` creates request number `n` of connection `connection`, both from 0; all are different. */
  | { readonly kind: 'fresh'; readonly next: (connection: number, n: number) => HttpRequest }
  /** The same, where a request depends on the response to the one before, and only some of them count. */
  | {
      readonly kind: 'dialogue'
      readonly next: (connection: number, n: number, response: string) => HttpRequest
      readonly counts: (n: number) => boolean
    }

export interface Measurement {
  readonly connections: number
  readonly requestsPerSecond: number
  /** Milliseconds from sending to the end of the response. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Processor time of the server in milliseconds per request; undefined when not available. */
  readonly cpuPerRequest: number | undefined
  /** Likewise for the database, when it has a process of its own. */
  readonly databaseCpuPerRequest?: number
  /** Resident set size of the server afterwards, in bytes. */
  readonly memory: number | undefined
  /** Responses other than 2xx, broken connections and timeouts. */
  readonly errors: number
}

const WARM_UP_SECONDS = 1
/** Run `r` of a connection counts from `r` times this, so that requests are not repeated between runs. */
const REQUESTS_PER_RUN = 10_000_000

let runs = 0

export interface Load {
  readonly connections: number
  readonly seconds: number
  /** Requests per second over all connections; absent: closed loop. */
  readonly rate?: number
}

/**
 * Measures for some seconds, after a second of warm-up under the same load.
 * @param database the database process, if any
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

/** Measures processor time from now on, in milliseconds. */
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
  /** The time at a percentile, in milliseconds. */
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
    const answered = new Map<autocannon.Client, number>()
    load.on('response', (client, _status, _bytes, milliseconds) => {
      const n = first + (answered.get(client) ?? 0)
      answered.set(client, n - first + 1)
      if (traffic.kind === 'dialogue' && !traffic.counts(n)) return
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
    case 'dialogue': {
      let n = first
      let response = ''
      return [
        {
          setupRequest: (request) => ({ ...request, ...traffic.next(connection, n++, response) }),
          onResponse: (_status, body) => {
            response = body
          },
        },
      ]
    }
  }
}

/** Request `n` of one connection. @param response to the one before it. @returns undefined where there are no more */
export const requestOf = (traffic: Traffic, n: number, response = ''): HttpRequest | undefined =>
  traffic.kind === 'repeated' ? traffic.requests[n] : traffic.next(0, n, response)

/** Sends a single request outside of a measurement; returns the status and text of the response. */
export async function once(
  url: string,
  { method, path, headers = {}, body }: HttpRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  return { status: response.status, text: await response.text() }
}
