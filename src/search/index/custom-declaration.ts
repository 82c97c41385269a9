/** A clinic's own search parameters, as stored in one record (docs/adr/010-custom-search-parameters.md). */
import { isObject } from '../../fhir/resource.ts'
import type { SearchParameter } from '../parameters.ts'
import { typesOf } from './expression-types.ts'

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
