/** `npm run backup`: backs up the store that the environment names while its server runs; see docs/backup.md. */
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config.ts'
import { backupsIn, type Manifest, STORE_FILE } from './backup/backups.ts'
import { problemsOf } from './backup/check.ts'
import { keepNewest } from './backup/keep.ts'
import { MONGO_ADVICE } from './backup/mongo.ts'
import { takeBackup } from './backup/take.ts'

const USAGE = `npm run backup -- --to FOLDER [--keep COUNT] [--journal]
npm run backup -- --to FOLDER --check
npm run backup -- --check                 (a restored database of MongoDB, which DATABASE_URL names)

FOLDER holds the backups of one store: the one that DATABASE_URL names. --keep removes all backups but the newest COUNT
afterwards, --journal backs up the journal too, --check reads all backups and compares hashes and counts.`

const OPTIONS = {
  to: { type: 'string' },
  keep: { type: 'string' },
  journal: { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
} as const

async function run(): Promise<void> {
  const { to: root, keep, journal: withJournal, check } = parseArgs({ options: OPTIONS }).values
  const { databaseUrl } = readConfig(process.env)
  if (root === undefined && databaseUrl.startsWith('mongodb')) {
    if (check) return await checkDatabase(databaseUrl)
    throw new Error(MONGO_ADVICE)
  }
  if (root === undefined) throw new Error(USAGE)
  if (check) return await checkBackups(root)
  if (databaseUrl.startsWith('mongodb')) throw new Error(MONGO_ADVICE)
  const count = keep === undefined ? undefined : countOf(keep)
  const { folder, manifest, copied } = await takeBackup({
    path: databaseUrl.slice('sqlite:'.length),
    root,
    withJournal,
  })
  console.log(`Backed up to ${folder}: ${inWords(manifest)}, ${copied} of them copied now.`)
  if (count !== undefined) console.log(`Removed ${await keepNewest(root, count)} older backups.`)
  if (manifest.missing.length > 0) throw new Error([MISSING, ...manifest.missing].join('\n'))
}

const MISSING =
  'The backup is whole but for these contents, which are missing or damaged in the store itself. Restore them from an older ' +
  'backup (docs/backup.md):'

function countOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new Error('--keep is the number of backups to keep, 1 or more')
}

async function checkBackups(root: string): Promise<void> {
  const backups = backupsIn(root)
  const problems = await problemsOf(root, backups)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  for (const { folder, manifest } of backups) console.log(`${folder}: whole, ${inWords(manifest)}`)
}

async function checkDatabase(databaseUrl: string): Promise<void> {
  const { checkMongo } = await import('./backup/mongo-check.ts')
  const { counts, problems } = await checkMongo(databaseUrl)
  console.log(counts.join('\n'))
  if (problems.length > 0) throw new Error(problems.join('\n'))
  console.log(
    'All indexes are there, and each content that a version refers to is whole. Compare the counts with those of the source.',
  )
}

function inWords({ files, contents }: Manifest): string {
  const { version = 0, record = 0 } = files[STORE_FILE]?.rows ?? {}
  return `${version} versions of resources, ${record} records, ${contents.count} contents of ${contents.bytes} bytes`
}

try {
  await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
