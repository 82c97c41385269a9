/** The journal in a SQLite file of its own, beside that of the resources. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalPage, JournalStore } from '../journal-port.ts'
import { SideThread } from '../side-thread.ts'
import { isUnreadable } from './faults.ts'
import { JournalFile } from './journal-file.ts'
import { type JournalFileOptions, type JournalOrder, JournalWriter } from './journal-writer.ts'

/** The file of the journal beside that of the resources: `data/emr.db` has `data/emr.journal.db`. */
const journalPathOf = (path: string): string => (path === ':memory:' ? path : `${path.replace(/\.db$/, '')}.journal.db`)

/**
 * @param path of the file of the resources, or ':memory:'
 * @param onNotice is told what the server's log is to say
 */
export function openSqliteJournalStore(path: string, onNotice: (notice: string) => void): JournalStore {
  return path === ':memory:' ? inMemory() : inFile(journalPathOf(path), onNotice)
}

/** One connection, on this thread. */
function inMemory(): JournalStore {
  const writer = new JournalWriter({ path: ':memory:' })
  return {
    write: async (entries, kept) => void writer.write({ entries, kept }),
    scan: async (scan) => writer.file.scan(scan),
    read: async (clinic, id) => writer.file.read(clinic, id),
    bounds: async (clinic) => writer.file.bounds(clinic),
    close: async () => writer.close(),
  }
}

const ENTRY = join(import.meta.dirname, 'journal-thread.ts')
const NOTHING: JournalPage = { entries: [] }
const NO_BOUNDS = { first: 0, last: 0 }

/** A thread writes; this one reads, by a connection of its own. */
function inFile(path: string, onNotice: (notice: string) => void): JournalStore {
  const thread = new SideThread<JournalOrder>({
    entry: ENTRY,
    what: 'writes the journal',
    workerData: { path } satisfies JournalFileOptions,
    onNotice,
  })
  const reader = new Reader(path)
  return {
    write: (entries, kept) => thread.write({ entries, kept }),
    scan: async (scan) => reader.read((file) => file.scan(scan)) ?? NOTHING,
    read: async (clinic, id) => reader.read((file) => file.read(clinic, id)),
    bounds: async (clinic) => reader.read((file) => file.bounds(clinic)) ?? NO_BOUNDS,
    close: async () => {
      await thread.close()
      reader.close()
    },
  }
}

/** Milliseconds between two looks whether the file is still the one that is open. */
const LOOK_EVERY = 1_000

/** Reads the file that has the name at the moment: one that cannot be read is set aside by its writer. */
class Reader {
  readonly #path: string
  #opened: { readonly file: JournalFile; readonly inode: number } | undefined
  #lookedAt = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Undefined: nothing was ever written, or what was cannot be read. @throws StoreUnavailable */
  read<T>(work: (file: JournalFile) => T): T | undefined {
    try {
      const file = this.#file()
      return file && work(file)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      this.close()
      return undefined
    }
  }

  close(): void {
    this.#opened?.file.close()
    this.#opened = undefined
  }

  #file(): JournalFile | undefined {
    const now = Date.now()
    if (this.#opened !== undefined && now - this.#lookedAt < LOOK_EVERY) return this.#opened.file
    this.#lookedAt = now
    const inode = existsSync(this.#path) ? statSync(this.#path).ino : undefined
    if (inode === this.#opened?.inode) return this.#opened?.file
    this.close()
    if (inode === undefined) return undefined
    const file = new JournalFile(this.#path, 'read')
    if (file.hasTables) this.#opened = { file, inode }
    else file.close()
    return this.#opened?.file
  }
}
