/**
 * Copies all clinics of a store to another one, which may be of another engine: every version of every resource
 * unchanged, oldest first, then the contents and the records. The progress is written with each batch of versions, so that an
 * interrupted copy can be resumed. Index entries are extracted again, for current versions only, as the others are not
 * searched.
 */
import type { IndexEntry } from '../../src/search/plan.ts'
import {
  CUSTOM_INDEX,
  CUSTOM_PARAMETERS,
  type RecordChange,
  type ScannedVersion,
  type ScanPage,
  type StoredRecord,
} from '../../src/storage/port.ts'
import { StoreConflict } from '../../src/storage/store-errors.ts'
import { copyContents, type WholeStore } from './contents.ts'
import { type ClinicMark, clinicMark, isMark, markChange } from './marks.ts'
import { recordsOf, VERSIONS_PER_PAGE, versionPages } from './pages.ts'

export interface Copy {
  readonly source: WholeStore
  readonly target: WholeStore
  readonly entriesOf: (clinic: string, resource: ScannedVersion) => readonly IndexEntry[]
  /** Called with the number of versions copied. */
  readonly onCopied: (count: number) => void
}

/** Approximate size of the texts in one write, in characters. */
const MAX_BATCH_CHARACTERS = 8 * 1024 * 1024
/** Milliseconds between the timestamp of a change and its commit, as commits may be out of order. */
const OVERLAP = 60_000
/** Passes over a source that is written meanwhile. */
const MAX_PASSES = 5

/** @returns true when the source was written meanwhile */
export async function copyStore(copy: Copy): Promise<boolean> {
  let written = await copyAllVersions(copy)
  let wasWritten = false
  for (let pass = 0; pass < MAX_PASSES && written > 0; pass += 1) {
    written = await copyAllVersions(copy)
    wasWritten ||= written > 0
  }
  for (const clinic of await clinicsOf(copy)) {
    await copyContents(copy.source, copy.target, clinic)
    await copyRecords(copy, clinic)
  }
  return wasWritten
}

/** The clinics of both stores, as an earlier run may have copied records that the source no longer has. */
export async function clinicsOf({ source, target }: Pick<Copy, 'source' | 'target'>): Promise<readonly string[]> {
  return [...new Set([...(await source.store.clinics()), ...(await target.store.clinics())])].sort()
}

async function copyAllVersions(copy: Copy): Promise<number> {
  let written = 0
  for (const clinic of await copy.source.store.clinics()) written += await copyVersions(copy, clinic)
  return written
}

/** @returns the number of versions that the target did not have */
async function copyVersions(copy: Copy, clinic: string): Promise<number> {
  let mark = await clinicMark(copy.target.store, clinic)
  const from = mark.isWhole ? { since: mark.latest - OVERLAP } : { ...(mark.after ? { after: mark.after } : {}) }
  let written = 0
  for await (const page of versionPages(copy.source.store, { clinic, ...from })) {
    mark = markAfter(page, mark)
    for (const [set, isLast] of batches(page.items)) {
      written += await writeVersions(copy, clinic, set, isLast ? [markChange(clinic, mark)] : [])
    }
  }
  return written
}

function markAfter({ items, next }: ScanPage<ScannedVersion>, { latest, isWhole }: ClinicMark): ClinicMark {
  const mark = { latest: Math.max(latest, items.at(-1)?.lastUpdated ?? 0), isWhole: isWhole || next === undefined }
  return mark.isWhole || next === undefined ? mark : { ...mark, after: next }
}

/** Splits a page into batches to write, and tells which is the last. */
function batches(versions: readonly ScannedVersion[]): readonly (readonly [readonly ScannedVersion[], boolean])[] {
  const found: ScannedVersion[][] = [[]]
  let characters = 0
  for (const version of versions) {
    characters += version.text.length
    if (characters > MAX_BATCH_CHARACTERS && found.at(-1)?.length !== 0) {
      found.push([])
      characters = version.text.length
    }
    found.at(-1)?.push(version)
  }
  return found.map((set, index) => [set, index === found.length - 1])
}

async function writeVersions(
  copy: Copy,
  clinic: string,
  versions: readonly ScannedVersion[],
  records: readonly RecordChange[],
): Promise<number> {
  const resources = versions.map((version) => ({
    ...asStored(version),
    expect: version.version - 1,
    entries: version.isCurrent && version.method !== 'DELETE' ? copy.entriesOf(clinic, version) : [],
  }))
  try {
    await copy.target.store.write({ clinic, resources, records, guards: [] })
    copy.onCopied(versions.length)
    return versions.length
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
    return await writeMissing(copy, clinic, versions, records, error)
  }
}

const asStored = ({ type, id, version, lastUpdated, method, text }: ScannedVersion) => ({
  ...{ type, id, version, lastUpdated, method, text },
})

/** Writes the versions that an earlier run has not written. */
async function writeMissing(
  copy: Copy,
  clinic: string,
  versions: readonly ScannedVersion[],
  records: readonly RecordChange[],
  conflict: StoreConflict,
): Promise<number> {
  const newest = await Promise.all(versions.map(({ type, id }) => copy.target.store.read(clinic, type, id)))
  const missing = versions.filter(({ version }, index) => version > (newest[index]?.version ?? 0))
  if (missing.length === versions.length) {
    throw new Error(
      `The target is not as this copy left it: something else has written ${conflict.subject} of ${clinic}`,
    )
  }
  return await writeVersions(copy, clinic, missing, records)
}

/** Writes missing and different records, and removes those that the source does not have. */
async function copyRecords({ source, target }: Copy, clinic: string): Promise<void> {
  const write = (records: readonly RecordChange[]) => target.store.write({ clinic, resources: [], records, guards: [] })
  let changes: RecordChange[] = []
  for await (const [wanted, found] of paired(recordsOf(source.store, clinic), recordsOf(target.store, clinic))) {
    changes.push(...changesFor(wanted, found))
    if (changes.length < VERSIONS_PER_PAGE) continue
    await write(changes)
    changes = []
  }
  if (changes.length > 0) await write(changes)
}

function changesFor(wanted: StoredRecord | undefined, found: StoredRecord | undefined): readonly RecordChange[] {
  if (wanted !== undefined && !isSame(wanted, found)) {
    return wanted.kind === CUSTOM_PARAMETERS.kind ? [asChange(wanted), unindexed(wanted)] : [asChange(wanted)]
  }
  if (wanted !== undefined) return []
  return found === undefined || isMark(found) ? [] : [removal(found)]
}

/** The index of a clinic's own search parameters is not copied; the server of the target builds it. */
const unindexed = ({ clinic }: StoredRecord): RecordChange => ({
  ...{ clinic, ...CUSTOM_INDEX },
  expect: 'any',
  value: { types: {} },
  due: 0,
})

type Pair = readonly [wanted: StoredRecord | undefined, found: StoredRecord | undefined]

/** Pairs equal keys of two scans in the same order; a record that only one side has is alone. */
async function* paired(theirs: AsyncGenerator<StoredRecord>, ours: AsyncGenerator<StoredRecord>): AsyncGenerator<Pair> {
  let [wanted, found] = [await nextOf(theirs), await nextOf(ours)]
  while (wanted !== undefined || found !== undefined) {
    const order = compare(wanted, found)
    yield [order <= 0 ? wanted : undefined, order >= 0 ? found : undefined]
    if (order <= 0) wanted = await nextOf(theirs)
    if (order >= 0) found = await nextOf(ours)
  }
}

async function nextOf(records: AsyncGenerator<StoredRecord>): Promise<StoredRecord | undefined> {
  const { done, value } = await records.next()
  return done ? undefined : value
}

/** Compares by the bytes of kind and key, the order of scans; a finished scan comes last. */
function compare(one: StoredRecord | undefined, other: StoredRecord | undefined): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined)
  return bytes(one.kind, other.kind) || bytes(one.key, other.key)
}

const bytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

const isSame = (one: StoredRecord, other: StoredRecord | undefined): boolean =>
  JSON.stringify(asChange(one)) === JSON.stringify(other && asChange(other))

const asChange = ({ clinic, kind, key, version, value, due }: StoredRecord): RecordChange => ({
  ...{ clinic, kind, key, version, value, due },
  expect: 'any',
})

const removal = ({ clinic, kind, key }: StoredRecord): RecordChange => ({
  ...{ clinic, kind, key },
  expect: 'any',
  value: undefined,
})
