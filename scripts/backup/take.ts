/**
 * Takes a backup of a SQLite store while its server runs. The store comes first, and then each content that this copy names;
 * contents in use are never changed, and go with a reset at most: then the store is copied again.
 */
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ContentMissing, type ContentStore } from '../../src/storage/content-port.ts'
import { openSqliteContentStore } from '../../src/storage/sqlite/content-store.ts'
import { PRIVATE_FOLDER } from '../../src/storage/sqlite/private-files.ts'
import { APPLICATION_ID } from '../../src/storage/sqlite/schema.ts'
import { sideFileOf } from '../../src/storage/sqlite/side-store.ts'
import {
  type Backup,
  contentIn,
  folderOf,
  MANIFEST,
  type Manifest,
  manifestText,
  STORE_FILE,
  unfinishedIn,
  whileLocked,
} from './backups.ts'
import { isFull, sync, writeFileOf } from './files.ts'
import {
  contentsNamedBy,
  copyDatabase,
  damageOf,
  type FileFacts,
  factsOf,
  isNamedBy,
  type NamedContent,
  WITHOUT_UNUSED,
  withCopy,
} from './sqlite-file.ts'

export interface Taking {
  /** The file of the store. */
  readonly path: string
  /** The folder of the backups. */
  readonly root: string
  readonly withJournal: boolean
}

export interface Taken extends Backup {
  /** Contents that no earlier backup had. */
  readonly copied: number
}

/** Copies of the store that are made as contents go meanwhile. */
const ATTEMPTS = 5

/** @throws Error with a sentence; the earlier backups are whole then */
export async function takeBackup(taking: Taking): Promise<Taken> {
  const { path, root } = taking
  checkStore(path)
  return await whileLocked(root, async () => {
    try {
      return await take(taking)
    } catch (error) {
      await rm(unfinishedIn(root), { recursive: true, force: true })
      throw isFull(error) ? new Error(`${FULL} ${root}, then run the same command again`, { cause: error }) : error
    }
  })
}

const FULL = 'The disk of the backup is full. The earlier backups are whole; free space for'

/** @throws Error unless it is the file of a store */
function checkStore(path: string): void {
  if (path === ':memory:') throw new Error('sqlite::memory: is the memory of one process, which cannot be backed up')
  if (!existsSync(path)) throw new Error(`There is no file ${path} to back up; DATABASE_URL names the store`)
  const source = new DatabaseSync(path, { readOnly: true })
  try {
    if (source.prepare('PRAGMA application_id').get()?.['application_id'] === APPLICATION_ID) return
  } finally {
    source.close()
  }
  throw new Error(`${path} is no store of this server`)
}

async function take(taking: Taking): Promise<Taken> {
  const { root } = taking
  const folder = unfinishedIn(root)
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { mode: PRIVATE_FOLDER })
    const instant = new Date().toISOString()
    const files = await copyFiles(taking, folder)
    const copying = await copyContents(taking, join(folder, STORE_FILE))
    if (copying === 'gone') continue
    const { copied, missing, contents } = copying
    const manifest: Manifest = { form: 1, instant, files, contents, missing }
    return { folder: await finish(root, manifest), manifest, copied }
  }
  throw new Error('Contents are removed faster than they are copied, by resets; take the backup when there are fewer')
}

/** Gives the backup its name, when all that it consists of is on the disk. @returns its folder */
async function finish(root: string, manifest: Manifest): Promise<string> {
  const folder = unfinishedIn(root)
  await sync(join(root, 'contents'))
  await writeFileOf(join(folder, MANIFEST), oneText(manifestText(manifest)))
  await sync(folder)
  const named = folderOf(root, manifest.instant)
  await rename(folder, named)
  await sync(root)
  return named
}

async function* oneText(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** Copies the store, and then what tells of its writes. */
async function copyFiles({ path, withJournal }: Taking, folder: string): Promise<Record<string, FileFacts>> {
  const files: Record<string, FileFacts> = {
    [STORE_FILE]: await copyFile(path, join(folder, STORE_FILE), WITHOUT_UNUSED),
  }
  for (const ending of withJournal ? ['audit', 'journal'] : ['audit']) {
    const [from, name] = [sideFileOf(path, ending), sideFileOf(STORE_FILE, ending)]
    if (existsSync(from)) files[name] = await copyFile(from, join(folder, name))
  }
  return files
}

async function copyFile(from: string, to: string, change?: string): Promise<FileFacts> {
  await copyDatabase(from, to, change)
  const damage = withCopy(to, damageOf)
  if (damage !== undefined) {
    throw new Error(
      `${from} is damaged, so this is no backup. Keep the earlier ones, and restore one. SQLite: ${damage}`,
    )
  }
  return await factsOf(to)
}

interface Copied extends Pick<Manifest, 'contents' | 'missing'> {
  readonly copied: number
}

/** Copies the contents that no earlier backup has. `gone`: the server has removed one of them meanwhile. */
async function copyContents({ path, root }: Taking, copy: string): Promise<Copied | 'gone'> {
  const store = openSqliteContentStore(path)
  const source = new DatabaseSync(path, { readOnly: true })
  const missing = new Set<string>()
  let [copied, count, bytes] = [0, 0, 0]
  try {
    for await (const content of contentsNamedBy(copy)) {
      count += 1
      bytes += content.size
      if (await isThere(root, content)) continue
      if (await copyContent(store, root, content)) copied += 1
      else if (isNamedBy(source, content)) missing.add(content.sha256)
      else return 'gone'
    }
  } finally {
    source.close()
    await store.close()
  }
  return { copied, missing: [...missing], contents: { count, bytes } }
}

/** Whether a backup has the content; it got its name when it was whole. */
async function isThere(root: string, { sha256, size }: NamedContent): Promise<boolean> {
  const found = await stat(contentIn(root, sha256)).catch(() => undefined)
  return found?.size === size
}

/** @returns false where it is missing or damaged in the store */
async function copyContent(store: ContentStore, root: string, content: NamedContent): Promise<boolean> {
  const { clinic, name, sha256 } = content
  const half = join(unfinishedIn(root), sha256)
  try {
    if ((await writeFileOf(half, store.read(clinic, name))) !== sha256) return false
    await rename(half, contentIn(root, sha256))
    return true
  } catch (error) {
    if (error instanceof ContentMissing) return false
    throw error
  } finally {
    await rm(half, { force: true })
  }
}
