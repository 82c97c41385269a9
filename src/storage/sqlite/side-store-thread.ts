/** The thread that writes a file beside that of the resources: no request waits for it. */
import { startData } from '../../isolation/thread-entry.ts'
import { runSideThread } from '../side-thread.ts'
import { auditFile } from './audit-store.ts'
import { JOURNAL_FILE } from './journal-store.ts'
import { type SideKind, type SideThreadData, SideWriter } from './side-writer.ts'

const { path, of } = startData<SideThreadData>()

/** The file is opened at the first write, and again at the next one after a failure. */
const run = <Order>(kind: SideKind<Order>): void =>
  runSideThread({
    open: () => new SideWriter(kind, path),
    write: (writer, order: Order) => writer.write(order),
  })

if (of.kind === 'audit') run(auditFile(of))
else run(JOURNAL_FILE)
