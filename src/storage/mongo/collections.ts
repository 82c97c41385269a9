/** The collections, the shape of their documents, and their indexes. docs/mongodb.md explains them to users. */
import type { Binary, Collection, CollectionOptions, Db, Document } from 'mongodb'
import type { CompositeKey } from '../composite-key.ts'
import type { ChangeMethod } from '../port.ts'

/** A part of a query. */
export type Filter = Document

/**
 * One value by which a resource is found. `k` is the kind of entry and its search parameter, `string:family`; `v` is
 * the value in the index; the other fields are compared on the document.
 */
export interface IndexItem {
  readonly k: string
  readonly v: string | number | boolean | null | Omit<CompositeKey, 'rest'> | BandedPosition
  readonly [field: string]: unknown
}

interface BandedPosition {
  readonly band: number
  readonly longitude: number
}

interface VersionFields {
  readonly clinic: string
  readonly type: string
  readonly id: string
  readonly version: number
  /** Milliseconds since 1970 UTC. */
  readonly updated: number
  readonly method: ChangeMethod
  /** The exact text to send (see stored-text.ts). */
  readonly text: string | Binary
}

/** A resource within another one, by its type and id in the index. */
export interface InnerLink {
  readonly type: string
  readonly id: string
}

/** The current version of a resource, deletions included. */
export interface ResourceDocument extends VersionFields {
  /** Timestamp of the first version, which sorts by creation: the order of searches without a sort key. */
  readonly _id: string
  /** Timestamp of this version. */
  readonly stamp: string
  /** false: deleted. */
  readonly live: boolean
  readonly ix: readonly IndexItem[]
  /** The same content as `text`, for people to query; absent for a deletion and where BSON cannot represent it. */
  readonly resource?: Document
  /** The contained resources that can be found by searches; absent where there are none, as for most. */
  readonly within?: readonly InnerLink[]
}

/** A superseded version. */
export interface HistoryDocument extends VersionFields {
  /** Timestamp of this version. */
  readonly _id: string
  /** When the next version was written (ms). */
  readonly until: number
}

export interface RecordDocument {
  readonly clinic: string
  readonly kind: string
  readonly key: string
  readonly version: number
  /** JSON. */
  readonly value: string
  readonly due: number | null
}

/** A lock: every write with a guard on a type increments it, so that such transactions conflict with each other. */
interface LockDocument {
  readonly clinic: string
  readonly type: string
  readonly turn: number
}

/** The state of the store itself: one document `schema`, one `lease`, and an `index:` for each resource type. */
export interface StoreDocument {
  readonly _id: string
  /** schema: version of the form of all collections. */
  readonly version?: number
  /** schema: incremented with every change that other servers must see. */
  readonly epoch?: number
  /** schema: the highest Extraction.version of a server that has searched this store. */
  readonly extraction?: number
  /** lease: the server that works in the background, and the end of its lease. */
  readonly holder?: string
  readonly until?: Date
  /** index: see TypeIndex. */
  readonly type?: string
  readonly generation?: number
  /** JSON, as names of search parameters need not be valid field names. */
  readonly wanted?: string
  readonly filled?: string
  readonly completed?: number
}

export interface Collections {
  readonly resources: Collection<ResourceDocument>
  /** Resources within resources: see inner-resources.ts. */
  readonly inner: Collection<ResourceDocument>
  readonly history: Collection<HistoryDocument>
  readonly records: Collection<RecordDocument>
  readonly locks: Collection<LockDocument>
  readonly store: Collection<StoreDocument>
}

export const collectionsOf = (db: Db, options: CollectionOptions = {}): Collections => ({
  resources: db.collection('resources', options),
  inner: db.collection('inner', options),
  history: db.collection('history', options),
  records: db.collection('records', options),
  locks: db.collection('locks', options),
  store: db.collection('store', options),
})

/** Documents of `store`. */
export const SCHEMA = 'schema'
export const LEASE = 'lease'
export const INDEX = 'index:'

/** Indexes of `resources` and `inner`, as queries name them. */
export type ResourceIndex = 'by_id' | 'by_entry' | 'by_time'

interface IndexDefinition {
  readonly name: string
  /** The indexed fields in this order, all ascending. */
  readonly fields: readonly string[]
  readonly unique?: boolean
  readonly only?: Filter
}

const SEARCHED: readonly IndexDefinition[] = [
  { name: 'by_id', fields: ['clinic', 'type', 'id'], unique: true },
  { name: 'by_entry', fields: ['clinic', 'type', 'ix.k', 'ix.v', '_id'] },
  { name: 'by_time', fields: ['clinic', 'type', 'live', 'updated', 'stamp'] },
]

/** Each begins with the clinic, except the one that finds due work of all clinics. */
export const INDEXES: Readonly<Record<Exclude<keyof Collections, 'store'>, readonly IndexDefinition[]>> = {
  resources: [...SEARCHED, { name: 'by_clinic_time', fields: ['clinic', 'updated', 'stamp'] }],
  inner: SEARCHED,
  history: [
    { name: 'by_version', fields: ['clinic', 'type', 'id', 'version'], unique: true },
    { name: 'by_time', fields: ['clinic', 'type', 'updated', '_id'] },
    { name: 'by_clinic_time', fields: ['clinic', 'updated', '_id'] },
  ],
  records: [
    { name: 'by_key', fields: ['clinic', 'kind', 'key'], unique: true },
    { name: 'by_due', fields: ['kind', 'due', 'clinic', 'key'], only: { due: { $type: 'number' } } },
  ],
  locks: [{ name: 'by_type', fields: ['clinic', 'type'], unique: true }],
}
