/** Compares the demographics of a pair of patients, field by field. Symmetric, and without I/O. */
import { spend } from '../isolation/budget.ts'
import { addressEvidence } from './compare-addresses.ts'
import { nameEvidence, suffixEvidence } from './compare-names.ts'
import type { ComparedIdentifier, Demographics } from './demographics.ts'
import { isSingleEdit } from './one-off.ts'
import { samePhone } from './phones.ts'
import type { FieldEvidence } from './weights.ts'

/** Weighs a comparison: the greater the weight, the more likely it is one person. */
export type Weigh = (evidence: readonly FieldEvidence[]) => number

/**
 * The evidence of all fields. For fields with several values the best pair counts, as a person may have several names,
 * numbers and addresses. A field that one of the two lacks is left out.
 * @throws BudgetError
 */
export function compare(one: Demographics, other: Demographics, weigh: Weigh): readonly FieldEvidence[] {
  spend(stepsToCompare(one, other), 'comparing patients')
  return [
    ...bestOf(namePairs(one, other), weigh),
    ...suffixOfAll(one, other),
    ...(one.birthDate === undefined || other.birthDate === undefined
      ? []
      : [birthDateEvidence(one.birthDate, other.birthDate)]),
    ...(one.gender === undefined || other.gender === undefined ? [] : [genderEvidence(one.gender, other.gender)]),
    ...(hasBoth('phones', one, other) ? [phoneEvidence(one.phones, other.phones)] : []),
    ...(hasBoth('emails', one, other) ? [emailEvidence(one.emails, other.emails)] : []),
    ...bestOf(addressPairs(one, other), weigh),
    ...(hasBoth('identifiers', one, other) ? identifierEvidence(one.identifiers, other.identifiers) : []),
  ]
}

type Part = 'names' | 'phones' | 'emails' | 'addresses' | 'identifiers'

/** Checks the first patient first: a part that it lacks is not even prepared for the second (see demographicsOf). */
const hasBoth = (part: Part, one: Demographics, other: Demographics): boolean =>
  one[part].length > 0 && other[part].length > 0

const pairsOf = (part: Part, one: Demographics, other: Demographics): number =>
  hasBoth(part, one, other) ? one[part].length * other[part].length : 0

/** A pair of names is compared in several orders; a pair of numbers is a comparison of two short texts. */
const stepsToCompare = (one: Demographics, other: Demographics): number =>
  3 +
  pairsOf('names', one, other) * 4 +
  pairsOf('addresses', one, other) +
  (pairsOf('phones', one, other) + pairsOf('emails', one, other)) / 4

function* namePairs(one: Demographics, other: Demographics): Generator<readonly FieldEvidence[]> {
  for (const mine of one.names) {
    for (const theirs of other.names) {
      const hasSuffix = mine.suffixes.length > 0 && theirs.suffixes.length > 0
      for (const evidence of nameEvidence(mine, theirs)) yield hasSuffix ? evidence.filter(isNoSuffix) : evidence
    }
  }
}

const isNoSuffix = ({ field }: FieldEvidence): boolean => field !== 'suffix'

const suffixesOf = ({ names }: Demographics): readonly string[] => names.flatMap((name) => name.suffixes)

/** The suffix among all names: a name without one, such as a nickname by itself, does not hide that of another. */
function suffixOfAll(one: Demographics, other: Demographics): readonly FieldEvidence[] {
  const mine = suffixesOf(one)
  const evidence = mine.length === 0 ? undefined : suffixEvidence(mine, suffixesOf(other))
  return evidence === undefined ? [] : [evidence]
}

function* addressPairs(one: Demographics, other: Demographics): Generator<readonly FieldEvidence[]> {
  for (const mine of one.addresses) for (const theirs of other.addresses) yield addressEvidence(mine, theirs)
}

function bestOf(all: Iterable<readonly FieldEvidence[]>, weigh: Weigh): readonly FieldEvidence[] {
  let best: readonly FieldEvidence[] = []
  let most = Number.NEGATIVE_INFINITY
  for (const evidence of all) {
    const weight = weigh(evidence)
    // The choice between equal weights must not depend on which record is the first.
    if (weight < most || (weight === most && JSON.stringify(evidence) >= JSON.stringify(best))) continue
    best = evidence
    most = weight
  }
  return best
}

const genderEvidence = (a: string, b: string): FieldEvidence => ({
  field: 'gender',
  level: a === b ? 'same' : 'differ',
})

const phoneEvidence = (mine: readonly string[], theirs: readonly string[]): FieldEvidence => ({
  field: 'phone',
  level: mine.some((number) => theirs.some((other) => samePhone(number, other))) ? 'same' : 'differ',
})

const emailEvidence = (mine: readonly string[], theirs: readonly string[]): FieldEvidence => ({
  field: 'email',
  level: mine.some((email) => theirs.includes(email)) ? 'same' : 'differ',
})

/**
 * The evidence of each system that both have: one that agrees does not hide that another differs. A value without a
 * system is evidence only where it agrees, and no system does.
 */
function identifierEvidence(
  mine: readonly ComparedIdentifier[],
  theirs: readonly ComparedIdentifier[],
): readonly FieldEvidence[] {
  const systems = new Set(mine.map(({ system }) => system).filter(Boolean))
  const shared = [...systems].filter((system) => theirs.some((other) => other.system === system)).toSorted()
  const evidence = shared.map(
    (system): FieldEvidence => ({
      field: 'identifier',
      level: valuesLevel(valuesOf(mine, system), valuesOf(theirs, system)),
    }),
  )
  if (evidence.some(({ level }) => level === 'same')) return evidence
  const isEqualWithoutSystem = mine.some(({ system, value }) =>
    theirs.some((other) => (system === '' || other.system === '') && value === other.value),
  )
  return isEqualWithoutSystem ? [{ field: 'identifier', level: 'same, without system' }, ...evidence] : evidence
}

const valuesOf = (identifiers: readonly ComparedIdentifier[], system: string): readonly string[] =>
  identifiers.filter((one) => one.system === system).map(({ value }) => value)

function valuesLevel(mine: readonly string[], theirs: readonly string[]): 'same' | 'digit' | 'differ' {
  if (mine.some((value) => theirs.includes(value))) return 'same'
  return mine.some((value) => theirs.some((other) => isNear(value, other))) ? 'digit' : 'differ'
}

/** Shorter values are seldom mistyped, and often close to those of others: 1 and 2. */
const SHORTEST_NEAR = 5

const isNear = (a: string, b: string): boolean => a.length >= SHORTEST_NEAR && isSingleEdit(a, b)

/** Both in FHIR's form of dates, YYYY, YYYY-MM or YYYY-MM-DD: https://hl7.org/fhir/R4/datatypes.html#date. */
function birthDateEvidence(a: string, b: string): FieldEvidence {
  if (a === b) return { field: 'birthDate', level: a.length === 10 ? 'same' : 'partial' }
  if (a.length !== b.length) {
    return { field: 'birthDate', level: a.startsWith(b) || b.startsWith(a) ? 'partial' : 'differ' }
  }
  if (isSwapped(a, b)) return { field: 'birthDate', level: 'swapped' }
  return { field: 'birthDate', level: a.length === 10 && isSingleEdit(a, b) ? 'digit' : 'differ' }
}

/** Whether day and month are swapped. */
const isSwapped = (a: string, b: string): boolean =>
  a.length === 10 && b === `${a.slice(0, 5)}${a.slice(8)}-${a.slice(5, 7)}`
