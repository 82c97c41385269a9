/**
 * Ids derived from what a resource represents, so that stating it again, even at the same moment, writes to the same
 * one.
 */
import { hash } from 'node:crypto'

/** @param kind 31 characters at most, so that the result is a FHIR id */
export const derivedId = (kind: string, ...parts: readonly string[]): string =>
  `${kind}-${hash('sha256', JSON.stringify(parts)).slice(0, 32)}`
