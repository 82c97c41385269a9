/**
 * The folder of the built dashboard: one for each version of its sources, so that the build is never stale. It is
 * written under another name and renamed when it is complete; the reason of a failed build is in a file beside it.
 */
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export type BuildState =
  | { readonly kind: 'built'; readonly folder: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'building' }

const PROJECT = join(import.meta.dirname, '../../..')
/** The package that builds it, which dashboard/package.json names. */
const BUNDLER = 'vite'

export class BuildFolder {
  /** Holds the folders of versions. */
  readonly root: string
  readonly #project: string
  #version: string | undefined

  /** @param project the folder with `dashboard/` and the lock file */
  constructor(project: string = PROJECT) {
    this.#project = project
    this.root = join(project, '.runtime/dashboard')
  }

  /** Version of the sources, read once. */
  get version(): string {
    this.#version ??= versionOf(this.#project)
    return this.#version
  }

  /** The folder of this version, even if it does not exist yet. */
  get current(): string {
    return join(this.root, this.version)
  }

  /** The file that says why the build of this version failed. */
  get failure(): string {
    return `${this.current}.failed`
  }

  get isBuilt(): boolean {
    return existsSync(this.current)
  }

  state(): BuildState {
    if (this.isBuilt) return { kind: 'built', folder: this.current }
    if (existsSync(this.failure)) return { kind: 'failed', reason: readFileSync(this.failure, 'utf8') }
    const reason = this.obstacle()
    return reason === undefined ? { kind: 'building' } : { kind: 'failed', reason }
  }

  /** The reason why no build can begin here, and how to make one. */
  obstacle(): string | undefined {
    return this.#notInstalled() ?? this.#unwritable()
  }

  /** The folders of earlier versions, the newest first. */
  earlier(): readonly string[] {
    if (!existsSync(this.root)) return []
    const names = readdirSync(this.root).filter((name) => /^[\da-f]+$/.test(name) && name !== this.version)
    return names.map((name) => join(this.root, name)).sort((one, other) => changed(other) - changed(one))
  }

  /** `npm ci --workspaces=false` installs the server alone. */
  #notInstalled(): string | undefined {
    const folders = ['dashboard', '.'].map((folder) => join(this.#project, folder, 'node_modules', BUNDLER))
    if (folders.some((folder) => existsSync(folder))) return undefined
    return 'its packages are not installed; `npm run dashboard` installs them and builds it'
  }

  #unwritable(): string | undefined {
    try {
      mkdirSync(this.root, { recursive: true })
      accessSync(this.root, constants.W_OK)
      return undefined
    } catch {
      return `${this.root} cannot be written; build it once with a user who may: npm run dashboard`
    }
  }
}

const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Hash of everything that the build reads. */
function versionOf(project: string): string {
  const hash = createHash('sha256')
  const sources = globSync(['dashboard/**/*.{ts,tsx,css,html,svg,json}', 'examples/*.json'], { cwd: project })
  for (const path of [...sources.sort(), 'scripts/dashboard.ts', 'package-lock.json']) {
    const file = join(project, path)
    if (existsSync(file)) hash.update(`${path}\0`).update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}
