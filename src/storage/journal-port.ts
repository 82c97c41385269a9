/**
 * The store of the request journal, beside the store of resources: entries of a clinic in the order in which they were
 * written. It knows nothing of what an exchange is (src/record/journal).
 */

export interface JournalEntry {
  /** '' for entries of the whole service. */
  readonly clinic: string
  /** Unique in its clinic. */
  readonly id: string
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  /** It tells of exchanges that are missing, so it is found by every filter. */
  readonly isGap: boolean
  /** Name of those who may read it: a reader asks for the names that it may see. */
  readonly audience: string
  /** What it is found by; '' and 0 where it has none. */
  readonly run: string
  readonly call: string
  readonly status: number
  readonly path: string
  readonly type: string
  /** What a list shows of it, and the rest: JSON. */
  readonly summary: string
  readonly detail: string
}

/** What is kept of a clinic: entries that are both young and among the last. */
export interface Kept {
  readonly days: number
  readonly entries: number
}

/** All of them hold; absent ones do for every entry. */
export interface JournalFilter {
  readonly run?: string
  readonly call?: string
  /** Inclusive. */
  readonly status?: { readonly from: number; readonly to: number }
  /** How the path begins. */
  readonly path?: string
  readonly type?: string
  /** Milliseconds since 1970 UTC. */
  readonly since?: number
  /** Entries for one of these audiences. */
  readonly audiences?: readonly string[]
}

export interface JournalScan {
  readonly clinic: string
  readonly order: 'oldest first' | 'newest first'
  /** Entries that come after this number in the order. */
  readonly after?: number
  readonly filter: JournalFilter
  /** Entries that are looked at. */
  readonly limit: number
}

export interface NumberedSummary {
  /** Its place among the entries of its clinic. */
  readonly number: number
  readonly summary: string
}

export interface JournalPage {
  /** Those that match, in the order. */
  readonly entries: readonly NumberedSummary[]
  /** The number of the last one that was looked at; absent: there is no more. */
  readonly next?: number
}

/** The numbers of the oldest and the newest entry; 0 where there is none. */
export interface JournalBounds {
  readonly first: number
  readonly last: number
}

export interface FoundEntry extends NumberedSummary {
  readonly detail: string
  readonly audience: string
}

/**
 * An engine opens its database when it is first needed, so that one that cannot be opened keeps nothing from starting. All
 * methods throw StoreUnavailable then.
 */
export interface JournalStore {
  /**
   * All or none. Each entry gets the next number of its clinic, whichever process writes it: who has seen one number has
   * seen, or can find, all that are smaller.
   * @param kept by clinic: what is more is removed, if not at once
   */
  write(entries: readonly JournalEntry[], kept: ReadonlyMap<string, Kept>): Promise<void>
  scan(scan: JournalScan): Promise<JournalPage>
  read(clinic: string, id: string): Promise<FoundEntry | undefined>
  bounds(clinic: string): Promise<JournalBounds>
  /** When this process has set aside a file that could not be read: milliseconds since 1970 UTC. */
  readonly setAsideAt?: () => number | undefined
  /** Waits for writes under way. */
  close(): Promise<void>
}
