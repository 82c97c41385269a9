/** The journal in a SQLite file of its own, beside that of the resources. */
import { join } from 'node:path'
import type { JournalPage, JournalStore } from '../journal-port.ts'
import { SideThread } from '../side-thread.ts'
import { JournalFile } from './journal-file.ts'
import { type JournalFileOptions, type JournalOrder, journalWriter } from './journal-writer.ts'
import { SideReader } from './side-reader.ts'

/** The file of the journal beside that of the resources: `data/emr.db` has `data/emr.journal.db`. */
const journalPathOf = (path: string): string => (path === ':memory:' ? path : `${path.replace(/\.db$/, '')}.journal.db`)

/**
 * @param path of the file of the resources, or ':memory:'
 * @param onNotice receives notices for the server's log
 */
export function openSqliteJournalStore(path: string, onNotice: (notice: string) => void): JournalStore {
  return path === ':memory:' ? inMemory() : inFile(journalPathOf(path), onNotice)
}

/** One connection, on this thread. */
function inMemory(): JournalStore {
  const writer = journalWriter({ path: ':memory:' })
  return {
    write: async (entries, kept) => void writer.write((file) => file.write(entries, kept)),
    scan: async (scan) => writer.file.scan(scan),
    read: async (clinic, id) => writer.file.read(clinic, id),
    bounds: async (clinic) => writer.file.bounds(clinic),
    close: async () => writer.close(),
  }
}

const ENTRY = join(import.meta.dirname, 'journal-thread.ts')
const NOTHING: JournalPage = { entries: [] }
const NO_BOUNDS = { first: 0, last: 0 }

/** Writes in a thread of its own, and reads in this one by a second connection. */
function inFile(path: string, onNotice: (notice: string) => void): JournalStore {
  const thread = new SideThread<JournalOrder>({
    entry: ENTRY,
    what: 'writes the journal',
    data: { path } satisfies JournalFileOptions,
    onNotice,
  })
  const reader = new SideReader(path, (file) => new JournalFile(file, 'read'))
  return {
    write: (entries, kept) => thread.write({ entries, kept }),
    scan: async (scan) => reader.read((file) => file.scan(scan)) ?? NOTHING,
    read: async (clinic, id) => reader.read((file) => file.read(clinic, id)),
    bounds: async (clinic) => reader.read((file) => file.bounds(clinic)) ?? NO_BOUNDS,
    // Its only notice is that a file was set aside.
    setAsideAt: () => thread.noticedAt,
    close: async () => {
      await thread.close()
      reader.close()
    },
  }
}
