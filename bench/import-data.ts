/** Loads data like a client: by transactions over HTTP, a few in parallel. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Sizes, stages, transaction } from './data-set.ts'
import { LARGE_RECORDS } from './large-records.ts'
import { once } from './load.ts'

const ENTRIES = 200
const PARALLEL_IMPORTS = 4
/** Said by a server on a busy machine: too many wait, or one has taken too long. */
const NOT_NOW: readonly number[] = [429, 503]
/** Milliseconds. */
const PAUSE = 500

export interface Import {
  readonly resources: number
  readonly resourcesPerSecond: number
}

type Headers = Readonly<Record<string, string>>

/** The data set. @throws Error with the server's response when a transaction fails */
export async function importData(url: string, headers: Headers, sizes: Sizes): Promise<Import> {
  const started = performance.now()
  let resources = 0
  for (const { count, make } of stages(sizes)) {
    const starts = Array.from({ length: Math.ceil(count / ENTRIES) }, (_, index) => index * ENTRIES)
    await inParallel(PARALLEL_IMPORTS, starts, async (start) => {
      const length = Math.min(ENTRIES, count - start)
      const body = JSON.stringify(transaction(Array.from({ length }, (_, index) => make(start + index))))
      await post(url, headers, body)
    })
    resources += count
  }
  return { resources, resourcesPerSecond: (resources / (performance.now() - started)) * 1000 }
}

/** Large records, a transaction each. @throws Error with the server's response when one fails */
export async function importLargeRecords(url: string, headers: Headers): Promise<Import> {
  const bundles = Array.from({ length: LARGE_RECORDS.count }, (_, n) => LARGE_RECORDS.make(n))
  const resources = bundles.reduce((sum, { entry = [] }) => sum + entry.length, 0)
  const bodies = bundles.map((bundle) => JSON.stringify(bundle))
  const started = performance.now()
  await inParallel(PARALLEL_IMPORTS, bodies, (body) => post(url, headers, body))
  return { resources, resourcesPerSecond: (resources / (performance.now() - started)) * 1000 }
}

/** Transactions whose resources have ids of their own are stored once, however often they are sent. */
const isRepeatable = (body: string): boolean => !body.includes('"method":"POST"')

async function post(url: string, headers: Headers, body: string): Promise<void> {
  const { status, text } = await once(url, {
    method: 'POST',
    path: '/',
    headers: { ...headers, prefer: 'return=minimal' },
    body,
  })
  if (NOT_NOW.includes(status) && isRepeatable(body)) {
    await pause(PAUSE)
    return await post(url, headers, body)
  }
  if (status !== 200) throw new Error(`A transaction of the import was answered ${status}: ${text.slice(0, 500)}`)
}

async function inParallel<T>(workers: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}
