/**
 * Measures how time and memory grow with the data: two servers, one with the data set and one with fifty times as much,
 * get the same requests alternately, so that other load on the machine affects both.
 */
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { patient, type Sizes, sizesAt } from '../data-set.ts'
import { logIn, progress, SETTLE, startServer } from '../emr.ts'
import { type Measurement, measure, type Traffic } from '../load.ts'
import { median } from '../median.ts'
import type { ServerProcess } from '../server-process.ts'
import { type Client, openClient } from './client.ts'
import { GROWTH_QUERIES, type GrowthQuery } from './growth-queries.ts'
import { storeAt } from './stores.ts'
import { unseenRequest } from './unseen-requests.ts'

/** The name for `--only`. */
export const GROWTH = 'growth'

/** Multiples of the data set. */
const SCALES = { small: 1, large: 50 } as const
export type Side = keyof typeof SCALES
const SIDES: readonly Side[] = ['small', 'large']

/** Requests per round, alternating between the sides after a few. */
const PER_ROUND = 120
const PER_TURN = 10
const UNMEASURED = 20
const WAVES = 6
const PER_WAVE = 4_000

export interface QueryResult {
  readonly query: GrowthQuery
  /** Medians of the rounds, in milliseconds from sending to the end of the response. */
  readonly milliseconds: Readonly<Record<Side, readonly number[]>>
  /** Processor time of the server in milliseconds per request; undefined when not available. */
  readonly cpu: Readonly<Record<Side, number | undefined>>
  /** Memory of each server afterwards, in bytes. */
  readonly memory: Readonly<Record<Side, Occupied>>
}

/** Memory in bytes; undefined when not available. */
export interface Occupied {
  readonly resident: number | undefined
  /** Without pages mapped from files, which the system can reclaim. */
  readonly own: number | undefined
}

export interface GrowthResults {
  readonly queries: readonly QueryResult[]
  readonly creates: readonly (Measurement & { readonly side: Side })[]
  /** After the start and after all queries. */
  readonly memory: Readonly<Record<Side, { readonly start: Occupied; readonly afterQueries: Occupied }>>
  /** After each wave of requests that are all different. */
  readonly waves: readonly Occupied[]
  readonly start: Readonly<Record<Side, number>>
  readonly machineLoad: number
}

export interface GrowthOptions {
  readonly rounds: number
  readonly seconds: number
  /** Folder of filled stores to reuse; absent: they are filled for each run. */
  readonly kept?: string
}

interface Server {
  readonly process: ServerProcess
  readonly client: Client
  readonly authorization: string
  readonly sizes: Sizes
}

export async function benchGrowth({ rounds, seconds, kept }: GrowthOptions, folder: string): Promise<GrowthResults> {
  const small = await open(SCALES.small, folder, kept)
  try {
    const large = await open(SCALES.large, folder, kept)
    try {
      return await measured({ small, large }, rounds, seconds)
    } finally {
      await close(large)
    }
  } finally {
    await close(small)
  }
}

async function open(scale: number, folder: string, kept: string | undefined): Promise<Server> {
  const process = await startServer(`sqlite:${await storeAt(scale, folder, kept)}`)
  const authorization = await logIn(process.url)
  const client = openClient(process.url, { authorization })
  return { process, client, authorization, sizes: sizesAt(scale) }
}

async function close({ client, process }: Server): Promise<void> {
  client.close()
  await process.stop()
}

async function measured(servers: Readonly<Record<Side, Server>>, rounds: number, seconds: number) {
  await pause(SETTLE)
  const start = each((side) => occupied(servers[side].process))
  const queries: QueryResult[] = []
  for (const query of GROWTH_QUERIES) queries.push(await measureQuery(servers, query, rounds))
  const memory = each((side) => ({ start: start[side], afterQueries: occupied(servers[side].process) }))
  const creates: GrowthResults['creates'][number][] = []
  for (const connections of [1, 16]) {
    for (const side of SIDES) creates.push({ side, ...(await create(servers[side], connections, seconds)) })
  }
  return {
    queries,
    creates,
    memory,
    waves: await waves(servers.large),
    start: each((side) => servers[side].process.startMilliseconds),
    machineLoad: loadavg()[0] ?? Number.NaN,
  }
}

const each = <T>(of: (side: Side) => T): Readonly<Record<Side, T>> => ({ small: of('small'), large: of('large') })

const occupied = (process: ServerProcess): Occupied => {
  const memory = process.memory()
  return { resident: memory?.resident, own: memory?.own }
}

async function measureQuery(
  servers: Readonly<Record<Side, Server>>,
  query: GrowthQuery,
  rounds: number,
): Promise<QueryResult> {
  const paths = { small: await pathsOf(query, servers.small), large: await pathsOf(query, servers.large) }
  const times: Record<Side, number[]> = { small: [], large: [] }
  await inTurns(servers, paths, UNMEASURED, 0)
  const before = each((side) => servers[side].process.cpuMilliseconds())
  for (let round = 0; round < rounds; round += 1) {
    const inRound = await inTurns(servers, paths, PER_ROUND, UNMEASURED + round * PER_ROUND)
    for (const side of SIDES) times[side].push(median(inRound[side]))
  }
  const cpu = each((side) => {
    const [from, to] = [before[side], servers[side].process.cpuMilliseconds()]
    return from === undefined || to === undefined ? undefined : (to - from) / (rounds * PER_ROUND)
  })
  const [fast, slow] = [median(times.small), median(times.large)]
  progress(`${query.name}: ${fast.toFixed(2)} ms, ${slow.toFixed(2)} ms, ${(slow / fast).toFixed(2)}`)
  return { query, milliseconds: times, cpu, memory: each((side) => occupied(servers[side].process)) }
}

type PathOf = (n: number) => string

/** The paths of a query's requests. @throws Error when it does not find the expected number of entries */
async function pathsOf(query: GrowthQuery, { client, sizes }: Server): Promise<PathOf> {
  const pathOf: PathOf =
    query.deep === undefined
      ? (n) => query.path(n, sizes)
      : await deepPage(client, query.path(0, sizes), Math.round(query.deep * sizes.patients))
  const { text } = await client.get(pathOf(0))
  const found = (JSON.parse(text) as { readonly entry?: readonly unknown[] }).entry?.length ?? 0
  const [min, max] = query.entries
  if (found < min || found > max) throw new Error(`${query.name} finds ${found}, not ${min} to ${max}`)
  return pathOf
}

const LARGE_PAGE = 500

/** The page of the usual length after the first `matches`. */
async function deepPage(client: Client, path: string, matches: number): Promise<PathOf> {
  let next = `${path}&_count=${LARGE_PAGE}`
  for (let seen = 0; seen < matches; seen += LARGE_PAGE) {
    const { link } = JSON.parse((await client.get(next)).text) as {
      readonly link: readonly { readonly relation: string; readonly url: string }[]
    }
    const { pathname, search } = new URL(link.find(({ relation }) => relation === 'next')?.url ?? '')
    next = `${pathname}${search}`
  }
  return () => next.replace(`_count=${LARGE_PAGE}`, '_count=20')
}

async function inTurns(
  servers: Readonly<Record<Side, Server>>,
  paths: Readonly<Record<Side, PathOf>>,
  requests: number,
  first: number,
): Promise<Readonly<Record<Side, readonly number[]>>> {
  const times: Record<Side, number[]> = { small: [], large: [] }
  for (let start = first; start < first + requests; start += PER_TURN) {
    for (const side of SIDES) {
      for (let n = start; n < start + PER_TURN; n += 1) {
        times[side].push((await servers[side].client.get(paths[side](n))).milliseconds)
      }
    }
  }
  return times
}

/** A number beyond the patients of the data set and those created in a run. */
const UNUSED = 1_000_000

function create({ process, authorization }: Server, connections: number, seconds: number): Promise<Measurement> {
  const headers = { authorization, 'content-type': 'application/fhir+json' }
  const traffic: Traffic = {
    kind: 'fresh',
    next: (connection, n) => ({
      method: 'POST',
      path: '/Patient',
      headers,
      body: JSON.stringify(patient(UNUSED + n * 16 + connection)),
    }),
  }
  return measure(process, traffic, { connections, seconds })
}

/** Waves of requests whose names, values and tokens are all new to the server, so that every unbounded cache grows. */
async function waves({ process, client }: Server): Promise<readonly Occupied[]> {
  const found: Occupied[] = []
  for (let wave = 0; wave < WAVES; wave += 1) {
    for (let n = wave * PER_WAVE; n < (wave + 1) * PER_WAVE; n += 1) await client.send(unseenRequest(n))
    await pause(SETTLE)
    found.push(occupied(process))
    progress(`wave ${wave + 1}: ${Math.round((found.at(-1)?.own ?? 0) / 1024 / 1024)} MiB`)
  }
  return found
}
