/**
 * What has to be looked up before a query is a plan: the codes of a value set, what is above or below a code or a
 * resource. The parser asks for a lookup and reads on as if it had found nothing; once it is resolved, the query is
 * parsed again.
 */
import { FhirError } from '../fhir/outcome.ts'
import { type Condition, NOTHING } from './plan.ts'

export type Direction = 'above' | 'below'

/** `name` is the parameter with its value, as the client wrote them; the answer is a condition on `param`. */
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
  /** The media types that occur and are of this kind: `image`, or `text/xml` whatever its parameters. */
  | { readonly kind: 'media-type'; readonly types: readonly string[]; readonly mediaType: string }
)

export type LookUp = (question: Lookup) => Condition

/** Of one search: each takes some reads. */
const MAX_LOOKUPS = 20

/** What a parser may ask for. */
export interface Questions {
  readonly lookUp: LookUp
  /** Of a code system: whether the clinic has it as a case-sensitive one. */
  readonly isCaseSensitive: (system: string) => boolean
}

export interface Answers {
  readonly condition: (lookup: Lookup) => Promise<Condition>
  /** Those of the code systems that are case-sensitive. */
  readonly caseSensitive: (systems: readonly string[]) => Promise<ReadonlySet<string>>
}

/**
 * What `parse` returns once all that it asks for is answered.
 * @throws FhirError 400 when there are too many lookups; what the answers throw
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
    // It was read as if none were.
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
