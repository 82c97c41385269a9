/** Totals of several searches in one request. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Bundle } from 'fhir/r4'
import { READS, send } from './client.ts'
import { Problem, problemOf } from './problem.ts'
import { type Parameters, searchPath } from './queries.ts'

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
  const entry = counted.map(({ type, parameters }) => ({
    request: { method: 'GET' as const, url: searchPath(type, [...parameters, ['_summary', 'count']]) },
  }))
  const body: Bundle = { resourceType: 'Bundle', type: 'batch', entry }
  const { body: answer } = await send<Bundle>({
    ...{ method: 'POST', path: '', body, signal },
    headers: { 'x-run-id': READS },
  })
  return (answer.entry ?? []).map(({ resource, response }) => {
    const { total } = (resource ?? {}) as Partial<Bundle>
    if (total !== undefined) return total
    const { status, outcome } = response ?? {}
    if (status !== undefined && outcome !== undefined) throw problemOf(Number.parseInt(status, 10), outcome)
    throw new Problem(500, [{ text: 'The server did not say how many there are.', severity: 'error' }])
  })
}
