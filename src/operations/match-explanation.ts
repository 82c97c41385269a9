/** Why two records may be of one person: the extension match-explanation, and what else Bundle.entry.search says of it. */
import type { Extension } from 'fhir/r4'
import { identityLevelOf, type MatchGrade } from '../matching/grade.ts'
import { contributionsOf, type Frequencies } from '../matching/score.ts'
import type { FieldEvidence } from '../matching/weights.ts'

const MATCH_GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade'
const EXPLANATION = 'https://sandbox-emr.example/fhir/StructureDefinition/match-explanation'

export const matchGrade = (grade: MatchGrade): Extension => ({ url: MATCH_GRADE, valueCode: grade })

/** As search.score. Below one: a probability is never complete. */
export const scoreOf = (probability: number): number => Math.min(0.9999, Number(probability.toFixed(4)))

/** What each field contributes, in bits, and the level that the fields which agree reach. */
export function matchExplanation(evidence: readonly FieldEvidence[], frequencies: Frequencies): Extension {
  const level = identityLevelOf(evidence)
  const contributions = contributionsOf(evidence, frequencies).map(
    ({ evidence: { field, level: agreement }, bits }): Extension => ({
      url: 'contribution',
      extension: [
        { url: 'field', valueCode: field },
        { url: 'agreement', valueString: agreement },
        { url: 'bits', valueDecimal: Number(bits.toFixed(2)) },
      ],
    }),
  )
  return {
    url: EXPLANATION,
    extension: [...contributions, ...(level === undefined ? [] : [{ url: 'identityLevel', valueDecimal: level }])],
  }
}
