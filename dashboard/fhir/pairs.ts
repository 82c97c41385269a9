/** Pairs of patients that are likely to be one person: docs/operations/patient-find-duplicates.md. */
import type { Bundle, BundleEntry, Linkage, OperationOutcome, Patient } from 'fhir/r4'
import { includedIn } from './bundles.ts'
import { referenceParts } from './names.ts'

const GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade'

/** How likely a match is. */
export interface Likelihood {
  readonly grade: string
  /** From 0 to 1. */
  readonly score: number
}

export const likelihoodOf = ({ search }: BundleEntry): Likelihood => ({
  grade: search?.extension?.find(({ url }) => url === GRADE)?.valueCode ?? '',
  score: search?.score ?? 0,
})

export interface Pair extends Likelihood {
  /** The one to keep, as the server has it. */
  readonly source: Patient
  readonly other: Patient
}

/** @param bundle one page of those that are listed */
export function pairsIn(bundle: Bundle): readonly Pair[] {
  const patients = new Map(includedIn<Patient>(bundle, 'Patient').map((patient) => [patient.id, patient]))
  return (bundle.entry ?? []).flatMap((entry) => {
    if (entry.resource?.resourceType !== 'Linkage') return []
    const [source, other] = (entry.resource as Linkage).item.map(({ resource }) =>
      patients.get(referenceParts(resource.reference)?.id),
    )
    return source === undefined || other === undefined ? [] : [{ source, other, ...likelihoodOf(entry) }]
  })
}

/** The server's remarks on the search, one sentence each. */
export const notesIn = (bundle: Bundle): readonly string[] =>
  includedIn<OperationOutcome>(bundle, 'OperationOutcome').flatMap(({ issue }) =>
    issue.flatMap(({ diagnostics }) => diagnostics ?? []),
  )

/** Percentage of the work that is done, from `12 of about 25 patients compared`; undefined for any other text. */
export function shareOf(progress: string): number | undefined {
  const [, done, all] = /(\d+) of about (\d+)/.exec(progress) ?? []
  return Number(all) > 0 ? (100 * Number(done)) / Number(all) : undefined
}
