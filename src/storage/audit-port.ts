/**
 * The store of the audit trail, beside the store of resources: blocks of events, each written once and never changed.
 * It does not interpret events (src/record/audit does).
 */

/** Consecutive events of one clinic, written together by one process. */
export interface AuditBlock {
  /** '' for events of the whole service. */
  readonly clinic: string
  /** Unique in its clinic; sorts by `first` and then by the process that wrote it. */
  readonly key: string
  /** Time of its first event, milliseconds since 1970 UTC. Its other events are at most BLOCK_SPAN later. */
  readonly first: number
  /** The ids of the patients that its events are about, each once. */
  readonly patients: readonly string[]
  readonly events: string
}

/** Milliseconds. */
export const BLOCK_SPAN = 1_000

/** A range of a clinic's blocks, by their keys. */
export interface AuditScan {
  readonly clinic: string
  readonly order: 'oldest first' | 'newest first'
  /** Blocks whose first event is within [from, to]; milliseconds since 1970 UTC. */
  readonly from: number
  readonly to: number
  /** Blocks that come after this one in the order. */
  readonly after?: string
  /** Only blocks with events about this patient are returned; all others still count towards the limit. */
  readonly patient?: string
  /** Most blocks examined. */
  readonly limit: number
}

export interface AuditPage {
  /** The matching blocks, in the requested order. */
  readonly blocks: readonly StoredBlock[]
  /** The key of the last block examined; absent: there are no more. */
  readonly next?: string
}

/**
 * The prefix of the keys of blocks whose first event is at `time`. All prefixes have the same length, so they sort as
 * times do.
 */
export const keyAt = (time: number): string =>
  Math.min(Math.max(Math.floor(time), 0), LAST_TIME)
    .toString(36)
    .padStart(KEY_LENGTH, '0')

const KEY_LENGTH = 9
const LAST_TIME = 36 ** KEY_LENGTH - 1

export type StoredBlock = Pick<AuditBlock, 'key' | 'first' | 'events'>

/** The time for which events are kept; the engine itself removes older ones. */
export interface Retention {
  readonly days: number
}

export const MILLISECONDS_PER_DAY = 86_400_000

/**
 * The store of a record beside that of the resources. An engine opens its database on first use, so a database that
 * cannot be opened does not stop the server from starting; all methods throw StoreUnavailable then.
 */
export interface RecordStore {
  /** When this process has set aside a file that could not be read: milliseconds since 1970 UTC. */
  readonly setAsideAt?: () => number | undefined
  /** Waits for writes under way. */
  close(): Promise<void>
}

export interface AuditStore extends RecordStore {
  /** Writes all or none. */
  write(blocks: readonly AuditBlock[]): Promise<void>
  scan(scan: AuditScan): Promise<AuditPage>
  read(clinic: string, key: string): Promise<StoredBlock | undefined>
}
