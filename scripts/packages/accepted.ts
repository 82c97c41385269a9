/** accepted-packages.json: the licences that are allowed, and each package that may be installed, with the reason. */
import { bringersOf, type LockedPackage, type LockFile, packagesOf } from './lock-file.ts'

export interface Accepted {
  readonly licences: readonly AllowedLicence[]
  readonly packages: readonly AcceptedPackage[]
}

export interface AllowedLicence {
  /** SPDX identifier, or a `LicenseRef-…` of our own for a text that has none. */
  readonly licence: string
  /** Without it: for all packages. */
  readonly for?: 'development'
  readonly reason: string
}

/** A package under one licence; where its versions differ in it, there is an entry for each. */
export interface AcceptedPackage {
  /** A last `*` stands for the binaries of a package, one for each platform. */
  readonly name: string
  /** As in package-lock.json; where that has none, or refers to a file, as stated in the package itself. */
  readonly licence: string
  /** The purpose of the package, or the package that depends on it. */
  readonly reason: string
}

const BROUGHT = 'brought by '

/** Whether the reason is only that another package needs it, which `npm run packages -- --write` finds out itself. */
export const isBrought = ({ reason }: AcceptedPackage): boolean => reason.startsWith(BROUGHT)

/** The licence that package-lock.json names; undefined where it names none, or the file that has its text. */
export const namedLicence = ({ entry: { license } }: LockedPackage): string | undefined =>
  license === undefined || /^see license in /i.test(license) ? undefined : license

/** The entries for a package, whatever their licence. */
export const entriesFor = ({ packages }: Accepted, { name }: LockedPackage): readonly AcceptedPackage[] =>
  packages.filter(({ name: pattern }) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  )

/** The entry for a package and its licence. */
export const entryFor = (accepted: Accepted, found: LockedPackage): AcceptedPackage | undefined => {
  const licence = namedLicence(found)
  return entriesFor(accepted, found).find((entry) => entry.licence === (licence ?? entry.licence))
}

/**
 * The list for a lock file: hand-written reasons stay, packages that are no longer installed are removed, and new ones
 * are added. A new direct dependency has no reason yet.
 */
export function updated(accepted: Accepted, lock: LockFile): Accepted {
  const written = { ...accepted, packages: accepted.packages.filter((entry) => !isBrought(entry)) }
  const bringers = bringersOf(lock)
  const entries = packagesOf(lock).map(
    (found) => entryFor(written, found) ?? newEntry(found, bringers.get(found.name) ?? []),
  )
  const byText = new Map(entries.map((entry) => [`${entry.name} ${entry.licence}`, entry]))
  const sorted = [...byText].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { ...accepted, packages: sorted.map(([, entry]) => entry) }
}

function newEntry(found: LockedPackage, bringers: readonly string[]): AcceptedPackage {
  const { name } = found
  const reason = bringers.includes(name) ? '' : `${BROUGHT}${bringers.join(', ')}`
  return { name, licence: namedLicence(found) ?? '', reason }
}

/** The file as JSON, with one line per licence and package, so that a change is one line of the diff. */
export function written({ licences, packages }: Accepted): string {
  const lines = (entries: readonly object[]): string =>
    entries.map((entry) => `    ${JSON.stringify(entry, null, 1).replace(/\n */g, ' ')}`).join(',\n')
  return `{\n  "licences": [\n${lines(licences)}\n  ],\n  "packages": [\n${lines(packages)}\n  ]\n}\n`
}
