/** The page of the documentation that an operation has. */

interface Page {
  /** `operations/patient-merge.md` */
  readonly path: string
  readonly title: string
  readonly headings: readonly string[]
}

interface Operation {
  readonly id?: string | undefined
  /** Without `$`. */
  readonly code?: string | undefined
}

/** The page of its name, else one that names it in its title or in a heading. */
export function operationDoc<P extends Page>(pages: readonly P[], { id, code = '' }: Operation): P | undefined {
  const paths = [`operations/${id}.md`, `tools/${code}.md`, `operations/${code}.md`]
  const named = paths.map((path) => pages.find((page) => page.path === path)).find((page) => page !== undefined)
  const names = (text: string): boolean => new RegExp(`\\$${code}(?![\\w-])`).test(text)
  return (
    named ?? pages.find(({ title }) => names(title)) ?? pages.find(({ headings }) => headings.some((one) => names(one)))
  )
}
