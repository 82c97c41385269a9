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

/** The progress in the value of the record; none where there is no record yet. */
export const customIndexIn = (value: unknown): CustomIndex => ({
  types: isObject(value) && isObject(value.types) ? (value.types as CustomIndex['types']) : {},
})
