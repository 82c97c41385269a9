/** Compares the demographics of a pair of patients. */
import { distance } from 'fastest-levenshtein'
import type { Address, Patient } from 'fhir/r4'
import { fold } from '../search/plan.ts'
import { namesOf, type PersonName } from './names.ts'
import { samePhone } from './phones.ts'

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

/** @param region ISO 3166 code of the clinic's country, for phone numbers without a country code */
export function compare(input: Patient, candidate: Patient, region?: string): Evidence {
  return {
    ...compareNames(namesOf(input), namesOf(candidate)),
    identifier: compareIdentifiers(input, candidate),
    birthDate: compareDates(input.birthDate, candidate.birthDate),
    phone: comparePhones(telecom(input, 'phone'), telecom(candidate, 'phone'), region),
    email: compareSets(telecom(input, 'email').map(lower), telecom(candidate, 'email').map(lower), same),
    address: compareSets(addresses(input), addresses(candidate), sameAddress),
    gender: compareSets(present(input.gender), present(candidate.gender), same),
  }
}

export const comparePhones = (mine: readonly string[], theirs: readonly string[], region?: string): Agreement =>
  compareSets(mine, theirs, (a, b) => (samePhone(a, b, region) ? 'agree' : 'differ'))

type NameEvidence = Pick<Evidence, 'family' | 'given'>

const RANK: Readonly<Record<Agreement, number>> = { agree: 3, close: 2, missing: 1, differ: 0 }
const rank = ({ family, given }: NameEvidence): number => RANK[family] + RANK[given]

/** The best agreement of all pairs of names, in both orders, as family and given name may be swapped. */
export function compareNames(mine: readonly PersonName[], theirs: readonly PersonName[]): NameEvidence {
  let best: NameEvidence | undefined
  for (const a of mine) {
    for (const b of theirs) {
      for (const order of [a, swapped(a)]) {
        const evidence = compareName(order, b)
        if (best === undefined || rank(evidence) > rank(best)) best = evidence
      }
    }
  }
  return best ?? { family: 'missing', given: 'missing' }
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

function compareIdentifiers(input: Patient, candidate: Patient): Agreement {
  const mine = (input.identifier ?? []).filter(({ value }) => value !== undefined)
  const theirs = (candidate.identifier ?? []).filter(({ value }) => value !== undefined)
  if (mine.some((a) => theirs.some((b) => a.value === b.value && a.system === b.system))) return 'agree'
  const sameSystem = mine.some((a) => theirs.some((b) => a.system !== undefined && a.system === b.system))
  return sameSystem ? 'differ' : 'missing'
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
  for (const a of mine) for (const b of theirs) best = RANK[how(a, b)] > RANK[best] ? how(a, b) : best
  return best
}

const present = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value])
const lower = (value: string): string => value.trim().toLowerCase()

/** Without old ones, which may belong to another person by now. */
export const telecom = ({ telecom = [] }: Patient, system: 'phone' | 'email'): readonly string[] =>
  telecom
    .filter((contact) => contact.use !== 'old')
    .filter((contact) => contact.system === system || (contact.system === 'sms' && system === 'phone'))
    .flatMap(({ value }) => present(value))

/** Street with postal code or city, folded; an address of a country or city alone does not distinguish people. */
const addresses = ({ address = [] }: Patient): string[] => address.map(lineOf).filter((line) => line !== '')

const lineOf = ({ line, postalCode, city, text }: Address): string =>
  line !== undefined && line.length > 0 ? fold([...line, postalCode ?? city ?? ''].join(' ')) : fold(text ?? '')
