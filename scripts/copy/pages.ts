/** Scans as streams of pages; the next page is read while the current one is processed. */
import {
  CUSTOM_INDEX,
  type ResourceStore,
  type ScannedVersion,
  type ScanPage,
  type StoredRecord,
  type VersionScan,
} from '../../src/storage/port.ts'

export const VERSIONS_PER_PAGE = 400
const RECORDS_PER_PAGE = 500

export const versionPages = (
  store: ResourceStore,
  scan: Omit<VersionScan, 'limit'>,
): AsyncGenerator<ScanPage<ScannedVersion>> =>
  pages(
    (after) => store.scanVersions({ ...scan, ...after, limit: VERSIONS_PER_PAGE }),
    scan.after === undefined ? {} : { after: scan.after },
  )

/** Excluding the store's own records. */
export async function* recordsOf(store: ResourceStore, clinic: string): AsyncGenerator<StoredRecord> {
  const found = pages((after) => store.scanRecords({ clinic, ...after, limit: RECORDS_PER_PAGE }), {})
  for await (const { items } of found) yield* items.filter(({ kind }) => kind !== CUSTOM_INDEX.kind)
}

type After = { readonly after?: string }

async function* pages<Item>(
  read: (after: After) => Promise<ScanPage<Item>>,
  first: After,
): AsyncGenerator<ScanPage<Item>> {
  for (let pending: Promise<ScanPage<Item>> | undefined = read(first); pending !== undefined; ) {
    const page: ScanPage<Item> = await pending
    pending = page.next === undefined ? undefined : read({ after: page.next })
    // Not an unhandled rejection when the caller stops early.
    pending?.catch(() => {})
    yield page
  }
}
