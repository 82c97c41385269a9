/** An import of NDJSON from uploads: resources a second beside those of transactions, and the memory that it takes. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Sizes, sizesAt, stages } from '../data-set.ts'
import { logIn, progress, SETTLE, startServer } from '../emr.ts'
import { importData } from '../import-data.ts'
import { startMongod } from '../mongo/mongod.ts'
import { table, type Verdict } from '../report.ts'
import type { ServerProcess } from '../server-process.ts'
import { jobDone, mebibytes, memoryVerdict, SCALE } from './job.ts'

export const IMPORT = 'import'

/** Lines of a file. */
const LINES = 20_000
const MIB = 1024 * 1024
/** The share of the rate of transactions. */
const SHARE = 1.5

export interface ImportResults {
  readonly engine: string
  readonly resources: number
  /** Resources a second by transactions of 200, four at a time. */
  readonly byTransactions: number
  /** Resources a second from the request to the manifest. */
  readonly rate: number
  /** Bytes beyond those of before; undefined without /proc. */
  readonly memory: number | undefined
}

/** @param scale times the 100,000 resources */
export async function benchImport(
  engines: readonly string[],
  scale: number,
  folder: string,
): Promise<readonly ImportResults[]> {
  const results: ImportResults[] = []
  const sizes = sizesAt(SCALE * scale)
  for (const engine of engines) {
    const mongod = engine === 'mongodb' ? await startMongod(join(folder, 'mongo-import')) : undefined
    const urlOf = (name: string) => mongod?.urlOf(name) ?? `sqlite:${join(folder, `${name}.db`)}`
    try {
      const sent = await withServer(urlOf('transactions'), ({ url }, headers) => importData(url, headers, sizes))
      progress(`import by transactions, ${engine}: ${sent.resourcesPerSecond.toFixed(0)} resources a second`)
      const imported = await withServer(urlOf(IMPORT), (server, headers) => measured(server, headers, sizes))
      progress(`import, ${engine}: ${imported.rate.toFixed(0)} resources a second`)
      results.push({ engine, byTransactions: sent.resourcesPerSecond, ...imported })
    } finally {
      await mongod?.stop()
    }
  }
  return results
}

type Headers = Readonly<Record<string, string>>

async function withServer<T>(url: string, work: (server: ServerProcess, headers: Headers) => Promise<T>): Promise<T> {
  const server = await startServer(url, { MAX_IMPORT_BYTES: `${8 * 1024 * MIB}` })
  try {
    const authorization = await logIn(server.url, { username: 'admin', password: 'admin' })
    return await work(server, { authorization, 'content-type': 'application/fhir+json' })
  } finally {
    await server.stop()
  }
}

async function measured(server: ServerProcess, headers: Headers, sizes: Sizes) {
  const files: string[] = []
  for (const { count, make } of stages(sizes)) {
    for (let from = 0; from < count; from += LINES) {
      const length = Math.min(LINES, count - from)
      const text = Array.from({ length }, (_, index) => `${JSON.stringify(make(from + index))}\n`).join('')
      files.push(await uploaded(server.url, headers, text))
    }
  }
  // A first one starts the work thread, whose memory is that of a server.
  await imported(server, headers, files.slice(0, 1))
  await pause(SETTLE)
  return await imported(server, headers, files)
}

async function uploaded(url: string, headers: Headers, text: string): Promise<string> {
  const response = await fetch(`${url}/Binary`, {
    ...{ method: 'POST', body: text },
    headers: { ...headers, 'content-type': 'application/fhir+ndjson' },
  })
  const { id } = (await response.json()) as { readonly id?: string }
  if (response.status !== 201 || id === undefined) throw new Error(`An upload was answered ${response.status}`)
  return `Binary/${id}`
}

async function imported(server: ServerProcess, headers: Headers, files: readonly string[]) {
  const inputs = files.map((file) => ({ name: 'input', part: [{ name: 'url', valueUri: file }] }))
  const inputFormat = { name: 'inputFormat', valueString: 'application/fhir+ndjson' }
  const { body, milliseconds, memory } = await jobDone(server, headers, '/$import', {
    method: 'POST',
    body: JSON.stringify({ resourceType: 'Parameters', parameter: [inputFormat, ...inputs] }),
  })
  const { output, error } = body as {
    readonly output: readonly { readonly count: number }[]
    readonly error?: readonly object[]
  }
  if (error !== undefined && error.length > 0) throw new Error(`The import refused lines: ${JSON.stringify(error)}`)
  const resources = output.reduce((sum, { count }) => sum + count, 0)
  return { resources, rate: (resources / milliseconds) * 1_000, memory }
}

export const importTable = (results: readonly ImportResults[]): string =>
  table(
    ['', 'resources', 'by transactions, a second', 'by $import, a second', 'memory, MiB'],
    results.map(({ engine, resources, byTransactions, rate, memory }) => [
      ...[engine, `${resources}`, byTransactions.toFixed(0), rate.toFixed(0), mebibytes(memory)],
    ]),
  )

export const importVerdicts = ({ engine, byTransactions, rate, memory }: ImportResults): readonly Verdict[] => [
  {
    what: `an import, ${engine}`,
    value: `${(rate / byTransactions).toFixed(2)} of transactions`,
    target: `at least ${SHARE}`,
    pass: rate >= SHARE * byTransactions,
  },
  memoryVerdict(`an import, ${engine}`, memory),
]
