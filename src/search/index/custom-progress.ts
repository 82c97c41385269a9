/** How far the resources of a clinic are indexed by its own search parameters, as the clinic keeps it in a record. */
import { isObject } from '../../fhir/resource.ts'

export interface IndexedType {
  /** Every resource of the type has the entries of this version of the declaration, or of a later one. */
  readonly indexVersion: number
  /** The version that is worked towards, or was reached last. */
  readonly towards: number
  /** Cursor of the last batch, while it is worked on. */
  readonly after?: string
  /** Resources that were looked at on the way. */
  readonly done: number
  /** Of these, those that keep the entries they had, since none could be extracted. */
  readonly failed: number
}

export interface CustomIndex {
  readonly types: Readonly<Record<string, IndexedType>>
}

/** In the record, `indexVersion` has the name it had first. */
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
