/** An export of 100,000 resources: resources a second from the request to the manifest, and the memory that it takes. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sizesAt } from '../data-set.ts'
import { logIn, progress, SETTLE, startServer } from '../emr.ts'
import { importData } from '../import-data.ts'
import { startMongod } from '../mongo/mongod.ts'
import { table, type Verdict } from '../report.ts'
import type { ServerProcess } from '../server-process.ts'
import { jobDone, mebibytes, memoryVerdict, SCALE } from './job.ts'

export const EXPORT = 'export'

const ROUNDS = 3
/** Resources a second. */
const RATE = 20_000

export interface ExportResults {
  readonly engine: string
  readonly resources: number
  /** The best of some rounds. */
  readonly rate: number
  /** Bytes beyond those of before, in the first round; undefined without /proc. */
  readonly memory: number | undefined
}

/** @param scale times the 100,000 resources */
export async function benchExport(
  engines: readonly string[],
  scale: number,
  folder: string,
): Promise<readonly ExportResults[]> {
  const results: ExportResults[] = []
  for (const engine of engines) {
    const mongod = engine === 'mongodb' ? await startMongod(join(folder, 'mongo-export')) : undefined
    const url = mongod?.urlOf(EXPORT) ?? `sqlite:${join(folder, 'export.db')}`
    try {
      // By two processes, so that the memory of the import does not hide that of the export.
      await withServer(url, fill(scale))
      results.push({ engine, ...(await withServer(url, measured)) })
    } finally {
      await mongod?.stop()
    }
  }
  return results
}

async function withServer<T>(
  url: string,
  work: (server: ServerProcess, authorization: string) => Promise<T>,
): Promise<T> {
  const server = await startServer(url)
  try {
    return await work(server, await logIn(server.url))
  } finally {
    await server.stop()
  }
}

const fill =
  (scale: number) =>
  ({ url }: ServerProcess, authorization: string) =>
    importData(url, { authorization, 'content-type': 'application/fhir+json' }, sizesAt(SCALE * scale))

interface Round {
  readonly resources: number
  readonly milliseconds: number
  readonly memory: number | undefined
}

async function measured(server: ServerProcess, authorization: string): Promise<Omit<ExportResults, 'engine'>> {
  const rounds: Round[] = []
  // A small one starts the work thread, whose memory is that of a server.
  await exported(server, authorization, '?_type=Organization')
  for (let round = 0; round < ROUNDS; round++) {
    await pause(SETTLE)
    rounds.push(await exported(server, authorization))
  }
  const rates = rounds.map(({ resources, milliseconds }) => (resources / milliseconds) * 1_000)
  progress(`export: ${rates.map((rate) => rate.toFixed(0)).join(', ')} resources a second`)
  return { resources: rounds[0]?.resources ?? 0, rate: Math.max(...rates), memory: rounds[0]?.memory }
}

async function exported(server: ServerProcess, authorization: string, query = ''): Promise<Round> {
  const { body, ...job } = await jobDone(server, { authorization }, `/$export${query}`)
  const { output } = body as { readonly output: readonly { readonly count: number }[] }
  return { ...job, resources: output.reduce((sum, { count }) => sum + count, 0) }
}

export const exportTable = (results: readonly ExportResults[]): string =>
  table(
    ['', 'resources', 'resources a second', 'memory, MiB'],
    results.map(({ engine, resources, rate, memory }) => [engine, `${resources}`, rate.toFixed(0), mebibytes(memory)]),
  )

export const exportVerdicts = ({ engine, rate, memory }: ExportResults): readonly Verdict[] => [
  {
    what: `an export of all data, ${engine}`,
    value: `${rate.toFixed(0)} resources a second`,
    target: `above ${RATE}`,
    pass: rate > RATE,
  },
  memoryVerdict(`an export of all data, ${engine}`, memory),
]
