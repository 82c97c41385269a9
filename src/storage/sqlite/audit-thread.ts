/** The thread that writes the file of the audit trail: neither the event loop nor the writer of resources waits for it. */
import { startData } from '../../isolation/thread-entry.ts'
import { runSideThread } from '../side-thread.ts'
import { type AuditFileOptions, type AuditOrder, auditWriter } from './audit-writer.ts'

/** The file is opened at the first write, and again at the next one after a failure. */
runSideThread({
  open: () => auditWriter(startData<AuditFileOptions>()),
  write: (writer, blocks: AuditOrder) => writer.write((file) => file.write(blocks)),
})
