/**
 * `npm run bench`: speed and memory of the server, beside ceilings measured in the same run.
 * `--scale N` multiplies the data set, `--seconds N` is the length of each measurement, `--only NAME` (repeatable)
 * limits the scenarios.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Sizes, sizesAt } from './data-set.ts'
import { type Import, importData } from './import-data.ts'
import { type Measurement, measure, once, type Traffic } from './load.ts'
import { machine, type Results, type ScenarioResult, tables, verdicts } from './report.ts'
import { CEILINGS, type Ceiling, ceilingTraffic, type Scenario, scenarios } from './scenarios.ts'
import { type ServerProcess, startProcess } from './server-process.ts'

const ROOT = join(import.meta.dirname, '..')
const CONNECTIONS = [1, 16]
const VOICE_SECRET = 'bench-webhook-secret'
/** Milliseconds after which a server that does nothing has tidied up. */
const SETTLE = 2_000

interface Options {
  readonly scale: number
  readonly seconds: number
  readonly only: readonly string[]
}

function options(): Options {
  const { values } = parseArgs({
    options: { scale: { type: 'string' }, seconds: { type: 'string' }, only: { type: 'string', multiple: true } },
  })
  const scale = Number(values.scale ?? 1)
  const seconds = Number(values.seconds ?? 5)
  if (!(scale >= 1)) throw new Error(`--scale is '${values.scale}'; use a number from 1 on`)
  if (!(seconds >= 1)) throw new Error(`--seconds is '${values.seconds}'; use a number from 1 on`)
  return { scale, seconds, only: values.only ?? [] }
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}

async function measureAll(server: ServerProcess, name: string, traffic: Traffic, seconds: number, rate?: number) {
  const measurements: Measurement[] = []
  for (const connections of rate === undefined ? CONNECTIONS : [rate]) {
    const measured = await measure(server, traffic, connections, seconds, rate)
    progress(`${name}, ${connections} connections: ${Math.round(measured.requestsPerSecond)} requests/s`)
    measurements.push(measured)
  }
  return measurements
}

async function measureCeiling(ceiling: Ceiling, folder: string, seconds: number) {
  const name = ceiling.replaceAll(' ', '-')
  const server = await startProcess(`bench/ceilings/${name}.ts`, { BENCH_DATABASE: join(folder, `${name}.db`) })
  try {
    return { name: ceiling, measurements: await measureAll(server, ceiling, ceilingTraffic(ceiling), seconds) }
  } finally {
    await server.stop()
  }
}

const startServer = (folder: string): Promise<ServerProcess> =>
  startProcess('src/index.ts', {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: `sqlite:${join(folder, 'emr.db')}`,
    JWT_SECRET: 'bench-jwt-secret-of-sufficient-length',
    WEBHOOK_SECRET: VOICE_SECRET,
    DEMO: 'on',
    LOG_LEVEL: 'warn',
  })

async function logIn(url: string): Promise<string> {
  const { status, text } = await once(url, {
    method: 'POST',
    path: '/session',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'demo', password: 'demo' }),
  })
  if (status !== 200) throw new Error(`The login was answered ${status}: ${text}`)
  return `Bearer ${(JSON.parse(text) as { readonly token: string }).token}`
}

/** @throws Error when the scenario's first request does not give what the scenario is about. */
async function tryOnce(url: string, { name, traffic, problemOf }: Scenario): Promise<void> {
  const request = traffic.kind === 'fresh' ? traffic.next(0, 0) : traffic.requests[0]
  if (request === undefined) throw new Error(`${name} has no requests`)
  const { status, text } = await once(url, request)
  const problem = status >= 300 ? `status ${status}: ${text.slice(0, 500)}` : problemOf?.(text)
  if (problem !== undefined) throw new Error(`${name} was answered with ${problem}`)
}

async function measureScenarios(
  server: ServerProcess,
  chosen: readonly Scenario[],
  seconds: number,
): Promise<readonly ScenarioResult[]> {
  const results: ScenarioResult[] = []
  for (const scenario of chosen) {
    const { name, traffic, rate, target } = scenario
    await tryOnce(server.url, scenario)
    const measurements = await measureAll(server, name, traffic, seconds, rate)
    results.push({ name, measurements, ...(target === undefined ? {} : { target }) })
  }
  return results
}

async function withServer<T>(folder: string, work: (server: ServerProcess) => Promise<T>): Promise<T> {
  const server = await startServer(folder)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

interface Loaded {
  readonly imported: Import
  readonly start: number
  readonly idle: number | undefined
  readonly loaded: number | undefined
}

const load = (folder: string, sizes: Sizes): Promise<Loaded> =>
  withServer(folder, async (server) => {
    await pause(SETTLE)
    const idle = server.memory()?.resident
    const authorization = await logIn(server.url)
    const headers = { authorization, 'content-type': 'application/fhir+json' }
    const imported = await importData(server.url, headers, sizes)
    progress(`import: ${Math.round(imported.resourcesPerSecond)} resources/s`)
    await pause(SETTLE)
    return { imported, start: server.startMilliseconds, idle, loaded: server.memory()?.resident }
  })

function chosenFrom(all: readonly Scenario[], only: readonly string[]): readonly Scenario[] {
  const unknown = only.find((name) => !all.some((scenario) => scenario.name === name))
  if (unknown === undefined) return only.length === 0 ? all : all.filter(({ name }) => only.includes(name))
  throw new Error(`There is no scenario '${unknown}'; there are: ${all.map(({ name }) => name).join(', ')}`)
}

async function bench({ scale, seconds, only }: Options, folder: string): Promise<Results> {
  const sizes = sizesAt(scale)
  chosenFrom(scenarios(sizes, { authorization: '', voiceSecret: '' }), only)
  const ceilings: Results['ceilings'][number][] = []
  for (const ceiling of CEILINGS) ceilings.push(await measureCeiling(ceiling, folder, seconds))
  const { imported, start, idle, loaded } = await load(folder, sizes)
  return withServer(folder, async (server) => {
    await pause(SETTLE)
    const idleLoaded = server.memory()?.resident
    const access = { authorization: await logIn(server.url), voiceSecret: VOICE_SECRET }
    const measured = await measureScenarios(server, chosenFrom(scenarios(sizes, access), only), seconds)
    return {
      ceilings,
      scenarios: measured,
      import: imported,
      start: { empty: start, loaded: server.startMilliseconds },
      memory: { idle, idleLoaded, loaded, peak: server.memory()?.peak },
    }
  })
}

const chosen = options()
// Beside the server's own data, so that both are on the same disk.
mkdirSync(join(ROOT, 'data'), { recursive: true })
const folder = mkdtempSync(join(ROOT, 'data', 'bench-'))
try {
  const results = await bench(chosen, folder)
  const file = join(ROOT, 'bench', 'results', `${new Date().toISOString().replaceAll(':', '-')}.json`)
  mkdirSync(join(ROOT, 'bench', 'results'), { recursive: true })
  const content = { date: new Date().toISOString(), machine: machine(), options: chosen, ...results }
  writeFileSync(file, `${JSON.stringify({ ...content, verdicts: verdicts(results) }, null, 2)}\n`)
  console.log(`${tables(results)}\n\n${file}`)
  if (results.scenarios.some(({ measurements }) => measurements.some(({ errors }) => errors > 0))) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
