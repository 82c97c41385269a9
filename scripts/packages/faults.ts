/**
 * The faults of the packages of a lock file, one sentence each: packages that cannot be verified or are not accepted.
 */
import { type Accepted, type AcceptedPackage, entriesFor, entryFor, isBrought, namedLicence } from './accepted.ts'
import { isAllowed } from './licence.ts'
import { type LockedPackage, type LockFile, packagesOf } from './lock-file.ts'
import { placeOf } from './reach.mjs'

const REGISTRY = 'https://registry.npmjs.org/'
const LIST = 'accepted-packages.json'

export function faultsOf(lock: LockFile, accepted: Accepted): readonly string[] {
  const packages = packagesOf(lock)
  const needed = new Set(packages.map((found) => entryFor(accepted, found)))
  return [
    ...packages.flatMap((found) => [...unverifiable(found), ...missingPlatforms(lock, found)]),
    ...packages.flatMap((found) => notAccepted(found, accepted)),
    ...accepted.packages.flatMap((entry) => faultsOfEntry(entry, needed.has(entry))),
  ]
}

const titleOf = ({ name, version, place }: LockedPackage): string => `${name}@${version} (${place})`

function unverifiable(found: LockedPackage): readonly string[] {
  const { resolved, integrity } = found.entry
  const faults: string[] = []
  if (resolved === undefined) faults.push('has no address ("resolved")')
  else if (!resolved.startsWith(REGISTRY)) faults.push(`comes from ${resolved}, and not from ${REGISTRY}`)
  if (integrity === undefined) faults.push('has no "integrity"')
  else if (!/^sha512-/.test(integrity)) faults.push(`has an "integrity" that is not a SHA-512: ${integrity}`)
  return faults.map((fault) => `${titleOf(found)} ${fault}. ${HOW_TO_COMPLETE}`)
}

const HOW_TO_COMPLETE =
  'npm completes an entry of package-lock.json when it is deleted and `npm install --package-lock-only` run.'

/** Platform packages missing from the lock file, which npm silently omits if the registry does not offer them. */
const missingPlatforms = (lock: LockFile, found: LockedPackage): readonly string[] =>
  Object.keys(found.entry.optionalDependencies ?? {})
    .filter((name) => placeOf(lock, found.place, name) === undefined)
    .map(
      (name) =>
        `There is no ${name} in package-lock.json, which ${titleOf(found)} wants on some platform. ` +
        'Take a version of it that the registry has for all platforms.',
    )

function notAccepted(found: LockedPackage, accepted: Accepted): readonly string[] {
  const entry = entryFor(accepted, found)
  if (entry !== undefined) return [...unnamedLicence(found, entry), ...notAllowed(found, entry, accepted)]
  const [other] = entriesFor(accepted, found)
  return [
    other === undefined
      ? `${titleOf(found)} is not in ${LIST}: \`npm run packages -- --write\` adds it, for you to look at.`
      : `${titleOf(found)} has the licence ${namedLicence(found)}, and ${LIST} accepts it with ${other.licence}.`,
  ]
}

/** The fault of a package whose licence is not named, so that it must be looked up in the package. */
const unnamedLicence = (found: LockedPackage, entry: AcceptedPackage): readonly string[] =>
  namedLicence(found) === undefined && isBrought(entry)
    ? [`${titleOf(found)} names no licence: say in ${LIST} which it has, and where that is written.`]
    : []

function notAllowed(found: LockedPackage, { licence }: AcceptedPackage, { licences }: Accepted): readonly string[] {
  const allows = (name: string): boolean =>
    licences.some((allowed) => allowed.licence === name && (allowed.for ?? found.use) === found.use)
  try {
    if (isAllowed(licence, allows)) return []
    return [`${titleOf(found)} has the licence ${licence}, which ${LIST} does not allow for ${found.use}.`]
  } catch (error) {
    return [`${titleOf(found)}: ${(error as Error).message}.`]
  }
}

function faultsOfEntry({ name, licence, reason }: AcceptedPackage, needed: boolean): readonly string[] {
  if (!needed)
    return [`${name} (${licence}) is in ${LIST}, but not installed: \`npm run packages -- --write\` removes it.`]
  return reason === '' ? [`${name} has no reason in ${LIST}: say what it is for.`] : []
}
