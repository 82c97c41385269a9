/** Resets, snapshots and clones of a clinic with 5,000 resources beside 16 writers, the judging of runs, and the cost of creates where nothing is rehearsed. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sizesAt } from '../data-set.ts'
import { logIn, progress, SETTLE, startServer } from '../emr.ts'
import { once } from '../load.ts'
import { startMongod } from '../mongo/mongod.ts'
import { measurePair, type PairedCost } from '../paired-cost.ts'
import { scenarios } from '../scenarios.ts'
import { judgedWithin } from './judging-bench.ts'

export const REHEARSAL = 'rehearsal'

export const RESOURCES = 5_000
export const WRITERS = 16
const TIMES = 20
const ENTRIES = 200
/** Milliseconds between two resets. */
const BETWEEN = 1_500

export interface RehearsalResults {
  readonly engine: string
  /** Milliseconds, in order. */
  readonly resets: readonly number[]
  readonly toScenario: readonly number[]
  readonly snapshots: readonly number[]
  readonly clones: readonly number[]
  readonly judged: readonly number[]
  /** Writes that failed meanwhile, with their statuses. */
  readonly refused: Readonly<Record<string, number>>
  readonly writes: number
  /** With rehearsal switched off, and on without any rule; undefined without /proc. */
  readonly creates: PairedCost | undefined
}

interface Options {
  readonly engines: readonly string[]
  readonly seconds: number
  readonly rounds: number
}

export async function benchRehearsal(
  { engines, ...chosen }: Options,
  folder: string,
): Promise<readonly RehearsalResults[]> {
  const results: RehearsalResults[] = []
  for (const engine of engines) {
    const mongod = engine === 'mongodb' ? await startMongod(join(folder, 'mongo-rehearsal')) : undefined
    const databaseUrl = mongod?.urlOf(REHEARSAL) ?? `sqlite:${join(folder, 'rehearsal.db')}`
    try {
      results.push({ engine, ...(await measured(databaseUrl)), creates: await creates(databaseUrl, chosen) })
    } finally {
      await mongod?.stop()
    }
  }
  return results
}

type Send = (
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly text: string }>

async function measured(databaseUrl: string): Promise<Omit<RehearsalResults, 'engine' | 'creates'>> {
  const server = await startServer(databaseUrl)
  try {
    const authorization = await logIn(server.url, { username: 'admin', password: 'admin' })
    const send: Send = (method, path, body, headers = {}) =>
      once(server.url, {
        ...{ method, path, headers: { authorization, 'content-type': 'application/json', ...headers } },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    await fill(send)
    await right(send('PUT', '/clinics/demo-clinic/snapshots/full'))
    await pause(SETTLE)
    const load = writing(send)
    const times = async (what: string, work: (index: number) => Promise<void>): Promise<readonly number[]> => {
      const found: number[] = []
      for (let index = 0; index < TIMES; index += 1) {
        await pause(BETWEEN)
        const since = performance.now()
        await work(index)
        found.push(performance.now() - since)
      }
      progress(`${what}: ${found.map((one) => one.toFixed(0)).join(' ')} ms`)
      return found
    }
    const reset = (body: object) => () => right(send('POST', '/clinics/demo-clinic/reset', body))
    const results = {
      resets: await times('reset to a snapshot', reset({ snapshot: 'full' })),
      toScenario: await times('reset to a scenario', reset({ scenario: 'quiet-week' })),
      snapshots: await times('snapshot', () => right(send('PUT', '/clinics/demo-clinic/snapshots/again'))),
      clones: await times('clone', () => right(send('POST', '/clinics', { from: { snapshot: 'full' }, ttl: 'PT5M' }))),
    }
    return { ...results, ...(await load.end()), judged: await judgedWithin(send) }
  } finally {
    await server.stop()
  }
}

/** @throws Error with the response */
async function right(answer: ReturnType<Send>): Promise<void> {
  const { status, text } = await answer
  if (status >= 300) throw new Error(`A request was answered ${status}: ${text.slice(0, 300)}`)
}

/** Patients and their Observations. */
async function fill(send: Send): Promise<void> {
  for (let from = 0; from < RESOURCES; from += ENTRIES) {
    const entry = Array.from({ length: ENTRIES }, (_, index) => entryOf(from + index))
    await right(send('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry }))
  }
}

function entryOf(number: number): object {
  const resource = number % 2 === 0 ? patientOf(number) : observationOf(number)
  return { resource, request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` } }
}

const patientOf = (number: number) => ({
  ...{
    resourceType: 'Patient',
    id: `p${number}`,
    name: [{ family: `Family${number % 500}`, given: [`Given${number}`] }],
  },
  ...{
    gender: 'female',
    birthDate: `19${10 + (number % 90)}-03-04`,
    telecom: [{ system: 'phone', value: `+1212555${number}` }],
  },
})

const observationOf = (number: number) => ({
  ...{
    resourceType: 'Observation',
    id: `o${number}`,
    status: 'final',
    subject: { reference: `Patient/p${number - 1}` },
  },
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }] },
  ...{ effectiveDateTime: '2026-01-02T03:04:05Z', valueQuantity: { value: 60 + (number % 40), unit: '/min' } },
})

/** Clients that create one Patient after the other. */
function writing(send: Send) {
  const refused: Record<string, number> = {}
  let [isOver, writes] = [false, 0]
  const write = async () => {
    while (!isOver) {
      const { status } = await send('POST', '/Patient', patientOf(writes))
      writes += 1
      if (status !== 201) refused[status] = (refused[status] ?? 0) + 1
    }
  }
  const all = Array.from({ length: WRITERS }, write)
  return {
    end: async () => {
      isOver = true
      await Promise.all(all)
      return { refused, writes }
    },
  }
}

async function creates(databaseUrl: string, { seconds, rounds }: Omit<Options, 'engines'>) {
  const traffic = (authorization: string) => {
    const create = scenarios(sizesAt(1), { authorization, voiceSecret: '' }).find(({ name }) => name === 'create')
    if (create === undefined) throw new Error('There is no scenario of a create')
    return create.traffic
  }
  return await measurePair({
    databaseUrl,
    without: { environment: { REHEARSAL: 'off' }, traffic },
    beside: { environment: {}, traffic },
    ...{ seconds, rounds },
  })
}
