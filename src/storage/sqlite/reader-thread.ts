/** A thread that reads a SQLite file by its own connection, for reads that would hold the event loop for too long. */
import { Budget, withBudget } from '../../isolation/budget.ts'
import { lowerPriority } from '../../isolation/free-memory.ts'
import { type JobContext, serveJobs, startData } from '../../isolation/thread-entry.ts'
import { toSent } from '../thread-errors.ts'
import type { Engine } from './engine.ts'
import { openReceived, type SentOptions } from './engine.ts'
import type { ReadJob } from './reads.ts'
import { type Answer, inTime, type ReadKind, read } from './reads.ts'

/** Difference in `nice` value. */
const PRIORITY = 5

let opened: Engine | undefined

function run({ kind, query, what, canMove }: ReadJob, { endsAt, isAbandoned }: JobContext): Answer<ReadKind> {
  opened ??= openReceived('reader', startData<SentOptions>())
  const engine = opened
  const answer = () =>
    inTime(
      () => what,
      () => read(engine, kind, query, { endsAt, isAbandoned }),
    )
  // A result that is too long for the event loop to process is also too long for it to receive.
  return canMove ? withBudget(new Budget({ canMove }), answer) : answer()
}

lowerPriority(PRIORITY)
serveJobs({ run, toSent })
