/** The thread that owns the writing connection of a SQLite file. It serves clients through the ports handed to it. */
import type { MessagePort } from 'node:worker_threads'
import { freeMemoryWhenQuiet } from '../../isolation/free-memory.ts'
import { serveJobs, startData } from '../../isolation/thread-entry.ts'
import { type SentError, toSent } from '../thread-errors.ts'
import { TIMES } from './connection.ts'
import type { Engine } from './engine.ts'
import { openReceived, type SentOptions } from './engine.ts'
import { toStoreError } from './faults.ts'
import { GroupCommit, type Writer } from './group-commit.ts'
import type { ConnectOrder } from './sharing.ts'
import { receivedOf, type SentChanges, type WriterRequest, type WriterResponse } from './writer-client.ts'

interface Opened {
  readonly engine: Engine
  readonly core: GroupCommit
}

const options = startData<SentOptions>()
const ports = new Set<MessagePort>()
let opened: Opened | undefined

/**
 * The writer, opened at the first request, and again at the next one after a failure.
 * @throws StoreUnavailable
 */
function writer(): Writer {
  if (opened !== undefined) return opened.core
  try {
    const engine = openReceived('writer', options)
    opened = { engine, core: new GroupCommit(engine, { turns: 1, guards: TIMES.guards }) }
    return opened.core
  } catch (error) {
    throw toStoreError(error)
  }
}

async function responseTo(request: WriterRequest): Promise<WriterResponse> {
  if (request.kind === 'write') return { kind: 'written', refused: await refusedOf(request.sets) }
  const { id, method, args } = request
  try {
    const work = writer()[method] as (...given: typeof args) => Promise<unknown>
    return { kind: 'done', id, value: await work.apply(writer(), [...args]) }
  } catch (error) {
    return { kind: 'failed', id, error: toSent(error) }
  }
}

async function refusedOf(sets: readonly SentChanges[]): Promise<ReadonlyMap<number, SentError>> {
  const outcomes = await Promise.allSettled(sets.map(async (set) => await writer().write(receivedOf(set))))
  return new Map(
    outcomes.flatMap((outcome, index) => (outcome.status === 'rejected' ? [[index, toSent(outcome.reason)]] : [])),
  )
}

function connect({ port }: ConnectOrder): void {
  ports.add(port)
  port.on('close', () => ports.delete(port))
  port.on('message', async (request: WriterRequest) => {
    port.postMessage(await responseTo(request))
    freeMemoryWhenQuiet()
  })
  port.postMessage({ kind: 'ready' } satisfies WriterResponse)
}

async function close(): Promise<void> {
  await opened?.core.close()
  opened?.engine.db.close()
  for (const port of ports) port.close()
}

serveJobs({
  run: connect,
  close,
  // Only a fault of the program makes a connection fail: it ends the thread.
  toSent: (error) => {
    throw error
  },
})
