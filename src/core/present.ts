/** A resource that must be there: https://hl7.org/fhir/R4/http.html#read. */
import { type FhirError, gone, notFound } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import type { Versioned } from '../repository/repository.ts'

/** @throws FhirError 404 when it is absent, 410 when it is deleted */
export function present<R extends AnyResource>(
  found: Versioned<R> | undefined,
  type: string,
  id: string,
): Versioned<R> {
  if (found === undefined) throw absent(type, id)
  if (found.deleted) throw gone(`${type}/${id} was deleted (version ${found.version})`)
  return found
}

/** 404. */
export const absent = (type: string, id: string): FhirError => notFound(`There is no ${type} with id '${id}'`)
