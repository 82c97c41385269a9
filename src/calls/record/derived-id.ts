/** Ids made from what a resource stands for, so that saying it again, even at the same moment, meets the same resource. */
import { hash } from 'node:crypto'

/** @param kind 31 characters at most, so that the whole is a FHIR id */
export const derivedId = (kind: string, ...parts: readonly string[]): string =>
  `${kind}-${hash('sha256', JSON.stringify(parts)).slice(0, 32)}`
