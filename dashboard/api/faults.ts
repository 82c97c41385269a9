/** Faults that a clinic rehearses: the catalogue, and the rules that are set. docs/faults.md */
import { queryOptions } from '@tanstack/react-query'
import { get, send } from './client.ts'
import { rehearsalKey } from './rehearsal.ts'

interface Described {
  readonly what: string
}
export type FaultParameter =
  | ({ readonly type: 'integer'; readonly default: number; readonly least: number; readonly most: number } & Described)
  | ({ readonly type: 'code'; readonly default: string; readonly values: readonly string[] } & Described)

export interface Fault {
  readonly name: string
  readonly title: string
  readonly what: string
  /** Whether it is brought about in the data. */
  readonly true: boolean
  readonly of: 'fhir' | 'tools' | 'both'
  readonly parameters: Readonly<Record<string, FaultParameter>>
}

/** The conditions of a rule. */
export const CONDITIONS = ['interaction', 'type', 'path', 'query', 'call', 'run', 'tool'] as const

export interface FaultSetting {
  readonly fault: string
  readonly when?: Readonly<Partial<Record<(typeof CONDITIONS)[number], string>>>
  readonly on?: readonly number[]
  readonly every?: number
  readonly times?: number
  readonly until?: string
  readonly with?: Readonly<Record<string, string | number>>
}

export interface FaultRule extends FaultSetting {
  readonly name: string
  readonly matched: number
  readonly fired: number
  /** FHIR's instant at which it fired last. */
  readonly last?: string
}

/** Milliseconds between two polls, for clinics without a journal, which tells of each that fires (use-fresh.ts). */
const EVERY = 15_000

export const catalogue = queryOptions({
  queryKey: ['rehearsal', 'catalogue'],
  queryFn: async ({ signal }) => (await get<{ readonly faults: readonly Fault[] }>('faults', signal)).faults,
  staleTime: Number.POSITIVE_INFINITY,
})

export const rulesKey = (clinic: string) => [...rehearsalKey(clinic), 'faults'] as const

export const rulesOf = (clinic: string) =>
  queryOptions({
    queryKey: rulesKey(clinic),
    queryFn: async ({ signal }) =>
      (await get<{ readonly rules: readonly FaultRule[] }>(`clinics/${clinic}/faults`, signal)).rules,
    refetchInterval: EVERY,
  })

const rulePath = (clinic: string, name: string): string => `clinics/${clinic}/faults/${encodeURIComponent(name)}`

export const setRule = (clinic: string, name: string, setting: FaultSetting) =>
  send({ method: 'PUT', path: rulePath(clinic, name), body: setting })

export const removeRule = (clinic: string, name: string) => send({ method: 'DELETE', path: rulePath(clinic, name) })

export const removeAllRules = (clinic: string) => send({ method: 'DELETE', path: `clinics/${clinic}/faults` })
