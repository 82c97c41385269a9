/** The reads whose length depends on what is stored and requested, by name, wherever they run. */

import { BudgetError } from '../../isolation/budget.ts'
import type { SearchPlan } from '../../search/plan.ts'
import { describeRead } from '../describe-search.ts'
import type {
  FoundByKeys,
  HistoryPage,
  HistoryQuery,
  KeysQuery,
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
import { findByKeys } from './by-keys.ts'
import type { Engine } from './engine.ts'
import { toStoreError } from './faults.ts'
import { history } from './history.ts'
import { refreshIndex } from './index-state.ts'
import { findRecords } from './records.ts'
import { clinics, scanRecords, scanVersions } from './scan.ts'
import { search } from './search.ts'
import { type Limit, OutOfTime } from './time-limit.ts'
import { values } from './values.ts'

interface Queries {
  readonly search: SearchPlan
  readonly history: HistoryQuery
  readonly values: ValuesQuery
  readonly keys: KeysQuery
  readonly records: RecordQuery
  readonly clinics: Readonly<Record<string, never>>
  readonly scanVersions: VersionScan
  readonly scanRecords: ScanQuery
}

interface Answers {
  readonly search: SearchResult
  readonly history: HistoryPage
  readonly values: readonly StoredValue[]
  readonly keys: FoundByKeys
  readonly records: readonly StoredRecord[]
  readonly clinics: readonly string[]
  readonly scanVersions: ScanPage<ScannedVersion>
  readonly scanRecords: ScanPage<StoredRecord>
}

export type ReadKind = keyof Queries
export type Query<Kind extends ReadKind> = Queries[Kind]
export type Answer<Kind extends ReadKind> = Answers[Kind]

const READS: { readonly [Kind in ReadKind]: (engine: Engine, query: Queries[Kind]) => Answers[Kind] } = {
  // Index versions need no check: entries of an older version were refused when they were written.
  search,
  history,
  values,
  keys: findByKeys,
  records: ({ db }, query) => findRecords(db, query),
  clinics: (engine) => clinics(engine),
  scanVersions,
  scanRecords: ({ db }, query) => scanRecords(db, query),
}

/** See describeRead. */
const WHAT: { readonly [Kind in ReadKind]: (query: Queries[Kind]) => string } = {
  ...describeRead,
  records: () => 'a list of the records of the server',
  clinics: () => 'the list of the clinics',
  scanVersions: () => 'a copy of the versions of a clinic',
  scanRecords: () => 'a copy of the records of a clinic',
}

export const whatIsRead = <Kind extends ReadKind>(kind: Kind, query: Query<Kind>): string => WHAT[kind](query)

/** Empty where a read is for all clinics. */
export const clinicOf = (query: Query<ReadKind>): string =>
  'clinic' in query && query.clinic !== undefined ? query.clinic : ''

/** @throws OutOfTime, and errors of the port */
export function read<Kind extends ReadKind>(
  engine: Engine,
  kind: Kind,
  query: Query<Kind>,
  limit: Limit,
): Answer<Kind> {
  return served(engine, () => engine.db.limit.during(limit, () => READS[kind](engine, query)))
}

/** Runs `work` on the newest state of the search index, and turns its errors into errors of the port. */
export function served<T>(engine: Engine, work: () => T): T {
  try {
    engine.index.checkVersion()
    refreshIndex(engine)
    return work()
  } catch (error) {
    throw toStoreError(error)
  }
}

/**
 * @param what see BudgetError
 * @throws BudgetError in place of OutOfTime
 */
export function inTime<T>(what: () => string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof OutOfTime ? new BudgetError(error.reason === 'left' ? 'left' : 'too late', what()) : error
  }
}
