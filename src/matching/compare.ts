/** Compares the demographics of a pair of patients. */
import { distance } from 'fastest-levenshtein'
import type { Address, Patient } from 'fhir/r4'
import { spend } from '../budget/budget.ts'
import { fold } from '../search/plan.ts'
import { compared, MAX_ADDRESSES, MAX_CONTACTS, MAX_LINES } from './limits.ts'
import { namesOf, type PersonName } from './names.ts'
import { comparablePhone, samePhone } from './phones.ts'

/**
 * close: different by a typing or hearing mistake. missing: absent on one side, which is no evidence for or against.
 */
export type Agreement = 'agree' | 'close' | 'differ' | 'missing'

export interface Evidence {
  readonly identifier: Agreement
  readonly family: Agreement
  readonly given: Agreement
  readonly birthDate: Agreement
  readonly phone: Agreement
  readonly email: Agreement
  readonly address: Agreement
  readonly gender: Agreement
}

/** What is compared of a Patient, ready to be compared with many others. */
export interface Demographics {
  readonly names: readonly PersonName[]
  readonly identifiers: ReadonlyMap<string | undefined, ReadonlySet<string>>
  readonly birthDate: string | undefined
  /** In the form of comparablePhone. */
  readonly phones: readonly string[]
  readonly emails: readonly string[]
  readonly addresses: readonly string[]
  readonly gender: string | undefined
}

/** @param region ISO 3166 code of the clinic's country, for phone numbers without a country code */
export const demographicsOf = (patient: Patient, region?: string): Demographics => ({
  names: namesOf(patient),
  identifiers: identifiersOf(patient),
  birthDate: patient.birthDate,
  phones: comparable(telecom(patient, 'phone'), region),
  emails: [...new Set(telecom(patient, 'email').map(lower))],
  addresses: addresses(patient),
  gender: patient.gender,
})

/** @param region see demographicsOf */
export const compare = (input: Patient, candidate: Patient, region?: string): Evidence =>
  compareDemographics(demographicsOf(input, region), demographicsOf(candidate, region))

/** @throws BudgetError */
export function compareDemographics(input: Demographics, candidate: Demographics): Evidence {
  spend(stepsToCompare(input, candidate), 'comparing patients')
  return {
    ...compareNames(input.names, candidate.names),
    identifier: compareIdentifiers(input.identifiers, candidate.identifiers),
    birthDate: compareDates(input.birthDate, candidate.birthDate),
    phone: compareSets(input.phones, candidate.phones, phoneAgreement),
    email: compareSets(input.emails, candidate.emails, same),
    address: compareSets(input.addresses, candidate.addresses, sameAddress),
    gender: compareSets(present(input.gender), present(candidate.gender), same),
  }
}

/** A pair of names is compared in both orders; a pair of numbers is a comparison of two short texts. */
const stepsToCompare = (one: Demographics, other: Demographics): number =>
  3 +
  one.names.length * other.names.length * 3 +
  one.addresses.length * other.addresses.length +
  (one.phones.length * other.phones.length + one.emails.length * other.emails.length) / 4

const comparable = (numbers: readonly string[], region: string | undefined): readonly string[] => [
  ...new Set(numbers.map((number) => comparablePhone(number, region))),
]

export const comparePhones = (mine: readonly string[], theirs: readonly string[], region?: string): Agreement =>
  compareSets(comparable(mine, region), comparable(theirs, region), phoneAgreement)

const phoneAgreement = (a: string, b: string): Agreement => (samePhone(a, b) ? 'agree' : 'differ')

type NameEvidence = Pick<Evidence, 'family' | 'given'>

const RANK: Readonly<Record<Agreement, number>> = { agree: 3, close: 2, missing: 1, differ: 0 }
const BEST = 2 * RANK.agree
const rank = ({ family, given }: NameEvidence): number => RANK[family] + RANK[given]

/** The best agreement of all pairs of names, in both orders, as family and given name may be swapped. */
export function compareNames(mine: readonly PersonName[], theirs: readonly PersonName[]): NameEvidence {
  let best: NameEvidence | undefined
  for (const [one, other] of pairs(mine, theirs)) {
    const evidence = compareName(one, other)
    if (best === undefined || rank(evidence) > rank(best)) best = evidence
    if (rank(best) === BEST) break
  }
  return best ?? { family: 'missing', given: 'missing' }
}

function* pairs(
  mine: readonly PersonName[],
  theirs: readonly PersonName[],
): Generator<readonly [PersonName, PersonName]> {
  for (const one of mine) {
    const other = swapped(one)
    for (const name of theirs) yield* [[one, name] as const, [other, name] as const]
  }
}

const swapped = ({ family, given, suffixes }: PersonName): PersonName => ({
  family: given.join(' '),
  given: family === '' ? [] : [family],
  suffixes,
})

function compareName(input: PersonName, candidate: PersonName): NameEvidence {
  const family =
    input.family === '' || candidate.family === '' ? 'missing' : similarName(input.family, candidate.family)
  // Jr. is not Sr.; a suffix that is absent on one side is no evidence.
  const hasOtherSuffix =
    input.suffixes.length > 0 &&
    candidate.suffixes.length > 0 &&
    !input.suffixes.some((suffix) => candidate.suffixes.includes(suffix))
  return { family, given: hasOtherSuffix ? 'differ' : compareGiven(input.given, candidate.given) }
}

/**
 * Middle names may be absent or initials. A middle name alone, or a different one after the same first name, is close.
 */
function compareGiven(input: readonly string[], candidate: readonly string[]): Agreement {
  const [mine, theirs] = [input.join(' ').split(' '), candidate.join(' ').split(' ')]
  const [first = '', other = ''] = [mine[0], theirs[0]]
  if (first === '' || other === '') return 'missing'
  if (withoutSpaces(mine.join('')) === withoutSpaces(theirs.join(''))) return 'agree'
  if (first !== other) return compareSets([first, input.join(' ')], [...theirs, candidate.join(' ')], closeAtBest)
  return mine.every((word, index) => isMiddle(word, theirs[index])) ? 'agree' : 'close'
}

const isMiddle = (input: string, candidate: string | undefined): boolean =>
  candidate === undefined ||
  input === candidate ||
  (input.length === 1 && candidate.startsWith(input)) ||
  (candidate.length === 1 && input.startsWith(candidate))

const closeAtBest = (a: string, b: string): Agreement => (similarName(a, b) === 'differ' ? 'differ' : 'close')

/** Ignores spaces: O'Brien, O Brien and OBrien are the same name. */
const withoutSpaces = (name: string): string => name.replaceAll(' ', '')

function similarName(a: string, b: string): Agreement {
  if (withoutSpaces(a) === withoutSpaces(b)) return 'agree'
  const longest = Math.max(a.length, b.length)
  if (isWithin(longest > 7 ? 2 : longest > 3 ? 1 : 0, a, b)) return 'close'
  // An initial, or a short form such as Chris for Christopher.
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return (short.length === 1 || short.length >= 3) && long.startsWith(short) ? 'close' : 'differ'
}

/** Values by system. */
function identifiersOf({ identifier = [] }: Patient): Demographics['identifiers'] {
  const bySystem = new Map<string | undefined, Set<string>>()
  for (const { system, value } of identifier) {
    if (value === undefined) continue
    const values = bySystem.get(system) ?? new Set()
    bySystem.set(system, values.add(value))
  }
  return bySystem
}

function compareIdentifiers(mine: Demographics['identifiers'], theirs: Demographics['identifiers']): Agreement {
  const common = [...mine].filter(([system]) => theirs.has(system))
  if (common.some(([system, values]) => !values.isDisjointFrom(theirs.get(system) ?? new Set()))) return 'agree'
  return common.some(([system]) => system !== undefined) ? 'differ' : 'missing'
}

/** Close when day and month are swapped, one digit differs, or one is a partial date of the other. */
function compareDates(a: string | undefined, b: string | undefined): Agreement {
  if (a === undefined || b === undefined) return 'missing'
  if (a === b) return 'agree'
  if (a.startsWith(b) || b.startsWith(a)) return 'close'
  const [year, month, day] = a.split('-')
  return b === `${year}-${day}-${month}` || distance(a, b) === 1 ? 'close' : 'differ'
}

const same = (a: string, b: string): Agreement => (a === b ? 'agree' : 'differ')

function sameAddress(a: string, b: string): Agreement {
  if (a === b) return 'agree'
  return isWithin(Math.max(a.length, b.length) / 5, a, b) ? 'close' : 'differ'
}

/** Compares lengths first, as the edit distance of long texts is expensive. */
const isWithin = (edits: number, a: string, b: string): boolean =>
  Math.abs(a.length - b.length) <= edits && distance(a, b) <= edits

/** The best agreement of all pairs, as a person may have several numbers and addresses. */
function compareSets(
  mine: readonly string[],
  theirs: readonly string[],
  how: (a: string, b: string) => Agreement,
): Agreement {
  let best: Agreement = mine.length === 0 || theirs.length === 0 ? 'missing' : 'differ'
  for (const a of mine) {
    for (const b of theirs) {
      const agreement = how(a, b)
      if (RANK[agreement] > RANK[best]) best = agreement
      if (best === 'agree') return best
    }
  }
  return best
}

const present = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value])
const lower = (value: string): string => value.trim().toLowerCase()

/** Without old ones, which may belong to another person by now; at most `MAX_CONTACTS`. */
export const telecom = ({ telecom = [] }: Patient, system: 'phone' | 'email'): readonly string[] =>
  telecom
    .filter((contact) => contact.use !== 'old')
    .filter((contact) => contact.system === system || (contact.system === 'sms' && system === 'phone'))
    .flatMap(({ value }) => present(value))
    .slice(0, MAX_CONTACTS)
    .map(compared)

/** Street with postal code or city, folded; an address of a country or city alone does not distinguish people. */
const addresses = ({ address = [] }: Patient): string[] =>
  address
    .slice(0, MAX_ADDRESSES)
    .map((one) => fold(lineOf(one)))
    .filter((line) => line !== '')

function lineOf({ line = [], postalCode, city, text = '' }: Address): string {
  if (line.length === 0) return compared(text)
  return [...line.slice(0, MAX_LINES).map((one) => compared(one ?? '')), compared(postalCode ?? city ?? '')].join(' ')
}
