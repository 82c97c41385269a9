/** The reads whose length depends on what is stored and requested: wherever they run, they are found here by name. */

import type { SearchPlan } from '../../search/plan.ts'
import type {
  HistoryPage,
  HistoryQuery,
  RecordQuery,
  ScannedVersion,
  ScanPage,
  ScanQuery,
  SearchResult,
  StoredRecord,
  StoredValue,
  ValuesQuery,
  VersionScan,
} from '../port.ts'
import type { Engine } from './engine.ts'
import { history } from './history.ts'
import { findRecords } from './records.ts'
import { clinics, scanRecords, scanVersions } from './scan.ts'
import { search } from './search.ts'
import { values } from './values.ts'

interface Queries {
  readonly search: SearchPlan
  readonly history: HistoryQuery
  readonly values: ValuesQuery
  readonly records: RecordQuery
  readonly clinics: Readonly<Record<string, never>>
  readonly scanVersions: VersionScan
  readonly scanRecords: ScanQuery
}

interface Answers {
  readonly search: SearchResult
  readonly history: HistoryPage
  readonly values: readonly StoredValue[]
  readonly records: readonly StoredRecord[]
  readonly clinics: readonly string[]
  readonly scanVersions: ScanPage<ScannedVersion>
  readonly scanRecords: ScanPage<StoredRecord>
}

export type ReadKind = keyof Queries
export type Query<Kind extends ReadKind> = Queries[Kind]
export type Answer<Kind extends ReadKind> = Answers[Kind]

export const READS: { readonly [Kind in ReadKind]: (engine: Engine, query: Queries[Kind]) => Answers[Kind] } = {
  // Index versions need no check: entries of an older version were refused when they were written.
  search,
  history,
  values,
  records: ({ db }, query) => findRecords(db, query),
  clinics: (engine) => clinics(engine),
  scanVersions,
  scanRecords: ({ db }, query) => scanRecords(db, query),
}
