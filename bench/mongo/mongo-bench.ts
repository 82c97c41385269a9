/**
 * Measures the server on MongoDB, compared with a bare handler that makes one call of the driver. Both are measured
 * alternately, so that other load on the machine affects both.
 */
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Sizes, sizesAt } from '../data-set.ts'
import { logIn, progress, SETTLE, startServer, tryOnce, VOICE_SECRET } from '../emr.ts'
import { type Import, importData } from '../import-data.ts'
import { type Measurement, measure, type Traffic } from '../load.ts'
import type { Scenario } from '../scenario.ts'
import { scenarios } from '../scenarios.ts'
import { type ServerProcess, startProcess } from '../server-process.ts'
import { type Mongod, startMongod } from './mongod.ts'

/** A call of the driver, and the share of its requests per second that the server must reach. */
interface Ceiling {
  readonly call: 'findOne' | 'find' | 'insertOne' | 'replaceOne'
  readonly atLeast: number
}

/** By scenario name; scenarios without a ceiling are for information. */
const CEILINGS: Readonly<Record<string, Ceiling | undefined>> = {
  read: { call: 'findOne', atLeast: 0.6 },
  'few-hit search': { call: 'find', atLeast: 0.6 },
  'prefix search': undefined,
  'slot search': undefined,
  'include search': undefined,
  create: { call: 'insertOne', atLeast: 0.4 },
  update: { call: 'replaceOne', atLeast: 0.3 },
  'transaction of 10': undefined,
}

/** Measured with one and with two server processes. */
const WITH_TWO_PROCESSES = ['read', 'few-hit search', 'create']
const TWO_PROCESSES_AT_LEAST = 1.6
/** Processors for two servers, mongod (which uses two), and the load generator. */
const CORES_FOR_TWO_PROCESSES = 5

const CONNECTIONS = 16
const DATABASE = 'emr'

/** The measurements of one round, made directly after each other. */
export interface Round {
  readonly server: Measurement
  readonly compared?: Measurement
  /** The load average of the last minute. */
  readonly machineLoad: number
}

export interface Row {
  readonly name: string
  /** The ceiling that the server is compared with. */
  readonly beside?: string
  readonly atLeast?: number
  /** Why the target does not apply; absent when it does. */
  readonly notJudged?: string
  readonly rounds: readonly Round[]
}

export interface MongoResults {
  readonly import: Import
  readonly rows: readonly Row[]
}

export interface MongoOptions {
  readonly scale: number
  readonly seconds: number
  readonly rounds: number
  /** Names of rows; all when empty. */
  readonly only: readonly string[]
}

export const MONGO_SCENARIOS: readonly string[] = Object.keys(CEILINGS)

export async function benchMongo(options: MongoOptions, folder: string): Promise<MongoResults> {
  const mongod = await startMongod(join(folder, 'mongod'))
  try {
    const sizes = sizesAt(options.scale)
    const url = mongod.urlOf(DATABASE)
    const imported = await load(url, sizes)
    const rows = await withProcess(startServer(url), async (server) => [
      ...(await besideCalls(mongod, server, options)),
      ...(await twoProcesses(mongod, server, options)),
    ])
    return { import: imported, rows }
  } finally {
    await mongod.stop()
  }
}

const load = (url: string, sizes: Sizes): Promise<Import> =>
  withProcess(startServer(url), async (server) => {
    const headers = { authorization: await logIn(server.url), 'content-type': 'application/fhir+json' }
    const imported = await importData(server.url, headers, sizes)
    progress(`MongoDB, import: ${Math.round(imported.resourcesPerSecond)} resources/s`)
    return imported
  })

async function withProcess<T>(
  started: Promise<ServerProcess>,
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = await started
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

async function chosen(server: ServerProcess, { scale, only }: MongoOptions): Promise<readonly Scenario[]> {
  const access = { authorization: await logIn(server.url), voiceSecret: VOICE_SECRET }
  const offered = scenarios(sizesAt(scale), access).filter(({ name }) => name in CEILINGS)
  return only.length === 0 ? offered : offered.filter(({ name }) => only.includes(name))
}

/** The requests to the bare handler: those to the server, for its own resources. */
const ceilingTraffic = (name: string): Traffic | undefined =>
  scenarios(sizesAt(1), { authorization: '', voiceSecret: '' }).find((scenario) => scenario.name === name)?.traffic

async function besideCalls(mongod: Mongod, server: ServerProcess, options: MongoOptions): Promise<readonly Row[]> {
  const environment = { BENCH_DATABASE_URL: mongod.urlOf(DATABASE) }
  return await withProcess(startProcess('bench/ceilings/mongo-calls.ts', environment), async (calls) => {
    const rows: Row[] = []
    for (const scenario of await chosen(server, options)) {
      await tryOnce(server.url, scenario)
      const { name, traffic } = scenario
      const [ceiling, asked] = [CEILINGS[name], ceilingTraffic(name)]
      const compared = ceiling && asked && { process: calls, traffic: asked }
      const rounds = await measureRounds(name, mongod, { process: server, traffic }, compared, options)
      rows.push({ name, rounds, ...(ceiling === undefined ? {} : { beside: ceiling.call, atLeast: ceiling.atLeast }) })
    }
    return rows
  })
}

async function twoProcesses(mongod: Mongod, one: ServerProcess, options: MongoOptions): Promise<readonly Row[]> {
  const cores = availableParallelism()
  const notJudged = `${cores} cores are too few for two servers, mongod and the load`
  return await withProcess(startServer(mongod.urlOf(DATABASE), { WORKERS: '2' }), async (two) => {
    const rows: Row[] = []
    for (const { name, traffic } of await chosen(one, options)) {
      if (!WITH_TWO_PROCESSES.includes(name)) continue
      const title = `${name}, two processes`
      const rounds = await measureRounds(title, mongod, { process: two, traffic }, { process: one, traffic }, options)
      const judged = cores >= CORES_FOR_TWO_PROCESSES ? {} : { notJudged }
      rows.push({ name: title, beside: 'one process', atLeast: TWO_PROCESSES_AT_LEAST, rounds, ...judged })
    }
    return rows
  })
}

interface Asked {
  readonly process: ServerProcess
  readonly traffic: Traffic
}

async function measureRounds(
  name: string,
  mongod: Mongod,
  server: Asked,
  compared: Asked | undefined,
  { seconds, rounds }: MongoOptions,
): Promise<readonly Round[]> {
  await pause(SETTLE)
  const load = { connections: CONNECTIONS, seconds }
  const measured: Round[] = []
  for (let round = 0; round < rounds; round += 1) {
    const beside = compared && (await measure(compared.process, compared.traffic, load, mongod))
    const own = await measure(server.process, server.traffic, load, mongod)
    measured.push({
      server: own,
      machineLoad: loadavg()[0] ?? 0,
      ...(beside === undefined ? {} : { compared: beside }),
    })
    const share = beside === undefined ? '' : `, beside ${Math.round(beside.requestsPerSecond)}`
    progress(`MongoDB, ${name}: ${Math.round(own.requestsPerSecond)} requests/s${share}`)
  }
  return measured
}
