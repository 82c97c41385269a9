/** Suggestions for misspelled names. */
import { distance } from 'fastest-levenshtein'
import { resourceTypes } from './definitions.ts'

/**
 * The known name with the fewest edits to `name`, else the only one that holds it or is held by it (`dateOfBirth` and
 * `statedDateOfBirth`); undefined when none is close enough to be what was meant.
 */
export function closestName(name: string, known: readonly string[]): string | undefined {
  return name.length > 64 ? undefined : (fewestEdits(name, known) ?? onlyOneAround(name, known))
}

function fewestEdits(name: string, known: readonly string[]): string | undefined {
  const best = known
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.edits - right.edits)[0]
  return best !== undefined && best.edits <= Math.max(name.length > 3 ? 2 : 1, name.length / 3)
    ? best.candidate
    : undefined
}

/** Shortest name that is looked for in others: shorter ones are in many. */
const SHORTEST = 4

function onlyOneAround(name: string, known: readonly string[]): string | undefined {
  const isIn = (one: string, other: string) => one.length >= SHORTEST && other.toLowerCase().includes(one.toLowerCase())
  const [only, ...others] = known.filter((candidate) => isIn(name, candidate) || isIn(candidate, name))
  return others.length === 0 ? only : undefined
}

/** A hint for an unknown name. @param otherwise where none is close enough */
export function didYouMean(name: string, known: readonly string[], otherwise: string): string {
  const closest = closestName(name, known)
  return closest === undefined ? otherwise : `did you mean ${closest}?`
}

/** A hint for an unknown resource type: the closest one, or where the types are listed. */
export const resourceTypeHint = (name: string): string =>
  didYouMean(name, resourceTypes, 'see /metadata for the types it serves')

/** `there is no resource type 'Patent'; did you mean Patient?` */
export const noResourceType = (type: string): string => `there is no resource type '${type}'; ${resourceTypeHint(type)}`
