/** The audit trail in a SQLite file of its own, beside that of the resources. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditPage, AuditStore, Retention } from '../audit-port.ts'
import { SideThread } from '../side-thread.ts'
import { AuditFile } from './audit-file.ts'
import type { AuditOrder } from './audit-thread.ts'
import { type AuditFileOptions, AuditWriter } from './audit-writer.ts'

/** The file of the audit trail beside that of the resources: `data/emr.db` has `data/emr.audit.db`. */
const auditPathOf = (path: string): string => (path === ':memory:' ? path : `${path.replace(/\.db$/, '')}.audit.db`)

/** @param path of the file of the resources, or ':memory:' */
export function openSqliteAuditStore(path: string, retention: Retention): AuditStore {
  return path === ':memory:' ? inMemory(retention) : inFile(auditPathOf(path), retention)
}

/** One connection, on this thread. */
function inMemory(retention: Retention): AuditStore {
  const writer = new AuditWriter({ path: ':memory:', ...retention })
  return {
    write: async (blocks) => writer.write(blocks),
    scan: async (scan) => writer.file.scan(scan),
    read: async (clinic, key) => writer.file.read(clinic, key),
    close: async () => writer.close(),
  }
}

const ENTRY = join(import.meta.dirname, 'audit-thread.ts')
const NOTHING: AuditPage = { blocks: [] }

/** A thread writes; this one reads, by a connection of its own. */
function inFile(path: string, { days }: Retention): AuditStore {
  const thread = new SideThread<AuditOrder>({
    entry: ENTRY,
    what: 'writes the audit trail',
    workerData: { path, days } satisfies AuditFileOptions,
  })
  let opened: AuditFile | undefined
  /** Undefined: nothing was ever written. */
  const file = (): AuditFile | undefined => {
    if (opened !== undefined || !existsSync(path)) return opened
    const found = new AuditFile(path, 'read')
    if (found.hasBlocks) opened = found
    else found.close()
    return opened
  }
  return {
    write: (blocks) => thread.write(blocks),
    scan: async (scan) => file()?.scan(scan) ?? NOTHING,
    read: async (clinic, key) => file()?.read(clinic, key),
    close: async () => {
      await thread.close()
      opened?.close()
    },
  }
}
