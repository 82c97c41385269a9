/** Folders on the file system in memory that Linux has (https://man7.org/linux/man-pages/man5/tmpfs.5.html). */
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/dev/shm'
const PREFIX = 'emr-test-data-'

/**
 * An empty folder for data that need not outlive this process, which removes it.
 * @param bytes that have to be free, there and in memory
 * @returns undefined where there is no such file system, or it has less room
 */
export function folderInMemory(bytes: number): string | undefined {
  if (!existsSync(ROOT)) return undefined
  removeAbandoned()
  const { bavail, bsize } = statfsSync(ROOT)
  if (Math.min(bavail * bsize, process.availableMemory()) < bytes) return undefined
  const folder = join(ROOT, `${PREFIX}${process.pid}`)
  mkdirSync(folder)
  return folder
}

/** Removes folders of processes that ended before they could do so. */
function removeAbandoned(): void {
  const folders = readdirSync(ROOT).filter((name) => name.startsWith(PREFIX))
  const abandoned = folders.filter((name) => !existsSync(`/proc/${name.slice(PREFIX.length)}`))
  for (const name of abandoned) rmSync(join(ROOT, name), { recursive: true, force: true })
}
