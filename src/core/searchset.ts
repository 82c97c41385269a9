/** The answer of an operation that finds resources: a page of them, sent as stored. https://hl7.org/fhir/R4/bundle.html#searchset */
import type { Issue } from '../fhir/outcome.ts'
import type { Versioned } from '../repository/repository.ts'

interface Page {
  readonly matches: readonly Versioned[]
  readonly included: readonly Versioned[]
  /** Matches over all pages, where that is known. */
  readonly total?: number | undefined
  /** The parameters that were used, in order, for the links; without the cursor. */
  readonly used: readonly (readonly [name: string, value: string])[]
  /** Cursor of the next page, when there is one. */
  readonly next?: string | undefined
  readonly warnings: readonly Issue[]
}

/** A class, to distinguish it from out parameters by name. */
export class Searchset {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }
}
