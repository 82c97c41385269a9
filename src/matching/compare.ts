/** Two values of one kind of demographic datum: do they agree? Pure, and never about more than one pair. */
import { distance } from 'fastest-levenshtein'
import type { Address, Patient } from 'fhir/r4'
import { fold } from '../search/plan.ts'
import { namesOf, type PersonName } from './names.ts'
import { samePhone } from './phones.ts'

/** close: a typing or hearing mistake away. missing: one side says nothing, which speaks neither for nor against. */
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
export function compare(asked: Patient, known: Patient, region?: string): Evidence {
  return {
    ...compareNames(namesOf(asked), namesOf(known)),
    identifier: compareIdentifiers(asked, known),
    birthDate: compareDates(asked.birthDate, known.birthDate),
    phone: comparePhones(telecom(asked, 'phone'), telecom(known, 'phone'), region),
    email: compareSets(telecom(asked, 'email').map(lower), telecom(known, 'email').map(lower), same),
    address: compareSets(addresses(asked), addresses(known), sameAddress),
    gender: compareSets(present(asked.gender), present(known.gender), same),
  }
}

export const comparePhones = (mine: readonly string[], theirs: readonly string[], region?: string): Agreement =>
  compareSets(mine, theirs, (a, b) => (samePhone(a, b, region) ? 'agree' : 'differ'))

type NameEvidence = Pick<Evidence, 'family' | 'given'>

const RANK: Readonly<Record<Agreement, number>> = { agree: 3, close: 2, missing: 1, differ: 0 }
const rank = ({ family, given }: NameEvidence): number => RANK[family] + RANK[given]

/** Of all pairs, in both orders, as a caller or a form may give the names in either: the best reading counts. */
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

function compareName(asked: PersonName, known: PersonName): NameEvidence {
  const family = asked.family === '' || known.family === '' ? 'missing' : similarName(asked.family, known.family)
  // Jr. is not Sr.; a suffix that one side leaves out says nothing.
  const isOther =
    asked.suffixes.length > 0 &&
    known.suffixes.length > 0 &&
    !asked.suffixes.some((suffix) => known.suffixes.includes(suffix))
  return { family, given: isOther ? 'differ' : compareGiven(asked.given, known.given) }
}

/** Middle names may be left out or be initials. One of them alone, or another one beside the same first name, is close. */
function compareGiven(asked: readonly string[], known: readonly string[]): Agreement {
  const [mine, theirs] = [asked.join(' ').split(' '), known.join(' ').split(' ')]
  const [first = '', other = ''] = [mine[0], theirs[0]]
  if (first === '' || other === '') return 'missing'
  if (solid(mine.join('')) === solid(theirs.join(''))) return 'agree'
  if (first !== other) return compareSets([first, asked.join(' ')], [...theirs, known.join(' ')], closeAtBest)
  return mine.every((word, index) => isMiddle(word, theirs[index])) ? 'agree' : 'close'
}

const isMiddle = (asked: string, known: string | undefined): boolean =>
  known === undefined ||
  asked === known ||
  (asked.length === 1 && known.startsWith(asked)) ||
  (known.length === 1 && asked.startsWith(known))

const closeAtBest = (a: string, b: string): Agreement => (similarName(a, b) === 'differ' ? 'differ' : 'close')

/** O'Brien, O Brien and OBrien are one name. */
const solid = (name: string): string => name.replaceAll(' ', '')

function similarName(a: string, b: string): Agreement {
  if (solid(a) === solid(b)) return 'agree'
  const longest = Math.max(a.length, b.length)
  if (isWithin(longest > 7 ? 2 : longest > 3 ? 1 : 0, a, b)) return 'close'
  // An initial, or a short form such as Chris for Christopher.
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return (short.length === 1 || short.length >= 3) && long.startsWith(short) ? 'close' : 'differ'
}

function compareIdentifiers(asked: Patient, known: Patient): Agreement {
  const mine = (asked.identifier ?? []).filter(({ value }) => value !== undefined)
  const theirs = (known.identifier ?? []).filter(({ value }) => value !== undefined)
  if (mine.some((a) => theirs.some((b) => a.value === b.value && a.system === b.system))) return 'agree'
  const sameSystem = mine.some((a) => theirs.some((b) => a.system !== undefined && a.system === b.system))
  return sameSystem ? 'differ' : 'missing'
}

/** Day and month exchanged, or one digit off, is close; a partial date agrees with what it is a part of. */
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

/** Texts of different lengths are told apart at once: the distance of two long ones takes long to find. */
const isWithin = (edits: number, a: string, b: string): boolean =>
  Math.abs(a.length - b.length) <= edits && distance(a, b) <= edits

/** The best agreement among all pairs; a person may have several names, numbers and homes. */
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

/** Those in use: a number that was given up may be somebody else's by now. */
export const telecom = ({ telecom = [] }: Patient, system: 'phone' | 'email'): readonly string[] =>
  telecom
    .filter((contact) => contact.use !== 'old')
    .filter((contact) => contact.system === system || (contact.system === 'sms' && system === 'phone'))
    .flatMap(({ value }) => present(value))

/** Street and place as one folded line; an address of a country or city alone tells nobody apart. */
const addresses = ({ address = [] }: Patient): string[] => address.map(lineOf).filter((line) => line !== '')

const lineOf = ({ line, postalCode, city, text }: Address): string =>
  line !== undefined && line.length > 0 ? fold([...line, postalCode ?? city ?? ''].join(' ')) : fold(text ?? '')
