/** Totals of several searches in one request. */
import { useQuery } from '@tanstack/react-query'
import type { Bundle } from 'fhir/r4'
import { READS, send } from './client.ts'
import { Problem, problemOf } from './problem.ts'
import { type Parameters, searchPath } from './queries.ts'

export interface Counted {
  readonly type: string
  readonly parameters: Parameters
}

/**
 * @param name part of the query key
 * @param every milliseconds between two polls
 */
export const useCounts = (name: string, counted: readonly Counted[], every?: number) =>
  useQuery({
    queryKey: ['counts', name, counted],
    queryFn: ({ signal }) => countsOf(counted, signal),
    ...(every === undefined ? {} : { refetchInterval: every }),
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
