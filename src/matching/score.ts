/** The probability that a pair of patients is one person: the Fellegi-Sunter model with the table in weights.ts. */
import { type FieldEvidence, type Likelihood, likelihoodOf, WEIGHTS } from './weights.ts'

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
