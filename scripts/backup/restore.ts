/** Restores a backup into a new folder, reads everything back, and only then gives the folder its name. */
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { ContentStore } from '../../src/storage/content-port.ts'
import { openSqliteContentStore } from '../../src/storage/sqlite/content-store.ts'
import { PRIVATE_FOLDER } from '../../src/storage/sqlite/private-files.ts'
import { unfinishedRestoreOf } from '../../src/storage/sqlite/restored.ts'
import { hashOfContent } from '../copy/contents.ts'
import { type Backup, backupsIn, contentIn, STORE_FILE, storeIn } from './backups.ts'
import { fileProblem } from './check.ts'
import { isFull, piecesOf, sync, writeFileOf } from './files.ts'
import { contentsNamedBy, type NamedContent } from './sqlite-file.ts'

export interface Restoring {
  /** The folder of the backups. */
  readonly root: string
  readonly backup: Backup
  /** The new folder. */
  readonly to: string
}

/** The newest backup that is not after an instant, or the newest of all. @throws Error where there is none */
export function backupAt(root: string, at: string | undefined): Backup {
  const backups = backupsIn(root)
  const wanted = at === undefined ? Number.POSITIVE_INFINITY : instantOf(at)
  const found = backups.findLast(({ manifest }) => Date.parse(manifest.instant) <= wanted)
  if (found !== undefined) return found
  throw new Error(
    `There is no backup of ${at} or before; the oldest one in ${root} is of ${backups[0].manifest.instant}`,
  )
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

function instantOf(text: string): number {
  const instant = Date.parse(text)
  if (INSTANT.test(text) && !Number.isNaN(instant)) return instant
  throw new Error(`--at ${text} is no instant; give the date, the time and its zone, such as 2026-11-28T06:00:00Z`)
}

/** @throws Error with a sentence; there is no new folder then */
export async function restore({ root, backup, to }: Restoring): Promise<void> {
  const target = resolve(to)
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new Error(`${target} is not empty; a backup is restored into a new folder, never over a store`)
  // A killed restore leaves this folder, on which no server starts.
  const half = unfinishedRestoreOf(target)
  await rm(half, { recursive: true, force: true })
  await mkdir(half, { recursive: true, mode: PRIVATE_FOLDER })
  try {
    await fill({ root, backup, to: half })
    if (existsSync(target)) await rmdir(target)
    await rename(half, target)
    await sync(dirname(target))
  } catch (error) {
    await rm(half, { recursive: true, force: true })
    throw isFull(error)
      ? new Error(`The disk of ${target} is full; free space, or restore elsewhere`, { cause: error })
      : error
  }
}

async function fill({ root, backup, to }: Restoring): Promise<void> {
  const { folder, manifest } = backup
  for (const [name, facts] of Object.entries(manifest.files)) {
    await writeFileOf(join(to, name), piecesOf(join(folder, name)))
    const problem = await fileProblem(join(to, name), facts)
    if (problem !== undefined) throw damaged(join(folder, name))
  }
  const contents = openSqliteContentStore(join(to, STORE_FILE))
  for await (const content of contentsNamedBy(storeIn(backup))) {
    if (!manifest.missing.includes(content.sha256)) await restoreContent(contents, root, content)
  }
  await contents.close()
  await sync(to)
}

async function restoreContent(contents: ContentStore, root: string, content: NamedContent): Promise<void> {
  const { clinic, name, sha256 } = content
  await contents.write(clinic, name, piecesOf(contentIn(root, sha256)))
  if ((await hashOfContent(contents, clinic, name)) !== sha256) throw damaged(contentIn(root, sha256))
}

const damaged = (path: string): Error =>
  new Error(`${path} is damaged, so nothing was restored; npm run backup -- --check finds the backups that are whole`)
