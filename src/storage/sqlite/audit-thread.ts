/** The thread that writes the file of the audit trail: neither the event loop nor the writer of resources waits for it. */
import { workerData } from 'node:worker_threads'
import type { AuditBlock } from '../audit-port.ts'
import { runSideThread } from '../side-thread-entry.ts'
import { type AuditFileOptions, auditWriter } from './audit-writer.ts'

/** Blocks to write. */
export type AuditOrder = readonly AuditBlock[]

/** The file is opened at the first write, and after a failure at the next one. */
runSideThread({
  open: () => auditWriter(workerData as AuditFileOptions),
  write: (writer, blocks: AuditOrder) => writer.write((file) => file.write(blocks)),
})
