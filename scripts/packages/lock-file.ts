/** package-lock.json as npm 7 and later write it: https://docs.npmjs.com/cli/configuring-npm/package-lock-json. */
import { readFileSync } from 'node:fs'

const MODULES = 'node_modules/'

export interface LockFile {
  /** By the folder each is installed in: `node_modules/koa/node_modules/mime-types`; the project itself is ''. */
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
  readonly use: 'runtime' | 'development'
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

/** All but the project itself. */
export const packagesOf = ({ packages }: LockFile): readonly LockedPackage[] =>
  Object.entries(packages).flatMap(([place, entry]) => (place === '' ? [] : [packageAt(place, entry)]))

const packageAt = (place: string, entry: LockEntry): LockedPackage => ({
  place,
  name: entry.name ?? folderOf(place),
  version: entry.version ?? '',
  use: entry.dev ? 'development' : 'runtime',
  entry,
})

const folderOf = (place: string): string => place.slice(place.lastIndexOf(MODULES) + MODULES.length)

/** Where the package at a place finds a dependency: in its own folder, or in that of one of those above it. */
export function placeOf(lock: LockFile, from: string, dependency: string): string | undefined {
  const place = `${from === '' ? '' : `${from}/`}${MODULES}${dependency}`
  if (lock.packages[place] !== undefined) return place
  if (from === '') return undefined
  return placeOf(lock, from.slice(0, Math.max(0, from.lastIndexOf(MODULES) - 1)), dependency)
}

/**
 * By the name of each package: the direct dependencies of the project that bring it, sorted; only those of the runtime
 * where there are any.
 */
export function bringersOf(lock: LockFile): ReadonlyMap<string, readonly string[]> {
  const { dependencies = {}, devDependencies = {} } = lock.packages[''] ?? {}
  return new Map([...broughtBy(lock, Object.keys(devDependencies)), ...broughtBy(lock, Object.keys(dependencies))])
}

function broughtBy(lock: LockFile, directs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const direct of directs.toSorted())
    for (const name of namesReachedFrom(lock, direct)) found.set(name, [...(found.get(name) ?? []), direct])
  return found
}

const namesReachedFrom = (lock: LockFile, direct: string): ReadonlySet<string> =>
  new Set([...reachedFrom(lock, direct)].map((place) => lock.packages[place]?.name ?? folderOf(place)))

function reachedFrom(lock: LockFile, direct: string): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [placeOf(lock, '', direct)]
  while (open.length > 0) {
    const place = open.pop()
    if (place === undefined || reached.has(place)) continue
    reached.add(place)
    const { dependencies, optionalDependencies, peerDependencies } = lock.packages[place] ?? {}
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies }
    open.push(...Object.keys(needed).map((name) => placeOf(lock, place, name)))
  }
  return reached
}
