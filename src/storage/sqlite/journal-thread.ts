/** The thread that writes the file of the journal: neither the event loop nor the writer of resources waits for it. */
import { workerData } from 'node:worker_threads'
import { runSideThread } from '../side-thread-entry.ts'
import { type JournalFileOptions, type JournalOrder, JournalWriter } from './journal-writer.ts'

runSideThread({
  open: () => new JournalWriter(workerData as JournalFileOptions),
  write: (writer, order: JournalOrder) => writer.write(order),
})
