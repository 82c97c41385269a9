/** The reasons for a match of two records: the extension match-explanation, and the score in Bundle.entry.search. */
import type { Extension } from 'fhir/r4'
import { identityLevelOf, type MatchGrade } from '../matching/grade.ts'
import { contributionsOf, type Frequencies, householdBits } from '../matching/score.ts'
import type { FieldEvidence } from '../matching/weights.ts'

const MATCH_GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade'
const EXPLANATION = 'https://sandbox-emr.example/fhir/StructureDefinition/match-explanation'

export const matchGrade = (grade: MatchGrade): Extension => ({ url: MATCH_GRADE, valueCode: grade })

/** Highest score. */
const HIGHEST = 0.9999

/** The value for search.score; always below one, as no match is certain. */
export const scoreOf = (probability: number): number => Math.min(HIGHEST, Number(probability.toFixed(4)))

/** The data of a match to explain. */
interface Explained {
  readonly evidence: readonly FieldEvidence[]
  readonly frequencies: Frequencies
  readonly probability: number
  /** The odds before any comparison, in bits. */
  readonly prior: number
}

/**
 * The contribution of each field and of other evidence, in bits, and the identity level reached by the agreeing fields.
 */
export function matchExplanation(explained: Explained): Extension {
  const level = identityLevelOf(explained.evidence)
  const fields = contributionsOf(explained.evidence, explained.frequencies)
  const sum = fields.reduce((total, { bits }) => total + bits, 0)
  return {
    url: EXPLANATION,
    extension: [
      ...fields.map(({ evidence: { field, level: agreement }, bits }) => contribution(field, bits, agreement)),
      ...besides(explained, sum).map(([what, bits]) => contribution(what, bits)),
      ...(level === undefined ? [] : [{ url: 'identityLevel', valueDecimal: level }]),
    ],
  }
}

/** Evidence other than fields; together their bits give the odds of the probability. */
function besides(
  { evidence, frequencies, probability, prior }: Explained,
  fields: number,
): readonly (readonly [what: string, bits: number])[] {
  const household = householdBits(evidence, frequencies)
  const odds = Math.log2(probability / (1 - probability))
  const others = probability < HIGHEST ? odds - fields - household - prior : 0
  const all = [
    ['household', household],
    ['others', others],
    ['prior', prior],
  ] as const
  return all.filter(([, bits]) => Math.abs(bits) >= SMALLEST)
}

/** Smallest number of bits that does not round to 0. */
const SMALLEST = 0.005

const contribution = (field: string, bits: number, agreement?: string): Extension => ({
  url: 'contribution',
  extension: [
    { url: 'field', valueCode: field },
    ...(agreement === undefined ? [] : [{ url: 'agreement', valueString: agreement }]),
    { url: 'bits', valueDecimal: Number(bits.toFixed(2)) },
  ],
})
