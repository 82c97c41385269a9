/** Plans: what a client must do. docs/plans.md */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { get, READS, send } from './client.ts'
import { now } from './clock.ts'
import { Problem } from './problem.ts'
import { rehearsalKey } from './rehearsal.ts'
import type { Judged, Plan } from './rehearsal-answers.ts'

const plansKey = (clinic: string) => [...rehearsalKey(clinic), 'plans'] as const

export const planPath = (clinic: string, name: string): string => `clinics/${clinic}/plans/${encodeURIComponent(name)}`

/** The plans of the server and of the clinic, by name. */
export const plansOf = (clinic: string) =>
  queryOptions({
    queryKey: plansKey(clinic),
    queryFn: async ({ signal }) =>
      (await get<{ readonly plans: readonly Plan[] }>(`clinics/${clinic}/plans`, signal)).plans,
  })

export const planOf = (clinic: string, name: string) =>
  queryOptions({
    queryKey: [...plansKey(clinic), name],
    queryFn: ({ signal }) => get<Plan>(planPath(clinic, name), signal),
  })

/** Stores a plan under the name that it has in its member `plan`. */
export function useStorePlan(clinic: string) {
  const client = useQueryClient()
  return useMutation({
    /** @throws Problem 400 that names the step and what is wrong in it, 409 for the name of a plan of the server */
    mutationFn: (plan: { readonly plan: string }) =>
      send({ method: 'PUT', path: planPath(clinic, plan.plan), body: plan }),
    onSuccess: () => client.invalidateQueries({ queryKey: plansKey(clinic) }),
  })
}

export function useDeletePlan(clinic: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => send({ method: 'DELETE', path: planPath(clinic, name) }),
    onSettled: () => client.invalidateQueries({ queryKey: plansKey(clinic) }),
  })
}

/** Recorded exchanges, by some of these. */
export interface Recorded {
  readonly run?: string
  readonly call?: string
  /** FHIR's instant. */
  readonly since?: string
}

/** Judges recorded exchanges, and stores nothing. @param plan a plan, or the name of one. @throws Problem 400 for a wrong plan */
export const dryRun = async (clinic: string, plan: unknown, recorded: Recorded): Promise<Judged> => {
  const path = `clinics/${clinic}/plans/$dry-run`
  const headers = { 'x-run-id': READS }
  return (await send<Judged>({ method: 'POST', path, body: { plan, ...recorded }, headers })).body
}

/** The sentence in which the server says what is wrong with a plan; undefined where nothing is. */
export async function objectionTo(clinic: string, plan: unknown): Promise<string | undefined> {
  try {
    await dryRun(clinic, plan, { since: new Date(now()).toISOString() })
    return undefined
  } catch (error) {
    if (error instanceof Problem && (error.status === 400 || error.status === 422)) return error.message
    throw error
  }
}
