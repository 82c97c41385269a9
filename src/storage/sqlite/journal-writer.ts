/** Writes the file of the journal, and removes what is not kept any more. Runs in a thread, or where the store is in memory. */
import { existsSync, renameSync, statSync } from 'node:fs'
import type { JournalEntry, Kept } from '../journal-port.ts'
import { StoreUnavailable } from '../port.ts'
import { isUnreadable } from './faults.ts'
import { JournalFile } from './journal-file.ts'

export interface JournalFileOptions {
  /** A file, or ':memory:'. */
  readonly path: string
}

/** What is to be written together. */
export interface JournalOrder {
  readonly entries: readonly JournalEntry[]
  readonly kept: ReadonlyMap<string, Kept>
}

/** Milliseconds between two looks for what is not kept. */
const REMOVE_EVERY = 600_000

/** SQLite's own files beside the first one. */
const PARTS = ['', '-wal', '-shm']

export class JournalWriter {
  readonly #path: string
  #file: JournalFile
  /** Of the file that is open: another process may have set it aside. */
  #inode: number | undefined
  #timer: NodeJS.Timeout | undefined
  #notice: string | undefined

  /** @throws StoreUnavailable when the file cannot be opened */
  constructor({ path }: JournalFileOptions) {
    this.#path = path
    this.#file = this.#open()
    this.#removeAfter(0)
  }

  /** Another one when the first was set aside. */
  get file(): JournalFile {
    return this.#file
  }

  /**
   * @returns what the server's log is to say
   * @throws StoreUnavailable
   */
  write({ entries, kept }: JournalOrder): string | undefined {
    try {
      this.#file.write(entries, kept)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      this.#file.close()
      this.#setAside()
      this.#file = this.#open()
      this.#file.write(entries, kept)
    }
    const notice = this.#notice
    this.#notice = undefined
    return notice
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#file.close()
  }

  /** Nobody needs the journal so much that the server would go on without one. */
  #open(): JournalFile {
    try {
      return this.#opened()
    } catch (error) {
      if (!isUnreadable(error)) throw error
      this.#setAside()
      return this.#opened()
    }
  }

  #opened(): JournalFile {
    this.#inode = inodeOf(this.#path)
    const file = new JournalFile(this.#path, 'write')
    this.#inode = inodeOf(this.#path)
    return file
  }

  #setAside(): void {
    if (inodeOf(this.#path) !== this.#inode) return
    const aside = `${this.#path}.unreadable-${Date.now()}`
    for (const part of PARTS) {
      if (existsSync(`${this.#path}${part}`)) renameSync(`${this.#path}${part}`, `${aside}${part}`)
    }
    this.#notice = `the journal could not be read; it was set aside as ${aside}, and a new one has begun`
  }

  #removeAfter(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#removeAfter(this.#removeSome() ? 0 : REMOVE_EVERY), milliseconds).unref()
  }

  /** @returns whether there is more to remove now */
  #removeSome(): boolean {
    try {
      return this.#file.removeSome(Date.now())
    } catch (error) {
      // It is tried again after a while; a disk that cannot be written shows in the writes of entries.
      if (error instanceof StoreUnavailable) return false
      throw error
    }
  }
}

const inodeOf = (path: string): number | undefined =>
  path !== ':memory:' && existsSync(path) ? statSync(path).ino : undefined
