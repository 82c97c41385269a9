/** The thread that writes a file beside that of the resources: no request waits for it. */
import { workerData } from 'node:worker_threads'
import { runSideThread } from '../side-thread-entry.ts'
import { auditFile } from './audit-store.ts'
import { JOURNAL_FILE } from './journal-store.ts'
import { type SideKind, SideWriter } from './side-writer.ts'

export interface SideThreadData {
  readonly path: string
  readonly of: SideContent
}

/** The content of the file, and for how long it is kept where that is not part of each order. */
export type SideContent = { readonly kind: 'audit'; readonly days: number } | { readonly kind: 'journal' }

const { path, of } = workerData as SideThreadData

/** The file is opened at the first write, and again at the next one after a failure. */
const run = <Order>(kind: SideKind<Order>): void =>
  runSideThread({
    open: () => new SideWriter(kind, path),
    write: (writer, order: Order) => writer.write(order),
  })

if (of.kind === 'audit') run(auditFile(of))
else run(JOURNAL_FILE)
