/** Definitions that a clinic has stored, parsed once as long as their text stays the same. */
import type { AnyResource } from '../fhir/resource.ts'
import type { Versioned } from '../repository/repository.ts'
import { BoundedCache } from '../terminology/bounded-cache.ts'

interface Kept<R> {
  readonly text: string
  readonly resource: R
}

/**
 * The same object for the very same text, so that what is made of it can be kept with it.
 * @param most characters of text kept; the objects made of it take a few times that
 */
export function parsedOnce<Kind extends AnyResource>(
  most: number,
): <R extends Kind>(clinic: string, found: Versioned<R>) => R {
  const kept = new BoundedCache<Kept<Kind>>(most)
  return <R extends Kind>(clinic: string, found: Versioned<R>): R => {
    const { type, id, text } = found
    const key = `${clinic} ${type}/${id}`
    const known = kept.get(key)
    if (known?.text === text) return known.resource as R
    kept.set(key, { text, resource: found.resource }, text.length)
    return found.resource
  }
}
