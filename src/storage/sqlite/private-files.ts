/** Files that only the user of the server can read, as they hold patient data. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreUnavailable } from '../store-errors.ts'

/**
 * Prepares the path of a SQLite file: creates its folder, and the file where there is none, and closes both to other users.
 * @throws StoreUnavailable when the folder cannot be created, or the path is that of a device
 */
export function preparePath(path: string): void {
  makeFolder(dirname(path))
  if (kindOf(path) === 'device or pipe')
    // SQLite would open it, with unpredictable results.
    throw new StoreUnavailable('It is a device or a pipe; the database must be a file')
  keepPrivate(path)
}

/**
 * Creates a folder level by level: Node's mkdir with `recursive` never ends where the system reports ENOENT in an
 * existing folder, as in /proc.
 * @throws StoreUnavailable
 */
function makeFolder(path: string): void {
  if (kindOf(path) === 'folder') return
  const above = dirname(path)
  if (above !== path) makeFolder(above)
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (kindOf(path) === 'folder') return
    throw new StoreUnavailable(`The folder ${path} is not there, and this process cannot make it`, { cause: error })
  }
}

/** Modes under which only the user of the server can read patient data, whatever its umask. */
export const PRIVATE_FILE = 0o600
export const PRIVATE_FOLDER = 0o700
/** Suffixes of the file and of SQLite's own files beside it, which SQLite creates with the mode of the first. */
export const PARTS = ['', '-wal', '-shm']

/** Creates the file where there is none, and closes it to other users. */
function keepPrivate(path: string): void {
  try {
    // A file that is there is not opened: the locks of all its connections in this process would go with its descriptor
    // (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
    if (kindOf(path) === undefined) closeSync(openSync(path, 'ax', PRIVATE_FILE))
  } catch {
    // Another process may have made it meanwhile. Where nobody can, SQLite reports why not.
  }
  try {
    for (const part of PARTS) if (kindOf(`${path}${part}`) === 'file') closeToOthers(`${path}${part}`)
  } catch {
    // A file of another user, or on a read-only disk: SQLite finds out whether it can be used, and reports why not.
  }
}

function closeToOthers(path: string): void {
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, PRIVATE_FILE)
}

/** Undefined where there is nothing, or nothing visible to this process. */
function kindOf(path: string): 'file' | 'folder' | 'device or pipe' | undefined {
  try {
    const found = statSync(path)
    if (found.isDirectory()) return 'folder'
    return found.isFile() ? 'file' : 'device or pipe'
  } catch {
    return undefined
  }
}
