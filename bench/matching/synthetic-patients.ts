/**
 * Patients of a large clinic, generated from numbers, so that they are the same in every run: families and given names as
 * frequent as names are (Zipf's law), households with one address and family name, telephone numbers and e-mail addresses.
 */
import type { Patient } from 'fhir/r4'
import { type Chance, chanceOf } from './chance.ts'

const FAMILIES =
  'Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores'.split(
    ' ',
  )
const GIVEN = {
  female:
    'Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Betty Margaret Sandra Ashley Kimberly Emily Donna Michelle'.split(
      ' ',
    ),
  male: 'James Robert John Michael David William Richard Joseph Thomas Christopher Charles Daniel Matthew Anthony Mark Donald Steven Paul Andrew Joshua'.split(
    ' ',
  ),
} as const
const STREET_KINDS = ['Street', 'Avenue', 'Road', 'Lane', 'Drive', 'Court']

/** How many different ones there are, and how much more frequent the first are: the rank `r` is as frequent as 1 / (r + flat). */
const FAMILY_RANKS = { count: 60_000, flat: 10 }
const GIVEN_RANKS = { count: 4_000, flat: 8 }
const STREET_RANKS = { count: 8_000, flat: 20 }
const TOWN_RANKS = { count: 400, flat: 4 }

const PER_HOUSEHOLD = 2
const FIRST_BIRTHDAY = Date.UTC(1930, 0, 1)
const DAYS = 34_000
const DAY = 86_400_000

const PATIENT = 1
const HOUSEHOLD = 2

/** Patient number `n`. Two that follow each other live together, and most of them have one family name. */
export function syntheticPatient(n: number): Patient {
  const home = chanceOf(HOUSEHOLD, Math.floor(n / PER_HOUSEHOLD))
  const [family, line, town, homePhone] = [familyName(home), street(home), ranked(home, TOWN_RANKS), phone(home)]
  const own = chanceOf(PATIENT, n)
  const gender = own.below(2) === 0 ? 'female' : 'male'
  const given = givenName(own, gender)
  const ownFamily = own.isOnce(0.8) ? family : familyName(own)
  const middle = own.isOnce(0.3) ? [givenName(own, gender)] : []
  return {
    resourceType: 'Patient',
    identifier: [{ system: 'https://clinic.example/patients', value: `P-${n}` }],
    name: [{ use: 'official', family: ownFamily, given: [given, ...middle] }],
    telecom: [
      { system: 'phone', value: own.isOnce(0.4) ? homePhone : phone(own), use: 'mobile' },
      ...(own.isOnce(0.6)
        ? [{ system: 'email' as const, value: `${given}.${ownFamily}${own.below(1000)}@mail.example`.toLowerCase() }]
        : []),
    ],
    gender,
    birthDate: new Date(FIRST_BIRTHDAY + own.below(DAYS) * DAY).toISOString().slice(0, 10),
    address: [{ line: [line], city: `${nameOf(town)}ton`, postalCode: String(10_000 + town * 7), state: 'NY' }],
  }
}

function familyName(chance: Chance): string {
  const rank = ranked(chance, FAMILY_RANKS)
  return FAMILIES[rank] ?? nameOf(rank)
}

function givenName(chance: Chance, gender: 'female' | 'male'): string {
  const rank = ranked(chance, GIVEN_RANKS)
  return GIVEN[gender][rank] ?? `${nameOf(rank)}${gender === 'female' ? 'a' : ''}`
}

const street = (chance: Chance): string =>
  `${1 + chance.below(999)} ${nameOf(ranked(chance, STREET_RANKS))} ${STREET_KINDS[chance.below(STREET_KINDS.length)]}`

const AREA_CODES = ['212', '315', '347', '516', '585', '607', '646', '718', '845', '914']

const phone = (chance: Chance): string =>
  `+1${AREA_CODES[chance.below(AREA_CODES.length)]}${String(2_000_000 + chance.below(8_000_000))}`

/** A rank from 0, by Zipf's law. */
const ranked = (chance: Chance, { count, flat }: { readonly count: number; readonly flat: number }): number =>
  Math.floor(flat * ((count + flat) / flat) ** chance.part() - flat)

const STARTS = 'b bl br c ch cl d dr f fl g gr h j k kl l m n p pr r s sch sh st t tr v w'.split(' ')
const VOWELS = 'a e i o u ai ea ie ou'.split(' ')
const ENDS = 'ck l ld lm n nd ng nk r rd rk rn rt s ss st t tt x'.split(' ')

/** A name of two syllables, another one for each rank up to half a million. */
function nameOf(rank: number): string {
  let rest = scattered(rank)
  const next = (list: readonly string[]): string => {
    const item = list[rest % list.length] ?? ''
    rest = Math.floor(rest / list.length)
    return item
  }
  const name = next(STARTS) + next(VOWELS) + next(STARTS) + next(VOWELS) + next(ENDS)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const NAMES = STARTS.length ** 2 * VOWELS.length ** 2 * ENDS.length

/** Another number for each rank, so that names of neighbouring ranks are not alike. */
const scattered = (rank: number): number => (rank * 611_953 + 12_345) % NAMES
