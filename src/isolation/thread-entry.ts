/** Serves jobs in a thread: the counterpart of thread-host.ts, with the messages between the two. */
import { parentPort, type Transferable, workerData } from 'node:worker_threads'
import { freeMemoryWhenQuiet, keepMemory } from './free-memory.ts'

/** Flags shared by the two threads, where a message would be too slow: the number of an abandoned job, and the effect. */
export const [ABANDONED, EFFECT] = [0, 1]
/** The effect of a job that has not begun to write, of one that has, and of one that must not begin any more. */
export const [NONE, BEGUN, LOST] = [0, 1, 2]

/** Sent by a thread that has started. */
export const READY = 'ready'
/** Sent instead of a job: ends the thread. */
export const CLOSE = 'close'

export interface Order<Job> {
  readonly number: number
  readonly job: Job
  readonly milliseconds: number | undefined
}

export type Reply =
  | { readonly number: number; readonly result: never }
  | { readonly number: number; readonly error: never }
  | { readonly notice: never }

export interface JobContext {
  /** Milliseconds since 1970 UTC. */
  readonly endsAt: number
  readonly isAbandoned: () => boolean
  /** Called before an effect that must not happen twice. */
  readonly onEffect: () => void
}

interface ThreadWork<Job, Result> {
  readonly run: (job: Job, context: JobContext) => Result | Promise<Result>
  readonly close?: () => unknown
  /** The error as a message. */
  readonly toSent: (error: unknown) => unknown
  /** Objects of a result that are handed over without a copy. */
  readonly transferOf?: (result: Result) => readonly Transferable[]
}

/** The data with which this thread was started. */
export const startData = <Data>(): Data => (workerData as { readonly value: Data }).value

/** Sends a message that belongs to no job. */
export const notify = (notice: unknown): void => parentPort?.postMessage({ notice })

export function serveJobs<Job, Result>({ run, close, toSent, transferOf = () => [] }: ThreadWork<Job, Result>): void {
  const answer = async ({ number, job, milliseconds = Number.POSITIVE_INFINITY }: Order<Job>): Promise<void> => {
    keepMemory()
    try {
      const result = await run(job, contextOf(number, milliseconds))
      parentPort?.postMessage({ number, result }, transferOf(result))
    } catch (error) {
      parentPort?.postMessage({ number, error: toSent(error) })
    }
    freeMemoryWhenQuiet()
  }
  const end = async (): Promise<void> => {
    await close?.()
    parentPort?.close()
  }
  parentPort?.on('message', (order: Order<Job> | typeof CLOSE) => void (order === CLOSE ? end() : answer(order)))
  parentPort?.postMessage(READY)
}

function contextOf(number: number, milliseconds: number): JobContext {
  const { flags } = workerData as { readonly flags: Int32Array }
  return {
    endsAt: Date.now() + milliseconds,
    isAbandoned: () => Atomics.load(flags, ABANDONED) === number,
    onEffect: () => {
      // A lost job writes nothing more: its thread waits here to be ended.
      if (Atomics.compareExchange(flags, EFFECT, NONE, BEGUN) === LOST) Atomics.wait(flags, EFFECT, LOST)
    },
  }
}
