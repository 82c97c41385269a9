/**
 * Writes the file of the audit trail, and removes events past their retention. Runs in a thread, or in place where the
 * store is in memory.
 */
import { type AuditBlock, MILLISECONDS_PER_DAY, type Retention } from '../audit-port.ts'
import { AuditFile } from './audit-file.ts'
import { SideWriter } from './side-writer.ts'

/** Milliseconds between two removals of old blocks. */
const REMOVE_EVERY = 3_600_000
/** Most blocks removed in one commit. */
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
