/**
 * A part of the store in a SQLite file of its own, beside that of the resources. A thread writes it, so that neither the
 * event loop nor the writer of resources waits; it is read here by a second connection. Where the store is in memory,
 * one connection on this thread does both.
 */
import { existsSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { HostedThread } from '../../isolation/thread-host.ts'
import type { RecordStore } from '../audit-port.ts'
import { StoreUnavailable } from '../store-errors.ts'
import { toThrown } from '../thread-errors.ts'
import { Database } from './connection.ts'
import { isUnreadable, OtherForm, toStoreError } from './faults.ts'
import { PARTS } from './private-files.ts'

interface SideStore<Order, File> extends RecordStore {
  write(order: Order): Promise<void>
  /** Runs `work` on the file; undefined: nothing was ever written, or it cannot be read. @throws StoreUnavailable */
  read<T>(work: (file: File) => T): Promise<T | undefined>
}

const ENTRY = join(import.meta.dirname, 'side-store-thread.ts')

/** The file beside that of the resources: see SideKind.ending. */
export const sideFileOf = (path: string, ending: string): string => `${path.replace(/\.db$/, '')}.${ending}.db`

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
  const own = sideFileOf(path, kind.ending)
  const what = `writes the ${kind.name}`
  let setAsideAt: number | undefined
  const thread = new HostedThread<Order, void>({
    ...{ entry: ENTRY, name: what, megabytes: [256, 8], toThrown },
    data: () => ({ value: { path: own, of } satisfies SideThreadData }),
    lost: () => new StoreUnavailable(`The thread that ${what} has ended`),
    // Its only notice is that a file was set aside.
    onNotice: (notice: string) => {
      setAsideAt = Date.now()
      onNotice(notice)
    },
  })
  const reader = new SideReader(own, kind.open)
  return {
    write: (order) => thread.run(order),
    read: async (work) => reader.read(work),
    setAsideAt: () => setAsideAt,
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
type SideContent = { readonly kind: 'audit'; readonly days: number } | { readonly kind: 'journal' }

/**
 * Writes the file. One that is unreadable or of another form is set aside, and the server continues with a new one. Runs
 * in a thread, or in place where the store is in memory.
 */
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

export interface SideFileForm {
  /** Name of the content, for messages: `audit trail`. */
  readonly name: string
  /**
   * Statements that take the tables from no version to version 1, from version 1 to 2, and so on. The number of
   * executed steps is in SQLite's user_version.
   */
  readonly steps: readonly string[]
  /** KiB of pages that the writing connection keeps in memory. */
  readonly cache: number
}

/**
 * NORMAL: a commit does not wait for the disk. Commits survive the end of the process; when the machine loses power,
 * those since the last checkpoint may be lost.
 */
const writing = (cache: number): string => `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -${cache};
  PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF;
`

export interface SideFileOptions {
  /** A file, or ':memory:'. */
  readonly path: string
  readonly use: 'write' | 'read'
}

/** The file, with its own tables: one connection, either for writing or for reading only. */
export abstract class SideFile<Order> {
  readonly #db: Database
  readonly #form: SideFileForm

  /** @throws StoreUnavailable when the file cannot be opened, OtherForm when it has tables of another version */
  constructor({ path, use }: SideFileOptions, form: SideFileForm) {
    this.#form = form
    let db: Database | undefined
    try {
      db = new Database(path)
      if (use === 'read') db.configureForReading()
      else prepare(db, path, form)
      this.#db = db
    } catch (error) {
      db?.close()
      throw toStoreError(error)
    }
  }

  /** Writes all or none. @throws StoreUnavailable */
  abstract write(order: Order): void

  /**
   * Removes some of what is no longer kept, so that others can write between calls.
   * @param now milliseconds since 1970 UTC
   * @returns whether there may be more
   * @throws StoreUnavailable
   */
  abstract removeSome(now: number): boolean

  /** False for a file in which this version has not written yet: the first write migrates it. */
  get hasTables(): boolean {
    return this.query((db) => versionOf(db) === this.#form.steps.length && isOfForm(db, this.#form))
  }

  /** @throws StoreUnavailable */
  protected query<T>(work: (db: Database) => T): T {
    try {
      return work(this.#db)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  /** Runs `work` in one transaction. @throws StoreUnavailable */
  protected change<T>(work: (db: Database) => T): T {
    return this.query((db) => db.exclusive(() => work(db)))
  }

  close(): void {
    this.#db.close()
  }
}

/** @throws OtherForm, StoreUnavailable, or SQLite's own error */
function prepare(db: Database, path: string, form: SideFileForm): void {
  const { name, steps, cache } = form
  // Read before anything is set: another program's file stays as it is.
  if (!isOfForm(db, form)) {
    throw new OtherForm(`The ${name} in ${path} has tables that this version of the server does not know`)
  }
  db.script(writing(cache))
  db.exclusive(() => {
    const missing = steps.slice(versionOf(db))
    for (const step of missing) db.script(step)
    if (missing.length > 0) db.script(`PRAGMA user_version = ${steps.length}`)
  })
}

const versionOf = (db: Database): number => db.get<[number]>('PRAGMA user_version')?.[0] ?? 0

/** True when the tables are those of their version. Both are of one moment: another process may be creating them. */
const isOfForm = (db: Database, { steps }: SideFileForm): boolean =>
  db.snapshot(() => {
    const version = versionOf(db)
    if (version > steps.length) return false
    const script = steps.slice(0, version).join(';')
    const columns = columnsOf.get(script) ?? columnsAfter(script)
    columnsOf.set(script, columns)
    return columnsIn(db) === columns
  })

/** Expected columns by script; each script is run once in memory. */
const columnsOf = new Map<string, string>()

function columnsAfter(script: string): string {
  const model = new Database(':memory:')
  model.script(script)
  const columns = columnsIn(model)
  model.close()
  return columns
}

/** The tables and their columns, as a text. */
const columnsIn = (db: Database): string =>
  JSON.stringify(
    db.all<readonly [string, string]>(
      `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
       WHERE m.type = 'table' ORDER BY m.name, c.name`,
    ),
  )
