/**
 * Conclusions from a probability: whether a record is listed at all, its grade
 * (http://hl7.org/fhir/ValueSet/match-grade), and the level that the agreeing fields reach in the HL7 Identity Matching
 * guide (https://hl7.org/fhir/us/identity-matching/).
 */

import { bitsOf, type FieldEvidence, type Frequencies } from './score.ts'

/** `certainly-not` is never returned. */
export type MatchGrade = 'certain' | 'probable' | 'possible'

/** Least probabilities of the grades; below `LISTED` a record is usually not in the response, see `isListed`. */
export const CERTAIN = 0.99
export const PROBABLE = 0.5
export const LISTED = 0.01

/** Fields that distinguish people who live together or have the same name. */
const DISTINGUISHING = ['given', 'suffix', 'birthDate', 'gender', 'identifier', 'email'] as const

/** Bits equal to the evidence of two names that sound alike. */
const NAMESAKE_BITS = 7

const TABLE_ONLY: Frequencies = { patients: 1, of: () => undefined }

/**
 * Whether a record may be the person. Among many with the same name each is unlikely, and yet any of them may be the
 * person: all without contradicting evidence are listed, however many there are.
 */
export const isListed = (probability: number, evidence: readonly FieldEvidence[]): boolean =>
  probability >= LISTED || (!isContradicted(evidence) && bitsOf(evidence, TABLE_ONLY) >= NAMESAKE_BITS)

/** The evidence about a record that may be the person. */
export interface Rated {
  readonly probability: number
  readonly evidence: readonly FieldEvidence[]
}

/** @param others records that may be the person */
export function gradeOf(rated: Rated, others: readonly Rated[]): MatchGrade {
  const { probability, evidence } = rated
  const isContrary = isContradicted(evidence) || hasOtherIdentifier(evidence)
  const isCertain = probability >= CERTAIN && identifies(evidence) && !isContrary
  if (isCertain && !others.some((other) => isClose(other, rated))) return 'certain'
  return probability >= PROBABLE && isNamed(evidence) ? 'probable' : 'possible'
}

/** Whether the other may be the person too: nothing that distinguishes people agrees better here than there. */
export function isClose(other: Rated, rated: Rated): boolean {
  const [mine, theirs] = [agreementOf(rated.evidence), agreementOf(other.evidence)]
  const isDistinguished =
    DISTINGUISHING.some((field) => mine(field, 'same') && !theirs(field, 'same')) ||
    // Both share an identifier with the person, as relatives share that of their insurance, and here no other one
    // differs.
    (mine('identifier', 'same') && !hasOtherIdentifier(rated.evidence) && hasOtherIdentifier(other.evidence))
  return other.probability >= PROBABLE && !isDistinguished
}

/**
 * Whether a name agrees. Otherwise a telephone number or an identifier may be wrong, or belong to a relative. An
 * identifier without a name is that of the one record which has it.
 */
function isNamed(evidence: readonly FieldEvidence[]): boolean {
  const names = evidence.filter(({ field }) => field === 'family' || field === 'given')
  if (names.length > 0) return names.some(({ level }) => level !== 'differ')
  return agreementOf(evidence)('identifier', 'same')
}

const CONTRADICTING: ReadonlySet<FieldEvidence['field']> = new Set([
  ...(['family', 'given', 'suffix', 'birthDate', 'gender', 'identifier'] as const),
])

/** Whether a field differs that people do not change, and that does not change by itself. */
const isContradicted = (evidence: readonly FieldEvidence[]): boolean =>
  evidence.some(({ field, level }) => level === 'differ' && CONTRADICTING.has(field))

/**
 * Whether an identifier differs, however little: two numbers that differ by a digit may be one that was mistyped, or
 * those of two people who were registered one after the other.
 */
const hasOtherIdentifier = (evidence: readonly FieldEvidence[]): boolean =>
  agreementOf(evidence)('identifier', 'digit', 'differ')

/**
 * Whether the agreement is enough for the higher levels of the HL7 Identity Matching guide. Families share a telephone,
 * so that it does not count here. Twins share everything but the given name, which may differ by a letter, so without
 * an identifier the given name must be the same.
 */
function identifies(evidence: readonly FieldEvidence[]): boolean {
  const agrees = agreementOf(evidence)
  if (agrees('identifier', 'same', 'same, without system'))
    return agrees('family', ...NAME) || agrees('birthDate', 'same')
  const hasName = agrees('given', 'same', 'nickname') && agrees('family', 'same', 'near')
  return hasName && agrees('birthDate', 'same') && (agrees('email', 'same') || isSameAddress(agrees))
}

const NAME = ['same', 'nickname', 'near'] as const

type Agrees = (field: FieldEvidence['field'], ...levels: readonly string[]) => boolean

const agreementOf =
  (evidence: readonly FieldEvidence[]): Agrees =>
  (field, ...levels) =>
    evidence.some((one) => one.field === field && levels.includes(one.level))

const isSameAddress = (agrees: Agrees): boolean =>
  agrees('street', 'same', 'near') && (agrees('postalCode', 'same') || agrees('city', 'same'))

/** The level of the HL7 Identity Matching guide: .99, .8, .7 or .6; undefined below. */
export function identityLevelOf(evidence: readonly FieldEvidence[]): number | undefined {
  const agrees = agreementOf(evidence)
  const hasName = agrees('family', 'same', 'near') && agrees('given', ...NAME)
  const hasDate = agrees('birthDate', 'same')
  if (agrees('identifier', 'same') && (hasName || hasDate)) return 0.99
  if (!hasName || !hasDate) return undefined
  if (agrees('email', 'same') || isSameAddress(agrees)) return 0.8
  return agrees('phone', 'same') ? 0.7 : 0.6
}
