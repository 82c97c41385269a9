/** Mixed load at half the capacity for a long time: what of the server grows with time, beside the store itself. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Sizes, sizesAt } from '../data-set.ts'
import { logIn, progress, startServer, tryOnce, VOICE_SECRET } from '../emr.ts'
import { importData } from '../import-data.ts'
import { type HttpRequest, type Measurement, measure, once, requestOf, type Traffic } from '../load.ts'
import { scenarios } from '../scenarios.ts'
import type { ServerProcess } from '../server-process.ts'

export const SOAK = 'soak'

const CONNECTIONS = 16
/** Seconds for which the capacity is measured. */
const CAPACITY = 10
const SAMPLES = 240
/** The share of the capacity. */
const SHARE = 0.5

/** Requests among 20, by scenario. */
const MIX: Readonly<Record<string, number>> = {
  read: 8,
  'few-hit search': 2,
  'prefix search': 1,
  'slot search': 2,
  'include search': 1,
  update: 3,
  create: 1,
  validate_intake_field: 2,
}

/** The server at one moment. */
export interface Sample {
  /** Seconds since the load began. */
  readonly at: number
  /** Bytes that are not mapped from files. */
  readonly memory: number
  readonly handles: number
  readonly threads: number
  /** Bytes of the logs that SQLite writes before the files: of the store, the audit trail and the journal. */
  readonly wal: number
  /** Bytes of the file of the journal. */
  readonly journal: number
  /** Exchanges and events that wait to be written, and requests that wait for any part. */
  readonly waiting: number
}

export interface SoakResults {
  readonly minutes: number
  /** Requests per second: the most, and those of the load. */
  readonly capacity: number
  readonly rate: number
  readonly load: Measurement
  readonly samples: readonly Sample[]
}

/** A store on SQLite, as its files show what grows. */
export async function benchSoak(minutes: number, scale: number, folder: string): Promise<SoakResults> {
  const path = join(folder, 'soak.db')
  const server = await startServer(`sqlite:${path}`)
  try {
    const sizes = sizesAt(scale)
    const authorization = await logIn(server.url)
    await importData(server.url, { authorization, 'content-type': 'application/fhir+json' }, sizes)
    const traffic = await mixed(server, sizes, authorization)
    const { requestsPerSecond: capacity } = await measure(server, traffic, {
      connections: CONNECTIONS,
      seconds: CAPACITY,
    })
    const rate = Math.max(CONNECTIONS, Math.round(capacity * SHARE))
    progress(`soak: ${Math.round(capacity)} requests per second are the most; ${rate} for ${minutes} minutes`)
    const samples: Sample[] = []
    const sampling = sampleEvery((minutes * 60_000) / SAMPLES, server, path, samples)
    try {
      const load = await measure(server, traffic, { connections: CONNECTIONS, seconds: minutes * 60, rate })
      return { minutes, capacity, rate, load, samples }
    } finally {
      clearInterval(sampling)
    }
  } finally {
    await server.stop()
  }
}

/** The requests of MIX, each time as many of a scenario as it says. */
async function mixed(server: ServerProcess, sizes: Sizes, authorization: string): Promise<Traffic> {
  const all = scenarios(sizes, { authorization, voiceSecret: VOICE_SECRET })
  const order: Traffic[] = []
  for (const [name, times] of Object.entries(MIX)) {
    const scenario = all.find((one) => one.name === name)
    if (scenario === undefined) throw new Error(`There is no scenario '${name}'`)
    await tryOnce(server.url, scenario)
    order.push(...Array.from({ length: times }, () => scenario.traffic))
  }
  // Neighbours are of different scenarios: 7 has no factor in common with 20.
  return { kind: 'fresh', next: (connection, n) => requestFor(order[(n * 7) % order.length], connection, n) }
}

function requestFor(traffic: Traffic | undefined, connection: number, n: number): HttpRequest {
  if (traffic?.kind === 'fresh') return traffic.next(connection, n)
  const requests = traffic?.kind === 'repeated' ? traffic.requests : []
  const request = requests[(n + connection * 31) % requests.length] ?? (traffic && requestOf(traffic, n))
  if (request === undefined) throw new Error('A scenario has no requests')
  return request
}

function sampleEvery(milliseconds: number, server: ServerProcess, path: string, samples: Sample[]): NodeJS.Timeout {
  const began = performance.now()
  return setInterval(async () => {
    const at = (performance.now() - began) / 1_000
    const waiting = await waitingOf(server.url)
    samples.push({ at, memory: server.memory()?.own ?? 0, ...ofProcess(server.pid), ...ofFiles(path), waiting })
  }, milliseconds)
}

const ofProcess = (pid: number): Pick<Sample, 'handles' | 'threads'> => ({
  handles: entriesOf(`/proc/${pid}/fd`),
  threads: entriesOf(`/proc/${pid}/task`),
})

const entriesOf = (folder: string): number => (existsSync(folder) ? readdirSync(folder).length : 0)

function ofFiles(path: string): Pick<Sample, 'wal' | 'journal'> {
  const base = path.replace(/\.db$/, '')
  const files = [path, `${base}.audit.db`, `${base}.journal.db`]
  return { wal: files.reduce((sum, file) => sum + sizeOf(`${file}-wal`), 0), journal: sizeOf(`${base}.journal.db`) }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

async function waitingOf(url: string): Promise<number> {
  const { text } = await once(url, { method: 'GET', path: '/health/ready' })
  const { parts } = JSON.parse(text) as { readonly parts: readonly { readonly waiting: number }[] }
  return parts.reduce((sum, { waiting }) => sum + waiting, 0)
}
