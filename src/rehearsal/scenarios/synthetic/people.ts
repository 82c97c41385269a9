/** The people of the town: households with their address, telephone and insurance, and the persons of each. */
import { DAYS_OF_YEAR } from './calendar.ts'
import { Random, type Range } from './random.ts'
import {
  HOME_AREA_CODES,
  HOUSEHOLDS,
  type HouseholdKind,
  MEDICARE,
  MOBILE_AREA_CODES,
  ORIGINS,
  type Origin,
  PLACES,
  PLANS,
  type Plan,
  STREETS,
  UNINSURED,
} from './tables/people.ts'

export interface Household {
  readonly number: number
  readonly line: readonly string[]
  readonly city: string
  readonly postalCode: string
  readonly phone: string
  readonly plan: Plan | undefined
}

export interface Person {
  /** `synthetic-0001`, the id of the Patient and the beginning of all ids of its record. */
  readonly id: string
  readonly number: number
  readonly household: Household
  readonly origin: Origin
  readonly family: string
  readonly given: readonly string[]
  readonly gender: 'female' | 'male'
  readonly role: 'adult' | 'child'
  readonly isMarried: boolean
  /** Days since birth. */
  readonly days: number
  /** Days since death. */
  readonly died?: number
  readonly mobile?: string
  readonly email?: string
  readonly plan: Plan | undefined
  /** The person whose insurance covers them; absent: they themselves. */
  readonly subscriber?: Person
}

/** Numbers of one area code: 555-0100 to 555-0199. */
const NUMBERS = 100

/** All households in turn, without an end. */
export function* households(seed: string): Generator<readonly Person[]> {
  for (let number = 1, first = 1; ; number++) {
    const members = household(new Random(`${seed}/household/${number}`), number, first)
    yield members
    first += members.length
  }
}

function household(random: Random, number: number, first: number): readonly Person[] {
  const kind = random.byShare(HOUSEHOLDS)
  const origin = random.byShare(ORIGINS)
  const home = homeOf(random, number)
  const family = random.pick(origin.families)
  const ages = agesOf(random, kind)
  const members: Person[] = []
  for (const [index, { age, role }] of ages.entries()) {
    const [firstAdult] = members
    const gender = role === 'adult' && firstAdult ? otherThan(random, firstAdult.gender) : genderOf(random)
    const basics = {
      ...{ household: home, origin, gender, role, family: familyOf(random, family, origin, index, role) },
      ...{ isMarried: role === 'adult' && kind.adults === 2, number: first + index, days: daysOf(random, age) },
    }
    members.push(person(random, basics, members))
  }
  return members
}

function homeOf(random: Random, number: number): Household {
  const { city, postalCode } = random.byShare(PLACES)
  const street = `${random.integer([2, 480])} ${random.pick(STREETS)}`
  return {
    ...{ number, city, postalCode },
    line: random.chance(0.25) ? [street, `Apt ${random.integer([1, 12])}${random.pick(['A', 'B', 'C'])}`] : [street],
    phone: phoneOf(HOME_AREA_CODES, number),
    plan: random.chance(UNINSURED) ? undefined : random.byShare(PLANS),
  }
}

interface Member {
  readonly age: number
  readonly role: Person['role']
}

function agesOf(random: Random, kind: HouseholdKind): readonly Member[] {
  const first = random.integer(kind.age)
  const adults = [first, ...(kind.adults === 2 ? [Math.max(19, first + random.integer([-5, 4]))] : [])]
  const oldest = Math.min(17, Math.min(...adults) - YOUNGEST_PARENT)
  const children = Array.from({ length: random.integer(kind.children) }, () => random.integer([0, oldest]))
    .sort((one, other) => other - one)
    .filter((age, index, ages) => index === 0 || (ages[index - 1] ?? 0) - age >= BETWEEN_CHILDREN)
  return [
    ...adults.map((age): Member => ({ age, role: 'adult' })),
    ...children.map((age): Member => ({ age, role: 'child' })),
  ]
}

/** Age of the youngest parents. */
const YOUNGEST_PARENT = 20

/** Least difference of two ages in whole years, by which a child is at least one year older than the next. */
const BETWEEN_CHILDREN = 2

const genderOf = (random: Random): Person['gender'] => (random.chance(0.51) ? 'female' : 'male')

/** Most couples are of two genders. */
const otherThan = (random: Random, gender: Person['gender']): Person['gender'] =>
  random.chance(0.97) ? (gender === 'female' ? 'male' : 'female') : gender

/** Some spouses keep their name. */
const familyOf = (random: Random, family: string, origin: Origin, index: number, role: Person['role']): string =>
  role === 'adult' && index === 1 && random.chance(0.2) ? random.pick(origin.families) : family

const daysOf = (random: Random, age: number): number =>
  Math.floor(age * DAYS_OF_YEAR) + random.integer([age === 0 ? 20 : 1, 364])

type Basics = Pick<Person, 'household' | 'origin' | 'gender' | 'role' | 'family' | 'isMarried' | 'number' | 'days'>

function person(random: Random, basics: Basics, others: readonly Person[]): Person {
  const { number, gender, origin, role, days, household, family } = basics
  const age = days / DAYS_OF_YEAR
  const names = origin[gender].filter((name) => others.every(({ given }) => given[0] !== name))
  const given = [random.pick(names), ...(random.chance(0.5) ? [random.pick(origin[gender])] : [])]
  const id = `synthetic-${String(number).padStart(4, '0')}`
  const hasMobile = role === 'adult' && random.chance(0.8)
  const hasEmail = role === 'adult' && random.chance(age < 70 ? 0.85 : 0.4)
  const died = diedOf(random, age)
  const plan = age >= MEDICARE_AGE ? MEDICARE : household.plan
  const [subscriber] = others.filter((other) => other.plan === plan)
  return {
    ...basics,
    ...{ id, given: [...new Set(given)], plan },
    ...(died === undefined ? {} : { died }),
    ...(hasMobile ? { mobile: phoneOf(MOBILE_AREA_CODES, number) } : {}),
    ...(hasEmail ? { email: `${plain(given[0] ?? '')}.${plain(family)}.${number}@example.org` } : {}),
    ...(plan !== undefined && plan !== MEDICARE && subscriber !== undefined ? { subscriber } : {}),
  }
}

const MEDICARE_AGE = 65

/** The old, some of them, have died within the last two years. */
const diedOf = (random: Random, age: number): number | undefined =>
  age > 74 && random.chance(0.12) ? random.integer(DEATHS) : undefined

/** Days since death. */
const DEATHS: Range = [10, 700]

const phoneOf = (areaCodes: readonly string[], number: number): string =>
  `+1${areaCodes[Math.floor(number / NUMBERS) % areaCodes.length]}55501${String(number % NUMBERS).padStart(2, '0')}`

/** The letters of a name without accents, in small. */
const plain = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase()
