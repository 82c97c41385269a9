/** Moves the references to a Patient in one change, as far as one may go. */
import type { Context } from '../../core/context.ts'
import type { Versioned } from '../../repository/repository.ts'
import { BEGINNING, guardReferring, movePage, type Position } from './move-references.ts'
import type { Move } from './moved-references.ts'

/** What one change moves at most; the rest is left to the background. */
const MOST = { changed: 1_000, looked: 5_000, characters: 8_000_000 } as const
/** Resources that are searched for together. */
const PAGE = 250

export interface Moved {
  readonly changed: readonly Versioned[]
  /** Resources with references that name a version of the source. */
  readonly naming: number
  /** Where the background is to go on. */
  readonly rest?: Position
}

/** All references, or as many as one change may hold. @throws FhirError 422 naming a resource that cannot be changed */
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
