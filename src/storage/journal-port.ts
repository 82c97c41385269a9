/**
 * The store of the request journal, beside the store of resources: the entries of each clinic, in the order in which
 * they were written. It does not interpret exchanges (src/record/journal does).
 */
import type { RecordStore } from './audit-port.ts'

export interface JournalEntry {
  /** '' for entries of the whole service. */
  readonly clinic: string
  /** Unique in its clinic. */
  readonly id: string
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  /** The entry reports exchanges that are missing from the journal, so every filter finds it. */
  readonly isGap: boolean
  /** The group that may read the entry; a reader requests the groups that it belongs to. */
  readonly audience: string
  /** Values to find the entry by; '' and 0 where it has none. */
  readonly run: string
  readonly call: string
  readonly trace: string
  readonly status: number
  readonly path: string
  readonly type: string
  /** Names, separated by commas. */
  readonly fault: string
  readonly method: string
  readonly direction: string
  /** The id of the user. */
  readonly user: string
  /** Names, separated by commas. */
  readonly operation: string
  /** Milliseconds. */
  readonly duration: number
  /** The text that a search by words compares, in lower case. */
  readonly words: string
  /** The part that a list shows, and the rest: JSON. */
  readonly summary: string
  readonly detail: string
}

/** Limits on the entries kept of a clinic: an entry is removed when it exceeds either. */
export interface Kept {
  readonly days: number
  readonly entries: number
}

/** All criteria must hold; an absent one holds for every entry. */
export interface JournalFilter {
  readonly run?: string
  readonly call?: string
  readonly trace?: string
  /** Inclusive. */
  readonly status?: { readonly from: number; readonly to: number }
  /** Prefix of the path. */
  readonly path?: string
  readonly type?: string
  /** One of its faults. */
  readonly fault?: string
  readonly method?: string
  readonly direction?: string
  readonly user?: string
  /** One of its operations. */
  readonly operation?: string
  /** Part of its words, in lower case. */
  readonly text?: string
  /** Any run but this one. */
  readonly notRun?: string
  /** Milliseconds since 1970 UTC; `until` itself is not included. */
  readonly since?: number
  readonly until?: number
  /** Only entries for one of these audiences. */
  readonly audiences?: readonly string[]
}

export interface JournalScan {
  readonly clinic: string
  readonly order: 'oldest first' | 'newest first'
  /** Only entries that come after this number in the order. */
  readonly after?: number
  readonly filter: JournalFilter
  /** Most entries examined. */
  readonly limit: number
}

interface NumberedSummary {
  /** Its position among the entries of its clinic. */
  readonly number: number
  readonly summary: string
}

export interface JournalPage {
  /** The matching entries, in the requested order. */
  readonly entries: readonly NumberedSummary[]
  /** The number of the last entry examined; absent: there are no more. */
  readonly next?: number
}

/** An entry for counting: no gap. */
export interface Measure extends Pick<JournalEntry, 'at' | 'status' | 'duration' | 'method' | 'user' | 'operation'> {
  readonly number: number
}

export interface MeasurePage {
  readonly measures: readonly Measure[]
  /** As in JournalPage. */
  readonly next?: number
  /** The time of the last entry examined. */
  readonly oldest?: number
}

/** The numbers of the oldest and the newest entry; 0 where there are none. */
export interface JournalBounds {
  readonly first: number
  readonly last: number
}

export interface FoundEntry extends NumberedSummary {
  readonly id: string
  readonly detail: string
  readonly audience: string
}

export interface JournalStore extends RecordStore {
  /**
   * Writes all or none. Each entry gets the next number of its clinic, whichever process writes it: a reader that has
   * seen one number has seen, or can find, all smaller ones.
   * @param kept limits by clinic; the excess is removed, though perhaps not at once
   */
  write(entries: readonly JournalEntry[], kept: ReadonlyMap<string, Kept>): Promise<void>
  scan(scan: JournalScan): Promise<JournalPage>
  /** The same entries, without gaps, as they are counted. */
  measure(scan: JournalScan): Promise<MeasurePage>
  /** The entries with these ids, in any order, as far as there are any. */
  read(clinic: string, ids: readonly string[]): Promise<readonly FoundEntry[]>
  bounds(clinic: string): Promise<JournalBounds>
}
