/** The rounds of _include and _revinclude: https://hl7.org/fhir/R4/search.html#revinclude. */
import type { Include, SearchPlan } from '../search/plan.ts'

/** A resource one reference away from others. */
export interface Neighbour {
  /** Identifies it: each is included once. */
  readonly address: string | number
  /** True for a contained resource, which is returned with its container. */
  readonly isInner: boolean
}

/**
 * Collects the included resources: each once, never a match, and at most `plan.includeLimit`. The first round begins at
 * the matches, and each further one, for `:iterate`, at what the one before has reached.
 */
export class Included<One extends Neighbour> {
  readonly found: One[] = []
  truncated = false
  readonly #limit: number
  readonly #seen: Set<Neighbour['address']>
  #reached: One[] = []

  constructor({ includeLimit }: Pick<SearchPlan, 'includeLimit'>, matches: readonly Neighbour['address'][]) {
    this.#limit = includeLimit
    this.#seen = new Set(matches)
  }

  /** Number of resources to read, one more than fit, so that a missing one is noticed. */
  get readable(): number {
    return this.#limit + this.#seen.size + 1
  }

  /** @returns false where there is no room for it */
  add(one: One, hasRoom: () => boolean = () => true): boolean {
    if (this.#seen.has(one.address)) return true
    this.#seen.add(one.address)
    if (!one.isInner && (this.found.length === this.#limit || !hasRoom())) this.truncated = true
    if (this.truncated) return false
    if (!one.isInner) this.found.push(one)
    this.#reached.push(one)
    return true
  }

  /** The steps of each round with the resources that it begins at. */
  *rounds<Step extends Pick<Include, 'iterate'>, Start>(
    steps: readonly Step[],
    matches: readonly Start[],
    startOf: (one: One) => readonly Start[],
  ): Generator<readonly [Step, readonly Start[]]> {
    let starts = matches
    for (let round = 0; starts.length > 0 && !this.truncated; round += 1) {
      this.#reached = []
      for (const step of steps.filter(({ iterate }) => round === 0 || iterate)) {
        if (!this.truncated) yield [step, starts]
      }
      starts = this.#reached.flatMap(startOf)
    }
  }
}
