/** Two values of one kind of demographic datum: do they agree? Pure, and never about more than one pair. */
import { distance } from 'fastest-levenshtein'
import type { Address, Patient } from 'fhir/r4'
import { fold } from '../search/plan.ts'
import { namesOf } from './names.ts'

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

export function compare(asked: Patient, known: Patient): Evidence {
  const straight = compareNames(asked, known, false)
  const swapped = compareNames(asked, known, true)
  // A caller or a form may give the names in either order; the better reading counts.
  const names = rank(swapped) > rank(straight) ? swapped : straight
  return {
    ...names,
    identifier: compareIdentifiers(asked, known),
    birthDate: compareDates(asked.birthDate, known.birthDate),
    phone: compareSets(telecom(asked, 'phone').map(digits), telecom(known, 'phone').map(digits), samePhone),
    email: compareSets(telecom(asked, 'email').map(lower), telecom(known, 'email').map(lower), same),
    address: compareSets(addresses(asked), addresses(known), sameAddress),
    gender: compareSets(present(asked.gender), present(known.gender), same),
  }
}

type Names = Pick<Evidence, 'family' | 'given'>

const RANK: Readonly<Record<Agreement, number>> = { agree: 3, close: 2, missing: 1, differ: 0 }
const rank = ({ family, given }: Names): number => RANK[family] + RANK[given]

function compareNames(asked: Patient, known: Patient, swap: boolean): Names {
  const mine = namesOf(asked)
  const theirs = namesOf(known)
  const compared = (some: readonly string[], others: readonly string[]): Agreement =>
    compareSets(some.map(fold), others.map(fold), similarName)
  return {
    family: compared(swap ? mine.givens : mine.families, theirs.families),
    given: compared(swap ? mine.families : mine.givens, theirs.givens),
  }
}

function similarName(a: string, b: string): Agreement {
  if (a === b) return 'agree'
  const longest = Math.max(a.length, b.length)
  if (distance(a, b) <= (longest > 7 ? 2 : longest > 3 ? 1 : 0)) return 'close'
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

/** Numbers with and without their country code are the same number. */
const samePhone = (a: string, b: string): Agreement =>
  a === b || (Math.min(a.length, b.length) >= 9 && (a.endsWith(b.slice(-9)) || b.endsWith(a.slice(-9))))
    ? 'agree'
    : 'differ'

function sameAddress(a: string, b: string): Agreement {
  if (a === b) return 'agree'
  return distance(a, b) <= Math.max(a.length, b.length) / 5 ? 'close' : 'differ'
}

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
const digits = (value: string): string => value.replace(/\D/g, '')

const telecom = ({ telecom = [] }: Patient, system: 'phone' | 'email'): string[] =>
  telecom
    .filter((contact) => contact.system === system || (contact.system === 'sms' && system === 'phone'))
    .flatMap(({ value }) => present(value))

/** Street and place as one folded line; an address of a country or city alone tells nobody apart. */
const addresses = ({ address = [] }: Patient): string[] => address.map(lineOf).filter((line) => line !== '')

const lineOf = ({ line, postalCode, city, text }: Address): string =>
  line !== undefined && line.length > 0 ? fold([...line, postalCode ?? city ?? ''].join(' ')) : fold(text ?? '')
