/** Errors that every engine throws. */

/** Another write came first: nothing of the change set was written. The caller reads, decides and writes again. */
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

interface Unavailability {
  /**
   * `full`: nothing can be written until space is freed; reads still work. Absent: `away`, which may pass by itself.
   */
  readonly reason?: 'away' | 'full'
  /**
   * The engine was lost during the write: the change set was written as a whole, or not at all. Absent: it was not
   * written.
   */
  readonly mayBeWritten?: boolean
  readonly cause?: unknown
}

/** The engine can't serve now. Becomes 503, or 507 where the disk is full. Its message holds no data. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly reason: 'away' | 'full'
  readonly mayBeWritten: boolean
  constructor(message: string, { reason = 'away', mayBeWritten = false, ...options }: Unavailability = {}) {
    super(message, options)
    this.reason = reason
    this.mayBeWritten = mayBeWritten
  }
}

/** A resource, together with its index entries, exceeds the engine's limit. Nothing was written. Becomes 413. */
export class ResourceTooLarge extends Error {
  override readonly name = 'ResourceTooLarge'
  /** Type/id. */
  readonly subject: string
  constructor(subject: string) {
    super('A resource is larger than the database can keep')
    this.subject = subject
  }
}

/** A search uses values that are still being extracted from stored resources. Becomes 503. */
export class IndexIncomplete extends StoreUnavailable {
  /** Types and parameters, such as `Patient?birthdate`. */
  readonly uses: readonly string[]
  constructor(uses: readonly string[]) {
    super(`The search index is not complete for ${uses.join(', ')}`)
    this.uses = uses
  }
}

/** Some resources have entries of an older version of CUSTOM_PARAMETERS than a search needs. `reindex` renews them. */
export class EntriesOutdated extends IndexIncomplete {}

/** A snapshot was closed, or has lasted as long as the engine keeps one. Becomes 503. */
export class SnapshotEnded extends StoreUnavailable {
  constructor() {
    super('The snapshot of the store has ended, which lasts a few minutes at most; begin again with a new one')
  }
}
