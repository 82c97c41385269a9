/** The scans of a copy, page by page. */
import {
  CUSTOM_INDEX,
  type ResourceStore,
  type ScannedVersion,
  type ScanPage,
  type StoredRecord,
  type VersionScan,
} from '../../src/storage/port.ts'
import { scanPages } from '../../src/storage/scan-pages.ts'

export const VERSIONS_PER_PAGE = 400
const RECORDS_PER_PAGE = 500

export const versionPages = (
  store: ResourceStore,
  scan: Omit<VersionScan, 'limit'>,
): AsyncGenerator<ScanPage<ScannedVersion>> =>
  scanPages(
    (after) => store.scanVersions({ ...scan, ...after, limit: VERSIONS_PER_PAGE }),
    scan.after === undefined ? {} : { after: scan.after },
  )

/** Excluding the store's own records. */
export async function* recordsOf(store: ResourceStore, clinic: string): AsyncGenerator<StoredRecord> {
  const found = scanPages((after) => store.scanRecords({ clinic, ...after, limit: RECORDS_PER_PAGE }))
  for await (const { items } of found) yield* items.filter(({ kind }) => kind !== CUSTOM_INDEX.kind)
}
