/** How far the resources of a clinic are indexed by its own search parameters, as it keeps it in a record. */
import { isObject } from '../../fhir/resource.ts'

export interface IndexedType {
  /** Every resource of the type has the entries of this version of the declaration, or of a later one. */
  readonly madeBy: number
  /** The version that is worked towards, or was reached last. */
  readonly towards: number
  /** Cursor of the last batch, while it is worked on. */
  readonly after?: string
  /** Resources that were looked at on the way. */
  readonly done: number
  /** Of these, those that keep the entries they had, since none could be extracted. */
  readonly failed: number
}

/** The value of the record. */
export interface CustomIndex {
  readonly types: Readonly<Record<string, IndexedType>>
}

export const customIndexIn = (value: unknown): CustomIndex =>
  isObject(value) && isObject(value.types) ? (value as unknown as CustomIndex) : { types: {} }
