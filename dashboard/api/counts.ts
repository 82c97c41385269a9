/** Totals of several searches in one request. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Problem } from './problem.ts'
import { type Parameters, searchAll, searchPath } from './queries.ts'

export interface Counted {
  readonly type: string
  readonly parameters: Parameters
}

interface Options {
  /** Milliseconds between two polls. */
  readonly every?: number
  /** Whether the previous numbers stay until those of another time are there. */
  readonly keepsPrevious?: boolean
}

/** @param name begins the query key: that of a type is read anew with the resources of the type */
export const useCounts = (name: string, counted: readonly Counted[], { every, keepsPrevious = false }: Options = {}) =>
  useQuery({
    queryKey: [name, 'counts', counted],
    queryFn: ({ signal }) => countsOf(counted, signal),
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  })

/** @throws Problem of the first that could not be counted */
async function countsOf(counted: readonly Counted[], signal: AbortSignal): Promise<readonly number[]> {
  const paths = counted.map(({ type, parameters }) => searchPath(type, [...parameters, ['_summary', 'count']]))
  return (await searchAll(paths, signal)).map(({ total }) => {
    if (total !== undefined) return total
    throw new Problem(500, [{ text: 'The server did not say how many there are.', severity: 'error' }])
  })
}
