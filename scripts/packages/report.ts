/** The packages of package-lock.json by use and licence, as text. */
import { type Accepted, entryFor } from './accepted.ts'
import { type LockedPackage, type LockFile, packagesOf } from './lock-file.ts'

const TITLES = {
  runtime: 'installed where the server runs',
  dashboard: 'more where the dashboard is built',
  development: 'for tests, checks and benchmarks only',
} as const

/** A paragraph for each licence of each use, the most frequent first. */
export function reportOf(lock: LockFile, accepted: Accepted): string {
  const packages = packagesOf(lock)
  const uses = (['runtime', 'dashboard', 'development'] as const).flatMap((use) => {
    const used = packages.filter((found) => found.use === use)
    if (used.length === 0) return []
    const byLicence = Map.groupBy(used, (found) => licenceOf(found, accepted))
    const sorted = [...byLicence].toSorted(([, one], [, other]) => other.length - one.length)
    return [`${used.length} packages ${TITLES[use]}`, ...sorted.map(paragraph)].join('\n\n')
  })
  return uses.join('\n\n\n')
}

const licenceOf = (found: LockedPackage, accepted: Accepted): string =>
  entryFor(accepted, found)?.licence ?? found.entry.license ?? 'no licence'

function paragraph([licence, packages]: readonly [string, readonly LockedPackage[]]): string {
  const names = new Set(packages.map(({ name, version }) => `${name}@${version}`))
  return `${licence}: ${names.size}\n  ${[...names].toSorted().join('\n  ')}`
}
