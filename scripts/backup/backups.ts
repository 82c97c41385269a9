/**
 * A folder of backups. Each backup is a folder named after its instant; contents, by their SHA-256, are shared by all:
 *
 *     2026-11-28T060000.123Z/emr.db, emr.audit.db, manifest.json
 *     contents/<SHA-256>
 *     unfinished/            the backup that is being made, or what a killed one has left
 *     lock
 */
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from '../../src/storage/sqlite/faults.ts'
import { PRIVATE_FOLDER, preparePath } from '../../src/storage/sqlite/private-files.ts'
import type { FileFacts } from './sqlite-file.ts'

export const STORE_FILE = 'emr.db'
export const MANIFEST = 'manifest.json'

/** Written last: a folder without it is no backup. */
export interface Manifest {
  readonly form: 1
  /** Everything that was acknowledged before this instant is in the backup; ISO 8601. */
  readonly instant: string
  /** By name. */
  readonly files: Readonly<Record<string, FileFacts>>
  readonly contents: { readonly count: number; readonly bytes: number }
  /** Contents, by SHA-256, that were missing or damaged in the store itself. */
  readonly missing: readonly string[]
}

export interface Backup {
  readonly folder: string
  readonly manifest: Manifest
}

export const contentIn = (root: string, sha256: string): string => join(root, 'contents', sha256)
export const unfinishedIn = (root: string): string => join(root, 'unfinished')
export const folderOf = (root: string, instant: string): string => join(root, instant.replaceAll(':', ''))
export const storeIn = ({ folder }: Backup): string => join(folder, STORE_FILE)

/** The finished backups in a folder, the oldest first. @throws Error when there are none, or a manifest is damaged */
export function backupsIn(root: string): readonly [Backup, ...Backup[]] {
  const names = existsSync(root) ? readdirSync(root) : []
  const folders = names.map((name) => join(root, name)).filter((folder) => existsSync(join(folder, MANIFEST)))
  const [first, ...others] = folders
    .map((folder) => ({ folder, manifest: manifestIn(folder) }))
    .sort((one, other) => Date.parse(one.manifest.instant) - Date.parse(other.manifest.instant))
  if (first === undefined) throw new Error(`There is no backup in ${root}`)
  return [first, ...others]
}

function manifestIn(folder: string): Manifest {
  const path = join(folder, MANIFEST)
  try {
    const { sha256, ...manifest } = JSON.parse(readFileSync(path, 'utf8')) as Manifest & { readonly sha256: string }
    if (manifest.form === 1 && sha256 === hashOfManifest(manifest)) return manifest
  } catch {
    // It is no JSON, or cannot be read.
  }
  throw new Error(`${path} is damaged, or of a newer version; move its folder elsewhere to use the other backups`)
}

/** The text of the file, which has a hash of itself. */
export const manifestText = (manifest: Manifest): string =>
  `${JSON.stringify({ ...manifest, sha256: hashOfManifest(manifest) }, null, 2)}\n`

const hashOfManifest = (manifest: Manifest): string => hash('sha256', JSON.stringify(manifest))

/**
 * Runs `work` while nobody else makes a backup in the folder, which is made where it is missing. What a killed backup has left
 * is removed before.
 */
export async function whileLocked<T>(root: string, work: () => Promise<T>): Promise<T> {
  await mkdir(join(root, 'contents'), { recursive: true, mode: PRIVATE_FOLDER })
  const lock = lockOf(root)
  try {
    await rm(unfinishedIn(root), { recursive: true, force: true })
    return await work()
  } finally {
    lock.close()
  }
}

/** A lock of SQLite: the system ends it with the process that holds it, however that ends. */
function lockOf(root: string): DatabaseSync {
  const path = join(root, 'lock')
  preparePath(path)
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    throw isBusy(error) ? new Error(`Another process makes a backup in ${root} at this moment`) : error
  }
}
