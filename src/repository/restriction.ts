/**
 * Patients that nobody may see, in a rehearsal: a Patient with this label is refused with 403, and no search, history or match has
 * it. docs/magic.md
 */
import { FhirError } from '../fhir/outcome.ts'
import { isObject, itemsOf } from '../fhir/resource.ts'
import type { FoundByKeys, HistoryPage, SearchResult, StoredResource } from '../storage/port.ts'
import { Versioned } from './versioned.ts'

/** The system of the label, by which most texts show at once that they have none. */
export const RESTRICTION = 'https://sandbox-emr.example/fhir/CodeSystem/rehearsal'
/** Code of the label in Patient.meta.security. */
const CODE = 'restricted'

/** @throws FhirError 403, which tells nothing of the record */
export function checkReadable(stored: StoredResource): void {
  if (!isRestricted(stored)) return
  const diagnostics = `${stored.type}/${stored.id} is restricted: nobody may read or change it in this clinic`
  throw new FhirError(403, { code: 'forbidden', diagnostics })
}

/** A read that finds nothing where nobody may see what it would find. */
export async function ifReadable<Found>(reading: Promise<Found | undefined>): Promise<Found | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof FhirError && error.status === 403) return undefined
    throw error
  }
}

/** The total counts restricted ones of other pages. */
export function readableIn(found: SearchResult): SearchResult & { readonly hidden?: readonly string[] } {
  const hidden = found.matches.filter(isRestricted).map(({ id }) => id)
  const total = found.total === undefined ? {} : { total: found.total - hidden.length }
  const [matches, included] = [withoutRestricted(found.matches), withoutRestricted(found.included)]
  return { ...found, matches, included, ...total, hidden }
}

export function readableOf(page: HistoryPage): HistoryPage {
  const versions = withoutRestricted(page.versions)
  return { ...page, versions, total: page.total - page.versions.length + versions.length }
}

export const readableBy = (found: FoundByKeys): FoundByKeys => ({
  ...found,
  resources: withoutRestricted(found.resources),
})

const withoutRestricted = (all: readonly StoredResource[]): readonly StoredResource[] =>
  all.filter((one) => !isRestricted(one))

export function isRestricted(stored: StoredResource): boolean {
  if (stored.type !== 'Patient' || !stored.text.includes(RESTRICTION)) return false
  const { meta } = new Versioned(stored).resource as { readonly meta?: unknown }
  const labels = isObject(meta) ? itemsOf(meta.security) : []
  return labels.some((label) => isObject(label) && label.system === RESTRICTION && label.code === CODE)
}
