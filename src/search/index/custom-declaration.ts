/**
 * A clinic's own search parameters, as stored in one record, the types that they concern, and the progress of indexing by
 * them, as stored in another (docs/adr/010-custom-search-parameters.md).
 */

import { isResourceType, resourceTypes } from '../../fhir/definitions.ts'
import { isResourceTypeOf } from '../../fhir/fhirpath/node.ts'
import { isObject } from '../../fhir/resource.ts'
import { splitOutside } from '../expression.ts'
import type { SearchParameter } from '../parameters.ts'

export interface CustomParameter extends Pick<SearchParameter, 'code' | 'type' | 'url' | 'target' | 'parts'> {
  /** The id of the SearchParameter resource. */
  readonly id: string
  /** The base as written: types, Resource or DomainResource. */
  readonly base: readonly string[]
  /** The FHIRPath expression for all types of the base. */
  readonly expression: string
  /** The version of the record since which written resources have its values. */
  readonly since: number
}

/** The value of the record. */
export interface CustomDeclaration {
  readonly parameters: readonly CustomParameter[]
  /** By resource type, the last version that changed the parameters by which its resources are indexed. */
  readonly types: Readonly<Record<string, number>>
  /** The same for reference parameters only. */
  readonly references: Readonly<Record<string, number>>
}

export const declarationIn = (value: unknown): CustomDeclaration => ({
  ...{ parameters: [], types: {}, references: {} },
  ...(isObject(value) ? value : {}),
})

type Definition = Omit<CustomParameter, 'since'>

/** The declaration with the parameter of this resource as of `version`, or without it where it is no longer in use. */
export function declared(
  before: CustomDeclaration,
  id: string,
  parameter: Definition | undefined,
  version: number,
): CustomDeclaration {
  const old = before.parameters.find((one) => one.id === id)
  const others = before.parameters.filter((one) => one.id !== id)
  if (old !== undefined && parameter !== undefined && isIndexedAlike(old, parameter)) {
    return { ...before, parameters: [...others, { ...parameter, since: old.since }] }
  }
  const changed = [old, parameter].filter((one) => one !== undefined)
  const since = (of: readonly Definition[]) =>
    Object.fromEntries(of.flatMap(({ base }) => typesOf(base)).map((type) => [type, version]))
  return {
    parameters: parameter === undefined ? others : [...others, { ...parameter, since: version }],
    types: { ...before.types, ...since(changed) },
    references: { ...before.references, ...since(changed.filter(({ type }) => type === 'reference')) },
  }
}

/** True when both have the same index entries. */
const isIndexedAlike = (one: Definition, other: Definition): boolean => contentOf(one) === contentOf(other)
const contentOf = ({ code, type, base, expression, parts }: Definition): string =>
  JSON.stringify([code, type, base, expression, parts])

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

export interface IndexedType {
  /** The version of the declaration by which every resource of the type is indexed, or by a later one. */
  readonly indexVersion: number
  /** The version being worked towards, or reached last. */
  readonly towards: number
  /** Cursor of the last batch, while the work is not complete. */
  readonly after?: string
  /** Resources examined so far. */
  readonly done: number
  /** Number of these that keep their old entries, since none could be extracted. */
  readonly failed: number
}

export interface CustomIndex {
  readonly types: Readonly<Record<string, IndexedType>>
}

/** The progress in the value of the record; none where there is no record yet. */
export const customIndexIn = (value: unknown): CustomIndex => ({
  types: isObject(value) && isObject(value.types) ? (value.types as CustomIndex['types']) : {},
})
