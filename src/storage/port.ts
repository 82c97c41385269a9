/**
 * The storage port: what the rest of the server may ask of an engine, and all that an engine must do.
 * No engine word enters it, no FHIR rule enters an engine. `test/storage/contract.ts` is its specification.
 *
 * Every call names the clinic (tenant); an engine keys everything by it first.
 */
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
  /** The values to find it by; none for a deletion. */
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
  /** Milliseconds since 1970 UTC when somebody has to look at it (outbox: next try; others: expiry), or null. */
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
}

/** What must still be true when the changes are written: `plan` finds exactly these ids (in any order). */
export interface Guard {
  readonly plan: SearchPlan
  readonly ids: readonly string[]
}

/** Written all or none, durable before the promise resolves. */
export interface ChangeSet {
  readonly clinic: string
  readonly resources: readonly ResourceChange[]
  readonly records: readonly RecordChange[]
  /** Checked against the state before the changes, in the same serial order as every other write. */
  readonly guards: readonly Guard[]
}

/** Somebody else was faster: nothing of the change set was written. Read again, decide again, write again. */
export class StoreConflict extends Error {
  readonly on: 'version' | 'record' | 'guard'
  /** Type/id, kind/key, or the searched type. */
  readonly subject: string
  constructor(on: 'version' | 'record' | 'guard', subject: string) {
    super(`${on} conflict on ${subject}`)
    this.name = 'StoreConflict'
    this.on = on
    this.subject = subject
  }
}

/** The engine can't serve now (disk full, server away); nothing was written. Becomes 503. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** A cursor that this engine did not make, or made for another search. Becomes 400. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor'
}

export interface SearchResult {
  /** At most `plan.count`, in order. */
  readonly matches: readonly StoredResource[]
  readonly included: readonly StoredResource[]
  /** Set when `plan.includeLimit` cut included resources off. */
  readonly truncated: boolean
  /** Cursor of the next page, when there is one. */
  readonly next?: string
  /** Matches over all pages: always when they fit this first page or `plan.total` is accurate; of the same snapshot. */
  readonly total?: number
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

/** Which values of a token or uri parameter the resources there are have. */
export interface ValuesQuery {
  readonly clinic: string
  /** Absent: of every type. */
  readonly type?: string
  readonly kind: 'token' | 'uri'
  readonly param: string
  /** Values at most. */
  readonly limit: number
}

export interface StoredValue {
  /** '' for a token without one, and for a uri. */
  readonly system: string
  /** The code of a token, or the uri. */
  readonly code: string
}

export interface RecordQuery {
  /** Absent: of every clinic (background work only). */
  readonly clinic?: string
  readonly kind: string
  /** Only records with `due` at or before this time (ms), earliest first; else by key. */
  readonly dueBefore?: number
  readonly limit: number
}

export interface ResourceStore {
  /** The current version (a deletion has method DELETE), or undefined when there never was one. */
  read(clinic: string, type: string, id: string): Promise<StoredResource | undefined>
  readVersion(clinic: string, type: string, id: string, version: number): Promise<StoredResource | undefined>
  /** @throws StoreConflict, StoreUnavailable */
  write(changes: ChangeSet): Promise<void>
  /** @throws InvalidCursor, StoreUnavailable */
  search(plan: SearchPlan): Promise<SearchResult>
  history(query: HistoryQuery): Promise<HistoryPage>
  /** Each once, in any order. Of a code that a thousand resources have, a system that none of the first has may be missing. */
  values(query: ValuesQuery): Promise<readonly StoredValue[]>
  readRecord(clinic: string, kind: string, key: string): Promise<StoredRecord | undefined>
  records(query: RecordQuery): Promise<readonly StoredRecord[]>
  /** True when there is no resource and no record yet. */
  isEmpty(): Promise<boolean>
  /** Waits for writes under way. */
  close(): Promise<void>
}
