/** What a client most likely meant by a name that there is not. */
import { distance } from 'fastest-levenshtein'
import { resourceTypes } from './definitions.ts'

/** The name most like `name`, if any is near enough not to mislead. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 64) return undefined
  const near = known
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.edits - right.edits)[0]
  return near !== undefined && near.edits <= Math.max(name.length > 3 ? 2 : 1, name.length / 3)
    ? near.candidate
    : undefined
}

/** What to write in place of a name that is no resource type. */
export function resourceTypeHint(name: string): string {
  const near = nearest(name, resourceTypes)
  return near === undefined ? 'see /metadata for those there are' : `did you mean ${near}?`
}

/** `there is no resource type 'Patent'; did you mean Patient?` */
export const noResourceType = (type: string): string => `there is no resource type '${type}'; ${resourceTypeHint(type)}`
