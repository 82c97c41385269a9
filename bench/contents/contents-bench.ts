/** A Binary of 100 MiB written and read, and the effect on reads of 16 Binaries of 5 MiB written at the same time. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { logIn, progress, SETTLE, startServer } from '../emr.ts'
import { Watch } from '../isolation/watch.ts'
import { median } from '../median.ts'
import { startMongod } from '../mongo/mongod.ts'
import { type ServerProcess, startProcess } from '../server-process.ts'

export const CONTENTS = 'contents'

const CEILING = 'bench/ceilings/mongo-contents.ts'

export const MIB = 1024 * 1024
export const LARGE = 100
export const MEDIUM = 5
export const WRITERS = 16
const ROUNDS = 3
/** Milliseconds between two looks at the memory. */
const LOOK = 20

export interface ContentsResults {
  readonly engine: string
  /** The large Binary: milliseconds, and the peak of memory above that before, in bytes; undefined without /proc. */
  readonly write: Transfer
  readonly read: Transfer
  /**
   * Milliseconds at the 99th percentile of a read of a Patient. `ceiling`, on MongoDB: beside the same uploads to a handler that
   * does nothing but call the driver, measured in turns with the server.
   */
  readonly p99: { readonly alone: number; readonly beside: number; readonly ceiling?: number }
}

export interface Transfer {
  readonly milliseconds: number
  readonly memory: number | undefined
}

export async function benchContents(engines: readonly string[], folder: string): Promise<readonly ContentsResults[]> {
  const results: ContentsResults[] = []
  for (const engine of engines) {
    const mongod = engine === 'mongodb' ? await startMongod(join(folder, 'mongo-contents')) : undefined
    const url = mongod?.urlOf(CONTENTS)
    const server = await startServer(url ?? `sqlite:${join(folder, 'contents.db')}`)
    const ceiling = url === undefined ? undefined : await startProcess(CEILING, { BENCH_DATABASE_URL: url })
    try {
      results.push({ engine, ...(await measured(server, ceiling)) })
    } finally {
      await ceiling?.stop()
      await server.stop()
      await mongod?.stop()
    }
  }
  return results
}

async function measured(server: ServerProcess, ceiling?: ServerProcess): Promise<Omit<ContentsResults, 'engine'>> {
  const authorization = await logIn(server.url)
  const send = sender(server.url, authorization)
  await pause(SETTLE)
  // The first transfer loads code, connections and threads that stay in memory.
  await send.read(await send.write(MEDIUM))
  const [writes, reads]: [Transfer[], Transfer[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    let path = ''
    await pause(SETTLE)
    writes.push(
      await watched(server, async () => {
        path = await send.write(LARGE)
      }),
    )
    await pause(SETTLE)
    reads.push(await watched(server, () => send.read(path)))
  }
  progress(`${LARGE} MiB: written in ${shortest(writes).toFixed(0)} ms, read in ${shortest(reads).toFixed(0)} ms`)
  return { write: most(writes), read: most(reads), p99: await readsBesideWrites(server, ceiling, authorization) }
}

const shortest = (transfers: readonly Transfer[]): number =>
  Math.min(...transfers.map(({ milliseconds }) => milliseconds))

const most = (transfers: readonly Transfer[]): Transfer => ({
  milliseconds: median(transfers.map(({ milliseconds }) => milliseconds)),
  memory: transfers.every(({ memory }) => memory === undefined)
    ? undefined
    : Math.max(...transfers.map(({ memory = 0 }) => memory)),
})

function sender(url: string, authorization: string) {
  return {
    /** @returns the path of a Binary of its own content */
    write: async (mebibytes: number, body = randomBytes(mebibytes * MIB)): Promise<string> => {
      const headers = { authorization, 'content-type': 'application/octet-stream' }
      const response = await fetch(`${url}/Binary`, { method: 'POST', headers, body })
      if (response.status !== 201) throw new Error(`A Binary was answered ${response.status}: ${await response.text()}`)
      return `/Binary/${((await response.json()) as { readonly id: string }).id}`
    },
    read: async (path: string): Promise<void> => {
      const response = await fetch(`${url}${path}`, { headers: { authorization } })
      for await (const _piece of response.body ?? []);
    },
  }
}

/** Peak of the memory not mapped from files during the work, above its value before. */
async function watched(server: ServerProcess, work: () => Promise<void>): Promise<Transfer> {
  const before = server.memory()?.own
  let highest = before ?? 0
  const timer = setInterval(() => {
    highest = Math.max(highest, server.memory()?.own ?? 0)
  }, LOOK)
  const started = performance.now()
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return {
    milliseconds: performance.now() - started,
    memory: before === undefined ? undefined : highest - before,
  }
}

async function readsBesideWrites(
  server: ServerProcess,
  ceiling: ServerProcess | undefined,
  authorization: string,
): Promise<ContentsResults['p99']> {
  const [alone, beside, bare]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < ROUNDS; round++) {
    const measured = await readsOf(server, authorization)
    alone.push(measured.alone)
    beside.push(measured.beside)
    if (ceiling !== undefined) bare.push((await readsOf(ceiling, authorization)).beside)
  }
  return {
    ...{ alone: median(alone), beside: median(beside) },
    ...(ceiling === undefined ? {} : { ceiling: median(bare) }),
  }
}

async function readsOf({ url, pid }: ServerProcess, authorization: string) {
  const watch = new Watch({ url, pid, path: '/Patient/abernathy-ruth', authorization })
  const send = sender(url, authorization)
  const p99During = async (work: () => Promise<unknown>): Promise<number> => {
    const end = watch.start()
    await work()
    return (await end()).reads.p99
  }
  try {
    await p99During(() => pause(1_000))
    const alone = await p99During(() => pause(2_000))
    const bodies = Array.from({ length: WRITERS }, () => randomBytes(MEDIUM * MIB))
    const beside = await p99During(() => Promise.all(bodies.map((body) => send.write(MEDIUM, body))))
    return { alone, beside }
  } finally {
    await watch.stop()
  }
}
