/** Searches whose matches are all needed, such as the visits of a day: page after page, up to a limit. */
import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import type { Bundle, FhirResource } from 'fhir/r4'
import { includedIn, matchesIn, nextOf } from '../fhir/bundles.ts'
import { get } from './client.ts'
import { type Parameters, searchPath } from './queries.ts'

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
  const pages: Bundle[] = []
  let count = 0
  for (let next: string | undefined = pathOf(type, parameters); next !== undefined && count < most; ) {
    const page: Bundle = await get<Bundle>(next, signal)
    pages.push(page)
    count += matchesIn(page).length
    next = nextOf(page)
  }
  const last = pages.at(-1)
  return {
    matches: pages.flatMap((page) => matchesIn<T>(page)),
    included: (type) => pages.flatMap((page) => includedIn(page, type)),
    isCut: last !== undefined && nextOf(last) !== undefined,
  }
}
