/** Judges what both engines keep: settings, the search index, contents, clocks. */
import { SETTINGS } from '../../src/clinics/settings.ts'
import type { Subscribed } from '../../src/repository/event-feed.ts'
import type { Generation } from '../../src/repository/generation.ts'
import { clinicOfPartition, partitionOf } from '../../src/repository/record-kinds.ts'
import { RecordEncryption } from '../../src/repository/unit-records.ts'
import { extraction } from '../../src/search/index/versions.ts'
import { isComplete, type TypeIndex } from '../../src/storage/index/search-index.ts'
import { secondsFor } from '../../src/storage/index/upgrade.ts'
import type { StoredRecord } from '../../src/storage/port.ts'
import { about, type Finding, megabytes, some, unless } from './finding.ts'

export const SETTINGS_KIND = SETTINGS.name

const [secrets, index, contents, clocks, subscriptions] = [
  about('settings'),
  about('search index'),
  about('contents'),
  about('clocks'),
  about('subscriptions'),
]

/** @param settings the records of all clinics as they are stored */
export function settingsFindings(settings: readonly StoredRecord[], keys: readonly string[]): readonly Finding[] {
  const encryption = new RecordEncryption(keys)
  const locked = settings.filter((record) => !canDecrypt(encryption, record))
  if (locked.length > 0) {
    const clinics = some(locked.map(({ clinic }) => clinic))
    return [secrets.toDo(`those of ${clinics} cannot be read; set SECRETS_KEY to the key that they were stored with`)]
  }
  const old = settings.filter((record) => !encryption.isCurrent(record))
  if (old.length > 0)
    return [
      secrets.toDo(`those of ${old.length} clinics are not stored with SECRETS_KEY; a start of the server does that`),
    ]
  return [secrets.ok(`those of ${settings.length} clinics can be read`)]
}

function canDecrypt(encryption: RecordEncryption, record: StoredRecord): boolean {
  try {
    encryption.decrypt(record)
    return true
  } catch {
    return false
  }
}

/** The search index that a server of an earlier version has made; none where it is of this version. */
export function olderIndex(searchVersion: number, resources: number): readonly Finding[] {
  if (searchVersion >= SEARCH_VERSION) return []
  const what = `it is of search version ${searchVersion}, and a start brings it to ${SEARCH_VERSION}`
  const how = `at most ${resources} resources are indexed in the background, about ${secondsFor(resources)} s`
  return [index.note(`${what}: ${how}. ${BACK_UP_FIRST}`)]
}

const SEARCH_VERSION = extraction('').version

export const BACK_UP_FIRST =
  'Servers of earlier versions refuse the store from then on, so back it up first (docs/upgrading.md)'

/** @param heldUntil when the lease of the server that indexes ends, milliseconds since 1970 UTC */
export function indexFinding(types: readonly TypeIndex[], heldUntil: number): Finding {
  const incomplete = types.filter((type) => !isComplete(type)).map(({ type }) => type)
  if (incomplete.length === 0) return index.ok('it is complete')
  const what = `${some(incomplete)} are not indexed by all search parameters yet`
  if (heldUntil > Date.now()) return index.note(`${what}; a server is doing it`)
  return index.toDo(`${what}, and no server is doing it; start one`)
}

/**
 * @param subscribed who listens, in each generation of each clinic
 * @param generations the current one of each clinic that has been reset
 */
export function subscriptionFindings(
  subscribed: readonly StoredRecord[],
  generations: readonly StoredRecord[],
): readonly Finding[] {
  const numbers = new Map(generations.map(({ clinic, value }) => [clinic, (value as Generation).number]))
  const current = subscribed.filter(({ clinic: partition }) => {
    const clinic = clinicOfPartition(partition)
    return partition === partitionOf(clinic, numbers.get(clinic) ?? 0)
  })
  const failed = current.flatMap(({ clinic, value }) => {
    const count = (value as Subscribed).statuses?.error ?? 0
    return count === 0 ? [] : [{ clinic: clinicOfPartition(clinic), count }]
  })
  if (failed.length === 0) return [subscriptions.ok('none is in error')]
  const clinics = some(failed.map(({ clinic, count }) => `${clinic} (${count})`))
  return [
    subscriptions.note(
      `in error at ${clinics}: their events wait; the element error says why (Events in the dashboard): mend the receiver, then set the status to requested, or to off`,
    ),
  ]
}

export interface ContentState {
  readonly count: number
  /** By SHA-256. */
  readonly missing: readonly string[]
  /** Paths or names that no record has. */
  readonly orphaned: readonly string[]
  /** Bytes. */
  readonly orphanedBytes: number
}

export function contentFindings({ count, missing, orphaned, orphanedBytes }: ContentState): readonly Finding[] {
  const found: Finding[] = []
  if (missing.length > 0)
    found.push(
      contents.toDo(`${missing.length} are missing: ${some(missing)}; restore them from a backup (docs/backup.md)`),
    )
  if (orphaned.length > 0) {
    const what = `nothing names ${orphaned.length} files of ${megabytes(orphanedBytes)}: ${some(orphaned)}`
    found.push(contents.note(`${what}; back up, then remove them if you need the space`))
  }
  return unless(found, contents.ok(`all ${count} are there`))
}

/** Milliseconds by which two clocks may differ. */
const TOLERANCE = 5_000

/** @param newest when the newest version was written, milliseconds since 1970 UTC; absent: nothing is stored */
export function clockFindings(newest: number | undefined, moved: number): readonly Finding[] {
  const ahead = (newest ?? 0) - Date.now()
  const late = `the store has versions from ${Math.round(ahead / 1000)} s in the future: the clock of this machine is behind, or was ahead`
  return [
    ahead > TOLERANCE ? clocks.toDo(`${late}; synchronise it (NTP)`) : clocks.ok('nothing is stored from the future'),
    ...(moved > 0 ? [clocks.note(`${moved} clinics have a time of their own, set for rehearsing`)] : []),
  ]
}

export function databaseClockFinding(localTime: number): Finding {
  const seconds = Math.round((localTime - Date.now()) / 1000)
  if (Math.abs(seconds) * 1000 <= TOLERANCE) return clocks.ok('this machine and that of MongoDB agree')
  return clocks.toDo(`those of MongoDB and of this machine differ by ${seconds} s; synchronise both (NTP)`)
}

const disk = about('disk')
/** Bytes, and the share of the whole, below which space is to be freed. */
const LITTLE = 1024 ** 3
const LITTLE_SHARE = 0.05

export function diskFinding(where: string, free: number, size: number): Finding {
  const said = `${megabytes(free)} of ${megabytes(size)} are free ${where}`
  if (free >= LITTLE && free >= size * LITTLE_SHARE) return disk.ok(said)
  return disk.toDo(`${said}; free space, or make it larger, before writes are refused (507)`)
}
