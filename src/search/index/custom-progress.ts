/** The progress of indexing a clinic's resources by its own search parameters, as stored in a record. */
import { isObject } from '../../fhir/resource.ts'

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

/** The stored form, in which `indexVersion` still has its original name. */
type StoredType = Omit<IndexedType, 'indexVersion'> & { readonly madeBy: number }

export const customIndexIn = (value: unknown): CustomIndex => ({
  types: mapTypes(storedTypes(value), ({ madeBy, ...rest }) => ({ indexVersion: madeBy, ...rest })),
})

/** The value of the record. */
export const customIndexValue = ({ types }: CustomIndex): unknown => ({
  types: mapTypes(types, ({ indexVersion, ...rest }): StoredType => ({ madeBy: indexVersion, ...rest })),
})

const storedTypes = (value: unknown): Readonly<Record<string, StoredType>> =>
  isObject(value) && isObject(value.types) ? (value.types as Readonly<Record<string, StoredType>>) : {}

const mapTypes = <One, Other>(types: Readonly<Record<string, One>>, map: (one: One) => Other): Record<string, Other> =>
  Object.fromEntries(Object.entries(types).map(([type, one]) => [type, map(one)]))
