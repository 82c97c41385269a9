/** Definitions that a clinic has stored, parsed once as long as their text stays the same, within a limit for each question. */
import { LRUCache } from 'lru-cache'
import type { AnyResource } from '../fhir/resource.ts'
import { BudgetError } from '../isolation/budget.ts'
import type { Versioned } from '../repository/repository.ts'

/** Characters of the definitions that one question is answered by: they are in memory together. */
const MAX_CHARACTERS = 64 * 1024 * 1024

/**
 * Counts the definitions of one question as they are found.
 * @throws BudgetError when they are too large together
 */
export function limitedDefinitions(): <Found extends { readonly text: string }>(
  found: readonly Found[],
) => readonly Found[] {
  let left = MAX_CHARACTERS
  return (found) => {
    left -= found.reduce((sum, { text }) => sum + text.length, 0)
    if (left < 0) throw new BudgetError('too costly', 'the definitions that it refers to')
    return found
  }
}

interface Kept<R> {
  readonly text: string
  readonly resource: R
}

/**
 * The same object for the same text, so that results can be cached with it.
 * @param most characters of text kept; the objects made from it take several times as much
 */
export function parsedOnce<Kind extends AnyResource>(
  most: number,
): <R extends Kind>(clinic: string, found: Versioned<R>) => R {
  const kept = new LRUCache<string, Kept<Kind>>({ maxSize: most, sizeCalculation: ({ text }) => text.length })
  return <R extends Kind>(clinic: string, found: Versioned<R>): R => {
    const { type, id, text } = found
    const key = `${clinic} ${type}/${id}`
    const known = kept.get(key)
    if (known?.text === text) return known.resource as R
    kept.set(key, { text, resource: found.resource })
    return found.resource
  }
}
