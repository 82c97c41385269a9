/** The answer to an import: what was written, and what was refused, which may have to be tried again. */
import { FhirError, type Issue } from '../../fhir/outcome.ts'
import type { Refusal } from '../../rehearsal/transfer/import.ts'
import type { Item } from '../../rehearsal/transfer/items.ts'
import type { BodyForm } from './import-forms.ts'

/** Refused items that are named in an answer. */
const MOST_NAMED = 1_000

/** Bytes of refused items that are kept to be tried again, as what they refer to may come later. */
const MOST_KEPT = 4 * 1024 * 1024
const NOT_HERE_YET = 'reference-not-found'

export interface Named {
  readonly line?: number
  readonly entry?: number
  readonly resource?: string
  readonly code: string
  readonly reason: string
}

/** The answer, and of a part the answer of a work thread. */
export interface Answer {
  readonly imported: number
  readonly updated: number
  readonly refused: readonly Named[]
  /** Number of refused items that are not named. */
  readonly more?: number
}

/** The sum of the answers to all parts so far. */
export class Sum {
  #imported = 0
  #updated = 0
  #more = 0
  readonly #refused: Named[] = []

  add({ imported, updated, refused, more = 0 }: Answer): void {
    this.#imported += imported
    this.#updated += updated
    const named = refused.slice(0, MOST_NAMED - this.#refused.length)
    this.#refused.push(...named)
    this.#more += more + refused.length - named.length
  }

  get isEmpty(): boolean {
    return this.#imported + this.#updated + this.#refused.length === 0
  }

  get answer(): Answer {
    const [imported, updated, more] = [this.#imported, this.#updated, this.#more]
    const refused = this.#refused.toSorted((one, other) => numberOf(one) - numberOf(other))
    return { imported, updated, refused, ...(more === 0 ? {} : { more }) }
  }

  toldIn({ status, issues, headers }: FhirError): FhirError {
    const written = this.#imported + this.#updated
    if (written === 0) return new FhirError(status, issues, headers)
    const [first, ...others] = issues
    const diagnostics = `${first?.diagnostics}. ${written} resources that came before are imported`
    return new FhirError(status, [{ code: 'exception', ...first, diagnostics }, ...others], headers)
  }
}

export const numberOf = ({ line, entry }: Named): number => line ?? entry ?? 0

/** Refused items that are kept to be tried again. */
export class Later {
  readonly #form: BodyForm
  readonly #items: Item[] = []
  #bytes = 0

  constructor(form: BodyForm) {
    this.#form = form
  }

  /** The answer to a part, without the items that are kept. */
  withoutKept(answer: Answer, batch: readonly Item[]): Answer {
    return { ...answer, refused: answer.refused.filter((one) => !this.#keeps(one, batch)) }
  }

  #keeps(refused: Named, batch: readonly Item[]): boolean {
    const item = refused.code === NOT_HERE_YET && batch.find(({ number }) => number === refused[this.#form.name])
    if (!item || this.#bytes + (item.bytes?.length ?? 0) > MOST_KEPT) return false
    this.#bytes += item.bytes?.length ?? 0
    this.#items.push(item)
    return true
  }

  get items(): readonly Item[] {
    return this.#items
  }
}

/** Issues of which the reason tells. */
const MOST_ISSUES = 5

export const named = ({ name }: BodyForm, { number, resource, error: { code, issues } }: Refusal): Named => ({
  [name]: number,
  ...(resource === undefined ? {} : { resource }),
  code,
  reason: issues.slice(0, MOST_ISSUES).map(reasonOf).join('; '),
})

const reasonOf = ({ diagnostics, expression = [] }: Issue): string => {
  const where = [expression].flat().filter((path) => !diagnostics.includes(path))
  return where.length === 0 ? diagnostics : `${where.join(', ')}: ${diagnostics}`
}
