/**
 * How time and memory grow with the data: two servers, one on the data set and one on fifty times as much, are asked
 * the same in turns, so that what else the machine does meets both alike.
 */
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { patient, type Sizes, sizesAt } from '../data-set.ts'
import { logIn, progress, SETTLE, startServer } from '../emr.ts'
import { type Measurement, measure, type Traffic } from '../load.ts'
import type { ServerProcess } from '../server-process.ts'
import { type Client, openClient } from './client.ts'
import { QUESTIONS, type Question } from './questions.ts'
import { storeAt } from './stores.ts'
import { unheardOf } from './unheard-of.ts'

/** As `--only` names it. */
export const GROWTH = 'growth'

/** How many times the data set. */
const SCALES = { small: 1, large: 50 } as const
export type Side = keyof typeof SCALES
const SIDES: readonly Side[] = ['small', 'large']

/** Requests of one round, in turns of a few on each side. */
const PER_ROUND = 120
const PER_TURN = 10
const UNMEASURED = 20
/** A question whose work grows with the data is asked less often. */
const PER_ROUND_OF_OTHERS = 10
const WAVES = 6
const PER_WAVE = 4_000

export interface Asked {
  readonly question: Question
  /** Medians of the rounds, milliseconds from sending to the end of the answer. */
  readonly milliseconds: Readonly<Record<Side, readonly number[]>>
  /** Of the server process, milliseconds for each request; undefined where it cannot be read. */
  readonly cpu: Readonly<Record<Side, number | undefined>>
  /** Of each server after it, bytes. */
  readonly memory: Readonly<Record<Side, Occupied>>
}

/** Memory in bytes; undefined where it cannot be read. */
export interface Occupied {
  readonly resident: number | undefined
  /** Without what is mapped from files, which the system takes back when it needs it. */
  readonly own: number | undefined
}

export interface GrowthResults {
  readonly asked: readonly Asked[]
  readonly creates: readonly (Measurement & { readonly side: Side })[]
  /** After the start, after all questions, and after each wave of requests of which none is like another. */
  readonly memory: Readonly<Record<Side, { readonly start: Occupied; readonly asked: Occupied }>>
  readonly waves: readonly Occupied[]
  readonly start: Readonly<Record<Side, number>>
  readonly machineLoad: number
}

export interface GrowthOptions {
  readonly rounds: number
  readonly seconds: number
  /** Folder of stores that are filled once and used again; absent: they are filled anew. */
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
  const asked: Asked[] = []
  for (const question of QUESTIONS) asked.push(await ask(servers, question, rounds))
  const memory = each((side) => ({ start: start[side], asked: occupied(servers[side].process) }))
  const creates: GrowthResults['creates'][number][] = []
  for (const connections of [1, 16]) {
    for (const side of SIDES) creates.push({ side, ...(await create(servers[side], connections, seconds)) })
  }
  return {
    asked,
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

async function ask(servers: Readonly<Record<Side, Server>>, question: Question, rounds: number): Promise<Asked> {
  const paths = { small: await pathsOf(question, servers.small), large: await pathsOf(question, servers.large) }
  const times: Record<Side, number[]> = { small: [], large: [] }
  const perRound = question.kind === 'other' ? PER_ROUND_OF_OTHERS : PER_ROUND
  await inTurns(servers, paths, UNMEASURED, 0)
  const before = each((side) => servers[side].process.cpuMilliseconds())
  for (let round = 0; round < rounds; round += 1) {
    const inRound = await inTurns(servers, paths, perRound, UNMEASURED + round * perRound)
    for (const side of SIDES) times[side].push(median(inRound[side]))
  }
  const cpu = each((side) => {
    const [from, to] = [before[side], servers[side].process.cpuMilliseconds()]
    return from === undefined || to === undefined ? undefined : (to - from) / (rounds * perRound)
  })
  const [fast, slow] = [median(times.small), median(times.large)]
  progress(`${question.name}: ${fast.toFixed(2)} ms, ${slow.toFixed(2)} ms, ${(slow / fast).toFixed(2)}`)
  return { question, milliseconds: times, cpu, memory: each((side) => occupied(servers[side].process)) }
}

type PathOf = (n: number) => string

/** @throws Error when the question does not find what it is about */
async function pathsOf(question: Question, { client, sizes }: Server): Promise<PathOf> {
  const pathOf: PathOf =
    question.deep === undefined
      ? (n) => question.path(n, sizes)
      : await deepPage(client, question.path(0, sizes), Math.round(question.deep * sizes.patients))
  const { text } = await client.get(pathOf(0))
  const found = (JSON.parse(text) as { readonly entry?: readonly unknown[] }).entry?.length ?? 0
  const [fewest, most] = question.entries
  if (found < fewest || found > most) throw new Error(`${question.name} finds ${found}, not ${fewest} to ${most}`)
  return pathOf
}

const LARGE_PAGE = 500

/** The page that follows the first `matches`, of the usual length. */
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

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? Number.NaN, sorted[Math.floor(middle)] ?? Number.NaN]
  return (low + high) / 2
}

/** More than there are patients, and than one run creates. */
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

/** Wave after wave of requests with names, values and tokens that the server has not met: whatever it keeps, grows. */
async function waves({ process, client }: Server): Promise<readonly Occupied[]> {
  const found: Occupied[] = []
  for (let wave = 0; wave < WAVES; wave += 1) {
    for (let n = wave * PER_WAVE; n < (wave + 1) * PER_WAVE; n += 1) await client.send(unheardOf(n))
    await pause(SETTLE)
    found.push(occupied(process))
    progress(`wave ${wave + 1}: ${Math.round((found.at(-1)?.own ?? 0) / 1024 / 1024)} MiB`)
  }
  return found
}
