/** Reads the file that currently has a given path: its writer sets an unreadable one aside (side-writer.ts). */
import { existsSync, statSync } from 'node:fs'
import { isUnreadable } from './faults.ts'

/** Milliseconds between two checks whether the open file still has this path. */
const LOOK_EVERY = 1_000

interface Readable {
  /** False for a file in which this version has not written yet. */
  readonly hasTables: boolean
  close(): void
}

export class SideReader<File extends Readable> {
  readonly #path: string
  readonly #open: (path: string) => File
  #opened: { readonly file: File; readonly inode: number } | undefined
  #lookedAt = 0

  constructor(path: string, open: (path: string) => File) {
    this.#path = path
    this.#open = open
  }

  /** Runs `work` on the file; undefined: nothing was ever written, or it cannot be read. @throws StoreUnavailable */
  read<T>(work: (file: File) => T): T | undefined {
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

  #file(): File | undefined {
    const now = Date.now()
    if (this.#opened !== undefined && now - this.#lookedAt < LOOK_EVERY) return this.#opened.file
    this.#lookedAt = now
    const inode = existsSync(this.#path) ? statSync(this.#path).ino : undefined
    if (inode === this.#opened?.inode) return this.#opened?.file
    this.close()
    if (inode === undefined) return undefined
    const file = this.#open(this.#path)
    if (file.hasTables) this.#opened = { file, inode }
    else file.close()
    return this.#opened?.file
  }
}
