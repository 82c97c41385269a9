/**
 * `:above` and `:below` of references: https://hl7.org/fhir/R4/search.html#recursive for resources that are part of
 * each other, https://hl7.org/fhir/R4/search.html#versions for canonicals.
 */

import { searchParametersOf } from '../parameters.ts'
import type { Condition, Equality } from '../plan.ts'
import type { Direction } from '../value.ts'
import { any, malformed, type ValueContext } from '../value.ts'

type Reference = Extract<Equality, { kind: 'reference' }>

/** Parameters by which a resource refers to the one that it is part of. */
const UPWARDS = ['partof', 'part-of', 'parent']

/** The parameter by which resources of the type form a hierarchy; undefined where they form none. */
const parentParameterOf = (type: string): string | undefined =>
  UPWARDS.find((code) => searchParametersOf(type).get(code)?.target?.includes(type))

/**
 * @param reference the target of the value itself
 * @param targets the types to which the parameter may refer
 */
export function aboveOrBelow(
  reference: Reference,
  direction: Direction,
  targets: readonly string[],
  text: string,
  context: ValueContext,
): Condition {
  if (reference.type === '') return canonicalVersions(reference, direction)
  const { param, id, version } = reference
  if (version !== undefined) throw malformed(context, text, `names one version, which has nothing ${direction}`)
  const possible = (reference.type === undefined ? targets : [reference.type]).filter(parentParameterOf)
  const [type, ...others] = possible
  const parent = type === undefined ? undefined : parentParameterOf(type)
  if (type === undefined || parent === undefined) {
    throw malformed(context, text, `has nothing ${direction}: ${targets.join(', ')} form no hierarchy`)
  }
  if (others.length > 0) throw malformed(context, text, `may be of several types; write ${possible.join('/… or ')}/…`)
  return context.lookUp({ kind: 'resource', name: `${context.name}=${text}`, param, direction, type, id, parent })
}

/**
 * A condition on versions. Below `url|2.1` are 2.1 and 2.1.3, above it 2.1 and 2; without a version, every version
 * matches.
 */
function canonicalVersions(reference: Reference, direction: Direction): Condition {
  const { version } = reference
  if (version === undefined) return reference
  if (direction === 'below') return { ...reference, versions: 'below' }
  const parts = version.split('.')
  return any(parts.map((_, at) => ({ ...reference, version: parts.slice(0, parts.length - at).join('.') })))
}
