/** Types for resources of any kind: https://hl7.org/fhir/R4/resource.html. */
import type { Meta } from 'fhir/r4'

/** Every resource type of `fhir/r4` is assignable to this. */
export interface AnyResource {
  readonly resourceType: string
  id?: string | undefined
  meta?: Meta | undefined
}

/** A JSON object whose properties are not known. */
export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number)
