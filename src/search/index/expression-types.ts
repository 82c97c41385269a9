/** The types that the base and the FHIRPath expression of a SearchParameter resource concern. */
import { isResourceType, resourceTypes } from '../../fhir/definitions.ts'
import { isResourceTypeOf } from '../../fhir/fhirpath/elements.ts'
import { splitOutside } from '../expression.ts'

/** Bases that stand for all types, or for all but those without narrative. */
export const ABSTRACT = ['Resource', 'DomainResource']

/** The types that `base` names, and those that its abstract ones stand for. */
export const typesOf = (base: readonly string[]): readonly string[] =>
  base.some((one) => ABSTRACT.includes(one))
    ? resourceTypes.filter((type) => base.some((one) => isResourceTypeOf(type, one)))
    : [...new Set(base)]

/**
 * The branches of a union that concern `type`: of `A.x | B.y`, B has `B.y`. A branch that names no type concerns all.
 * @returns undefined when there are none
 */
export function expressionOf(type: string, expression: string): string | undefined {
  const branches = splitOutside(expression, '|').filter((branch) => speaksOf(type, branch))
  return branches.length === 0 ? undefined : branches.join(' | ')
}

function speaksOf(type: string, branch: string): boolean {
  const word = /^[(\s]*(\w+)/.exec(branch)?.[1] ?? ''
  const isTypeName = isResourceType(word) || ABSTRACT.includes(word)
  return !isTypeName || isResourceTypeOf(type, word)
}
