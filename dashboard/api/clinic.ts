/** The clinic of the session: its settings and its sandbox. */
import { type Query, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { get } from './client.ts'
import { putTagged } from './operations.ts'

export interface ClinicSettings {
  readonly name: string
  readonly timeZone: string
  readonly dialedNumbers: readonly string[]
  readonly defaultRegion: string
  readonly [other: string]: unknown
}

export interface Sandbox {
  readonly enabled: boolean
}

export const settingsOf = (clinic: string) =>
  queryOptions({
    queryKey: ['clinic', clinic, 'settings'],
    queryFn: ({ signal }) => get<ClinicSettings>(`clinics/${clinic}/settings`, signal),
    staleTime: 60_000,
  })

/** Whether a query reads the sandbox switch, of any clinic. */
export const isAboutSandbox = ({ queryKey: [first, , third] }: Query): boolean =>
  first === 'clinic' && third === 'sandbox'

/** The state of the sandbox switch, polled because other users may change it too. */
const sandboxOf = (clinic: string) =>
  queryOptions({
    queryKey: ['clinic', clinic, 'sandbox'],
    queryFn: ({ signal }) => get<Sandbox>(sandboxPath(clinic), signal),
    refetchInterval: 15_000,
  })

export const useSandbox = (clinic: string) => useQuery(sandboxOf(clinic))

interface SandboxChange extends Sandbox {
  /** The tag that the switch must still have, where an earlier change is undone. */
  readonly tag?: string
}

export const sandboxPath = (clinic: string): string => `clinics/${clinic}/sandbox`

export function useSwitchSandbox(clinic: string) {
  const client = useQueryClient()
  return useMutation({
    /** Resolves to the new tag of the switch. @throws Problem 412 where it has been switched since it had `tag` */
    mutationFn: ({ enabled, tag }: SandboxChange) => putTagged(sandboxPath(clinic), { enabled }, tag),
    // All that is shown depends on it.
    onSettled: () => client.invalidateQueries(),
  })
}
