/** Writes the file of the audit trail, and removes what is older than it is kept. Runs in a thread, or where the store is in memory. */

import { workerData } from 'node:worker_threads'
import { type AuditBlock, MILLISECONDS_PER_DAY, type Retention } from '../audit-port.ts'
import { runSideThread } from '../side-thread-entry.ts'
import { AuditFile } from './audit-file.ts'
import { SideWriter } from './side-writer.ts'

/** Milliseconds between two looks for what is too old. */
const REMOVE_EVERY = 3_600_000
/** Blocks that are removed in one commit. */
const REMOVED_AT_A_TIME = 100

export interface AuditFileOptions extends Retention {
  /** A file, or ':memory:'. */
  readonly path: string
}

/** @throws StoreUnavailable when the file cannot be opened */
export const auditWriter = ({ path, days }: AuditFileOptions): SideWriter<AuditFile> =>
  new SideWriter({
    path,
    what: 'the audit trail',
    open: (file) => new AuditFile(file, 'write'),
    removeSome: (file) => file.removeBefore(Date.now() - days * MILLISECONDS_PER_DAY, REMOVED_AT_A_TIME),
    removeEvery: REMOVE_EVERY,
  })

/** Blocks to write. */
export type AuditOrder = readonly AuditBlock[]

/** The file is opened at the first write, and after a failure at the next one. */
runSideThread({
  open: () => auditWriter(workerData as AuditFileOptions),
  write: (writer, blocks: AuditOrder) => writer.write((file) => file.write(blocks)),
})
