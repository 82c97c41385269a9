/** Removes all backups but the newest, and the contents that none of those that stay names. */
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Backup, backupsIn, contentIn, storeIn, unfinishedIn, whileLocked } from './backups.ts'
import { sync } from './files.ts'
import { contentsNamedBy } from './sqlite-file.ts'

/** @returns the number of backups removed */
export const keepNewest = (root: string, count: number): Promise<number> =>
  whileLocked(root, async () => {
    const backups = backupsIn(root)
    const old = backups.slice(0, -count)
    for (const { folder } of old) {
      // A folder that is removed in part is no backup.
      await rename(folder, unfinishedIn(root))
      await sync(root)
      await rm(unfinishedIn(root), { recursive: true })
    }
    await removeContents(root, backups.slice(-count))
    return old.length
  })

async function removeContents(root: string, kept: readonly Backup[]): Promise<void> {
  const named = new Set<string>()
  for (const backup of kept) for await (const { sha256 } of contentsNamedBy(storeIn(backup))) named.add(sha256)
  const unnamed = (await readdir(join(root, 'contents'))).filter((sha256) => !named.has(sha256))
  for (const sha256 of unnamed) await rm(contentIn(root, sha256))
}
