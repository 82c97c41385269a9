/**
 * What has to be looked up before a query is a plan: the codes of a value set, what is above or below a code or a
 * resource. The parser asks for a lookup and reads on as if it had found nothing; once it is resolved, the query is
 * parsed again.
 */
import { FhirError } from '../fhir/outcome.ts'
import type { Condition } from './plan.ts'

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

const NOTHING: Condition = { kind: 'any', of: [] }

/**
 * What `parse` returns once every lookup that it asks for is resolved.
 * @throws FhirError 400 when there are too many; what `resolve` throws
 */
export async function resolveLookups<Parsed>(
  parse: (lookUp: LookUp) => Parsed,
  resolve: (lookup: Lookup) => Promise<Condition>,
): Promise<Parsed> {
  const resolved = new Map<string, Condition>()
  for (;;) {
    const open = new Map<string, Lookup>()
    const parsed = parse((lookup) => {
      const key = JSON.stringify(lookup)
      const found = resolved.get(key)
      if (found === undefined) open.set(key, lookup)
      return found ?? NOTHING
    })
    if (open.size === 0) return parsed
    if (resolved.size + open.size > MAX_LOOKUPS) throw tooMany()
    for (const [key, lookup] of open) resolved.set(key, await resolve(lookup))
  }
}

const tooMany = (): FhirError =>
  new FhirError(400, {
    code: 'too-costly',
    diagnostics: `The search names more than ${MAX_LOOKUPS} value sets and hierarchies; search in parts`,
  })
