/** The shapes that stand for "any FHIR resource": https://hl7.org/fhir/R4/resource.html. */
import type { Meta } from 'fhir/r4'

/** What every resource type of `fhir/r4` is assignable to. */
export interface AnyResource {
  readonly resourceType: string
  id?: string | undefined
  meta?: Meta | undefined
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number)
