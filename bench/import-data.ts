/** Loads the data set like a client: by transactions over HTTP, a few in parallel. */
import { type Sizes, stages, transaction } from './data-set.ts'
import { once } from './load.ts'

const ENTRIES = 200
const PARALLEL_IMPORTS = 4

export interface Import {
  readonly resources: number
  readonly resourcesPerSecond: number
}

/** @throws Error with the server's response when a transaction fails */
export async function importData(
  url: string,
  headers: Readonly<Record<string, string>>,
  sizes: Sizes,
): Promise<Import> {
  const started = performance.now()
  let resources = 0
  for (const { count, make } of stages(sizes)) {
    const starts = Array.from({ length: Math.ceil(count / ENTRIES) }, (_, index) => index * ENTRIES)
    await inParallel(PARALLEL_IMPORTS, starts, async (start) => {
      const length = Math.min(ENTRIES, count - start)
      const body = JSON.stringify(transaction(Array.from({ length }, (_, index) => make(start + index))))
      const { status, text } = await once(url, {
        method: 'POST',
        path: '/',
        headers: { ...headers, prefer: 'return=minimal' },
        body,
      })
      if (status !== 200) throw new Error(`A transaction of the data set was answered ${status}: ${text.slice(0, 500)}`)
    })
    resources += count
  }
  return { resources, resourcesPerSecond: (resources / (performance.now() - started)) * 1000 }
}

async function inParallel<T>(workers: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}
