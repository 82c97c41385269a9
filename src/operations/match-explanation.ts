/** Why two records may be of one person: the extension match-explanation, and what else Bundle.entry.search says of it. */
import type { Extension } from 'fhir/r4'
import { identityLevelOf, type MatchGrade } from '../matching/grade.ts'
import { contributionsOf, type Frequencies, householdBits } from '../matching/score.ts'
import type { FieldEvidence } from '../matching/weights.ts'

const MATCH_GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade'
const EXPLANATION = 'https://sandbox-emr.example/fhir/StructureDefinition/match-explanation'

export const matchGrade = (grade: MatchGrade): Extension => ({ url: MATCH_GRADE, valueCode: grade })

/** Of a score. */
const HIGHEST = 0.9999

/** As search.score. Below one: a probability is never complete. */
export const scoreOf = (probability: number): number => Math.min(HIGHEST, Number(probability.toFixed(4)))

/** What is explained. */
interface Explained {
  readonly evidence: readonly FieldEvidence[]
  readonly frequencies: Frequencies
  readonly probability: number
  /** The odds before anything was compared, in bits. */
  readonly prior: number
}

/** What each field contributes, in bits, and what counts besides; and the level that the fields which agree reach. */
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

/** With the bits of the fields these make the odds of the probability. */
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

/** Bits that are not 0 when they are rounded. */
const SMALLEST = 0.005

const contribution = (field: string, bits: number, agreement?: string): Extension => ({
  url: 'contribution',
  extension: [
    { url: 'field', valueCode: field },
    ...(agreement === undefined ? [] : [{ url: 'agreement', valueString: agreement }]),
    { url: 'bits', valueDecimal: Number(bits.toFixed(2)) },
  ],
})
