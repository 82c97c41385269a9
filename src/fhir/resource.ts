/** Types for resources of any kind: https://hl7.org/fhir/R4/resource.html. */
import type { Meta } from 'fhir/r4'

/** Every resource type of `fhir/r4` is assignable to this. */
export interface AnyResource {
  readonly resourceType: string
  id?: string | undefined
  meta?: Meta | undefined
}

/** The values of a list of primitives, in which null stands for an element that has extensions in place of a value. */
export const valuesIn = <T>(list: readonly (T | null)[] | undefined): readonly T[] =>
  (list ?? []).filter((value) => value !== null)

/** A JSON object whose properties are not known. */
export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number)

/** The items of a repeating element of unchecked JSON; none where it is no list. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The value as a list, where one may stand for a list of it. */
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** The tag of a part of a resource. */
export const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }

/** The members that are not undefined. */
export const present = <Members extends object>(
  members: Members,
): { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never

/** The lists that have an item: FHIR has no empty ones. */
export const nonEmpty = <Lists extends Readonly<Record<string, readonly unknown[]>>>(lists: Lists): Partial<Lists> =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<Lists>
