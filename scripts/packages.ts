/**
 * `npm run packages`: lists the installed packages by licence. With `--check`, for `npm run check`, prints only the
 * faults of package-lock.json and scripts/runtimes.json; with `--write`, updates accepted-packages.json.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Accepted, updated, written } from './packages/accepted.ts'
import { faultsOf } from './packages/faults.ts'
import { type LockEntry, readLockFile, withRuntimes } from './packages/lock-file.ts'
import { reportOf } from './packages/report.ts'

const root = join(import.meta.dirname, '..')
const list = join(root, 'accepted-packages.json')

const { values } = parseArgs({ options: { check: { type: 'boolean' }, write: { type: 'boolean' } } })
const runtimes = JSON.parse(readFileSync(join(root, 'scripts/runtimes.json'), 'utf8')) as Record<string, LockEntry>
const lock = withRuntimes(readLockFile(join(root, 'package-lock.json')), runtimes)
const accepted = JSON.parse(readFileSync(list, 'utf8')) as Accepted

/** Lines; a thousand entries may have the same fault. */
const MOST_SHOWN = 20

if (values.write) writeFileSync(list, written(updated(accepted, lock)))
else if (values.check) showFaults(faultsOf(lock, accepted))
else console.log(reportOf(lock, accepted))

function showFaults(faults: readonly string[]): void {
  for (const fault of faults.slice(0, MOST_SHOWN)) console.log(fault)
  if (faults.length > MOST_SHOWN) console.log(`… and ${faults.length - MOST_SHOWN} more.`)
  if (faults.length > 0) process.exitCode = 1
}
