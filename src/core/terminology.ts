/** The terminology of a clinic: what it has stored, and what the R4 packages contain. */
import type { CodeSystem } from 'fhir/r4'
import { isCaseSensitiveInR4 } from '../fhir/code-systems.ts'
import { spend } from '../isolation/budget.ts'
import type { Versioned } from '../repository/repository.ts'
import { any, escaped } from '../search/value.ts'
import { type FindTerms, gather, type TermRequest } from '../terminology/gather.ts'
import type { Terms, TermsType } from '../terminology/packaged.ts'
import type { Terminology } from '../terminology/terminology.ts'
import type { Context } from './context.ts'
import { limitedDefinitions, parsedOnce } from './parsed-definitions.ts'

/** What `asked` names and draws on, as the clinic of `ctx` has it now. @throws FhirError 422 when it leads too far */
export const clinicTerminology = (ctx: Context, asked: TermRequest): Promise<Terminology> => gather(findIn(ctx), asked)

/**
 * Those of the code systems that are case-sensitive: in R4, or as the clinic of `ctx` has stored them, in every version.
 */
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

/** Urls of one search; each stands in it as it is. */
export const URLS_PER_SEARCH = 40

/** One after the other, so that the limit ends what is too large before all of it is read. */
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

/** `size` at a time. */
export function chunks<Value>(values: readonly Value[], size: number): readonly (readonly Value[])[] {
  const starts = Array.from({ length: Math.ceil(values.length / size) }, (_, index) => index * size)
  return starts.map((start) => values.slice(start, start + size))
}

/** A search for any of the urls. What separates values in a search is part of a url here. */
export const uriQuery = (parameter: string, urls: readonly string[]): string =>
  `${parameter}=${urls.map((url) => encodeURIComponent(escaped(url))).join(',')}`

/** Characters of text; the objects made of it take a few times that. */
const MAX_CHARACTERS_KEPT = 4_000_000

/** A code system takes long to parse and to look through. */
const parsed = parsedOnce<Terms[TermsType]>(MAX_CHARACTERS_KEPT)
