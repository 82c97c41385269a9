/** Merging two records of one person, and taking that back: docs/operations/patient-merge.md. */
import { useQuery } from '@tanstack/react-query'
import type { Parameters as FhirParameters, Patient } from 'fhir/r4'
import { get } from './client.ts'
import { ask, operate } from './operations.ts'
import { Problem } from './problem.ts'

export interface Pair {
  /** The record that remains. */
  readonly target: Patient
  /** The record that is merged into it. */
  readonly source: Patient
}

const named = ({ target, source }: Pair) =>
  [
    ['source-patient', { valueReference: { reference: `Patient/${source.id}` } }],
    ['target-patient', { valueReference: { reference: `Patient/${target.id}` } }],
  ] as const

/** The record that remains, as the server would make it. */
export const usePreview = (pair: Pair) =>
  useQuery({
    queryKey: ['$merge', ...[pair.target, pair.source].map(({ id, meta }) => [id, meta?.versionId])],
    queryFn: ({ signal }) => preview(pair, signal),
  })

async function preview(pair: Pair, signal?: AbortSignal): Promise<Patient> {
  const asked = [...named(pair), ['preview', { valueBoolean: true }] as const]
  const { parameter } = await ask<FhirParameters>('Patient/$merge', asked, signal)
  return parameter?.find(({ name }) => name === 'result')?.resource as Patient
}

/**
 * @param chosen elements of the source, or of both, in place of those that the target has
 * @returns the source as the merge has made it
 * @throws Problem 409 where the target has been changed since it was read, and something is chosen
 */
export async function mergePatients(pair: Pair, chosen: Partial<Patient>): Promise<Patient> {
  await operate('Patient/$merge', [...named(pair), ...(await resultOf(pair, chosen))])
  return await get<Patient>(`Patient/${pair.source.id}`)
}

/** The merged record with the chosen values, on the version in which they were chosen. */
async function resultOf(pair: Pair, chosen: Partial<Patient>) {
  if (Object.keys(chosen).length === 0) return []
  const result = await preview(pair)
  const { versionId } = pair.target.meta ?? {}
  const resource: Patient = { ...result, ...chosen, meta: { ...result.meta, versionId } }
  return [['result-patient', { resource }]] as const
}

/** Milliseconds between two attempts, while the server is still changing references to the records. */
const PAUSE = 1_000

/**
 * Undoes the last merge of a record. Waits for a merge that the server is still carrying out.
 * @param source the source record after the merge
 * @throws Problem 412 where it has been changed since
 */
export async function takeMergeBack({ id, meta }: Patient): Promise<void> {
  for (;;) {
    try {
      await operate(`Patient/${id}/$unmerge`, [], meta?.versionId)
      return
    } catch (error) {
      if (!isUnderWay(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
  }
}

const isUnderWay = (error: unknown): boolean => error instanceof Problem && error.reason === 'merge-in-progress'

/** Whether the server would take the last merge of a record back. */
export const useMayTakeMergeBack = ({ id, meta }: Patient) =>
  useQuery({
    // A preview costs as much as the merge, so it is fetched again only for another record.
    queryKey: ['$unmerge', id, meta?.versionId],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      try {
        await ask(`Patient/${id}/$unmerge`, [['preview', { valueBoolean: true }]], signal)
        return { isOffered: true }
      } catch (error) {
        if (isUnderWay(error)) return { isOffered: true }
        // Merged by other means, or merged on since: a later merge goes first, as the server says.
        if (error instanceof Problem && error.status === 409) return { isOffered: false, reason: error.message }
        if (error instanceof Problem && [403, 404, 410, 422].includes(error.status)) return { isOffered: false }
        throw error
      }
    },
  })
