/**
 * Writes the file of the journal, and removes entries beyond the limits. Runs in a thread, or in place where the store
 * is in memory.
 */
import type { JournalEntry, Kept } from '../journal-port.ts'
import { JournalFile } from './journal-file.ts'
import { SideWriter } from './side-writer.ts'

export interface JournalFileOptions {
  /** A file, or ':memory:'. */
  readonly path: string
}

/** Entries to be written together. */
export interface JournalOrder {
  readonly entries: readonly JournalEntry[]
  readonly kept: ReadonlyMap<string, Kept>
}

/** Milliseconds between two removals of excess entries. */
const REMOVE_EVERY = 600_000

/** @throws StoreUnavailable when the file cannot be opened */
export const journalWriter = ({ path }: JournalFileOptions): SideWriter<JournalFile> =>
  new SideWriter({
    path,
    what: 'the journal',
    open: (file) => new JournalFile(file, 'write'),
    removeSome: (file) => file.removeSome(Date.now()),
    removeEvery: REMOVE_EVERY,
  })
