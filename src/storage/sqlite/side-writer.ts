/**
 * Writes a file beside that of the resources. A file that is unreadable or of another form is set aside, and the server
 * continues with a new one. Runs in a thread, or in place where the store is in memory.
 */
import { existsSync, renameSync, statSync } from 'node:fs'
import { StoreUnavailable } from '../port.ts'
import { isUnreadable } from './faults.ts'
import { PARTS } from './private-files.ts'
import type { SideFile, SideFileOptions } from './side-file.ts'

/** A kind of file beside that of the resources. */
export interface SideKind<Order, File extends SideFile<Order> = SideFile<Order>> {
  /** Name of the content, for messages: `audit trail`. */
  readonly name: string
  /** Its file beside that of the resources: `data/emr.db` has `data/emr.audit.db` where it is `audit`. */
  readonly ending: string
  /** Milliseconds between two removals of what is no longer kept. */
  readonly removeEvery: number
  /** @throws StoreUnavailable when the file cannot be opened, OtherForm when it has other tables */
  readonly open: (options: SideFileOptions) => File
}

/** Data for the start of the thread that writes a file. */
export interface SideThreadData {
  readonly path: string
  readonly of: SideContent
}

/** The content of the file, and for how long it is kept where that is not part of each order. */
export type SideContent = { readonly kind: 'audit'; readonly days: number } | { readonly kind: 'journal' }

export class SideWriter<Order, File extends SideFile<Order>> {
  readonly #kind: SideKind<Order, File>
  readonly #path: string
  #file: File
  /** Identity of the file that is open: another process may have set it aside. */
  #inode: number | undefined
  #timer: NodeJS.Timeout | undefined
  #notice: string | undefined

  /** @throws StoreUnavailable when the file cannot be opened */
  constructor(kind: SideKind<Order, File>, path: string) {
    this.#kind = kind
    this.#path = path
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
  write(order: Order): string | undefined {
    try {
      this.#file.write(order)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      this.#file.close()
      this.#setAside()
      this.#file = this.#open()
      this.#file.write(order)
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
    this.#inode = inodeOf(this.#path)
    const file = this.#kind.open({ path: this.#path, use: 'write' })
    this.#inode = inodeOf(this.#path)
    return file
  }

  #setAside(): void {
    const path = this.#path
    if (inodeOf(path) !== this.#inode) return
    const aside = `${path}.unreadable-${Date.now()}`
    for (const part of PARTS) {
      if (existsSync(`${path}${part}`)) renameSync(`${path}${part}`, `${aside}${part}`)
    }
    this.#notice = `the ${this.#kind.name} could not be read; it was set aside as ${aside}, and a new one has begun`
  }

  #removeAfter(milliseconds: number): void {
    const next = () => this.#removeAfter(this.#removeSome() ? 0 : this.#kind.removeEvery)
    this.#timer = setTimeout(next, milliseconds).unref()
  }

  /** @returns whether there is more to remove now */
  #removeSome(): boolean {
    try {
      return this.#file.removeSome(Date.now())
    } catch (error) {
      // It is retried after a while; writes report a disk that cannot be written.
      if (error instanceof StoreUnavailable) return false
      throw error
    }
  }
}

const inodeOf = (path: string): number | undefined =>
  path !== ':memory:' && existsSync(path) ? statSync(path).ino : undefined
