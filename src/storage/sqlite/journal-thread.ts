/** The thread that writes the file of the journal: neither the event loop nor the writer of resources waits for it. */
import { workerData } from 'node:worker_threads'
import { runSideThread } from '../side-thread-entry.ts'
import { type JournalFileOptions, type JournalOrder, journalWriter } from './journal-writer.ts'

runSideThread({
  open: () => journalWriter(workerData as JournalFileOptions),
  write: (writer, { entries, kept }: JournalOrder) => writer.write((file) => file.write(entries, kept)),
})
