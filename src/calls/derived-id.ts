/** Ids made from what a resource stands for, so that saying it again, even at the same moment, meets the same resource. */
import { createHash } from 'node:crypto'

/** @param kind 31 characters at most, so that the whole is a FHIR id */
export const derivedId = (kind: string, ...parts: readonly string[]): string =>
  `${kind}-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`
