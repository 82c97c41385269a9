/** Reading over FHIR, for components: one answer, a search, a search page by page. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Bundle, FhirResource } from 'fhir/r4'
import { matchesIn, nextOf } from '../fhir/bundles.ts'
import { get } from './client.ts'

export type Parameters = readonly (readonly [name: string, value: string])[]

/** `Patient?name=x&_count=5` */
export const searchPath = (type: string, parameters: Parameters): string =>
  `${type}?${new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString()}`

interface Options {
  readonly enabled?: boolean
  /** Milliseconds between questions for what is new. */
  readonly every?: number
  /** What was there before stays until the new answer comes. */
  readonly keepsPrevious?: boolean
}

/** What an address gives. Everything of one resource or type begins with its path, so that it is found to be asked anew. */
export const useGet = <T>(path: string, { enabled = true, every, keepsPrevious = false }: Options = {}) =>
  useQuery({
    queryKey: keyOf(path),
    queryFn: ({ signal }) => get<T>(path, signal),
    enabled,
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  })

export const useSearch = (type: string, parameters: Parameters, options: Options = {}) =>
  useGet<Bundle>(searchPath(type, parameters), options)

/** All pages that have been asked for, as one list. */
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

/** `['Patient', 'Patient?name=x']`: what is changed of a type is asked for anew by its first part. */
const keyOf = (path: string): readonly string[] => [path.split(/[/?]/)[0] ?? path, path]
