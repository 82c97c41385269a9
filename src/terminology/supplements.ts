/**
 * Code system supplements, which add designations and properties to another code system:
 * https://hl7.org/fhir/R4/codesystem.html#supplements.
 */
import type { CodeSystem, ValueSet } from 'fhir/r4'
import { canonicalOf } from './canonical.ts'
import { Concepts } from './concepts.ts'
import type { Terminology } from './terminology.ts'
import { unknownCanonical } from './unknown-reason.ts'

const NAMED_BY_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/valueset-supplement'

/** The supplements that a value set requires. */
export const supplementsOf = ({ extension = [] }: ValueSet): readonly string[] =>
  extension.flatMap(({ url, valueCanonical }) =>
    url === NAMED_BY_VALUE_SET && valueCanonical !== undefined ? [valueCanonical] : [],
  )

/**
 * The terminology with the supplements applied to its code systems.
 * @throws FhirError 404 naming a supplement that is not available
 */
export function withSupplements(terminology: Terminology, canonicals: readonly string[]): Terminology {
  if (canonicals.length === 0) return terminology
  const named = canonicals.map((canonical) => {
    const found = terminology.supplement(canonical)
    if (found === undefined) throw unknownCanonical('supplement', canonical)
    return found
  })
  const supplements = [...new Set(named)]
  const cache = new Map<CodeSystem, Concepts>()
  const codeSystem = (canonical: string): Concepts | undefined => {
    const found = terminology.codeSystem(canonical)
    const applicable = supplements.filter((supplement) => found !== undefined && isFor(supplement, found.system))
    if (found === undefined || applicable.length === 0) return found
    const known = cache.get(found.system) ?? new Concepts(found.system, applicable)
    cache.set(found.system, known)
    return known
  }
  return { ...terminology, codeSystem }
}

function isFor({ supplements = '' }: CodeSystem, { url, version }: CodeSystem): boolean {
  const target = canonicalOf(supplements)
  return target.url === url && (target.version === undefined || target.version === version)
}
