/** SQLite files as a backup has them: copied while others write, whole, counted, and read without a change beside them. */
import { chmod, stat } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { CONTENT } from '../../src/repository/used-content.ts'
import { PRIVATE_FILE, preparePath } from '../../src/storage/sqlite/private-files.ts'
import { hashOf, sync } from './files.ts'

/**
 * Pages that are copied in one step: all. Between steps another process may write, and the copy would begin again, under
 * a steady load for ever. Within a step it is a reader like any other, which holds up nobody.
 */
const ALL_PAGES = 0x7fff_ffff
/** Milliseconds that a reader waits while the log is recovered after a crash. */
const TIMEOUT = 5_000

export interface FileFacts {
  readonly bytes: number
  readonly sha256: string
  /** By table. */
  readonly rows: Readonly<Record<string, number>>
}

/**
 * Copies what is committed at this moment into a new file, whose folder is there.
 * @param change SQL that is run on the copy
 */
export async function copyDatabase(from: string, to: string, change = ''): Promise<void> {
  preparePath(to)
  const source = new DatabaseSync(from, { readOnly: true, timeout: TIMEOUT })
  try {
    await backup(source, to, { rate: ALL_PAGES })
  } finally {
    source.close()
  }
  const copy = new DatabaseSync(to)
  try {
    // One file, with nothing beside it that a copy of the backup might forget.
    copy.exec(`PRAGMA journal_mode = DELETE; ${change}`)
  } finally {
    copy.close()
  }
  await chmod(to, PRIVATE_FILE)
  await sync(to)
}

/** A file that nobody writes; SQLite makes no file beside it. */
const openCopy = (path: string): DatabaseSync =>
  new DatabaseSync(new URL(`${pathToFileURL(path)}?immutable=1`), { readOnly: true })

export function withCopy<T>(path: string, work: (copy: DatabaseSync) => T): T {
  const copy = openCopy(path)
  try {
    return work(copy)
  } finally {
    copy.close()
  }
}

/** Tables that hold data; all others are the search index, which is made of them. */
const COUNTED = ['resource', 'version', 'record', 'block', 'exchange']

/** @throws Error when it is no database */
export async function factsOf(path: string): Promise<FileFacts> {
  const { size: bytes } = await stat(path)
  const sha256 = await hashOf(path)
  const rows = withCopy(path, (copy) => {
    const tables = copy.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    const counted = tables.map(({ name }) => String(name)).filter((name) => COUNTED.includes(name))
    return Object.fromEntries(counted.map((name) => [name, rowsOf(copy, name)]))
  })
  return { bytes, sha256, rows }
}

const rowsOf = (copy: DatabaseSync, table: string): number =>
  Number(copy.prepare(`SELECT count(*) AS found FROM ${table}`).get()?.['found'])

/** The first thing that SQLite's own check finds; undefined: the file is sound. */
export function damageOf(database: DatabaseSync): string | undefined {
  const found = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
  return found === 'ok' ? undefined : String(found)
}

/** A content that the records of a store name. */
export interface NamedContent {
  readonly clinic: string
  readonly sha256: string
  /** The name of its bytes in the store of contents. */
  readonly name: string
  /** Bytes. */
  readonly size: number
}

const CONTENTS = `SELECT clinic, key AS sha256, value ->> 'name' AS name, value ->> 'size' AS size FROM record
  WHERE kind = '${CONTENT.name}'`

/** The contents that a copy of the store names. */
export async function* contentsNamedBy(path: string): AsyncGenerator<NamedContent> {
  const copy = openCopy(path)
  try {
    for (const found of copy.prepare(CONTENTS).iterate()) yield { ...found } as unknown as NamedContent
  } finally {
    copy.close()
  }
}

/** Whether a store names the content (still). */
export const isNamedBy = (database: DatabaseSync, { clinic, sha256, name }: NamedContent): boolean =>
  database.prepare(`${CONTENTS} AND clinic = ? AND key = ?`).get(clinic, sha256)?.['name'] === name

/** SQL that removes the contents to which nothing refers: they go within the hour, and some at once. */
export const WITHOUT_UNUSED = `DELETE FROM record WHERE kind = '${CONTENT.name}' AND due IS NOT NULL;`
