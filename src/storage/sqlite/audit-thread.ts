/** The thread that writes the file of the audit trail: neither the event loop nor the writer of resources waits for it. */
import { parentPort, workerData } from 'node:worker_threads'
import { freeMemoryWhenQuiet, keepMemory } from '../../budget/free-memory.ts'
import { lowerPriority } from '../../budget/thread-priority.ts'
import type { AuditBlock } from '../audit-port.ts'
import { type AuditFileOptions, AuditWriter } from './audit-writer.ts'
import { type SentError, toSent } from './thread-errors.ts'

/** Blocks to write, or the end. Each order to write is answered, one after the other. */
export type AuditOrder = readonly AuditBlock[] | 'close'

/** Undefined: written. */
export interface AuditReply {
  readonly error: SentError | undefined
}

/** As `nice` counts; nobody waits for it. */
const PRIORITY = 10

lowerPriority(PRIORITY)
let writer: AuditWriter | undefined

parentPort?.on('message', (order: AuditOrder) => {
  if (order === 'close') {
    keepMemory()
    writer?.close()
    parentPort?.close()
    return
  }
  parentPort?.postMessage({ error: write(order) } satisfies AuditReply)
  freeMemoryWhenQuiet()
})

/** The file is opened at the first write, and after a failure at the next one. */
function write(blocks: readonly AuditBlock[]): SentError | undefined {
  try {
    writer ??= new AuditWriter(workerData as AuditFileOptions)
    writer.write(blocks)
    return undefined
  } catch (error) {
    return toSent(error)
  }
}
