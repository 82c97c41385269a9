/** The thread that writes the file of the audit trail: neither the event loop nor the writer of resources waits for it. */
import { workerData } from 'node:worker_threads'
import { runSideThread } from '../side-thread-entry.ts'
import { type AuditFileOptions, type AuditOrder, auditWriter } from './audit-writer.ts'

/** The file is opened at the first write, and again at the next one after a failure. */
runSideThread({
  open: () => auditWriter(workerData as AuditFileOptions),
  write: (writer, blocks: AuditOrder) => writer.write((file) => file.write(blocks)),
})
