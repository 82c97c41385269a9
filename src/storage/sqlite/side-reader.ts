/** Reads the file that has a name at the moment: one that cannot be read is set aside by its writer (side-writer.ts). */
import { existsSync, statSync } from 'node:fs'
import { isUnreadable } from './faults.ts'

/** Milliseconds between two looks whether the file is still the one that is open. */
const LOOK_EVERY = 1_000

interface Readable {
  /** False for a file in which nothing was ever written by this version. */
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

  /** Undefined: nothing was ever written, or what was cannot be read. @throws StoreUnavailable */
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
