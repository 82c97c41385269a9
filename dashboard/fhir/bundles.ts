/** Searchsets and histories. */
import type { Bundle, FhirResource } from 'fhir/r4'

/** The resources that match; included ones are left out. */
export const matchesIn = <T extends FhirResource>(bundle: Bundle): readonly T[] =>
  (bundle.entry ?? [])
    .filter(({ search }) => search?.mode === undefined || search.mode === 'match')
    .flatMap(({ resource }) => (resource === undefined ? [] : [resource as T]))

export const includedIn = <T extends FhirResource>(bundle: Bundle, type: T['resourceType']): readonly T[] =>
  (bundle.entry ?? []).flatMap(({ resource }) => (resource?.resourceType === type ? [resource as T] : []))

/** The address of the next page. */
export const nextOf = (bundle: Bundle): string | undefined =>
  bundle.link?.find(({ relation }) => relation === 'next')?.url
