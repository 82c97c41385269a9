/** Scans as streams of pages; the next page is on its way while one is worked on. */
import {
  CUSTOM_INDEX,
  type ResourceStore,
  type ScannedVersion,
  type ScanPage,
  type StoredRecord,
  type VersionScan,
} from '../../src/storage/port.ts'

/** Of one write. */
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

/** But for what a store says of itself. */
export async function* recordsOf(store: ResourceStore, clinic: string): AsyncGenerator<StoredRecord> {
  const found = pages((after) => store.scanRecords({ clinic, ...after, limit: RECORDS_PER_PAGE }), {})
  for await (const { items } of found) yield* items.filter(({ kind }) => kind !== CUSTOM_INDEX.kind)
}

type After = { readonly after?: string }

async function* pages<Item>(
  read: (after: After) => Promise<ScanPage<Item>>,
  first: After,
): AsyncGenerator<ScanPage<Item>> {
  for (let coming: Promise<ScanPage<Item>> | undefined = read(first); coming !== undefined; ) {
    const page: ScanPage<Item> = await coming
    coming = page.next === undefined ? undefined : read({ after: page.next })
    // Whoever stops early does not hear of it.
    coming?.catch(() => {})
    yield page
  }
}
