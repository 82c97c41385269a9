/** An export, as its job has it: what was asked for, and how far it is. */

/** In place of a type: the events of the audit trail, which are no stored resources. */
export const TRAIL = 'AuditEvent of the trail'

export interface ExportRequest {
  /** `patient`: the records of patients alone. */
  readonly level: 'system' | 'patient'
  /** In the order in which they are written. */
  readonly types: readonly string[]
  /** The patients whose records are wanted; absent: all. */
  readonly patients?: readonly string[]
  /** The id of a Group, whose members at the beginning are those patients, unless some of them are named. */
  readonly group?: string
  /** Milliseconds since 1970 UTC: only what was changed after, and before. */
  readonly since?: number
  readonly until?: number
  /** Search criteria by type; a resource must meet one of those of its type. */
  readonly filters: Readonly<Record<string, readonly string[]>>
  /** As in `_elements` of a search. */
  readonly elements?: readonly string[]
  /** The Provenance that is written: all of it, that of the other resources that are, or of that the latest of each. */
  readonly provenance: 'all' | 'relevant' | 'latest'
  /** Sentences for the client about what is left out of the request. */
  readonly notes?: readonly string[]
}

export interface ExportState extends ExportRequest {
  /** Milliseconds since 1970 UTC: each resource is written as it was then. Absent until the work begins. */
  readonly transactionTime?: number
  /** The number of versions that were written shortly before, when the scan began. */
  readonly before?: number
  /** The index of the type that is scanned, and where in it. */
  readonly at: number
  readonly after?: string
  /** Resources. */
  readonly written: number
}
