/** Reads all results of a search, page by page, and builds the conditions of such searches. */
import type { Context } from '../core/context.ts'
import { guardedSearch } from '../core/search-request.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { spend } from '../isolation/budget.ts'
import type { Span } from '../scheduling/zone-clock.ts'
import type { Condition } from '../search/plan.ts'

/** Resources per page. */
const PAGE = 200
const SEARCHED = 20

export interface Found<R extends AnyResource> {
  readonly id: string
  readonly resource: R
}

/**
 * @param what the kind of resources, for the message if the request runs out of budget
 * @param isGuarded whether the change is only written while the results stay the same
 */
export async function allOf<R extends AnyResource>(
  ctx: Context,
  type: R['resourceType'],
  where: readonly Condition[],
  what: string,
  { isGuarded = false } = {},
): Promise<readonly Found<R>[]> {
  const found: Found<R>[] = []
  const plan = { clinic: ctx.clinic, types: [type], where, sort: [], count: PAGE } as const
  for (let after: string | undefined; ; ) {
    spend(SEARCHED, what)
    const page = { ...(after === undefined ? {} : { after }), total: 'none', include: [], includeLimit: 0 } as const
    const search = isGuarded ? guardedSearch(ctx, { ...plan, ...page }) : ctx.unit.search({ ...plan, ...page })
    const { matches, next } = await search
    for (const { id, resource } of matches) found.push({ id, resource: resource as R })
    if (next === undefined) return found
    after = next
  }
}

/** A reference to any of these. @param addresses as `Type/id` */
export const refersTo = (param: string, addresses: Iterable<string>): Condition =>
  anyOf(
    Array.from(addresses, (address): Condition => {
      const [type = '', id = ''] = address.split('/')
      return { kind: 'reference', param, type, id }
    }),
  )

export const hasCode = (param: string, codes: readonly (string | undefined)[]): Condition =>
  anyOf(codes.flatMap((code) => (code === undefined ? [] : { kind: 'token', param, code })))

export const isWithin = (param: string, { start, end }: Span): Condition => ({
  kind: 'date',
  param,
  bounds: { lowMin: start, lowMax: end - 1 },
})

function anyOf(of: readonly Condition[]): Condition {
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { kind: 'any', of }
}

/**
 * The results of a search as they will be after the change. Searches see the stored state, so staged resources replace
 * those found, and are added if they match.
 */
export async function afterChange<R extends AnyResource>(
  { unit }: Context,
  type: R['resourceType'],
  search: Promise<readonly Found<R>[]>,
  matches: (resource: R) => boolean,
): Promise<readonly R[]> {
  const stored = await search
  const staged = unit.staged<R>(type)
  const changed = new Set(staged.map(({ id }) => id))
  const kept = stored.filter(({ id }) => !changed.has(id)).map(({ resource }) => resource)
  const written = staged.filter(({ deleted }) => !deleted).map(({ resource }) => resource)
  return [...kept, ...written.filter(matches)]
}
