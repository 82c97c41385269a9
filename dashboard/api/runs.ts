/** Runs: the traffic of a client that is judged by a plan. docs/runs.md */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { get, getBytes, send } from './client.ts'
import { Problem } from './problem.ts'
import { rehearsalKey } from './rehearsal.ts'
import type { NewRun, Run, RunSummary, SharedReport, StartedRun, StrictnessProfile } from './rehearsal-answers.ts'

/** A run, and the token that reads it where it has a clinic of its own. */
export interface RunAddress {
  readonly clinic: string
  readonly run: string
  readonly token?: string
}

/** Milliseconds between two polls of what other users may change too. */
const EVERY = 15_000
/** Milliseconds between two polls of a run in a clinic whose journal this session cannot follow. */
const WITHOUT_STREAM = 1_000

const runsKey = (clinic: string) => [...rehearsalKey(clinic), 'runs'] as const
export const runKey = (clinic: string, run: string) => [...runsKey(clinic), run] as const

const pathOf = ({ clinic, run }: RunAddress): string => `clinics/${clinic}/runs/${encodeURIComponent(run)}`

const tokenOf = ({ token }: RunAddress): Readonly<Record<string, string>> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }

/** The newest first. */
export const runsOf = (clinic: string) =>
  queryOptions({
    queryKey: runsKey(clinic),
    queryFn: async ({ signal }) =>
      (await get<{ readonly runs: readonly RunSummary[] }>(`clinics/${clinic}/runs`, signal)).runs,
    refetchInterval: EVERY,
  })

export const runOf = (address: RunAddress) =>
  queryOptions({
    queryKey: runKey(address.clinic, address.run),
    queryFn: ({ signal }) => get<Run>(pathOf(address), signal, tokenOf(address)),
    refetchInterval: ({ state: { data } }) => {
      if (data !== undefined && data.status !== 'open') return false
      return address.token === undefined ? EVERY : WITHOUT_STREAM
    },
  })

/** None where the server has no strictness profiles. */
export const profiles = queryOptions({
  queryKey: ['rehearsal', 'profiles'],
  queryFn: async ({ signal }): Promise<readonly StrictnessProfile[]> => {
    try {
      return (await get<{ readonly profiles: readonly StrictnessProfile[] }>('as', signal)).profiles
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return []
      throw error
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
})

const STARTED = 'started-run'

/** The answer by which a run was started. The server does not give its token again, so it is kept until the page is loaded again. */
export const startedRun = (run: string) =>
  queryOptions<StartedRun | undefined>({
    queryKey: [STARTED, run],
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
  })

export function useStartRun(clinic: string) {
  const client = useQueryClient()
  return useMutation({
    /** @throws Problem 422 that names the step which cannot be carried out */
    mutationFn: async (run: NewRun) =>
      (await send<StartedRun>({ method: 'POST', path: `clinics/${clinic}/runs`, body: run })).body,
    onSuccess: (started) => {
      client.setQueryDefaults([STARTED], { gcTime: Number.POSITIVE_INFINITY })
      client.setQueryData(startedRun(started.run).queryKey, started)
      return client.invalidateQueries({ queryKey: runsKey(clinic) })
    },
  })
}

export type RunChange =
  | { readonly to: 'finish' | 'abort' }
  | { readonly to: 'attest'; readonly step: string; readonly ok: boolean; readonly note?: string }

/** Ends a run, or says of a step whether it is true. */
export function useChangeRun(address: RunAddress) {
  const client = useQueryClient()
  return useMutation({
    /** @throws Problem 409 where the run is over */
    mutationFn: ({ to, ...body }: RunChange) =>
      send({ method: 'POST', path: `${pathOf(address)}/${to}`, body, headers: tokenOf(address) }),
    onSettled: () => client.invalidateQueries({ queryKey: runsKey(address.clinic) }),
  })
}

/** The forms of a report, by the endings of their addresses. */
export const REPORTS = {
  html: { label: 'HTML, one page', type: 'text/html' },
  xml: { label: 'JUnit XML', type: 'application/xml' },
  md: { label: 'Markdown', type: 'text/markdown' },
  json: { label: 'TestReport, JSON', type: 'application/fhir+json' },
} as const

export type ReportForm = keyof typeof REPORTS

export const reportOf = (address: RunAddress, form: ReportForm): Promise<Blob> =>
  getBytes({ path: `${pathOf(address)}.${form}`, headers: { accept: REPORTS[form].type, ...tokenOf(address) } })

/** @param ttl ISO 8601 duration */
export const shareReport = async (address: RunAddress, ttl: string): Promise<SharedReport> =>
  (
    await send<SharedReport>({
      method: 'POST',
      path: `${pathOf(address)}/share`,
      body: { ttl },
      headers: tokenOf(address),
    })
  ).body
