/** The format of the tables of searches. */
import type { ServedType } from '../../../src/search/parameters.ts'

export interface Table {
  /** The type of the search parameters. */
  readonly name: ServedType
  /** Their ids are made of the table's name and their place. */
  readonly resources: readonly (Readonly<Record<string, unknown>> & { readonly resourceType: string })[]
  readonly rows: readonly Row[]
}

/** A search, not percent-encoded, and the resources that it finds by their places in the table. */
export type Row = readonly [query: string, expected: readonly number[]]

export const UCUM = 'http://unitsofmeasure.org'
export const LOINC = 'http://loinc.org'

export const concept = (system: string, code: string, text?: string) => ({
  coding: [{ system, code }],
  ...(text === undefined ? {} : { text }),
})
