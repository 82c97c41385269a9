/**
 * `npm run dashboard`: builds the dashboard into `.runtime/dashboard/<version>`, where that has not been done. The server
 * does it at its first start. `--dev` serves it from its sources instead, before a server at port 3000 or at `--server`.
 */
import { copyFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { constants as os, setPriority } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { bundle, serveSources } from '../dashboard/bundler.ts'
import { BuildFolder } from '../src/admin-api/dashboard/build-folder.ts'
import { NONCE } from '../src/admin-api/dashboard/page.ts'
import { takeTurn } from './lock.mjs'

/** Earlier builds kept: open pages may still ask for files of the last one. */
const KEPT_BEFORE = 1

const { values } = parseArgs({
  options: {
    dev: { type: 'boolean' },
    server: { type: 'string' },
    'in-background': { type: 'boolean' },
    // The folder with dashboard/ and the lock file: for tests.
    project: { type: 'string', default: join(import.meta.dirname, '..') },
  },
})
// The mode of the build, whatever NODE_ENV this process was started with.
process.env.NODE_ENV = values.dev ? 'development' : 'production'
const root = join(values.project, 'dashboard')

if (values.dev) await serveSources(root, values.server ?? 'http://127.0.0.1:3000', NONCE)
else await buildOnce(new BuildFolder(values.project))

async function buildOnce(builds: BuildFolder): Promise<void> {
  if (values['in-background']) setPriority(os.priority.PRIORITY_BELOW_NORMAL)
  const endTurn = takeTurn(join(builds.root, 'lock'), (holder) =>
    console.log(`Waiting for the build that process ${holder} has begun.`),
  )
  try {
    if (!builds.isBuilt) await buildNew(builds)
  } finally {
    endTurn()
  }
}

async function buildNew(builds: BuildFolder): Promise<void> {
  const unfinished = `${builds.current}.unfinished`
  rmSync(builds.failure, { force: true })
  rmSync(unfinished, { recursive: true, force: true })
  try {
    await bundle(root, unfinished, NONCE)
    // Browsers that ask for /favicon.ico do not know the hash.
    copyFileSync(join(root, 'icon.svg'), join(unfinished, 'assets/icon.svg'))
    await compress(join(unfinished, 'assets'))
    renameSync(unfinished, builds.current)
  } catch (error) {
    writeFileSync(builds.failure, reasonOf(error))
    throw error
  }
  for (const folder of builds.earlier().slice(KEPT_BEFORE)) rmSync(folder, { recursive: true, force: true })
  for (const name of readdirSync(builds.root)) {
    const isLeftOver = /\.(failed|unfinished)$/.test(name) && !name.startsWith(builds.version)
    if (isLeftOver) rmSync(join(builds.root, name), { recursive: true, force: true })
  }
}

/** Compresses the files once, better than would be possible per response. */
async function compress(folder: string): Promise<void> {
  const files = readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name))
  await Promise.all(
    files.map(async (name) => {
      const path = join(folder, name)
      const body = await readFile(path)
      const [br, gz] = await Promise.all([
        promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
        promisify(gzip)(body, { level: 9 }),
      ])
      await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)])
    }),
  )
}

/** The message of an error, without terminal colours. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes of terminal colours
  return text.replace(/\u001b\[[\d;]*m/g, '').slice(0, 4000)
}
