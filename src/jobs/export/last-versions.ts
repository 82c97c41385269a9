/**
 * The resources of a type as they were at a time T, in pages. A scan over all versions in the order in which they were written can stop
 * at any page and go on much later, as versions never change: of each resource the last one up to T counts.
 */
import type { ScannedVersion, UnitOfWork } from '../../repository/repository.ts'
import { ifReadable } from '../../repository/restriction.ts'

/** Versions that are read at a time. */
const PAGE = 1_000

interface LastVersions {
  readonly items: readonly ScannedVersion[]
  /** Absent: there are no more. */
  readonly next?: string
}

/** @param at T: milliseconds since 1970 UTC */
export async function lastVersions(
  unit: UnitOfWork,
  type: string,
  at: number,
  { after, since }: { readonly after?: string | undefined; readonly since?: number | undefined },
): Promise<LastVersions> {
  const from = { ...(after === undefined ? {} : { after }), ...(since === undefined ? {} : { since }) }
  const page = await unit.scanVersions({ type, limit: PAGE, ...from })
  const items = page.items.filter(({ lastUpdated }) => lastUpdated <= at)
  const superseded = items.filter(({ isCurrent }) => !isCurrent)
  const isLast = superseded.length === 0 ? () => true : await lastAmong(unit, type, at)
  const last: ScannedVersion[] = []
  for (const version of items) if (version.isCurrent || (await isLast(version))) last.push(version)
  // The versions are in the order of time, so that all others are later.
  const isDone = items.length < page.items.length || page.next === undefined
  return isDone ? { items: last } : { items: last, next: page.next as string }
}

type IsLast = (version: ScannedVersion) => boolean | Promise<boolean>

/** Whether a superseded version was the current one at T, by the versions that came later: mostly there are few, or none. */
async function lastAmong(unit: UnitOfWork, type: string, at: number): Promise<IsLast> {
  const later = await unit.scanVersions({ type, since: at + 1, limit: PAGE })
  if (later.next !== undefined) {
    const isLast = async ({ id, version }: ScannedVersion) => isAfter(await unit.readVersion(type, id, version + 1), at)
    return async (version) => (await ifReadable(isLast(version))) === true
  }
  const known = new Set(later.items.map(({ id, version }) => `${id}/${version}`))
  return ({ id, version }) => known.has(`${id}/${version + 1}`)
}

const isAfter = (next: { readonly lastUpdated: number } | undefined, at: number): boolean =>
  next === undefined || next.lastUpdated > at

/** A resource as it was at T; undefined where there was none, it was deleted, or nobody may see it now. */
export async function versionAt(unit: UnitOfWork, type: string, id: string, at: number) {
  const current = await ifReadable(unit.read(type, id))
  if (current === undefined || current.lastUpdated <= at) return current?.deleted ? undefined : current
  const { versions } = await unit.history({ type, id, at: { from: at, to: at }, count: 1 })
  const [found] = versions.filter(({ lastUpdated, method }) => lastUpdated <= at && method !== 'DELETE')
  return found === undefined ? undefined : await unit.readVersion(type, id, found.version)
}

/** The number of versions that were written in a time before T; undefined where it cannot be told, as one came meanwhile. */
export async function versionsBefore(unit: UnitOfWork, at: number, milliseconds: number): Promise<number | undefined> {
  const laterThan = async (since: number) => (await unit.history({ since, count: 1 })).total
  const after = await laterThan(at + 1)
  const all = await laterThan(at - milliseconds)
  return after === (await laterThan(at + 1)) ? all - after : undefined
}
