/**
 * Lookups needed before a query becomes a plan: the codes of a value set, or the codes or resources above or below one.
 * The parser requests a lookup and continues as if it had found nothing; once it is resolved, the query is parsed
 * again.
 */
import { FhirError } from '../fhir/outcome.ts'
import { type Condition, NOTHING } from './plan.ts'

export type Direction = 'above' | 'below'

/** A lookup. `name` is the parameter with its value, as the client wrote them; the result is a condition on `param`. */
export type Lookup = { readonly name: string; readonly param: string } & (
  | {
      readonly kind: 'value-set'
      /** `url`, `url|version` or `ValueSet/id`. */
      readonly valueSet: string
    }
  | { readonly kind: 'code'; readonly direction: Direction; readonly system: string; readonly code: string }
  | {
      readonly kind: 'resource'
      readonly direction: Direction
      readonly type: string
      readonly id: string
      /** The reference parameter of `type` that leads upwards: `partof` of Location. */
      readonly parent: string
    }
  /** The stored media types of this kind: `image`, or `text/xml` with any parameters. */
  | { readonly kind: 'media-type'; readonly types: readonly string[]; readonly mediaType: string }
)

export type LookUp = (question: Lookup) => Condition

/** Most lookups of one search: each takes several reads. */
const MAX_LOOKUPS = 20

/** The questions that a parser may ask. */
export interface Questions {
  readonly lookUp: LookUp
  /** True when the clinic has the code system as a case-sensitive one. */
  readonly isCaseSensitive: (system: string) => boolean
}

interface Answers {
  readonly condition: (lookup: Lookup) => Promise<Condition>
  /** The case-sensitive ones among the code systems. */
  readonly caseSensitive: (systems: readonly string[]) => Promise<ReadonlySet<string>>
}

/**
 * The result of `parse` once all its lookups are resolved.
 * @throws FhirError 400 when there are too many lookups; errors of the lookups
 */
export async function resolveLookups<Parsed>(
  parse: (questions: Questions) => Parsed,
  answers: Answers,
): Promise<Parsed> {
  const resolved = new Map<string, Condition>()
  const sensitive = new Map<string, boolean>()
  for (;;) {
    const open = new Map<string, Lookup>()
    const systems = new Set<string>()
    const lookUp: LookUp = (lookup) => {
      const key = JSON.stringify(lookup)
      const found = resolved.get(key)
      if (found === undefined) open.set(key, lookup)
      return found ?? NOTHING
    }
    const isCaseSensitive = (system: string): boolean => {
      const known = sensitive.get(system)
      if (known === undefined) systems.add(system)
      return known ?? false
    }
    const parsed = parse({ lookUp, isCaseSensitive })
    if (open.size === 0 && systems.size === 0) return parsed
    if (resolved.size + open.size > MAX_LOOKUPS) throw tooMany()
    const found = systems.size === 0 ? systems : await answers.caseSensitive([...systems])
    // It was parsed as if none were.
    if (open.size === 0 && found.size === 0) return parsed
    for (const system of systems) sensitive.set(system, found.has(system))
    for (const [key, lookup] of open) resolved.set(key, await answers.condition(lookup))
  }
}

const tooMany = (): FhirError =>
  new FhirError(400, {
    code: 'too-costly',
    diagnostics: `The search names more than ${MAX_LOOKUPS} value sets and hierarchies; search in parts`,
  })
