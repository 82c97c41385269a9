/**
 * Writes a file beside that of the resources, and sets it aside where it cannot be read or is of another form: a server goes on
 * with a new one. Runs in a thread, or where the store is in memory.
 */
import { existsSync, renameSync, statSync } from 'node:fs'
import { StoreUnavailable } from '../port.ts'
import { PARTS } from './connection.ts'
import { isUnreadable } from './faults.ts'

interface Closable {
  close(): void
}

export interface SideWriterParts<File extends Closable> {
  /** A file, or ':memory:'. */
  readonly path: string
  /** The content, as a noun phrase: `the journal`. */
  readonly what: string
  /** @throws StoreUnavailable when the file cannot be opened */
  readonly open: (path: string) => File
  /**
   * Removes some of what is not kept any more.
   * @returns whether there may be more
   * @throws StoreUnavailable
   */
  readonly removeSome: (file: File) => boolean
  /** Milliseconds between two looks for what is not kept. */
  readonly removeEvery: number
}

export class SideWriter<File extends Closable> {
  readonly #parts: SideWriterParts<File>
  #file: File
  /** Identity of the file that is open: another process may have set it aside. */
  #inode: number | undefined
  #timer: NodeJS.Timeout | undefined
  #notice: string | undefined

  /** @throws StoreUnavailable when the file cannot be opened */
  constructor(parts: SideWriterParts<File>) {
    this.#parts = parts
    this.#file = this.#open()
    this.#removeAfter(0)
  }

  /** Another one when the first was set aside. */
  get file(): File {
    return this.#file
  }

  /**
   * @returns what the server's log is to say
   * @throws StoreUnavailable
   */
  write(work: (file: File) => void): string | undefined {
    try {
      work(this.#file)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      this.#file.close()
      this.#setAside()
      this.#file = this.#open()
      work(this.#file)
    }
    const notice = this.#notice
    this.#notice = undefined
    return notice
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#file.close()
  }

  #open(): File {
    try {
      return this.#opened()
    } catch (error) {
      if (!isUnreadable(error)) throw error
      this.#setAside()
      return this.#opened()
    }
  }

  #opened(): File {
    const { path, open } = this.#parts
    this.#inode = inodeOf(path)
    const file = open(path)
    this.#inode = inodeOf(path)
    return file
  }

  #setAside(): void {
    const { path, what } = this.#parts
    if (inodeOf(path) !== this.#inode) return
    const aside = `${path}.unreadable-${Date.now()}`
    for (const part of PARTS) {
      if (existsSync(`${path}${part}`)) renameSync(`${path}${part}`, `${aside}${part}`)
    }
    this.#notice = `${what} could not be read; it was set aside as ${aside}, and a new one has begun`
  }

  #removeAfter(milliseconds: number): void {
    const { removeEvery } = this.#parts
    this.#timer = setTimeout(() => this.#removeAfter(this.#removeSome() ? 0 : removeEvery), milliseconds).unref()
  }

  /** @returns whether there is more to remove now */
  #removeSome(): boolean {
    try {
      return this.#parts.removeSome(this.#file)
    } catch (error) {
      // It is tried again after a while; a disk that cannot be written shows in the writes.
      if (error instanceof StoreUnavailable) return false
      throw error
    }
  }
}

const inodeOf = (path: string): number | undefined =>
  path !== ':memory:' && existsSync(path) ? statSync(path).ino : undefined
