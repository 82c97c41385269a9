/** Scans as streams of pages; the next page is read while the current one is processed. */
import type { ScanPage } from './port.ts'

type After = { readonly after?: string }

/** @param first where the scan begins; absent: at the beginning */
export async function* scanPages<Item>(
  read: (after: After) => Promise<ScanPage<Item>>,
  first: After = {},
): AsyncGenerator<ScanPage<Item>> {
  for (let pending: Promise<ScanPage<Item>> | undefined = read(first); pending !== undefined; ) {
    const page: ScanPage<Item> = await pending
    pending = page.next === undefined ? undefined : read({ after: page.next })
    // Not an unhandled rejection when the caller stops early.
    pending?.catch(() => {})
    yield page
  }
}
