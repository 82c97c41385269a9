/** Compares the demographics of a pair of patients, field by field. Symmetric, and without I/O. */

import { jaroWinkler } from '@skyra/jaro-winkler'
import { distance } from 'fastest-levenshtein'
import { spend } from '../isolation/budget.ts'
import type { ComparedAddress, ComparedIdentifier, Demographics } from './demographics.ts'
import { areNicknames, type NameForms, type NamePart, swapped } from './names.ts'
import { samePhone } from './phones.ts'
import type { FieldEvidence } from './score.ts'

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
const SHORTEST_MISTYPED = 5

const isNear = (a: string, b: string): boolean => a.length >= SHORTEST_MISTYPED && isSingleEdit(a, b)

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

/** Shorter names that differ by a letter are different names: Ann and Ian. */
const SHORTEST_NEAR = 4
/** Jaro-Winkler similarity from which a name counts as a misspelling of another. */
const NEAR = 0.93
const SIMILAR = 0.86
const MOST_LETTERS_LEFT_OUT = 2

/**
 * The evidence of a pair of names in the order of their parts and, where they do not agree, with the parts of either
 * one swapped.
 */
export function* nameEvidence(mine: NameForms, theirs: NameForms): Generator<readonly FieldEvidence[]> {
  const evidence = inOrder(mine, theirs)
  yield evidence
  if (mine.given.length + theirs.given.length === 0 || bothAgree(evidence)) return
  for (const other of swapped(mine)) yield [...inOrder(other, theirs), SWAPPED]
  for (const other of swapped(theirs)) yield [...inOrder(mine, other), SWAPPED]
}

const SWAPPED: FieldEvidence = { field: 'order', level: 'swapped' }

const AGREEING: ReadonlySet<FieldEvidence['level']> = new Set(['same', 'near', 'nickname', 'initial'] as const)

const bothAgree = (evidence: readonly FieldEvidence[]): boolean =>
  evidence.filter(({ field, level }) => field !== 'suffix' && AGREEING.has(level)).length === 2

/** Whether both names are present and agree, even if only by sound or as nickname, and no suffix contradicts. */
export function namesAgree(evidence: readonly FieldEvidence[]): boolean {
  const has = (field: FieldEvidence['field'], ...levels: readonly string[]) =>
    evidence.some((one) => one.field === field && levels.includes(one.level))
  return has('family', 'same', 'near') && has('given', 'same', 'nickname', 'near') && !has('suffix', 'differ')
}

function inOrder(mine: NameForms, theirs: NameForms): readonly FieldEvidence[] {
  const evidence: FieldEvidence[] = []
  if (mine.family.text !== '' && theirs.family.text !== '') evidence.push(familyEvidence(mine, theirs))
  const [first, other] = [mine.given[0], theirs.given[0]]
  if (first !== undefined && other !== undefined) evidence.push(givenEvidence(mine.given, theirs.given, first, other))
  const suffix = suffixEvidence(mine.suffixes, theirs.suffixes)
  if (suffix !== undefined) evidence.push(suffix)
  return evidence
}

function familyEvidence(mine: NameForms, theirs: NameForms): FieldEvidence {
  const level = similarity(mine.family, theirs.family)
  if (level === 'same') return { field: 'family', level, value: mine.family.text }
  if (level === 'differ' && sharesWord(mine, theirs)) return { field: 'family', level: 'part' }
  return { field: 'family', level }
}

/** Whether one of two family names is the other record's only one: after a marriage, or cut off. */
export const sharesWord = (mine: NameForms, theirs: NameForms): boolean =>
  mine.familyWords.some(({ text }) => text.length > 2 && text === theirs.family.text) ||
  theirs.familyWords.some(({ text }) => text.length > 2 && text === mine.family.text)

/**
 * Middle names may be absent or initials. A middle name alone is near, a different one after the same first name
 * similar.
 */
function givenEvidence(
  mine: readonly NamePart[],
  theirs: readonly NamePart[],
  first: NamePart,
  other: NamePart,
): FieldEvidence {
  if (first.text === other.text) {
    const agree = mine.slice(1).every((name, index) => isMiddle(name, theirs[index + 1]))
    return agree ? { field: 'given', level: 'same', value: first.text } : { field: 'given', level: 'similar' }
  }
  if (mine.length + theirs.length > 2 && joined(mine) === joined(theirs)) return { field: 'given', level: 'same' }
  if (isInitialOf(first, other) || isInitialOf(other, first)) return { field: 'given', level: 'initial' }
  const level = similarity(first, other)
  if (level === 'near') return { field: 'given', level }
  if (areNicknames(first.text, other.text)) return { field: 'given', level: 'nickname' }
  if (isCalledByMiddle(first, theirs) || isCalledByMiddle(other, mine)) return { field: 'given', level: 'near' }
  return isShort(first, other) || isShort(other, first)
    ? { field: 'given', level: 'nickname' }
    : { field: 'given', level }
}

/** Mary Ann and Maryann are one name. */
const joined = (names: readonly NamePart[]): string => names.map(({ text }) => text).join('')

const isMiddle = (mine: NamePart, theirs: NamePart | undefined): boolean =>
  theirs === undefined || mine.text === theirs.text || isInitialOf(mine, theirs) || isInitialOf(theirs, mine)

const isInitialOf = ({ text }: NamePart, full: NamePart): boolean => text.length === 1 && full.text.startsWith(text)

const isCalledByMiddle = (first: NamePart, others: readonly NamePart[]): boolean =>
  others.some(({ text }, index) => index > 0 && text.length > 1 && text === first.text)

/** Whether one name is a beginning of the other: Chris for Christopher. */
const isShort = (short: NamePart, long: NamePart): boolean =>
  short.text.length >= 3 && short.text.length < long.text.length && long.text.startsWith(short.text)

/** A suffix that is absent in one record is no evidence. */
function suffixEvidence(mine: readonly string[], theirs: readonly string[]): FieldEvidence | undefined {
  if (mine.length === 0 || theirs.length === 0) return undefined
  return { field: 'suffix', level: mine.some((suffix) => theirs.includes(suffix)) ? 'same' : 'differ' }
}

type NameSimilarity = 'same' | 'near' | 'similar' | 'differ'

function similarity(a: NamePart, b: NamePart): NameSimilarity {
  if (a.text === b.text) return 'same'
  const [shortest, longest] =
    a.text.length < b.text.length ? [a.text.length, b.text.length] : [b.text.length, a.text.length]
  // Far apart by every measure below.
  if (shortest * 2 < longest) return 'differ'
  if (shortest >= SHORTEST_NEAR && longest - shortest <= 1 && distance(a.text, b.text) <= 1) return 'near'
  const alike = jaroWinkler(a.text, b.text)
  const soundsAlike = a.sound === b.sound && a.sound !== ''
  // Smithson is not a misspelling of Smith.
  const isNear = longest - shortest <= MOST_LETTERS_LEFT_OUT
  if (isNear && (alike >= NEAR || (soundsAlike && alike >= SIMILAR))) return 'near'
  return alike >= SIMILAR || soundsAlike ? 'similar' : 'differ'
}

/** Jaro-Winkler similarity from which a street or city counts as a misspelling of another. */
const NEAR_PLACE = 0.9

function addressEvidence(mine: ComparedAddress, theirs: ComparedAddress): readonly FieldEvidence[] {
  const evidence: FieldEvidence[] = []
  if (mine.lines.length > 0 && theirs.lines.length > 0) {
    evidence.push({ field: 'street', level: compareStreets(mine, theirs) })
  }
  if (mine.postalCode !== '' && theirs.postalCode !== '') {
    evidence.push({ field: 'postalCode', level: comparePostalCodes(mine.postalCode, theirs.postalCode) })
  }
  if (mine.city !== '' && theirs.city !== '')
    evidence.push({ field: 'city', level: compareCities(mine.city, theirs.city) })
  return evidence
}

/** The lines may be in another order; the second one (flat, building) is often missing. */
function compareStreets(mine: ComparedAddress, theirs: ComparedAddress): 'same' | 'near' | 'part' | 'differ' {
  const [longer, shorter] = mine.words.length < theirs.words.length ? [theirs, mine] : [mine, theirs]
  if (mine.lines.some((line) => isStreet(line) && theirs.lines.includes(line))) return 'same'
  const common = shorter.words.filter((word) => longer.words.includes(word))
  if (common.length === shorter.words.length && isStreet(shorter.words.join(' '))) return 'same'
  const alike = Math.max(...mine.lines.flatMap((a) => theirs.lines.map((b) => similarLines(a, b))))
  if (alike >= NEAR_PLACE) return 'near'
  return common.some((word) => word.length > 3 || /\d/.test(word)) ? 'part' : 'differ'
}

/** Whether it has a number and a name. */
const isStreet = (text: string): boolean => /\d/.test(text) && /\p{L}{3}/u.test(text)

/** Similarity without spaces, which are often misplaced; the numbers must be the same, or one of them missing. */
function similarLines(a: string, b: string): number {
  const [mine, theirs] = [numberOf(a), numberOf(b)]
  if (mine !== undefined && theirs !== undefined && mine !== theirs) return 0
  const [one, other] = [a.replace(/[\d ]+/g, ''), b.replace(/[\d ]+/g, '')]
  return one === '' || other === '' ? 0 : jaroWinkler(one, other)
}

const numberOf = (text: string): string | undefined => /\d+/.exec(text)?.[0]

function comparePostalCodes(a: string, b: string): 'same' | 'digit' | 'differ' {
  if (a === b) return 'same'
  // ZIP+4 and the first half of a British postcode.
  if (Math.min(a.length, b.length) >= 4 && (a.startsWith(b) || b.startsWith(a))) return 'same'
  return isSingleEdit(a, b) ? 'digit' : 'differ'
}

function compareCities(a: string, b: string): 'same' | 'near' | 'differ' {
  if (a === b) return 'same'
  return jaroWinkler(a.replaceAll(' ', ''), b.replaceAll(' ', '')) >= NEAR_PLACE ? 'near' : 'differ'
}

/** Whether two texts of the same length differ by one character, or by two adjacent ones that are swapped. */
export function isSingleEdit(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false
  let first = 0
  while (a[first] === b[first]) first += 1
  const rest = first + 1
  if (a.slice(rest) === b.slice(rest)) return true
  return a[first] === b[rest] && a[rest] === b[first] && a.slice(rest + 1) === b.slice(rest + 1)
}
