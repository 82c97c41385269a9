/**
 * A part of the store in a SQLite file of its own, beside that of the resources. A thread writes it, so that neither the
 * event loop nor the writer of resources waits; it is read here by a second connection. Where the store is in memory,
 * one connection on this thread does both.
 */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordStore } from '../audit-port.ts'
import { SideThread } from '../side-thread.ts'
import { isUnreadable } from './faults.ts'
import type { SideFile } from './side-file.ts'
import { type SideContent, type SideKind, type SideThreadData, SideWriter } from './side-writer.ts'

interface SideStore<Order, File> extends RecordStore {
  write(order: Order): Promise<void>
  /** Runs `work` on the file; undefined: nothing was ever written, or it cannot be read. @throws StoreUnavailable */
  read<T>(work: (file: File) => T): Promise<T | undefined>
}

const ENTRY = join(import.meta.dirname, 'side-store-thread.ts')

/**
 * @param path of the file of the resources, or ':memory:'
 * @param of the same kind, in a form that can be sent to the thread
 * @param onNotice receives notices for the server's log
 */
export function openSideStore<Order extends object, File extends SideFile<Order>>(
  kind: SideKind<Order, File>,
  path: string,
  of: SideContent,
  onNotice: (notice: string) => void,
): SideStore<Order, File> {
  if (path === ':memory:') return inMemory(new SideWriter(kind, path))
  const own = `${path.replace(/\.db$/, '')}.${kind.ending}.db`
  const data: SideThreadData = { path: own, of }
  const thread = new SideThread<Order>({ entry: ENTRY, what: `writes the ${kind.name}`, data, onNotice })
  const reader = new SideReader(own, kind.open)
  return {
    write: (order) => thread.write(order),
    read: async (work) => reader.read(work),
    // Its only notice is that a file was set aside.
    setAsideAt: () => thread.noticedAt,
    close: async () => {
      await thread.close()
      reader.close()
    },
  }
}

const inMemory = <Order, File extends SideFile<Order>>(writer: SideWriter<Order, File>): SideStore<Order, File> => ({
  write: async (order) => void writer.write(order),
  read: async (work) => work(writer.file),
  close: async () => writer.close(),
})

/** Milliseconds between two checks whether the open file still has this path. */
const LOOK_EVERY = 1_000

/** Reads the file that currently has a given path: its writer sets an unreadable one aside. */
class SideReader<File extends SideFile<never>> {
  readonly #path: string
  readonly #open: SideKind<never, File>['open']
  #opened: { readonly file: File; readonly inode: number } | undefined
  #lookedAt = 0

  constructor(path: string, open: SideKind<never, File>['open']) {
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
    const file = this.#open({ path: this.#path, use: 'read' })
    if (file.hasTables) this.#opened = { file, inode }
    else file.close()
    return this.#opened?.file
  }
}
