/** Moves the references to a Patient in a single change, up to its limits. */
import type { Context } from '../../core/context.ts'
import type { Versioned } from '../../repository/repository.ts'
import { BEGINNING, guardReferring, movePage, type Position } from './move-references.ts'
import type { Move } from './moved-references.ts'

/** Limits of one change; the rest is left to the background. */
const MOST = { changed: 1_000, looked: 5_000, characters: 8_000_000 } as const
/** Resources read in one page. */
const PAGE = 250

export interface Moved {
  readonly changed: readonly Versioned[]
  /** Number of resources with references to a specific version of the source. */
  readonly naming: number
  /** The position where the background continues. */
  readonly rest?: Position
}

/**
 * Moves all references, or as many as one change may hold. @throws FhirError 422 naming a resource that cannot be
 * changed
 */
export async function moveAtOnce(ctx: Context, move: Move): Promise<Moved> {
  const changed = new Map<string, Versioned>()
  const naming = new Set<string>()
  const referring: Versioned[] = []
  let [looked, characters] = [0, 0]
  for (let position: Position | undefined = BEGINNING; position !== undefined; ) {
    const page = await movePage(ctx, move, position, { count: PAGE, characters: MOST.characters })
    for (const one of page.changed) changed.set(addressOf(one), one)
    for (const one of page.naming) naming.add(addressOf(one))
    if (position.among === 'indexed') referring.push(...page.found)
    else looked += page.found.length
    characters += page.changed.reduce((sum, { text }) => sum + text.length, 0)
    position = page.next
    const isFull = changed.size >= MOST.changed || looked >= MOST.looked || characters >= MOST.characters
    if (isFull && position !== undefined) return { changed: [...changed.values()], naming: naming.size, rest: position }
  }
  guardReferring(ctx, move.from, referring)
  return { changed: [...changed.values()], naming: naming.size }
}

const addressOf = ({ type, id }: Versioned): string => `${type}/${id}`
