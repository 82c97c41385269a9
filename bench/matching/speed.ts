/** How fast Patient/$match is among many patients, and how many of them it compares. */
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, renameSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { Patient } from 'fhir/r4'
import { linkPatients } from '../../src/core/patient-linkage.ts'
import { openStore } from '../../src/main/open-store.ts'
import { storedKeys } from '../../src/matching/keys.ts'
import { Repository } from '../../src/repository/repository.ts'
import { logIn, progress, startServer } from '../emr.ts'
import { type Measurement, measure, type Traffic } from '../load.ts'
import { startMongod } from '../mongo/mongod.ts'
import { syntheticPatient } from './synthetic-patients.ts'
import { syntheticQuery } from './synthetic-queries.ts'

const FILL = join(import.meta.dirname, 'fill-store.ts')
const CLINIC = 'demo-clinic'
const DATABASE = 'emr'
const MOST_CONNECTIONS = 16
const CONNECTIONS = [1, MOST_CONNECTIONS]
/** Queries that run in this process, to count the comparisons. */
const COUNTED = 1_000
/** Patients whose keys tell whether a store that was kept has the same ones. */
const SAMPLE = 50

export type Engine = 'sqlite' | 'mongodb'

export interface SpeedResults {
  readonly engine: Engine
  readonly patients: number
  readonly measurements: readonly Measurement[]
  readonly compared: Compared
  readonly machineLoad: number
}

export interface Compared {
  /** Patients that are compared for a query. */
  readonly mean: number
  readonly p99: number
  /** The share of the queries whose response says that the search was narrowed. */
  readonly narrowed: number
  /** The share of the queries about a known patient whose first entry is that patient. */
  readonly first: number
}

export interface SpeedOptions {
  readonly patients: number
  readonly seconds: number
  /** Folder in which a filled SQLite store is kept for later runs. */
  readonly kept?: string
}

export async function measureSpeed(engine: Engine, options: SpeedOptions, folder: string): Promise<SpeedResults> {
  if (engine === 'sqlite') return await measureStore('sqlite', await sqliteStore(options, folder), options)
  const mongod = await startMongod(join(folder, 'mongod'))
  try {
    const url = mongod.urlOf(DATABASE)
    await fill(url, options.patients)
    return await measureStore('mongodb', url, options)
  } finally {
    await mongod.stop()
  }
}

async function sqliteStore({ patients, kept }: SpeedOptions, folder: string): Promise<string> {
  const file = join(folder, `matching-${patients}.db`)
  if (kept === undefined) {
    await fill(`sqlite:${file}`, patients)
    return `sqlite:${file}`
  }
  const keys = Array.from({ length: SAMPLE }, (_, n) => storedKeys(syntheticPatient(n)))
  const original = join(kept, `bench-matching-${patients}-${hash('sha256', JSON.stringify(keys)).slice(0, 8)}.db`)
  if (!existsSync(original)) {
    await fill(`sqlite:${file}`, patients)
    renameSync(file, original)
  }
  return `sqlite:${original}`
}

/** The server itself first writes the demo clinic and accounts, which it only does on an empty store. */
async function fill(url: string, patients: number): Promise<void> {
  const server = await startServer(url)
  await server.stop()
  const child = spawn(process.execPath, [FILL, url, String(patients)], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${FILL} ended with code ${code}`)
}

async function measureStore(engine: Engine, url: string, options: SpeedOptions): Promise<SpeedResults> {
  const { patients, seconds } = options
  const measurements: Measurement[] = []
  const server = await startServer(url)
  try {
    const traffic = queries(patients, await logIn(server.url))
    for (const connections of CONNECTIONS) {
      const measured = await measure(server, traffic, { connections, seconds })
      progress(`$match among ${patients} patients, ${connections} connections: p99 ${measured.p99.toFixed(1)} ms`)
      measurements.push(measured)
    }
  } finally {
    await server.stop()
  }
  const [machineLoad = Number.NaN] = loadavg()
  return { engine, patients, measurements, machineLoad, compared: await countCompared(url, patients) }
}

/** Traffic in which no query repeats. */
const queries = (patients: number, authorization: string): Traffic => ({
  kind: 'fresh',
  next: (connection, n) => ({
    method: 'POST',
    path: '/Patient/$match',
    headers: { authorization, 'content-type': 'application/fhir+json' },
    body: JSON.stringify(syntheticQuery(n * MOST_CONNECTIONS + connection, patients).patient),
  }),
})

async function countCompared(url: string, patients: number): Promise<Compared> {
  const store = await openStore(url)
  try {
    const unit = await new Repository(store, { baseUrl: 'http://127.0.0.1' }).reader(CLINIC)
    const counts: number[] = []
    let [narrowed, known, first] = [0, 0, 0]
    for (let n = 0; n < COUNTED; n += 1) {
      const { patient, meant } = syntheticQuery(n, patients)
      const linkage = await linkPatients(unit, patient)
      counts.push(linkage?.compared ?? 0)
      if (linkage?.narrowed) narrowed += 1
      if (meant === undefined) continue
      known += 1
      if (numberOf(linkage?.patients[0]?.patient.resource) === numberOf(syntheticPatient(meant))) first += 1
    }
    const sorted = counts.toSorted((one, other) => one - other)
    return {
      mean: counts.reduce((sum, count) => sum + count, 0) / COUNTED,
      p99: sorted[Math.floor(COUNTED * 0.99)] ?? Number.NaN,
      narrowed: narrowed / COUNTED,
      first: first / known,
    }
  } finally {
    await store.close()
  }
}

const numberOf = (patient: Patient | undefined): string | undefined => patient?.identifier?.[0]?.value
