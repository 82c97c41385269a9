/** The audit trail in a SQLite file of its own, beside that of the resources. */
import { join } from 'node:path'
import type { AuditPage, AuditStore, Retention } from '../audit-port.ts'
import { SideThread } from '../side-thread.ts'
import { AuditFile } from './audit-file.ts'
import { type AuditFileOptions, type AuditOrder, auditWriter } from './audit-writer.ts'
import { SideReader } from './side-reader.ts'

/** The file of the audit trail beside that of the resources: `data/emr.db` has `data/emr.audit.db`. */
const auditPathOf = (path: string): string => (path === ':memory:' ? path : `${path.replace(/\.db$/, '')}.audit.db`)

/**
 * @param path of the file of the resources, or ':memory:'
 * @param onNotice receives notices for the server's log
 */
export function openSqliteAuditStore(
  path: string,
  retention: Retention,
  onNotice: (notice: string) => void,
): AuditStore {
  return path === ':memory:' ? inMemory(retention) : inFile(auditPathOf(path), retention, onNotice)
}

/** One connection, on this thread. */
function inMemory(retention: Retention): AuditStore {
  const writer = auditWriter({ path: ':memory:', ...retention })
  return {
    write: async (blocks) => void writer.write((file) => file.write(blocks)),
    scan: async (scan) => writer.file.scan(scan),
    read: async (clinic, key) => writer.file.read(clinic, key),
    close: async () => writer.close(),
  }
}

const ENTRY = join(import.meta.dirname, 'audit-thread.ts')
const NOTHING: AuditPage = { blocks: [] }

/** Writes in a thread of its own, and reads in this one by a second connection. */
function inFile(path: string, { days }: Retention, onNotice: (notice: string) => void): AuditStore {
  const thread = new SideThread<AuditOrder>({
    entry: ENTRY,
    what: 'writes the audit trail',
    data: { path, days } satisfies AuditFileOptions,
    onNotice,
  })
  const reader = new SideReader(path, (file) => new AuditFile(file, 'read'))
  return {
    write: (blocks) => thread.write(blocks),
    scan: async (scan) => reader.read((file) => file.scan(scan)) ?? NOTHING,
    read: async (clinic, key) => reader.read((file) => file.read(clinic, key)),
    // Its only notice is that a file was set aside.
    setAsideAt: () => thread.noticedAt,
    close: async () => {
      await thread.close()
      reader.close()
    },
  }
}
