/** Backups in tests: the commands as processes, and stores with contents to back up. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { StoredContents } from '../../src/content/contents.ts'
import { contentElement } from '../../src/fhir/content/marker.ts'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { openContentStore, openStore } from '../../src/main/open-store.ts'
import { Repository } from '../../src/repository/repository.ts'
import type { ResourceStore } from '../../src/storage/port.ts'

const SCRIPTS = join(import.meta.dirname, '../../scripts')

export interface Ended {
  readonly code: number | null
  readonly output: string
}

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  /** A command that runs the script in surroundings of its own. */
  readonly within?: readonly string[]
  /** May end the process. */
  readonly during?: (kill: () => void) => Promise<void>
}

/** Runs `npm run <name>` as a process of its own, without npm. */
export async function runScript(
  name: 'backup' | 'restore' | 'doctor',
  args: readonly string[],
  { env = {}, within = [], during }: Surroundings = {},
): Promise<Ended> {
  const [command = '', ...rest] = [...within, process.execPath, '--disable-warning=ExperimentalWarning']
  const child = spawn(command, [...rest, join(SCRIPTS, `${name}.ts`), ...args], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  await Promise.race([during?.(() => child.kill('SIGKILL')), closed].filter(Boolean))
  const [code] = (await closed) as [number | null]
  return { code, output }
}

/** Backs up the store at `url`. */
export const backUp = (url: string, root: string, ...args: readonly string[]): Promise<Ended> =>
  runScript('backup', ['--to', root, ...args], { env: { DATABASE_URL: url } })

export async function withRepository<T>(
  url: string,
  work: (repository: Repository, store: ResourceStore) => Promise<T>,
): Promise<T> {
  const store = await openStore(url)
  try {
    return await work(new Repository(store, { baseUrl: 'http://here' }), store)
  } finally {
    await store.close()
  }
}

/** Stores bytes to which nothing refers yet. @returns their SHA-256 */
export async function receive(url: string, repository: Repository, clinic: string, bytes: Uint8Array): Promise<string> {
  const contents = await openContentStore(url)
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  try {
    return (await new StoredContents(repository, contents).receive(clinic, pieces(), bytes.length)).sha256
  } finally {
    await contents.close()
  }
}

/** Adds a Binary for each of some contents. @returns their SHA-256 */
export const addBinaries = (url: string, clinic: string, contents: readonly Uint8Array[]): Promise<readonly string[]> =>
  withRepository(url, async (repository) => {
    const sha256s: string[] = []
    for (const bytes of contents) {
      const sha256 = await receive(url, repository, clinic, bytes)
      const _data = contentElement(sha256)
      const binary = {
        resourceType: 'Binary',
        id: sha256,
        contentType: 'application/octet-stream',
        _data,
      } as AnyResource
      await repository.change(clinic, async (unit) => void (await unit.put(binary, 'PUT')))
      sha256s.push(sha256)
    }
    return sha256s
  })

/** The folders of the finished backups, the oldest first. */
export const backupFolders = (root: string): readonly string[] =>
  readdirSync(root)
    .filter((name) => /^\d{4}-/.test(name))
    .sort()
    .map((name) => join(root, name))
