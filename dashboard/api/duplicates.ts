/**
 * The clinic's search for duplicate patients, and the pairs it has found: docs/operations/patient-find-duplicates.md.
 */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Bundle } from 'fhir/r4'
import { nextOf } from '../fhir/bundles.ts'
import { notesIn, pairsIn } from '../fhir/pairs.ts'
import { exchange, get, READS, send } from './client.ts'
import { operate } from './operations.ts'
import { problemOf } from './problem.ts'

const PATH = 'Patient/$find-duplicates'
/** Seconds between two requests for the state, where the server names no interval. */
const ASK_EVERY = 2

/** The pairs found by the last complete search, page by page. */
export function usePairs() {
  const query = useInfiniteQuery({
    queryKey: ['Patient', '$find-duplicates'],
    queryFn: ({ pageParam, signal }) => get<Bundle>(pageParam, signal),
    initialPageParam: PATH,
    getNextPageParam: nextOf,
  })
  const pages = query.data?.pages
  const found = pages && { pairs: pages.flatMap(pairsIn), notes: notesIn(pages[0] as Bundle) }
  return { ...query, data: found }
}

/** Begins a search, or joins the one that is under way. @returns its number. @throws Problem */
export async function searchForDuplicates(): Promise<string> {
  const { headers } = await send({ path: PATH, headers: { prefer: 'respond-async' } })
  return new URL(headers.get('content-location') ?? '', document.baseURI).searchParams.get('run') ?? ''
}

const stateOf = (run: string): string => `${PATH}?run=${encodeURIComponent(run)}`

/** The state of a running search; undefined once it is over, whatever its outcome. */
export const useDuplicateSearch = (run: string) =>
  useQuery({
    queryKey: ['duplicate search', run],
    queryFn: async ({ signal }) => {
      const { status, headers, body } = await exchange({ path: stateOf(run), signal, headers: { 'x-run-id': READS } })
      if (status >= 400 && status !== 404) throw problemOf(status, body)
      const progress = status === 202 ? (headers.get('x-progress') ?? '') : undefined
      return { progress, every: Number(headers.get('retry-after')) || ASK_EVERY }
    },
    refetchInterval: ({ state: { data } }) => (data?.progress === undefined ? false : data.every * 1000),
  })

/** @throws Problem 404 where it is over */
export const endDuplicateSearch = (run: string) => send({ method: 'DELETE', path: stateOf(run) })

/** @param isRevoked the earlier declaration no longer holds. @throws Problem */
export const declareDistinct = ([one, other]: readonly [string, string], isRevoked = false) =>
  operate('Patient/$not-duplicates', [
    ['patient', { valueReference: { reference: `Patient/${one}` } }],
    ['other', { valueReference: { reference: `Patient/${other}` } }],
    ...(isRevoked ? [['revoke', { valueBoolean: true }] as const] : []),
  ])
