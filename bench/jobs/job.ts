/** A job of the server, from its request to its manifest: how long it takes, and its memory meanwhile. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Verdict } from '../report.ts'
import type { ServerProcess } from '../server-process.ts'

/** The data set of this scale has 100,000 resources. */
export const SCALE = 3.65
/** Milliseconds between two looks at the state, of which a second has five at most, and at the memory. */
const [LOOK, LOOK_AT_MEMORY] = [220, 20]
const MIB = 1024 * 1024
/** Bytes of memory beyond that of before. */
const MOST_MEMORY = 64 * MIB

export interface DoneJob {
  readonly body: unknown
  readonly milliseconds: number
  /** Bytes at most beyond those of before; undefined without /proc. */
  readonly memory: number | undefined
}

/** Deletes the job in the end. @throws Error when it is refused or fails */
export async function jobDone(
  server: ServerProcess,
  headers: Readonly<Record<string, string>>,
  path: string,
  request: { readonly method?: string; readonly body?: string } = {},
): Promise<DoneJob> {
  const before = server.memory()?.own ?? 0
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, server.memory()?.own ?? 0)
  }, LOOK_AT_MEMORY)
  try {
    return { ...(await doneAfter(server, headers, path, request)), memory: before === 0 ? undefined : most - before }
  } finally {
    clearInterval(watch)
  }
}

async function doneAfter(
  server: ServerProcess,
  headers: Readonly<Record<string, string>>,
  path: string,
  request: { readonly method?: string; readonly body?: string },
): Promise<Omit<DoneJob, 'memory'>> {
  const started = performance.now()
  const accepted = await fetch(`${server.url}${path}`, {
    ...request,
    headers: { ...headers, prefer: 'respond-async' },
  })
  const job = accepted.headers.get('content-location')
  if (job === null) throw new Error(`${path} was answered ${accepted.status}: ${await accepted.text()}`)
  for (;;) {
    const state = await fetch(job, { headers })
    if (state.status === 200) {
      const milliseconds = performance.now() - started
      const body = await state.json()
      await fetch(job, { method: 'DELETE', headers })
      return { body, milliseconds }
    }
    if (state.status !== 202) throw new Error(`${path} has failed: ${state.status} ${await state.text()}`)
    await state.body?.cancel()
    await pause(LOOK)
  }
}

export const mebibytes = (bytes: number | undefined): string => (bytes === undefined ? '-' : (bytes / MIB).toFixed(1))

export const memoryVerdict = (what: string, memory: number | undefined): Verdict => ({
  ...{ what, value: `${mebibytes(memory)} MiB of memory`, target: `below ${mebibytes(MOST_MEMORY)} MiB` },
  pass: memory === undefined || memory < MOST_MEMORY,
})
