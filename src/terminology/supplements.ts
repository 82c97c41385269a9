/** Supplements add designations and properties to another code system: https://hl7.org/fhir/R4/codesystem.html#supplements. */
import type { CodeSystem, ValueSet } from 'fhir/r4'
import { canonicalOf } from './canonical.ts'
import { Concepts } from './concepts.ts'
import { unknownCanonical } from './missing-terms.ts'
import type { Terminology } from './terminology.ts'

const NAMED_BY_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/valueset-supplement'

/** The supplements that a value set asks for itself. */
export const supplementsOf = ({ extension = [] }: ValueSet): readonly string[] =>
  extension.flatMap(({ url, valueCanonical }) =>
    url === NAMED_BY_VALUE_SET && valueCanonical !== undefined ? [valueCanonical] : [],
  )

/**
 * The same terminology, its code systems with what the supplements add.
 * @throws FhirError 404 naming a supplement that is not held
 */
export function withSupplements(terminology: Terminology, canonicals: readonly string[]): Terminology {
  if (canonicals.length === 0) return terminology
  const supplements = canonicals.map((canonical) => {
    const found = terminology.supplement(canonical)
    if (found === undefined) throw unknownCanonical('supplement', canonical)
    return found
  })
  const made = new Map<CodeSystem, Concepts>()
  const codeSystem = (canonical: string): Concepts | undefined => {
    const found = terminology.codeSystem(canonical)
    const adding = supplements.filter((supplement) => found !== undefined && isFor(supplement, found.system))
    if (found === undefined || adding.length === 0) return found
    const known = made.get(found.system) ?? new Concepts(found.system, adding)
    made.set(found.system, known)
    return known
  }
  return { ...terminology, codeSystem }
}

function isFor({ supplements = '' }: CodeSystem, { url, version }: CodeSystem): boolean {
  const wanted = canonicalOf(supplements)
  return wanted.url === url && (wanted.version === undefined || wanted.version === version)
}
