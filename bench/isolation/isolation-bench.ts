/**
 * Measures what one clinic notices while another sends expensive requests: for each hostile case, a server is started on
 * a store with both clinics, and the requests of the case are sent while a probe reads (probe.ts).
 */
import { setTimeout as pause } from 'node:timers/promises'
import { logIn, progress } from '../emr.ts'
import { once } from '../load.ts'
import type { ServerProcess } from '../server-process.ts'
import type { HostileCase } from './hostile-case.ts'
import { type Outcome, run } from './hostile-client.ts'
import { DEMO_CLINIC_ACCOUNT, HOSTILE_ACCOUNT } from './hostile-clinic.ts'
import type { Observed } from './probe.ts'
import { mongoStores, type Stores, sqliteStores, startIsolated } from './stores.ts'
import { Watch } from './watch.ts'

export const ISOLATION = 'isolation'

export interface CaseResult {
  readonly name: string
  readonly about: string
  readonly observed: Observed
  readonly outcomes: readonly Outcome[]
  /** The process has ended by itself. */
  readonly serverDied: boolean
  /** It did not end on SIGTERM. */
  readonly serverKilled: boolean
  /** The resources that the server refused during the set-up. */
  readonly refused: readonly string[]
}

export interface IsolationResults {
  readonly engine: 'sqlite' | 'mongodb'
  /** The observations of the probe without an attack. */
  readonly idle: Observed
  readonly cases: readonly CaseResult[]
}

export interface IsolationOptions {
  readonly engine: IsolationResults['engine']
  readonly cases: readonly HostileCase[]
  /** Folder in which prepared SQLite stores are kept for later runs. */
  readonly kept?: string
}

/** A Patient of the demo clinic. */
const READ = '/Patient/abernathy-ruth'
const IDLE_MILLISECONDS = 3_000
const WARM_UP_READS = 300
/** An attack is ended after this time, finished or not. */
const ATTACK_MILLISECONDS = 30_000
/** How long the probe observes after the attack: work still under way, garbage collection. */
const AFTERMATH_MILLISECONDS = 500

export async function benchIsolation(
  { engine, cases, kept }: IsolationOptions,
  folder: string,
): Promise<IsolationResults> {
  const stores = engine === 'sqlite' ? sqliteStores(folder, kept) : await mongoStores(folder)
  try {
    const idle = await withServer(stores, 'nothing', (server) => observeIdle(server))
    const results: CaseResult[] = []
    for (const one of cases) {
      results.push(await measureCase(stores, one))
      progress(summaryOf(results.at(-1)))
    }
    return { engine, idle: idle.result, cases: results }
  } finally {
    await stores.stop()
  }
}

const summaryOf = (result: CaseResult | undefined): string =>
  result === undefined
    ? ''
    : `${result.name}: others wait ${Math.round(result.observed.reads.max)} ms at most${result.serverDied ? ', and the server died' : ''}`

async function measureCase(stores: Stores, hostile: HostileCase): Promise<CaseResult> {
  const { name, about, stored } = hostile
  const { result, serverDied, serverKilled } = await withServer(stores, stored, (server) =>
    observeAttack(server, hostile),
  )
  return { name, about, ...result, serverDied, serverKilled, refused: stores.refused.get(stored) ?? [] }
}

interface Served<T> {
  readonly result: T
  readonly serverDied: boolean
  readonly serverKilled: boolean
}

async function withServer<T>(
  stores: Stores,
  stored: HostileCase['stored'],
  work: (server: ServerProcess) => Promise<T>,
): Promise<Served<T>> {
  const server = await startIsolated(await stores.open(stored))
  try {
    const result = await work(server)
    const serverDied = !server.isRunning()
    return { result, serverDied, serverKilled: !(await server.stop()) }
  } finally {
    await server.stop()
  }
}

/** Observes while `work` runs, with a warm server. */
async function observe<T>(
  { url, pid }: ServerProcess,
  work: () => Promise<T>,
): Promise<{ readonly observed: Observed; readonly result: T }> {
  const authorization = await logIn(url, DEMO_CLINIC_ACCOUNT)
  for (let n = 0; n < WARM_UP_READS; n++) {
    const { status } = await once(url, { method: 'GET', path: READ, headers: { authorization } })
    if (status !== 200) throw new Error(`${READ} was answered ${status}`)
  }
  const watch = new Watch({ url, pid, path: READ, authorization })
  try {
    await observedFor(watch, AFTERMATH_MILLISECONDS)
    const end = watch.start()
    const result = await work()
    return { observed: await end(), result }
  } finally {
    await watch.stop()
  }
}

/** The thread of the probe warms up. */
async function observedFor(watch: Watch, milliseconds: number): Promise<void> {
  const end = watch.start()
  await pause(milliseconds)
  await end()
}

const observeIdle = async (server: ServerProcess): Promise<Observed> =>
  (await observe(server, () => pause(IDLE_MILLISECONDS))).observed

async function observeAttack(
  server: ServerProcess,
  { attack }: HostileCase,
): Promise<Pick<CaseResult, 'observed' | 'outcomes'>> {
  const authorization = await logIn(server.url, HOSTILE_ACCOUNT)
  const prepared = attack()
  const { observed, result } = await observe(server, async () => {
    const signal = AbortSignal.timeout(ATTACK_MILLISECONDS)
    const outcomes = await run(prepared, { url: server.url, authorization, signal })
    await pause(AFTERMATH_MILLISECONDS)
    return outcomes
  })
  return { observed, outcomes: result }
}
