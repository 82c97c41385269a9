/** Checks a store on SQLite, which is only read: its files, the audit trail, the journal, contents, and the disk. */
import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '../../src/config.ts'
import { UNFINISHED_COPY } from '../../src/main/open-store.ts'
import { SUBSCRIBED } from '../../src/repository/event-feed.ts'
import { GENERATION, MOVED_CLOCK } from '../../src/repository/generation.ts'
import { CONTENT } from '../../src/repository/used-content.ts'
import type { TypeIndex } from '../../src/storage/index/search-index.ts'
import { contentFolderOf } from '../../src/storage/sqlite/content-store.ts'
import { PARTS } from '../../src/storage/sqlite/private-files.ts'
import { type RecordRow, toRecord } from '../../src/storage/sqlite/records.ts'
import { APPLICATION_ID, STORE_VERSION } from '../../src/storage/sqlite/schema.ts'
import { sideFileOf } from '../../src/storage/sqlite/side-store.ts'
import { damageOf } from '../backup/sqlite-file.ts'
import { about, type Finding, some, unless } from './finding.ts'
import {
  BACK_UP_FIRST,
  type ContentState,
  clockFindings,
  contentFindings,
  diskFinding,
  indexFinding,
  olderIndex,
  SETTINGS_KIND,
  settingsFindings,
  subscriptionFindings,
} from './stored.ts'

const [store, files, audit, journal] = [about('store'), about('files'), about('audit trail'), about('journal')]

export function sqliteFindings(config: Config): readonly Finding[] {
  const path = config.databaseUrl.slice('sqlite:'.length)
  if (path === ':memory:') return [store.note('it is in memory, and goes with the server')]
  if (!existsSync(path)) return [store.note(`there is none at ${resolve(path)} yet; the first start makes it`)]
  return [
    // First, as SQLite makes files beside one that is read.
    ...unless(fileFindings(path), files.ok('they are closed to other users')),
    ...read(path, store, (database) => storeFindings(database, path, config)),
    ...sideFindings(sideFileOf(path, 'audit'), audit, config.audit !== undefined),
    ...sideFindings(sideFileOf(path, 'journal'), journal, config.journal.mode !== 'off'),
    ...asideFindings(path),
    diskOf(dirname(resolve(path))),
  ]
}

/** Runs `work` on a file; where it cannot be read, that is the finding. */
function read(
  path: string,
  of: ReturnType<typeof about>,
  work: (database: DatabaseSync) => readonly Finding[],
): readonly Finding[] {
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    try {
      return work(database)
    } finally {
      database.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [of.toDo(`${path} cannot be read (${reason}); restore a backup (docs/backup.md)`)]
  }
}

function storeFindings(database: DatabaseSync, path: string, { secretsKeys }: Config): readonly Finding[] {
  const version = numberOf(database, 'PRAGMA user_version')
  if (numberOf(database, 'PRAGMA application_id') !== APPLICATION_ID)
    return [store.toDo(`${path} belongs to another program; name another file in DATABASE_URL`)]
  if (version > STORE_VERSION) return [store.toDo('it was written by a newer version of the server; use that one')]
  const damage = damageOf(database)
  if (damage !== undefined) return [store.toDo(`${path} is damaged (${damage}); restore a backup (docs/backup.md)`)]
  if (version < STORE_VERSION)
    return [
      store.note(
        `it is sound, of store version ${version}, and a start brings it to ${STORE_VERSION}. ${BACK_UP_FIRST}`,
      ),
    ]
  const { kind, key } = UNFINISHED_COPY
  if (numberOf(database, `SELECT count(*) FROM record WHERE kind = '${kind}' AND key = '${key}'`) > 0)
    return [store.toDo('it is an unfinished copy; finish it with npm run copy')]
  return [
    store.ok('every page of it is sound'),
    indexFinding(typesIn(database), numberOf(database, 'SELECT held_until FROM store')),
    ...olderIndex(
      numberOf(database, 'SELECT extraction FROM store'),
      numberOf(database, 'SELECT count(*) FROM resource WHERE live = 1'),
    ),
    ...settingsFindings(recordsIn(database, SETTINGS_KIND), secretsKeys),
    ...contentFindings(contentsBeside(database, path)),
    ...subscriptionFindings(recordsIn(database, SUBSCRIBED.name), recordsIn(database, GENERATION.name)),
    ...clockFindings(newestIn(database), recordsIn(database, MOVED_CLOCK.name).length),
  ]
}

const numberOf = (database: DatabaseSync, query: string): number =>
  Number(Object.values(database.prepare(query).get() ?? {})[0])

const newestIn = (database: DatabaseSync): number | undefined =>
  numberOf(database, 'SELECT max(updated) FROM version WHERE row > 0') || undefined

function typesIn(database: DatabaseSync): readonly TypeIndex[] {
  const rows = database.prepare('SELECT type, generation, wanted, filled FROM type_index').all()
  return rows.map(({ type, generation, wanted, filled }) => ({
    type: String(type),
    generation: Number(generation),
    wanted: JSON.parse(String(wanted)),
    filled: JSON.parse(String(filled)),
  }))
}

const recordsIn = (database: DatabaseSync, kind: string) =>
  database
    .prepare('SELECT clinic, kind, key, version, value, due FROM record WHERE kind = ?')
    .all(kind)
    .map((row) => toRecord(Object.values(row) as RecordRow))

/** Milliseconds after which bytes without a record are no upload that is under way. */
const ABANDONED = 2 * 3_600_000

/** Compares the records of contents with the files: their names and sizes. */
function contentsBeside(database: DatabaseSync, path: string): ContentState {
  const folder = contentFolderOf(path)
  const there = filesIn(folder)
  const named = database.prepare(
    `SELECT key, value ->> 'name' AS name, value ->> 'size' AS size, due FROM record WHERE kind = '${CONTENT.name}'`,
  )
  const missing: string[] = []
  let count = 0
  for (const { key, name, size, due } of named.iterate()) {
    const file = there.get(String(name))
    there.delete(String(name))
    if (due !== null) continue
    count += 1
    if (file?.size !== size) missing.push(String(key))
  }
  for (const { key } of database.prepare("SELECT key FROM record WHERE kind = 'content-upload'").iterate())
    there.delete(String(key))
  const orphans = [...there.values()].filter(({ at }) => Date.now() - at > ABANDONED)
  return {
    count,
    missing,
    orphaned: orphans.map((file) => join(basename(folder), file.path)),
    orphanedBytes: orphans.reduce((sum, { size }) => sum + size, 0),
  }
}

interface ContentFile {
  /** Below the folder of contents. */
  readonly path: string
  readonly size: number
  /** When it was written, milliseconds since 1970 UTC. */
  readonly at: number
}

/** By name, which is used once. */
function filesIn(folder: string): Map<string, ContentFile> {
  const files = new Map<string, ContentFile>()
  for (const clinic of existsSync(folder) ? readdirSync(folder) : []) {
    for (const name of readdirSync(join(folder, clinic))) {
      const found = statSync(join(folder, clinic, name), { throwIfNoEntry: false })
      if (found !== undefined) files.set(name, { path: join(clinic, name), size: found.size, at: found.mtimeMs })
    }
  }
  return files
}

function fileFindings(path: string): readonly Finding[] {
  const databases = [path, sideFileOf(path, 'audit'), sideFileOf(path, 'journal')]
  const all = [...databases.flatMap((one) => PARTS.map((part) => `${one}${part}`)), contentFolderOf(path)]
  const there = all.filter((one) => existsSync(one))
  const open = there.filter((one) => (statSync(one).mode & 0o077) !== 0)
  const { uid } = statSync(path)
  const others = there.filter((one) => statSync(one).uid !== uid)
  return [
    ...(open.length > 0 ? [files.toDo(`other users can read ${some(open)}; chmod go= them, or start the server`)] : []),
    ...(others.length > 0 ? [files.toDo(`${some(others)} belong to another user than the store; chown them`)] : []),
  ]
}

function sideFindings(path: string, of: ReturnType<typeof about>, isOn: boolean): readonly Finding[] {
  if (!isOn) return [of.note('it is off')]
  if (!existsSync(path)) return [of.note('nothing is in it yet')]
  return read(path, of, (database) => {
    const damage = damageOf(database)
    if (damage === undefined) return [of.ok('every page of it is sound')]
    return [of.toDo(`${path} is damaged (${damage}); the server sets it aside, or restore it from a backup`)]
  })
}

function asideFindings(path: string): readonly Finding[] {
  const found = readdirSync(dirname(resolve(path))).filter((name) => name.includes('.unreadable-'))
  if (found.length === 0) return []
  return [
    files.toDo(`the server has set aside ${some(found)}, which it could not read; keep them elsewhere, and look why`),
  ]
}

function diskOf(folder: string): Finding {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return diskFinding(`in ${folder}`, bavail * bsize, blocks * bsize)
}
