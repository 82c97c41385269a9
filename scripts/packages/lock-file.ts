/** package-lock.json as npm 7 and later write it: https://docs.npmjs.com/cli/configuring-npm/package-lock-json. */
import { readFileSync } from 'node:fs'
import { forWorkspacesOnly, projectsOf, reachedFrom } from './reach.mjs'

const MODULES = 'node_modules/'

export interface LockFile {
  /**
   * By the folder each is installed in: `node_modules/koa/node_modules/mime-types`; the project itself is '', and a
   * workspace has its own folder, with a link to it in node_modules.
   */
  readonly packages: Readonly<Record<string, LockEntry>>
}

/** The properties read of an entry. */
export interface LockEntry {
  /** The name of the package, only where it is not that of the folder. */
  readonly name?: string
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly license?: string
  /** Installed for development only. */
  readonly dev?: boolean
  /** Leads to a workspace. */
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  /** npm installs them like dependencies. */
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** One package of the lock file, at one place. */
export interface LockedPackage {
  readonly place: string
  readonly name: string
  readonly version: string
  /** The reason to install it: the server, the workspace beside it, or development only. */
  readonly use: 'runtime' | 'dashboard' | 'development'
  readonly entry: LockEntry
}

/** @throws Error when it is not a lock file of that form */
export function readLockFile(path: string): LockFile {
  const lock = JSON.parse(readFileSync(path, 'utf8')) as Partial<LockFile>
  if (lock.packages?.[''] === undefined) throw new Error(`${path} has no "packages": write it with npm 7 or later`)
  return { packages: lock.packages }
}

/**
 * The packages of scripts/runtimes.json, Node for each platform, beside those of the lock file: scripts/run.mjs installs
 * one of them in `.runtime` where the Node at hand is too old.
 */
export const withRuntimes = (lock: LockFile, runtimes: Readonly<Record<string, LockEntry>>): LockFile => ({
  packages: {
    ...lock.packages,
    ...Object.fromEntries(Object.values(runtimes).map((entry) => [`.runtime/${MODULES}${entry.name}`, entry])),
  },
})

/** All but the project itself and its workspaces. */
export function packagesOf(lock: LockFile): readonly LockedPackage[] {
  const workspaces = forWorkspacesOnly(lock)
  const isOurs = (place: string, entry: LockEntry): boolean => !place.includes(MODULES) || entry.link === true
  return Object.entries(lock.packages).flatMap(([place, entry]) =>
    isOurs(place, entry) ? [] : [packageAt(place, entry, workspaces.has(place) ? 'dashboard' : 'runtime')],
  )
}

const packageAt = (place: string, entry: LockEntry, production: 'runtime' | 'dashboard'): LockedPackage => ({
  place,
  name: entry.name ?? folderOf(place),
  version: entry.version ?? '',
  use: entry.dev ? 'development' : production,
  entry,
})

const folderOf = (place: string): string => place.slice(place.lastIndexOf(MODULES) + MODULES.length)

/**
 * By the name of each package: the direct dependencies of the project and its workspaces that bring it, sorted; only those
 * of the runtime where there are any.
 */
export function bringersOf(lock: LockFile): ReadonlyMap<string, readonly string[]> {
  return new Map([...broughtBy(lock, 'devDependencies'), ...broughtBy(lock, 'dependencies')])
}

function broughtBy(lock: LockFile, kind: 'dependencies' | 'devDependencies'): ReadonlyMap<string, readonly string[]> {
  const directs = projectsOf(lock).flatMap((project) =>
    Object.keys(lock.packages[project]?.[kind] ?? {}).map((name) => ({ name, project })),
  )
  const bringers = new Map<string, ReadonlySet<string>>()
  for (const { name, project } of directs)
    for (const found of namesReachedFrom(lock, project, name))
      bringers.set(found, new Set([...(bringers.get(found) ?? []), name]))
  return new Map([...bringers].map(([found, names]) => [found, [...names].toSorted()]))
}

const namesReachedFrom = (lock: LockFile, project: string, direct: string): ReadonlySet<string> =>
  new Set([...reachedFrom(lock, project, [direct])].map((place) => lock.packages[place]?.name ?? folderOf(place)))
