/** The terminology of a clinic: its stored resources, and those of the R4 packages; and definitions that it has stored, parsed once as long as their text stays the same. */
import type { CodeSystem } from 'fhir/r4'
import { LRUCache } from 'lru-cache'
import { isCaseSensitiveInR4 } from '../fhir/definitions.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { BudgetError, spend } from '../isolation/budget.ts'
import type { Versioned } from '../repository/repository.ts'
import { any, escaped } from '../search/value.ts'
import { type FindTerms, gather, type TermRequest } from '../terminology/gather.ts'
import type { Terms, TermsType } from '../terminology/packaged.ts'
import type { Terminology } from '../terminology/terminology.ts'
import type { Context } from './context.ts'

/**
 * The terminology that `asked` names and depends on, in its current state in the clinic.
 * @throws FhirError 422 when it is too much
 */
export const clinicTerminology = (ctx: Context, asked: TermRequest): Promise<Terminology> => gather(findIn(ctx), asked)

/** The case-sensitive ones among code systems: in R4, or in every version that the clinic of `ctx` has stored. */
export async function caseSensitiveSystems(ctx: Context, systems: readonly string[]): Promise<ReadonlySet<string>> {
  const others = systems.filter((system) => system !== '' && !isCaseSensitiveInR4(system))
  const byUrl = Map.groupBy(await codeSystemsAt(ctx, others), ({ url = '' }) => url)
  const isSensitive = (system: string) =>
    isCaseSensitiveInR4(system) || byUrl.get(system)?.every(({ caseSensitive }) => caseSensitive === true)
  return new Set(systems.filter(isSensitive))
}

/** Every version; searched for directly, as it is part of another search. */
async function codeSystemsAt({ clinic, unit }: Context, urls: readonly string[]): Promise<readonly CodeSystem[]> {
  spend(urls.length, 'the code systems that it names')
  const found = await Promise.all(
    chunks(urls, URLS_PER_SEARCH).map((some) => {
      const where = [any(some.map((value) => ({ kind: 'uri', param: 'url', match: 'exact', value })))]
      return unit.search({ ...FIRST_PAGE, clinic, types: ['CodeSystem'], where })
    }),
  )
  return found.flatMap(({ matches }) => (matches as readonly Versioned<CodeSystem>[]).map((one) => parsed(clinic, one)))
}

const FIRST_PAGE = { sort: [], count: 1000, total: 'none', include: [], includeLimit: 0 } as const

/** Most urls of one search; each is compared as a whole. */
export const URLS_PER_SEARCH = 40

/** One after the other, so that the limit stops a large collection before all of it is read. */
const findIn = (ctx: Context): FindTerms => {
  const limited = limitedDefinitions()
  return async <Type extends TermsType>(type: Type, keys: readonly string[]) => {
    const addresses = keys.filter((key) => key.startsWith(`${type}/`))
    const urls = keys.filter((key) => !key.startsWith(`${type}/`))
    const found: Versioned<Terms[Type]>[] = []
    for (const address of addresses) {
      const read = await ctx.find<Terms[Type]>(type, address.slice(type.length + 1))
      if (read !== undefined) found.push(...limited([read]))
    }
    for (const some of chunks(urls, URLS_PER_SEARCH))
      found.push(...limited(await ctx.search<Terms[Type]>(type, uriQuery('url', some))))
    return found.map((one) => parsed(ctx.clinic, one))
  }
}

/** Splits a list into parts of `size`. */
export function chunks<Value>(values: readonly Value[], size: number): readonly (readonly Value[])[] {
  const starts = Array.from({ length: Math.ceil(values.length / size) }, (_, index) => index * size)
  return starts.map((start) => values.slice(start, start + size))
}

/** A search for any of the urls, whose separators of values are escaped. */
export const uriQuery = (parameter: string, urls: readonly string[]): string =>
  `${parameter}=${urls.map((url) => encodeURIComponent(escaped(url))).join(',')}`

/** Most characters of text; the objects made from it take several times as much. */
const MAX_CHARACTERS_KEPT = 4_000_000

/** A code system takes long to parse and to index. */
const parsed = parsedOnce<Terms[TermsType]>(MAX_CHARACTERS_KEPT)

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
