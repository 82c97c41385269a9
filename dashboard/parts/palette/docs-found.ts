/** Pages of the documentation by the words of their titles and headings. */
import type { DocPage } from '../../api/docs.ts'

export interface FoundDoc {
  readonly page: DocPage
  /** Absent where the title itself was found. */
  readonly heading?: string
}

/** Titles first. Each word of the query begins a word. */
export function docsFound(pages: readonly DocPage[], query: string): readonly FoundDoc[] {
  const words = wordsOf(query)
  const has = (text: string) => {
    const there = wordsOf(text)
    return words.every((word) => there.some((one) => one.startsWith(word)))
  }
  const byTitle = pages.filter(({ title }) => has(title)).map((page) => ({ page }))
  const byHeading = pages.flatMap((page) =>
    has(page.title)
      ? []
      : page.headings.filter((one) => has(`${page.title} ${one}`)).map((heading) => ({ page, heading })),
  )
  return [...byTitle, ...byHeading]
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}$-]+/gu) ?? []
