/** Searches whose matches are all needed, such as the visits of a day: page after page, up to a limit. */
import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import type { Bundle, FhirResource } from 'fhir/r4'
import { includedIn, matchesIn, nextOf } from '../fhir/bundles.ts'
import { get } from './client.ts'
import { type Parameters, searchAll, searchPath } from './queries.ts'

/** The most that one page may have without leaving the event loop of the server. */
const PAGE = '200'
/** Resources, where a search names no other limit. */
const MOST = 2000

export interface Found<T extends FhirResource> {
  readonly matches: readonly T[]
  readonly included: <I extends FhirResource>(type: I['resourceType']) => readonly I[]
  /** Whether there are more matches than were fetched. */
  readonly isCut: boolean
}

interface Options {
  readonly enabled?: boolean
  /** Milliseconds between two polls. */
  readonly every?: number
  /** Resources. */
  readonly most?: number
}

export function useAll<T extends FhirResource>(
  type: T['resourceType'],
  parameters: Parameters,
  { enabled = true, every, most = MOST }: Options = {},
) {
  return useQuery({
    ...queryOf<T>(type, parameters, most),
    enabled,
    placeholderData: keepPreviousData,
    ...(every === undefined ? {} : { refetchInterval: every }),
  })
}

/** Searches of which the later ones count only where the limit leaves room, as one list in their order. */
export const useInOrder = <T extends FhirResource>(
  type: T['resourceType'],
  searches: readonly Parameters[],
  most: number,
) =>
  useQuery({
    queryKey: [type, searches, most],
    queryFn: ({ signal }) => getInOrder<T>(type, searches, most, signal),
    placeholderData: keepPreviousData,
  })

/** Several searches at once. */
export const useEachOf = <T extends FhirResource>(type: T['resourceType'], searches: readonly Parameters[]) =>
  useQueries({ queries: searches.map((parameters) => queryOf<T>(type, parameters, MOST)) })

const queryOf = <T extends FhirResource>(type: T['resourceType'], parameters: Parameters, most: number) =>
  queryOptions({
    queryKey: [type, pathOf(type, parameters), 'all'],
    queryFn: ({ signal }) => getAll<T>(type, parameters, most, signal),
  })

const pathOf = (type: string, parameters: Parameters): string => searchPath(type, [...parameters, ['_count', PAGE]])

/** @param most resources */
export async function getAll<T extends FhirResource>(
  type: T['resourceType'],
  parameters: Parameters,
  most: number,
  signal?: AbortSignal,
): Promise<Found<T>> {
  return foundIn(await pagesFrom(await get<Bundle>(pathOf(type, parameters), signal), most, signal))
}

/** The first pages are read in one request. */
async function getInOrder<T extends FhirResource>(
  type: T['resourceType'],
  searches: readonly Parameters[],
  most: number,
  signal: AbortSignal,
): Promise<Found<T>> {
  const firsts = await searchAll(
    searches.map((parameters) => pathOf(type, parameters)),
    signal,
  )
  const pages: Bundle[] = []
  for (const first of firsts) {
    pages.push(...(await pagesFrom(first, most - countOf(pages), signal)))
    // Nothing of a later search stands in a list that lacks some of an earlier one.
    if (isCutAfter(pages)) break
  }
  return foundIn(pages)
}

/** Whether more follows the last of the pages. */
const isCutAfter = (pages: readonly Bundle[]): boolean => pages.slice(-1).some((page) => nextOf(page) !== undefined)

const countOf = (pages: readonly Bundle[]): number => pages.flatMap((page) => matchesIn(page)).length

/** The page and those that follow it, until there are as many resources as asked. */
async function pagesFrom(first: Bundle, most: number, signal?: AbortSignal): Promise<readonly Bundle[]> {
  const pages = [first]
  for (let next = nextOf(first); next !== undefined && countOf(pages) < most; ) {
    const page: Bundle = await get<Bundle>(next, signal)
    pages.push(page)
    next = nextOf(page)
  }
  return pages
}

function foundIn<T extends FhirResource>(pages: readonly Bundle[]): Found<T> {
  return {
    matches: pages.flatMap((page) => matchesIn<T>(page)),
    included: (type) => pages.flatMap((page) => includedIn(page, type)),
    isCut: isCutAfter(pages),
  }
}
