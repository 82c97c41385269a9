/** The thread that writes the file of the journal: neither the event loop nor the writer of resources waits for it. */
import { startData } from '../../isolation/thread-entry.ts'
import { runSideThread } from '../side-thread.ts'
import { type JournalFileOptions, type JournalOrder, journalWriter } from './journal-writer.ts'

runSideThread({
  open: () => journalWriter(startData<JournalFileOptions>()),
  write: (writer, { entries, kept }: JournalOrder) => writer.write((file) => file.write(entries, kept)),
})
