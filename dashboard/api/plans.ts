/** Plans: what a client must do. docs/plans.md */
import { queryOptions } from '@tanstack/react-query'
import { get } from './client.ts'
import { rehearsalKey } from './rehearsal.ts'
import type { Plan } from './rehearsal-answers.ts'

const plansKey = (clinic: string) => [...rehearsalKey(clinic), 'plans'] as const

/** The plans of the server and of the clinic, by name. */
export const plansOf = (clinic: string) =>
  queryOptions({
    queryKey: plansKey(clinic),
    queryFn: async ({ signal }) =>
      (await get<{ readonly plans: readonly Plan[] }>(`clinics/${clinic}/plans`, signal)).plans,
  })
