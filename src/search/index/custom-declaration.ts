/** What a clinic's own search parameters are, as the clinic keeps them in one record (docs/adr/010-custom-search-parameters.md). */
import { isObject } from '../../fhir/resource.ts'
import type { SearchParameter } from '../parameters.ts'
import { typesOf } from './expression-types.ts'

export interface CustomParameter extends Pick<SearchParameter, 'code' | 'type' | 'url' | 'target' | 'parts'> {
  /** Of the SearchParameter resource. */
  readonly id: string
  /** As written: types, Resource or DomainResource. */
  readonly base: readonly string[]
  /** FHIRPath for all of them. */
  readonly expression: string
  /** The version of the record from which on what is written has its values. */
  readonly since: number
}

/** The value of the record. */
export interface CustomDeclaration {
  readonly parameters: readonly CustomParameter[]
  /** By resource type the version that changed last what its resources are indexed by. */
  readonly types: Readonly<Record<string, number>>
  /** The same for references alone. */
  readonly references: Readonly<Record<string, number>>
}

export const declarationIn = (value: unknown): CustomDeclaration => ({
  ...{ parameters: [], types: {}, references: {} },
  ...(isObject(value) ? value : {}),
})

type Definition = Omit<CustomParameter, 'since'>

/** With the parameter of this resource as it is from `version` on; absent where it takes no part any more. */
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

/** What is stored for both is the same. */
const isIndexedAlike = (one: Definition, other: Definition): boolean => contentOf(one) === contentOf(other)
const contentOf = ({ code, type, base, expression, parts }: Definition): string =>
  JSON.stringify([code, type, base, expression, parts])
