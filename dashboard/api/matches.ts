/** Records that may be of a person: docs/operations/patient-match.md. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Bundle, BundleEntry, Patient } from 'fhir/r4'
import { type Likelihood, likelihoodOf } from '../fhir/pairs.ts'
import { ask } from './operations.ts'

export interface Candidate extends Likelihood {
  readonly patient: Patient
}

/** @param isAsked false: nobody is looked for */
export const useMatches = (patient: Patient, isAsked = true) =>
  useQuery({
    queryKey: ['Patient', '$match', questionOf(patient)],
    queryFn: ({ signal }) => matchesOf(patient, signal),
    enabled: isAsked,
    // Two records that are being compared stay on the page when one of them is changed.
    placeholderData: keepPreviousData,
  })

/** The likeliest first, without the record itself. @throws Problem */
export async function matchesOf(patient: Patient, signal?: AbortSignal): Promise<readonly Candidate[]> {
  const { entry = [] } = await ask<Bundle>(
    'Patient/$match',
    [
      ['resource', { resource: questionOf(patient) }],
      ['count', { valueInteger: 10 }],
    ],
    signal,
  )
  return entry.flatMap(candidateOf).filter(({ patient: { id } }) => id !== patient.id)
}

/** The demographics of the patient, without the rest of the record. */
const questionOf = ({ identifier, name, telecom, gender, birthDate, address }: Patient): Patient => ({
  resourceType: 'Patient',
  ...(identifier && { identifier }),
  ...(name && { name }),
  ...(telecom && { telecom }),
  ...(gender && { gender }),
  ...(birthDate && { birthDate }),
  ...(address && { address }),
})

const candidateOf = (entry: BundleEntry): readonly Candidate[] =>
  entry.resource?.resourceType === 'Patient' ? [{ patient: entry.resource as Patient, ...likelihoodOf(entry) }] : []
