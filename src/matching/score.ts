/**
 * The probability that a pair of patients is one person, by the Fellegi-Sunter model with the table below, and the
 * conclusions from it: whether a record is listed at all, its grade (http://hl7.org/fhir/ValueSet/match-grade), and the
 * level that the agreeing fields reach in the HL7 Identity Matching guide (https://hl7.org/fhir/us/identity-matching/).
 */

/** How frequent names are. */
export interface Frequencies {
  /** Patients of the clinic. */
  readonly patients: number
  /** The fraction of its patients that have the name, from 0 to 1; undefined where it is not known. */
  readonly of: (field: 'family' | 'given', name: string) => number | undefined
}

/**
 * Patients at which a clinic's own frequencies count as much as the general ones, and the least number assumed for a
 * clinic.
 */
const GENERAL = 1_000

/** The fraction of the patients that have a name, from the clinic's count and, for a small clinic, from the table. */
export const smoothed = (field: 'family' | 'given', count: number, patients: number): number =>
  (count + GENERAL * WEIGHTS[field].same.u) / (patients + GENERAL)

/** Average number of other household members in the clinic. */
const RELATIVES = 0.2

/** Prior probabilities: that the requested person has a record, and that one record has a second one. */
const HAS_RECORD = 0.9
const HAS_DUPLICATE = 0.02

/** The evidence of a field in bits, log2(m/u): positive for one person. */
export interface Contribution {
  readonly evidence: FieldEvidence
  readonly bits: number
}

/** The likelihoods of the whole evidence as natural logarithms. */
interface Sum {
  readonly m: number
  readonly u: number
  readonly household: number
}

export const contributionsOf = (
  evidence: readonly FieldEvidence[],
  frequencies: Frequencies,
): readonly Contribution[] =>
  evidence.map((one) => {
    const { m, u } = adjusted(one, frequencies)
    return { evidence: one, bits: Math.log2(m / u) }
  })

/** The bits of all fields together, by which compare() chooses between alternatives. */
export function bitsOf(evidence: readonly FieldEvidence[], frequencies: Frequencies): number {
  let bits = 0
  for (const one of evidence) {
    const { m, u } = adjusted(one, frequencies)
    bits += Math.log2(m / u)
  }
  return bits
}

/**
 * The weight of a pair as a natural logarithm: how much likelier the evidence is for two records of one person than for
 * those of two people, whether strangers or members of a household.
 */
export function weightOf(evidence: readonly FieldEvidence[], frequencies: Frequencies): number {
  const { m, u, household } = sumOf(evidence, frequencies)
  // Two people are strangers, except the few who live together.
  const relatives = RELATIVES / populationOf(frequencies.patients)
  const other = addLogs(u + Math.log1p(-relatives), household + Math.log(relatives))
  return m - other
}

/** The part of a pair's weight, in bits, that allows for two people of one household. */
export const householdBits = (evidence: readonly FieldEvidence[], frequencies: Frequencies): number =>
  weightOf(evidence, frequencies) / Math.LN2 - bitsOf(evidence, frequencies)

function sumOf(evidence: readonly FieldEvidence[], frequencies: Frequencies): Sum {
  let [m, u, household] = [0, 0, 0]
  for (const one of evidence) {
    const likelihood = adjusted(one, frequencies)
    m += Math.log(likelihood.m)
    u += Math.log(likelihood.u)
    household += Math.log(likelihood.household)
  }
  return { m, u, household }
}

/**
 * Adjusts a name's likelihood: the more people have it, the weaker the evidence; a name that all have is none, but
 * never evidence against a match.
 */
function adjusted(evidence: FieldEvidence, frequencies: Frequencies): Likelihood {
  const likelihood = likelihoodOf(evidence)
  if (evidence.field !== 'family' && evidence.field !== 'given') return likelihood
  if (evidence.value === undefined) return likelihood
  const frequency = frequencies.of(evidence.field, evidence.value)
  if (frequency === undefined) return likelihood
  const u = Math.min(frequency, likelihood.m)
  const household = evidence.field === 'given' ? Math.max(likelihood.household, u) : likelihood.household
  return { m: likelihood.m, u, household }
}

/** A new clinic with few patients still draws them from a town. */
const populationOf = (patients: number): number => Math.max(GENERAL, patients)

const addLogs = (a: number, b: number): number => {
  const most = Math.max(a, b)
  return most === Number.NEGATIVE_INFINITY ? most : most + Math.log(Math.exp(a - most) + Math.exp(b - most))
}

/**
 * The probability that each candidate is the requested person, given the weights of all: a person has one record or
 * none, seldom two. So two candidates with equal evidence are equally likely, unless it is so strong that both must be
 * records of that person.
 *
 * With the odds l of each candidate among n patients, a set S of k candidates are the person's records with the weight
 * HAS_RECORD · HAS_DUPLICATE^(k-1) · Π l. The sums over all sets are products over the candidates.
 * @param patients of the clinic
 */
export function probabilitiesOf(weights: readonly number[], patients: number): readonly number[] {
  const n = populationOf(patients)
  const odds = weights.map((weight) => Math.log(HAS_DUPLICATE) + weight - Math.log(n))
  const logProduct = odds.reduce((sum, one) => sum + addLogs(0, one), 0)
  // Π(1 + δl) - 1, also where it is tiny.
  const logSets = logProduct > 30 ? logProduct : Math.log(Math.expm1(logProduct))
  const logHas = Math.log(HAS_RECORD) - Math.log(HAS_DUPLICATE)
  const logAll = addLogs(Math.log(1 - HAS_RECORD), logHas + logSets)
  return odds.map((one) => Math.min(1, Math.exp(logHas + one - addLogs(0, one) + logProduct - logAll)))
}

/** The prior odds, in bits, that a given patient is the requested person. */
export const priorBits = (patients: number): number =>
  Math.log2(HAS_RECORD / (1 - HAS_RECORD)) - Math.log2(populationOf(patients))

/**
 * The odds, as a natural logarithm, that a pair of stored patients is one person, given its weight (see weightOf). A
 * fraction of HAS_DUPLICATE of all records have a second one, which is any of the others.
 * @param patients of the clinic
 */
export const duplicateOdds = (weight: number, patients: number): number =>
  Math.log(HAS_DUPLICATE) + weight - Math.log(populationOf(patients))

/** @param odds as a natural logarithm */
export const probabilityOf = (odds: number): number => 1 / (1 + Math.exp(-odds))

/**
 * The weight of evidence where a field of two records agrees, nearly agrees or differs: the table of the Fellegi-Sunter
 * model (I. P. Fellegi and A. B. Sunter, A Theory for Record Linkage, Journal of the American Statistical Association
 * 64, 1969), with a second alternative besides the stranger: the relative.
 *
 * - `u`: its probability for two people. Exact agreement: the conservative values in public use for record linkage:
 *   first name .02, last name .005, birth date 1e-4, postal code 3e-4, street 3e-5, telephone number and e-mail address
 *   1e-6. For names the clinic's own frequencies replace them (core/patient-linkage.ts). The other levels are
 *   estimates: similar names are about as frequent as the same name; a date has some thirty others that differ by one
 *   digit.
 * - `m`: its probability for two records of one person. Estimates: about a twentieth of names, dates and numbers that
 *   do not change are not written the same the second time, most of them for one letter or digit; people move and
 *   change their telephone more often.
 * - `household`: its probability for two people of one household, who share name, address and telephone, and are seldom
 *   born on the same day. Estimates, too.
 *
 * The estimates are checked, not fitted: the bench measures accuracy and calibration on records that the table was not
 * made from (docs/adr/020-patient-matching.md).
 *
 * `m` is never below `household` where a field agrees, so that no agreement ever counts against a match. Fields that
 * are missing in one record are no evidence, and have no row.
 */
/** Probabilities. */
export interface Likelihood {
  readonly m: number
  readonly u: number
  readonly household: number
}

const row = (m: number, u: number, household: number): Likelihood => ({ m, u, household })

/** By field and level. The levels of a field are listed from the strongest to the weakest evidence. */
export const WEIGHTS = {
  family: {
    same: row(0.8, 0.005, 0.75),
    near: row(0.1, 0.006, 0.01),
    part: row(0.02, 0.004, 0.02),
    similar: row(0.02, 0.012, 0.01),
    differ: row(0.06, 0.973, 0.21),
  },
  given: {
    same: row(0.78, 0.02, 0.04),
    near: row(0.1, 0.012, 0.06),
    nickname: row(0.04, 0.006, 0.006),
    initial: row(0.04, 0.02, 0.02),
    similar: row(0.02, 0.03, 0.06),
    differ: row(0.05, 0.91, 0.83),
  },
  /** Family and given name are swapped in one record: their evidence is weakened by this much. */
  order: {
    swapped: row(0.02, 1, 1),
  },
  suffix: {
    same: row(0.95, 0.4, 0.4),
    /** Senior is not Junior. */
    differ: row(0.0005, 0.6, 0.6),
  },
  birthDate: {
    same: row(0.93, 0.0001, 0.03),
    swapped: row(0.01, 0.0001, 0.0005),
    digit: row(0.03, 0.002, 0.003),
    partial: row(0.9, 0.012, 0.05),
    differ: row(0.03, 0.998, 0.966),
  },
  gender: {
    same: row(0.98, 0.5, 0.48),
    differ: row(0.02, 0.5, 0.52),
  },
  phone: {
    same: row(0.7, 0.000001, 0.4),
    differ: row(0.3, 0.999999, 0.6),
  },
  email: {
    same: row(0.7, 0.000001, 0.1),
    differ: row(0.3, 0.999999, 0.9),
  },
  /** `without system`: one of the two records does not name the system of its value. */
  identifier: {
    same: row(0.96, 0.000001, 0.000001),
    'same, without system': row(0.9, 0.00001, 0.00001),
    digit: row(0.02, 0.01, 0.02),
    differ: row(0.02, 0.9999, 0.9989),
  },
  street: {
    same: row(0.66, 0.00003, 0.6),
    near: row(0.16, 0.00006, 0.06),
    part: row(0.06, 0.012, 0.06),
    differ: row(0.12, 0.988, 0.28),
  },
  postalCode: {
    same: row(0.82, 0.0003, 0.7),
    digit: row(0.04, 0.003, 0.01),
    differ: row(0.14, 0.9967, 0.29),
  },
  city: {
    same: row(0.86, 0.005, 0.8),
    near: row(0.04, 0.005, 0.02),
    differ: row(0.1, 0.99, 0.18),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Likelihood>>>>

export type Field = keyof typeof WEIGHTS

/** The evidence of one field of a pair of records. */
export type FieldEvidence = {
  readonly [F in Field]: {
    readonly field: F
    readonly level: keyof (typeof WEIGHTS)[F]
    /** The shared value, where its frequency counts. */
    readonly value?: string
  }
}[Field]

const likelihoodOf = ({ field, level }: FieldEvidence): Likelihood =>
  (WEIGHTS[field] as Readonly<Record<string, Likelihood>>)[level] as Likelihood

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
