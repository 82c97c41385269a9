/** Ids of new resources: UUIDs of version 7 (https://www.rfc-editor.org/rfc/rfc9562#section-5.7). */
import { hash, randomUUID } from 'node:crypto'

/**
 * The id begins with the time, so that resources which are written together are neighbours in the indexes by id: 16 in
 * a commit touch 4 pages of such an index, and with random ids one each. The other 74 bits are random.
 * @param now milliseconds since 1970 UTC
 */
export function newId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  // The part after the version of a UUID of version 4, its variant included.
  const rest = randomUUID().slice(15)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest}`
}

/**
 * An id derived from the represented facts, so that stating them again, even concurrently, writes to the same resource.
 * @param kind 31 characters at most, so that the result is a FHIR id
 */
export const derivedId = (kind: string, ...parts: readonly string[]): string =>
  `${kind}-${hash('sha256', JSON.stringify(parts)).slice(0, 32)}`
