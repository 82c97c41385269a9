/**
 * The store of the audit trail, beside the store of resources: blocks of events, each written once and never changed. It
 * knows nothing of what an event is (src/record/audit).
 */

/** Events of one clinic, one after the other in time, as one process has written them together. */
export interface AuditBlock {
  /** '' for events of the whole service. */
  readonly clinic: string
  /** Unique in its clinic; sorts by `first` and then by the process that wrote it. */
  readonly key: string
  /** Time of its first event, milliseconds since 1970 UTC. No event of a block is later than `first` and BLOCK_SPAN. */
  readonly first: number
  /** The ids of the patients that its events are about, each once. */
  readonly patients: readonly string[]
  readonly events: string
}

/** Milliseconds. */
export const BLOCK_SPAN = 1_000

/** Which blocks of a clinic, by their keys. */
export interface AuditScan {
  readonly clinic: string
  readonly order: 'oldest first' | 'newest first'
  /** Blocks whose first event is within [from, to]; milliseconds since 1970 UTC. */
  readonly from: number
  readonly to: number
  /** Blocks that come after this one in the order. */
  readonly after?: string
  /** Other blocks are passed over, and count for the limit. */
  readonly patient?: string
  /** Blocks that are looked at. */
  readonly limit: number
}

export interface AuditPage {
  /** Those that match, in the order. */
  readonly blocks: readonly StoredBlock[]
  /** The key of the last block that was looked at; absent: there is no more. */
  readonly next?: string
}

/** How the keys of the blocks begin whose first event is at `time`: texts of the same length, which sort as times do. */
export const keyAt = (time: number): string =>
  Math.min(Math.max(Math.floor(time), 0), LAST_TIME)
    .toString(36)
    .padStart(KEY_LENGTH, '0')

const KEY_LENGTH = 9
const LAST_TIME = 36 ** KEY_LENGTH - 1

export type StoredBlock = Pick<AuditBlock, 'key' | 'first' | 'events'>

/** How long events are kept: an engine removes those that are older by itself. */
export interface Retention {
  readonly days: number
}

export const MILLISECONDS_PER_DAY = 86_400_000

/**
 * An engine opens its database when it is first needed, so that one that cannot be opened keeps nothing from starting. All
 * methods throw StoreUnavailable then.
 */
export interface AuditStore {
  /** All or none. */
  write(blocks: readonly AuditBlock[]): Promise<void>
  scan(scan: AuditScan): Promise<AuditPage>
  read(clinic: string, key: string): Promise<StoredBlock | undefined>
  /** When this process has set aside a file that could not be read: milliseconds since 1970 UTC. */
  readonly setAsideAt?: () => number | undefined
  /** Waits for writes under way. */
  close(): Promise<void>
}
