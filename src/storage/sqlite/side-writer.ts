/**
 * Writes a file beside that of the resources. A file that is unreadable or of another form is set aside, and the server
 * continues with a new one. Runs in a thread, or in place where the store is in memory.
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
   * Removes some items that are no longer kept.
   * @returns whether there may be more
   * @throws StoreUnavailable
   */
  readonly removeSome: (file: File) => boolean
  /** Milliseconds between two removals. */
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

  /** The open file, which changes when one is set aside. */
  get file(): File {
    return this.#file
  }

  /**
   * @returns a notice for the server's log
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
      // It is retried after a while; writes report a disk that cannot be written.
      if (error instanceof StoreUnavailable) return false
      throw error
    }
  }
}

const inodeOf = (path: string): number | undefined =>
  path !== ':memory:' && existsSync(path) ? statSync(path).ino : undefined
