/** Magic people: who brings about what. docs/magic.md */
import { queryOptions } from '@tanstack/react-query'
import { get } from './client.ts'

export interface MagicRow {
  readonly name: string
  readonly who: string
  /** `Patient/twin-one` */
  readonly resource?: string
  /** The scenario that has it; `any`: each. */
  readonly scenario: string
  readonly what: string
  /** How to reach it: `given`, `family`, `birthDate`, `phone`, `memberId`, … */
  readonly with: Readonly<Record<string, string>>
  /** The outcome, by the way in which it is reached. */
  readonly expect: Readonly<Record<string, unknown>>
}

export type MagicKind = 'patients' | 'practitioners' | 'values'

export const magic = queryOptions({
  queryKey: ['rehearsal', 'magic'],
  queryFn: ({ signal }) => get<Readonly<Record<MagicKind, readonly MagicRow[]>>>('magic', signal),
  staleTime: Number.POSITIVE_INFINITY,
})
