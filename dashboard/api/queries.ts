/** Hooks that read over FHIR: one response, a search, a search page by page. */
import { keepPreviousData, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Bundle, FhirResource } from 'fhir/r4'
import { matchesIn, nextOf } from '../fhir/bundles.ts'
import { get, getAll } from './client.ts'
import { problemOf } from './problem.ts'

export type Parameters = readonly (readonly [name: string, value: string])[]

/** `Patient?name=x&_count=5` */
export const searchPath = (type: string, parameters: Parameters): string =>
  `${type}?${new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString()}`

interface Options {
  readonly enabled?: boolean
  /** Milliseconds between two polls. */
  readonly every?: number
  /** Whether the previous data stays until the new response arrives. */
  readonly keepsPrevious?: boolean
}

/**
 * The response of an address. Query keys begin with the type, so that all queries of a type can be invalidated
 * together.
 */
export const useGet = <T>(path: string, { enabled = true, every, keepsPrevious = false }: Options = {}) =>
  useQuery({
    queryKey: keyOf(path),
    queryFn: ({ signal }) => get<T>(path, signal),
    enabled,
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  })

/** Whether a query has the response of its own address, and not none yet, or that of the address before. */
export const isCurrent = ({ isPending, isPlaceholderData }: Pick<UseQueryResult, 'isPending' | 'isPlaceholderData'>) =>
  !isPending && !isPlaceholderData

export const useSearch = (type: string, parameters: Parameters, options: Options = {}) =>
  useGet<Bundle>(searchPath(type, parameters), options)

/** Several searches of a type in one request; the previous data stays until the new response arrives. */
export const useSearches = (type: string, searches: readonly Parameters[], every: number) =>
  useQuery({
    queryKey: [type, 'searches', searches],
    queryFn: ({ signal }) =>
      searchAll(
        searches.map((parameters) => searchPath(type, parameters)),
        signal,
      ),
    refetchInterval: every,
    placeholderData: keepPreviousData,
  })

/** @throws Problem of the first search that was refused */
export async function searchAll(paths: readonly string[], signal: AbortSignal): Promise<readonly Bundle[]> {
  return (await getAll(paths, signal)).map(({ resource, response }) => {
    if (resource?.resourceType === 'Bundle') return resource
    throw problemOf(Number.parseInt(response?.status ?? '500', 10), response?.outcome)
  })
}

/** All pages fetched so far, as one list. */
export function usePages<T extends FhirResource>(type: string, parameters: Parameters, options: Options = {}) {
  const path = searchPath(type, parameters)
  const query = useInfiniteQuery({
    queryKey: [...keyOf(path), 'pages'],
    queryFn: ({ pageParam, signal }) => get<Bundle>(pageParam, signal),
    initialPageParam: path,
    getNextPageParam: nextOf,
    enabled: options.enabled ?? true,
    ...(options.keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  })
  const resources = query.data?.pages.flatMap((page) => matchesIn<T>(page))
  return { ...query, resources, total: query.data?.pages[0]?.total }
}

/** `['Patient', 'Patient?name=x']`: after a change, the first part invalidates all queries of the type. */
const keyOf = (path: string): readonly string[] => [path.split(/[/?]/)[0] ?? path, path]
