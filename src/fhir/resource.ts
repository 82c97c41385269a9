/** The shapes that stand for "any FHIR resource": https://hl7.org/fhir/R4/resource.html. */
import type { Meta } from 'fhir/r4'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [name: string]: unknown
}

/** What every resource type of `fhir/r4` is assignable to. */
export interface AnyResource {
  readonly resourceType: string
  id?: string | undefined
  meta?: Meta | undefined
}

/** The elements of a resource by name, for code that works on every type. */
export const elementsOf = (resource: AnyResource): Record<string, unknown> =>
  resource as unknown as Record<string, unknown>

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number)
