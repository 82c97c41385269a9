/** The rehearsal of a clinic: its scenario, resets, snapshots, clones and clock. docs/rehearsal.md */
import { type Query, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { get, send } from './client.ts'
import { clinicClockSetting, heardClinicClock } from './clock.ts'
import { Problem } from './problem.ts'
import type {
  Clock,
  Clone,
  NewClone,
  ResetAnswer,
  ResetPreview,
  ResetTarget,
  Scenario,
  Snapshot,
} from './rehearsal-answers.ts'

/** Milliseconds between two polls of what other users may change too. */
const EVERY = 15_000
/** Milliseconds between two looks at a reset under way. */
const WHILE_RUNNING = 400

/** Begins the keys of all queries about the rehearsal of a clinic. */
export const rehearsalKey = (clinic: string) => ['rehearsal', clinic] as const

const keyOf = (clinic: string, what: string) => [...rehearsalKey(clinic), what] as const

/** Null where the server has rehearsal turned off. */
export const clockOf = (clinic: string) =>
  queryOptions({
    queryKey: keyOf(clinic, 'clock'),
    queryFn: async ({ signal }): Promise<Clock | null> => {
      const clock = await readClock(clinic, signal)
      heardClinicClock(clock ?? undefined)
      return clock
    },
    refetchInterval: ({ state: { data } }) => (data === null ? false : EVERY),
  })

async function readClock(clinic: string, signal: AbortSignal): Promise<Clock | null> {
  try {
    return await get<Clock>(`clinics/${clinic}/clock`, signal)
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null
    throw error
  }
}

export const NO_REHEARSAL = 'no rehearsal'

/** Changes with each jump of the clock and each reset, and not as the clock runs. */
export const settingOfClock = (clock: Clock | null): string =>
  clock === null ? NO_REHEARSAL : `${clock.generation} ${clinicClockSetting()}`

export const scenarios = queryOptions({
  queryKey: ['rehearsal', 'scenarios'],
  queryFn: async ({ signal }) =>
    (await get<{ readonly scenarios: readonly Scenario[] }>('scenarios', signal)).scenarios,
  staleTime: Number.POSITIVE_INFINITY,
})

export const resetOf = (clinic: string) =>
  queryOptions({
    queryKey: keyOf(clinic, 'reset'),
    queryFn: ({ signal }) => get<ResetPreview>(`clinics/${clinic}/reset`, signal),
    refetchInterval: ({ state: { data } }) => (data?.running === undefined ? EVERY : WHILE_RUNNING),
  })

export function useReset(clinic: string) {
  const client = useQueryClient()
  return useMutation({
    /** @throws Problem 409 where another one runs, with who */
    mutationFn: async (target: ResetTarget) => {
      const reset = send<ResetAnswer>({ method: 'POST', path: `clinics/${clinic}/reset`, body: target })
      // Shows how far it is.
      void client.invalidateQueries({ queryKey: keyOf(clinic, 'reset') })
      return (await reset).body
    },
    // Everything that is shown is of the generation before.
    onSettled: () => client.invalidateQueries(),
  })
}

export const snapshotsOf = (clinic: string) =>
  queryOptions({
    queryKey: keyOf(clinic, 'snapshots'),
    queryFn: async ({ signal }) =>
      (await get<{ readonly snapshots: readonly Snapshot[] }>(`clinics/${clinic}/snapshots`, signal)).snapshots,
    refetchInterval: EVERY,
  })

export const snapshotPath = (clinic: string, name: string): string =>
  `clinics/${clinic}/snapshots/${encodeURIComponent(name)}`

export const saveSnapshot = async (clinic: string, name: string): Promise<Snapshot> =>
  (await send<Snapshot>({ method: 'PUT', path: snapshotPath(clinic, name), body: {} })).body

export const removeSnapshot = (clinic: string, name: string) =>
  send({ method: 'DELETE', path: snapshotPath(clinic, name) })

export const makeClone = async (clone: NewClone): Promise<Clone> =>
  (await send<Clone>({ method: 'POST', path: 'clinics', body: clone })).body

export const endClone = (id: string) => send({ method: 'DELETE', path: `clinics/${encodeURIComponent(id)}` })

/** By how much, or to where, or whether it runs. */
export type ClockChange = { readonly by: string } | { readonly at: string } | { readonly runs: boolean }

export function useSetClock(clinic: string) {
  const client = useQueryClient()
  return useMutation({
    /** @throws Problem 422 for a time before that of the clinic */
    mutationFn: (change: ClockChange) =>
      'by' in change
        ? send({ method: 'POST', path: `clinics/${clinic}/clock/advance`, body: change })
        : send({ method: 'PUT', path: `clinics/${clinic}/clock`, body: change }),
    onSettled: () => client.invalidateQueries({ predicate: isOfClinicTime }),
  })
}

/** The clock itself; that it has moved makes the shell read the rest (shell.tsx). */
const isOfClinicTime = ({ queryKey: [first, , third] }: Query): boolean => first === 'rehearsal' && third === 'clock'
