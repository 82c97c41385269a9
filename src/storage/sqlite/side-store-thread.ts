/** The thread that writes a file beside that of the resources: no request waits for it. */
import { lowerPriority } from '../../isolation/free-memory.ts'
import { notify, serveJobs, startData } from '../../isolation/thread-entry.ts'
import { toSent } from '../thread-errors.ts'
import { auditFile } from './audit-store.ts'
import { JOURNAL_FILE } from './journal-store.ts'
import { type SideFile, type SideKind, type SideThreadData, SideWriter } from './side-store.ts'

/** Difference in `nice` value. */
const PRIORITY = 10

const { path, of } = startData<SideThreadData>()

/** Opens the file at the first order, and again at the next one after that has failed. */
function run<Order>(kind: SideKind<Order>): void {
  let writer: SideWriter<Order, SideFile<Order>> | undefined
  serveJobs<Order, void>({
    run: (order) => {
      writer ??= new SideWriter(kind, path)
      const notice = writer.write(order)
      if (notice !== undefined) notify(notice)
    },
    close: () => writer?.close(),
    toSent,
  })
}

lowerPriority(PRIORITY)
if (of.kind === 'audit') run(auditFile(of))
else run(JOURNAL_FILE)
