/** A thread that reads a SQLite file by its own connection, for reads that would hold the event loop for too long. */
import { parentPort, workerData } from 'node:worker_threads'
import { Budget, withBudget } from '../../isolation/budget.ts'
import { freeMemoryWhenQuiet, keepMemory, lowerPriority } from '../../isolation/free-memory.ts'
import { toSent } from '../thread-errors.ts'
import type { Engine } from './engine.ts'
import { openReceived } from './engines.ts'
import type { ReaderData, ReadRequest, ReadResponse } from './reader-protocol.ts'
import { inTime, read } from './reads.ts'

/** Difference in `nice` value. */
const PRIORITY = 5

const { options, abandoned } = workerData as ReaderData
const abandonedRead = new Int32Array(abandoned)
let opened: Engine | undefined

function responseTo({ number, kind, query, endsAt, what, canMove }: ReadRequest): ReadResponse {
  const isAbandoned = () => Atomics.load(abandonedRead, 0) === number
  try {
    opened ??= openReceived('reader', options)
    const engine = opened
    const answer = () =>
      inTime(
        () => what,
        () => read(engine, kind, query, { endsAt, isAbandoned }),
      )
    // A result that is too long for the event loop to process is also too long for it to receive.
    return { answer: canMove ? withBudget(new Budget({ canMove }), answer) : answer() }
  } catch (error) {
    return { error: toSent(error) }
  }
}

lowerPriority(PRIORITY)
parentPort?.on('message', (request: ReadRequest) => {
  keepMemory()
  parentPort?.postMessage(responseTo(request))
  freeMemoryWhenQuiet()
})
