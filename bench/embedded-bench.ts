/** Measures the server on the embedded engine, compared with ceilings measured in the same run. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Sizes, sizesAt } from './data-set.ts'
import { logIn, progress, SETTLE, startServer, tryOnce, VOICE_SECRET } from './emr.ts'
import { type Import, importData, importLargeRecords } from './import-data.ts'
import { type Measurement, measure, once, type Traffic } from './load.ts'
import { measurePair, type PairedCost } from './paired-cost.ts'
import { measureReadBesideWrites } from './read-beside-writes.ts'
import type { DoorCost, ReadBesideWrites, Results, ScenarioResult } from './report.ts'
import { CEILINGS, type Ceiling, type Scenario } from './scenario.ts'
import { type Access, ceilingTraffic, scenarios } from './scenarios.ts'
import { benchScheduling } from './scheduling/scheduling-bench.ts'
import { type ServerProcess, startProcess } from './server-process.ts'
import { COMPARED_DOORS, doorScenario } from './tool-doors.ts'
import { doorTraffic } from './tool-scenarios.ts'

const CONNECTIONS = [1, 16]
/** Milliseconds after which memory counts as that of an idle server. */
const IDLE = 10_000

export const LARGE_RECORDS = 'large records'
export const READ_BESIDE_WRITES = 'read beside writes'
export const AUDIT = 'audit trail'
export const JOURNAL = 'journal'
export const SUBSCRIBERS = 'subscribers'

export interface EmbeddedOptions {
  readonly scale: number
  readonly seconds: number
  /** Names of scenarios; all when empty. */
  readonly only: readonly string[]
}

async function measureAll(server: ServerProcess, name: string, traffic: Traffic, seconds: number, rate?: number) {
  const measurements: Measurement[] = []
  const loads = rate === undefined ? CONNECTIONS.map((connections) => ({ connections })) : [{ connections: rate, rate }]
  for (const load of loads) {
    const measured = await measure(server, traffic, { ...load, seconds })
    progress(`${name}, ${load.connections} connections: ${Math.round(measured.requestsPerSecond)} requests/s`)
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

async function measureScenarios(
  server: ServerProcess,
  chosen: readonly Scenario[],
  seconds: number,
): Promise<readonly ScenarioResult[]> {
  const results: ScenarioResult[] = []
  for (const scenario of chosen) {
    const { name, traffic, rate, target, cpuAlone } = scenario
    await tryOnce(server.url, scenario)
    const measurements = await measureAll(server, name, traffic, seconds, rate)
    results.push({
      ...{ name, measurements },
      ...(target === undefined ? {} : { target }),
      ...(cpuAlone === undefined ? {} : { cpuAlone }),
    })
  }
  return results
}

const databaseUrlIn = (folder: string): string => `sqlite:${join(folder, 'emr.db')}`

async function withServer<T>(folder: string, work: (server: ServerProcess) => Promise<T>): Promise<T> {
  const server = await startServer(databaseUrlIn(folder))
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
    await pause(IDLE)
    const idle = server.memory()?.resident
    const authorization = await logIn(server.url)
    const headers = { authorization, 'content-type': 'application/fhir+json' }
    const imported = await importData(server.url, headers, sizes)
    progress(`import: ${Math.round(imported.resourcesPerSecond)} resources/s`)
    await pause(SETTLE)
    return { imported, start: server.startMilliseconds, idle, loaded: server.memory()?.resident }
  })

const chosenFrom = (all: readonly Scenario[], only: readonly string[]): readonly Scenario[] =>
  only.length === 0 ? all : all.filter(({ name }) => only.includes(name))

const isChosen = (name: string, only: readonly string[]): boolean => only.length === 0 || only.includes(name)

interface WritesBeside extends Pick<EmbeddedOptions, 'only' | 'seconds'> {
  readonly sizes: Sizes
  readonly access: Access
}

async function besideWrites(
  server: ServerProcess,
  { sizes, access, only, seconds }: WritesBeside,
): Promise<ReadBesideWrites | undefined> {
  const writes = scenarios(sizes, access).find(({ name }) => name === 'create')
  if (writes === undefined || !isChosen(READ_BESIDE_WRITES, only)) return undefined
  const measured = await measureReadBesideWrites(server, access.authorization, writes.traffic, seconds)
  progress(`${READ_BESIDE_WRITES}: p99 ${measured.beside.toFixed(1)} ms, ${measured.alone.toFixed(1)} ms without`)
  return measured
}

/** Rounds in which the difference of a few microseconds shows. */
const MANY_ROUNDS = 15

/** The environments that turn a part of the server off and on. Each part is measured without the other parts. */
const PARTS = {
  [AUDIT]: { without: { AUDIT: 'off', JOURNAL: 'off' }, beside: { AUDIT: 'on', JOURNAL: 'off' } },
  [JOURNAL]: { without: { JOURNAL: 'off' }, beside: { JOURNAL: 'full' } },
} as const

async function pairedCost(
  part: keyof typeof PARTS,
  folder: string,
  { sizes, only, seconds }: Omit<WritesBeside, 'access'>,
): Promise<PairedCost | undefined> {
  if (!isChosen(part, only)) return undefined
  const readsBy = (authorization: string) => {
    const read = scenarios(sizes, { authorization, voiceSecret: '' }).find(({ name }) => name === 'read')
    if (read === undefined) throw new Error('There is no scenario named read')
    return read.traffic
  }
  const { without, beside } = PARTS[part]
  const measured = await measurePair({
    databaseUrl: databaseUrlIn(folder),
    without: { environment: without, traffic: readsBy },
    beside: { environment: beside, traffic: readsBy },
    seconds,
    rounds: MANY_ROUNDS,
  })
  if (measured !== undefined)
    progress(`${part}: ${measured.cpu.beside.toFixed(4)} ms, ${measured.cpu.without.toFixed(4)} ms without`)
  return measured
}

/** Subscriptions in the clinic, each of a few patients whom nobody creates. */
const SUBSCRIPTIONS = 100
const SUBSCRIBER_ROUNDS = 5

async function subscribeAll(url: string, authorization: string): Promise<void> {
  for (let n = 0; n < SUBSCRIPTIONS; n += 1) {
    const subscription = {
      ...{ resourceType: 'Subscription', status: 'requested', reason: 'a measurement' },
      criteria: `Patient?family=Nobody${n}&birthdate=ge1900`,
      channel: { type: 'rest-hook', endpoint: 'http://127.0.0.1:9/' },
    }
    const headers = { authorization, 'content-type': 'application/fhir+json' }
    const { status } = await once(url, {
      method: 'POST',
      path: '/Subscription',
      headers,
      body: JSON.stringify(subscription),
    })
    if (status !== 201) throw new Error(`A Subscription was answered ${status}`)
  }
  await pause(SETTLE)
}

/** Creates on two stores of their own, in one of which there are Subscriptions. */
async function subscribersCost(
  folder: string,
  { sizes, only, seconds }: Omit<WritesBeside, 'access'>,
): Promise<PairedCost | undefined> {
  if (!isChosen(SUBSCRIBERS, only)) return undefined
  const traffic = (authorization: string) => {
    const create = scenarios(sizes, { authorization, voiceSecret: '' }).find(({ name }) => name === 'create')
    if (create === undefined) throw new Error('There is no scenario named create')
    return create.traffic
  }
  const environment = (name: string) => ({ DATABASE_URL: `sqlite:${join(folder, `${name}.db`)}`, JOURNAL: 'off' })
  const measured = await measurePair({
    databaseUrl: databaseUrlIn(folder),
    without: { environment: environment('not-subscribed'), traffic },
    beside: { environment: environment('subscribed'), traffic, prepare: subscribeAll },
    seconds,
    rounds: SUBSCRIBER_ROUNDS,
  })
  if (measured !== undefined) {
    const { without, beside } = measured.requestsPerSecond
    progress(`${SUBSCRIBERS}: ${Math.round(beside)} creates/s with ${SUBSCRIPTIONS}, ${Math.round(without)} without`)
  }
  return measured
}

/** The cost of a tool call by each door, beside one in the envelope. */
async function doorCosts(
  folder: string,
  { only, seconds }: Pick<EmbeddedOptions, 'only' | 'seconds'>,
): Promise<readonly DoorCost[]> {
  const costs: DoorCost[] = []
  for (const door of COMPARED_DOORS.filter((name) => isChosen(doorScenario(name), only))) {
    const [without, beside] = (['envelope', door] as const).map((name) => ({
      environment: { JOURNAL: 'off' },
      traffic: () => doorTraffic(name, VOICE_SECRET),
    }))
    if (without === undefined || beside === undefined) continue
    const cost = await measurePair({
      databaseUrl: databaseUrlIn(folder),
      without,
      beside,
      seconds,
      rounds: DOOR_ROUNDS,
    })
    if (cost === undefined) continue
    progress(
      `${doorScenario(door)}: ${cost.cpu.beside.toFixed(4)} ms, ${cost.cpu.without.toFixed(4)} ms in the envelope`,
    )
    costs.push({ door, cost })
  }
  return costs
}

const DOOR_ROUNDS = 5

async function largeImport(
  server: ServerProcess,
  { authorization }: Access,
  only: readonly string[],
): Promise<Import | undefined> {
  if (!isChosen(LARGE_RECORDS, only)) return undefined
  const imported = await importLargeRecords(server.url, { authorization, 'content-type': 'application/fhir+json' })
  progress(`${LARGE_RECORDS}: ${Math.round(imported.resourcesPerSecond)} resources/s`)
  return imported
}

export async function benchEmbedded({ scale, seconds, only }: EmbeddedOptions, folder: string): Promise<Results> {
  const sizes = sizesAt(scale)
  const ceilings: Results['ceilings'][number][] = []
  for (const ceiling of CEILINGS) ceilings.push(await measureCeiling(ceiling, folder, seconds))
  const { imported, start, idle, loaded } = await load(folder, sizes)
  const audit = await pairedCost(AUDIT, folder, { sizes, only, seconds })
  const journal = await pairedCost(JOURNAL, folder, { sizes, only, seconds })
  const subscribers = await subscribersCost(folder, { sizes, only, seconds })
  const doors = await doorCosts(folder, { only, seconds })
  const scheduling = await benchScheduling(
    folder,
    (name) => isChosen(name, only),
    (server, chosen) => measureScenarios(server, chosen, seconds),
    scale,
  )
  return withServer(folder, async (server) => {
    await pause(SETTLE)
    const idleLoaded = server.memory()?.resident
    const access = { authorization: await logIn(server.url), voiceSecret: VOICE_SECRET }
    const measured = await measureScenarios(server, chosenFrom(scenarios(sizes, access), only), seconds)
    const readBesideWrites = await besideWrites(server, { sizes, access, only, seconds })
    const largeRecords = await largeImport(server, access, only)
    await pause(IDLE)
    return {
      ceilings,
      scenarios: [...measured, ...scheduling],
      import: imported,
      ...(largeRecords === undefined ? {} : { largeRecords }),
      ...(readBesideWrites === undefined ? {} : { readBesideWrites }),
      ...(audit === undefined ? {} : { auditCost: audit }),
      ...(journal === undefined ? {} : { journalCost: journal }),
      ...(subscribers === undefined ? {} : { subscribersCost: subscribers }),
      doorCosts: doors,
      start: { empty: start, loaded: server.startMilliseconds },
      memory: { idle, idleLoaded, loaded, peak: server.memory()?.peak, afterRun: server.memory()?.resident },
    }
  })
}
