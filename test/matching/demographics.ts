/** Patients to compare, in few words. */
import type { HumanName, Patient } from 'fhir/r4'
import { compare } from '../../src/matching/compare.ts'
import { demographicsOf } from '../../src/matching/demographics.ts'
import { bitsOf, type Field, type FieldEvidence, type Frequencies } from '../../src/matching/score.ts'

/** Frequencies of a clinic that knows nothing of how frequent names are. */
export const UNKNOWN: Frequencies = { patients: 10_000, of: () => undefined }

export const patient = (more: Partial<Patient>): Patient => ({ resourceType: 'Patient', ...more })

/** Several given names are separated by `|`. */
export const name = (given: string, family: string, ...suffix: string[]): HumanName => ({
  ...(given === '' ? {} : { given: given.split('|') }),
  ...(family === '' ? {} : { family }),
  ...(suffix.length === 0 ? {} : { suffix }),
})

export const compared = (
  one: Partial<Patient>,
  other: Partial<Patient>,
  { region, frequencies = UNKNOWN }: { readonly region?: string; readonly frequencies?: Frequencies } = {},
): readonly FieldEvidence[] =>
  compare(demographicsOf(patient(one), region), demographicsOf(patient(other), region), (evidence) =>
    bitsOf(evidence, frequencies),
  )

export type Level = FieldEvidence['level']

export type Levels = { readonly [F in Field]?: Level }

/** The levels by field; a field without evidence is absent. */
const levelsOf = (evidence: readonly FieldEvidence[]): Levels =>
  Object.fromEntries(evidence.map(({ field, level }) => [field, level]))

export const levels = (...args: Parameters<typeof compared>): Levels => levelsOf(compared(...args))
