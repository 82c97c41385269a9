/**
 * The storage port: everything the rest of the server can call on an engine, and all that an engine must implement. No
 * engine word enters it, and no FHIR rule enters an engine. `test/storage/contract.ts` is its specification.
 *
 * Every call names the clinic (tenant), which is the first part of every key in an engine.
 */
import type { Transferable } from 'node:worker_threads'
import type { ComponentHealth } from '../isolation/fair-queue.ts'
import type { IndexEntry, SearchPlan } from '../search/plan.ts'

export type ChangeMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One version of a resource, as stored. */
export interface StoredResource {
  readonly type: string
  readonly id: string
  /** 1 for the first, one more for each later one, deletions included. */
  readonly version: number
  /** Milliseconds since 1970 UTC; never decreases from version to version. */
  readonly lastUpdated: number
  readonly method: ChangeMethod
  /** The exact JSON text to send, `id` and `meta` included; '' for a deletion. */
  readonly text: string
}

/** The next version of a resource. */
export interface ResourceChange extends StoredResource {
  /** The version that must be current when this one is written; 0: the resource must never have existed. */
  readonly expect: number
  /** The values by which searches find the resource; none for a deletion. */
  readonly entries: readonly IndexEntry[]
}

/**
 * A small document of the server's own that is not FHIR: call session, replayed result, outbox row, settings,
 * account. Its clinic may be '' where it belongs to the whole service (an account by its user name).
 */
export interface StoredRecord {
  readonly clinic: string
  readonly kind: string
  readonly key: string
  /** 1 for the first, one more for each later one. */
  readonly version: number
  /** Any JSON value. */
  readonly value: unknown
  /** Milliseconds since 1970 UTC when it is due (outbox: next try; others: expiry), or null. */
  readonly due: number | null
}

export interface RecordChange {
  readonly clinic: string
  readonly kind: string
  readonly key: string
  /** The version that must be current; 0: must not exist; 'any': whatever is there. */
  readonly expect: number | 'any'
  /** The new value; undefined deletes the record. */
  readonly value: unknown
  readonly due?: number | null
  /** The version at the source, for a copy. Absent: the current version plus one. */
  readonly version?: number
}

/**
 * The record in which a clinic declares search parameters of its own, in addition to the server's. Each version of a
 * resource is indexed by one version of this record, which only ever rises.
 */
export const CUSTOM_PARAMETERS = { kind: 'search-parameters', key: 'custom' } as const

/**
 * The record of how far a clinic's resources are indexed by its own search parameters. It belongs to one store; copies
 * omit it.
 */
export const CUSTOM_INDEX = { kind: 'search-index', key: 'custom' } as const

/** By resource type, the lowest version of CUSTOM_PARAMETERS by which entries must have been extracted. */
export type IndexVersions = Readonly<Record<string, number>>

/** A condition checked when the changes are written: `plan` must find exactly these ids, in any order. */
export interface Guard {
  readonly plan: SearchPlan
  readonly ids: readonly string[]
  /** See ResourceStore.search. */
  readonly indexVersions?: IndexVersions
}

/** Written all or none, durable before the promise resolves. */
export interface ChangeSet {
  readonly clinic: string
  readonly resources: readonly ResourceChange[]
  /**
   * The version of CUSTOM_PARAMETERS by which the entries were extracted; 0: there was none. Where the record has
   * another version by now, an engine refuses the set as a conflict, or stores the index version with the resource.
   * Absent: no entries of such parameters are written.
   */
  readonly indexVersion?: number
  readonly records: readonly RecordChange[]
  /** Checked against the state before the changes, in the same serial order as every other write. */
  readonly guards: readonly Guard[]
}

export interface SearchResult {
  /**
   * At most `plan.count`, in order. A contained resource has the version, time and text of its container
   * (search/inner.ts).
   */
  readonly matches: readonly StoredResource[]
  readonly included: readonly StoredResource[]
  /** True when `plan.includeLimit` cut off included resources. */
  readonly truncated: boolean
  /** Cursor of the next page, when there is one. */
  readonly next?: string
  /**
   * Matches over all pages, of the same snapshot. Present when all fit on this first page, or when `plan.total` is
   * accurate.
   */
  readonly total?: number
}

/** One version of a resource, or all of them. */
export interface ListedVersion {
  readonly type: string
  readonly id: string
  readonly version?: number
}

/** History, newest first: of one resource (type and id), one type, or the clinic. */
export interface HistoryQuery {
  readonly clinic: string
  readonly type?: string
  readonly id?: string
  /** Only versions written at or after this time (ms). */
  readonly since?: number
  /** Only versions that were current at some time within [from, to] (ms). */
  readonly at?: { readonly from: number; readonly to: number }
  /** Only these versions. `name` identifies the list that they are from; a page cursor is valid for that list only. */
  readonly among?: { readonly name: string; readonly versions: readonly ListedVersion[] }
  readonly count: number
  /** Cursor of the page before. */
  readonly after?: string
}

export interface HistoryPage {
  readonly versions: readonly StoredResource[]
  readonly next?: string
  /** Versions over all pages. */
  readonly total: number
}

/** A query for the values of a token or uri parameter that occur in the resources. */
export interface ValuesQuery {
  readonly clinic: string
  /** Absent: every type. */
  readonly type?: string
  readonly kind: 'token' | 'uri'
  readonly param: string
  /** Most values returned. */
  readonly limit: number
}

export interface StoredValue {
  /** '' for a token without one, and for a uri. */
  readonly system: string
  /** The code of a token, or the uri. */
  readonly code: string
}

export type RecordQuery = {
  readonly kind: string
  readonly limit: number
} & (
  | {
      readonly clinic: string
      /** Ordered by key: only records behind this one. */
      readonly after?: string
      readonly dueBefore?: undefined
    }
  /** Only records with `due` at or before this time (ms), earliest first. */
  | { readonly clinic: string; readonly dueBefore: number; readonly after?: undefined }
  /** Due records of every clinic (background work only). */
  | { readonly clinic?: undefined; readonly dueBefore: number; readonly after?: undefined }
)

/** A page of everything that a clinic has, for copies. */
export interface ScanQuery {
  readonly clinic: string
  readonly limit: number
  /** Cursor of the page before. */
  readonly after?: string
}

export interface VersionScan extends ScanQuery {
  /** Only resources of this type. */
  readonly type?: string
  /** Only versions that are the newest, deletions included. */
  readonly isCurrent?: true
  /** Only versions written at or after this time (ms). */
  readonly since?: number
}

export interface ScannedVersion extends StoredResource {
  /** True when it was the newest version at the time of reading. */
  readonly isCurrent: boolean
}

export interface ScanPage<Item> {
  /** Fewer than the limit where their texts are long. */
  readonly items: readonly Item[]
  /** Absent: there are no more. */
  readonly next?: string
}

/** Milliseconds after which a snapshot ends by itself: no engine keeps superseded data for a reader for ever. */
export const SNAPSHOT_LASTS = 300_000

/** The whole store as it was at one moment. Writes go on meanwhile, and it shows none of them. */
export interface StoreSnapshot {
  /** See ResourceStore. @throws SnapshotEnded, InvalidCursor, StoreUnavailable */
  scanVersions(scan: VersionScan): Promise<ScanPage<ScannedVersion>>
  /** See ResourceStore. @throws SnapshotEnded, InvalidCursor, StoreUnavailable */
  scanRecords(scan: ScanQuery): Promise<ScanPage<StoredRecord>>
  /** To be called as soon as it is not needed any more: until then the engine keeps what is superseded. */
  close(): Promise<void>
}

/** A part of the work of deleting everything that a clinic has. */
export interface Drop {
  /** Most resources and records that one call deletes, and so how long other writes wait for it. */
  readonly limit: number
  /** Absent: the records of every kind are deleted. */
  readonly kinds?: readonly string[]
}

/**
 * The search parameters of a server, and how an engine extracts their values from stored resources: entries that an
 * older server has not written are added in the background.
 */
export interface Extraction {
  /** Raised with every change; a store that was searched with a higher version is refused. */
  readonly version: number
  readonly types: readonly string[]
  /** By code: a text that changes whenever the entries of that parameter do. */
  parametersOf(type: string): ReadonlyMap<string, string>
  /**
   * @param custom the value of the clinic's record CUSTOM_PARAMETERS, where it has one
   * @throws any error, for a resource that cannot be read: it keeps the entries it has
   */
  entriesOf(clinic: string, resource: StoredResource, custom?: unknown): readonly IndexEntry[]
}

export interface IndexingProgress {
  readonly type: string
  readonly state: 'begins' | 'goes on' | 'is complete'
  /** Resources, since this server began with the type. `seconds`: estimated, for those that are left in all types. */
  readonly done: number
  readonly left: number
  readonly leftInAll: number
  readonly seconds: number
  /** Resources that keep their old entries, since none could be extracted. */
  readonly failed: number
}

/** A batch of resources to be reindexed by the newest version of CUSTOM_PARAMETERS. */
export interface Reindexing {
  readonly clinic: string
  readonly type: string
  /** An engine that stores the index version of each resource skips those that already have this or a later one. */
  readonly indexVersion: number
  /** Most resources in the batch. */
  readonly limit: number
  /** Cursor of the batch before. */
  readonly after?: string
}

export interface ReindexedBatch {
  readonly done: number
  /** Number of these that keep their old entries, since none could be extracted. */
  readonly failed: number
  /** Absent: there are no more. */
  readonly next?: string
}

/** A query for the resources of a type that have a key of `param` beginning with one of `beginnings`. */
export interface KeysQuery {
  readonly clinic: string
  readonly type: string
  readonly param: string
  readonly beginnings: readonly string[]
  /** A beginning that more resources have is too common, and finds none of them, unless `some` is set. */
  readonly most: number
  /**
   * Too common beginnings find some of their resources too. At most `most` resources are then found by all beginnings
   * together, those of an earlier beginning first.
   */
  readonly some?: boolean
}

export interface FoundByKeys {
  readonly resources: readonly StoredResource[]
  /** The beginnings that more than `most` resources have. */
  readonly tooCommon: readonly string[]
  /** True when the list is incomplete: there are too many resources, or their texts are too long together. */
  readonly isCut: boolean
}

/** Milliseconds within which a write by another process shows in `readRecent`. */
export const RECENT = 200

/** Numbers the changes of resources that have been noticed. */
export interface NoticedChanges {
  /** A number that grows with each change of a resource of one of these types, whoever made it. */
  last(clinic: string, types: readonly string[]): number
}

/**
 * A value at once where it is in memory (waiting for it would cost as much as looking it up), otherwise a promise of
 * it.
 */
export type Recent<Value> = Value | undefined | Promise<Value | undefined>

/** An engine's own data with which a thread of this process opens the same store; passed on unchanged. */
export interface SharedStore {
  readonly value: object
  /**
   * The transfer list for `postMessage` or `new Worker`, to be passed with the value. Only one thread can open the
   * store by it.
   */
  readonly transferList: readonly Transferable[]
}

/** The load of each part of a store; calls under way count as waiting. */
interface StoreLoad {
  readonly parts: readonly ComponentHealth[]
}

/**
 * Every method that reads throws StoreUnavailable where the engine cannot serve; BudgetError when the time of its
 * request is up or the client has left; and QueueFull where too many long reads are waiting.
 */
export interface ResourceStore {
  /** The current version (a deletion has method DELETE), or undefined when there never was one. */
  read(clinic: string, type: string, id: string): Promise<StoredResource | undefined>
  readVersion(clinic: string, type: string, id: string, version: number): Promise<StoredResource | undefined>
  /**
   * @throws StoreConflict, IndexIncomplete, ResourceTooLarge, StoreUnavailable; BudgetError where its guards search for
   * too long
   */
  write(changes: ChangeSet): Promise<void>
  /**
   * @param indexVersions the index versions that the entries of some types must have for a correct result
   * @throws InvalidCursor, IndexIncomplete (EntriesOutdated where a reindex helps), StoreUnavailable
   */
  search(plan: SearchPlan, indexVersions?: IndexVersions): Promise<SearchResult>
  /**
   * Reindexes one batch; earlier batches stay done.
   * @throws StoreUnavailable
   */
  reindex(batch: Reindexing): Promise<ReindexedBatch>
  /** @throws InvalidCursor, StoreUnavailable */
  history(query: HistoryQuery): Promise<HistoryPage>
  /**
   * The resources that have one of several keys, each once, in any order: for record linkage, which looks up many at
   * once.
   * @throws IndexIncomplete, StoreUnavailable
   */
  findByKeys(query: KeysQuery): Promise<FoundByKeys>
  /**
   * Each value once, in any order. Where more than a thousand resources have a code, one of its systems may be missing.
   */
  values(query: ValuesQuery): Promise<readonly StoredValue[]>
  readRecord(clinic: string, kind: string, key: string): Promise<StoredRecord | undefined>
  /**
   * Like readRecord, but perhaps from memory: for kinds that are read with every request and seldom change (their list
   * is given when the engine is opened). Writes of this store show at once, those of another one within RECENT
   * milliseconds.
   */
  readRecent(clinic: string, kind: string, key: string): Recent<StoredRecord>
  records(query: RecordQuery): Promise<readonly StoredRecord[]>
  /**
   * All clinics that have a resource or a record, by the bytes of their names; '' first, where the service has records.
   */
  clinics(): Promise<readonly string[]>
  /**
   * The versions of a clinic's resources, oldest first; the versions of one resource in their order.
   * @throws InvalidCursor, StoreUnavailable
   */
  scanVersions(scan: VersionScan): Promise<ScanPage<ScannedVersion>>
  /**
   * Every record of a clinic, by the bytes of kind and key.
   * @throws InvalidCursor, StoreUnavailable
   */
  scanRecords(scan: ScanQuery): Promise<ScanPage<StoredRecord>>
  /** @throws StoreUnavailable */
  snapshot(): Promise<StoreSnapshot>
  /**
   * Deletes some of a clinic's resources, with all their versions and everything by which they are found, and of its
   * records: all or none of these, durable before the promise resolves. Called again until nothing is left. What is left
   * meanwhile is no whole: nothing must read the clinic or write to it, and other processes may still find it for RECENT
   * milliseconds.
   * @returns true when nothing is left
   * @throws StoreUnavailable
   */
  drop(clinic: string, drop: Drop): Promise<boolean>
  /** True when there is no resource and no record yet. */
  isEmpty(): Promise<boolean>
  /**
   * Notices the commits of all processes so far, so that values derived from resources can be cached until these
   * change. Absent: the engine notices the changes of other processes only when it reads the changed resources.
   * @throws StoreUnavailable
   */
  noticeChanges?(): NoticedChanges
  /** The load of its parts, without reading from the database. Absent: the engine does not know. */
  load?(): StoreLoad
  /**
   * The means for a thread of this process to open the store too. Absent: the thread opens it by its address;
   * undefined: it cannot. A store opened in this way ends with this one.
   */
  share?(): SharedStore | undefined
  /** Waits for writes under way. */
  close(): Promise<void>
}
