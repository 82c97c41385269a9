/**
 * Ids derived from the represented facts, so that stating them again, even concurrently, writes to the same resource.
 */
import { hash } from 'node:crypto'

/** @param kind 31 characters at most, so that the result is a FHIR id */
export const derivedId = (kind: string, ...parts: readonly string[]): string =>
  `${kind}-${hash('sha256', JSON.stringify(parts)).slice(0, 32)}`
