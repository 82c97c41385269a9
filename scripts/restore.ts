/** `npm run restore`: restores a backup into a new folder, and compares it with the backup; see docs/backup.md. */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { STORE_FILE } from './backup/backups.ts'
import { backupAt, restore } from './backup/restore.ts'

const USAGE = `npm run restore -- --from FOLDER --to NEW-FOLDER [--at INSTANT]

FOLDER is that of npm run backup. NEW-FOLDER must not exist, or be empty. The newest backup is restored, with --at the newest
one that is not after INSTANT (2026-11-28T06:00:00Z).`

const OPTIONS = { from: { type: 'string' }, to: { type: 'string' }, at: { type: 'string' } } as const

async function run(): Promise<void> {
  const { from: root, to, at } = parseArgs({ options: OPTIONS }).values
  if (root === undefined || to === undefined) throw new Error(USAGE)
  const backup = backupAt(root, at)
  await restore({ root, backup, to })
  const { instant, missing } = backup.manifest
  console.log(
    `Restored the backup of ${instant} into ${resolve(to)}, and compared it: all bytes are those of the backup.`,
  )
  if (missing.length > 0)
    console.log(`${missing.length} contents were missing in the store already when it was backed up.`)
  console.log(`Start the server with DATABASE_URL=sqlite:${join(resolve(to), STORE_FILE)} and the same SECRETS_KEY.`)
}

try {
  await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
