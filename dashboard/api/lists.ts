/** Lists of routes beside FHIR's, which come page by page. */
import { get } from './client.ts'

/** @param most pages that are read */
export async function pagesFrom<Page extends { readonly next?: string }>(
  first: string,
  most: number,
  signal?: AbortSignal,
): Promise<{ readonly pages: readonly Page[]; readonly isCut: boolean }> {
  const pages: Page[] = []
  let next: string | undefined = first
  while (next !== undefined && pages.length < most) {
    const page: Page = await get<Page>(next, signal)
    pages.push(page)
    next = page.next
  }
  return { pages, isCut: next !== undefined }
}
