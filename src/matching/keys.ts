/**
 * The keys by which the records that may be of one person find each other, without comparing all with all. They are index
 * entries of a Patient: two records of a person share at least one, as long as one of these has no mistake in both: an
 * identifier, a telephone number, an e-mail address, the sound of one name and the first letter of the other, the street,
 * the birth date or the postal code with the first letter of a name. For the rest there are the family name less one
 * letter, so that two spellings that differ by one letter have a key in common (one-deletion keys: M. Bosker, Fast
 * Approximate Matching by Deletion Neighborhoods), and the whole given name.
 *
 * Each key begins with the letter of its kind. Those of placeholders begin with `~`, so that any number of them does not
 * make a key too common to find a patient by.
 */
import type { Patient } from 'fhir/r4'
import { type Demographics, demographicsOf } from './demographics.ts'
import { type NameForms, type NamePart, swapped } from './name-forms.ts'
import { otherNamesFor } from './nicknames.ts'
import { isPlaceholder, isReplaced } from './placeholder.ts'

/** The internal search parameter of the keys. */
export const MATCH_KEYS = '_match'

/** Raised when the same Patient has other keys than before. */
export const KEYS_VERSION = '1'

/** Of one Patient. More have those with hundreds of names and addresses, which are no records of people. */
const MAX_KEYS = 200

/** Digits of a telephone number that it has in every spelling, with country code and without. */
const PHONE_DIGITS = 7

/** Letters of a name that is long enough to be found by all but one of them. */
const SHORTEST_DELETED = 4
/** Letters of a name that are looked at. */
const LONGEST_DELETED = 24

/** Of a record that has only one of the two names. */
const NO_LETTER = '_'

export const PLACEHOLDER = '~'

/** Those of a Patient as it is stored; none of one that another record has replaced. */
export function storedKeys(patient: Patient): readonly string[] {
  if (isReplaced(patient)) return []
  const demographics = demographicsOf(patient)
  const { names } = demographics
  const keys = some([
    ...names.flatMap((name) => [...familyKeys(name), ...givenKeys(name)]),
    ...tellingKeys(demographics),
    ...postalKeys(demographics),
    ...names.flatMap(spellingKeys),
  ])
  return isPlaceholder(patient) ? keys.map((key) => PLACEHOLDER + key) : keys
}

export interface AskedKeys {
  /** Those that few people share: identifiers, contacts, the birth date, the street. */
  readonly telling: readonly string[]
  /** Of the family name, with the first letter of the given name; and the other way round. */
  readonly family: readonly string[]
  readonly given: readonly string[]
  /** The postal code. */
  readonly places: readonly string[]
  /** For when the others find nobody who agrees well. */
  readonly fallback: readonly string[]
}

/** Those that a record of the person may have: names in both orders, nicknames, the date with day and month swapped. */
export function askedKeys(demographics: Demographics): AskedKeys {
  const { names, birthDate } = demographics
  const orders = names.flatMap((name) => [name, ...swapped(name)])
  return {
    telling: some([...tellingKeys(demographics), ...otherDateKeys(birthDate, names)]),
    family: some(orders.flatMap((name) => [...familyKeys(name), ...nicknameKeys(name), ...partialFamilyKeys(name)])),
    given: some(orders.flatMap((name) => [...givenKeys(name), ...partialGivenKeys(name)])),
    places: some(postalKeys(demographics)),
    fallback: some(orders.flatMap(spellingKeys)),
  }
}

const some = (keys: readonly string[]): readonly string[] => [...new Set(keys)].slice(0, MAX_KEYS)

function tellingKeys({ identifiers, phones, emails, birthDate, addresses, names }: Demographics): readonly string[] {
  return [
    ...identifiers.map(({ value }) => `i${value}`),
    ...phones.map((number) => `p${number.replace(/\D/g, '').slice(-PHONE_DIGITS)}`),
    ...emails.map((email) => `e${email}`),
    ...(birthDate?.length === 10 ? dateKeys(birthDate, lettersOf(names)) : []),
    ...addresses.flatMap(({ lines }) => lines.flatMap(streetKeys)),
  ]
}

/** The first five characters, of a ZIP+4 code the ZIP code, with the first letter of each name. */
const postalKeys = ({ addresses, names }: Demographics): readonly string[] =>
  addresses.flatMap(({ postalCode }) =>
    postalCode === '' || names.length === 0
      ? []
      : lettersOf(names).map((letter) => `z${postalCode.slice(0, 5)}:${letter}`),
  )

/** The first letters of the names. */
function lettersOf(names: readonly NameForms[]): readonly string[] {
  const letters = names.flatMap(({ family, given }) => [family, given[0]].flatMap((name) => name?.text[0] ?? []))
  return letters.length === 0 ? [NO_LETTER] : [...new Set(letters)]
}

/** With the first letter of a name: in a large clinic too many are born on a day to compare them all. */
const dateKeys = (date: string, letters: readonly string[]): readonly string[] =>
  letters.map((letter) => `d${date.replaceAll('-', '')}:${letter}`)

/** The other record may have day and month in each other's place, and no name; without a name every letter will do. */
function otherDateKeys(date: string | undefined, names: readonly NameForms[]): readonly string[] {
  if (date?.length !== 10) return []
  const letters = names.length === 0 ? [...LETTERS, NO_LETTER] : [...lettersOf(names), NO_LETTER]
  const swappedDate = `${date.slice(0, 5)}${date.slice(8)}-${date.slice(5, 7)}`
  return [...dateKeys(date, letters), ...dateKeys(swappedDate, letters)]
}

/** The number and how the street begins. */
function streetKeys(line: string): readonly string[] {
  const number = /\d+/.exec(line)?.[0]
  const letters = line.replace(/[\d ]+/g, '').slice(0, 4)
  return number === undefined || letters.length < 3 ? [] : [`a${number}${letters}`]
}

/** The sound of the family name with the first letter of the given one. */
const familyKeys = ({ family, given }: NameForms): readonly string[] =>
  family.text === '' ? [] : [`n${keySound(family)}:${letterOf(given[0])}`]

const givenKeys = ({ family, given: [first] }: NameForms): readonly string[] =>
  first === undefined || first.text === '' ? [] : [`m${keySound(first)}:${letterOf(family)}`]

const keySound = ({ text, sound }: NamePart): string => (sound === '' ? text : sound)

const letterOf = (name: NamePart | undefined): string => name?.text[0] ?? NO_LETTER

/** William is looked for as Bill too. */
const nicknameKeys = ({ family, given }: NameForms): readonly string[] => {
  const [first] = given
  if (first === undefined || family.text === '') return []
  const letters = new Set(otherNamesFor(first.text).map((name) => name[0]))
  return Array.from(letters, (letter) => `n${keySound(family)}:${letter}`)
}

/** A record may lack one of the names, and so may what is asked for: then every first letter will do. */
const partialFamilyKeys = ({ family, given }: NameForms): readonly string[] =>
  family.text === '' ? [] : lettersBeside(given[0]).map((letter) => `n${keySound(family)}:${letter}`)

const partialGivenKeys = ({ family, given: [first] }: NameForms): readonly string[] =>
  first === undefined || first.text === '' ? [] : lettersBeside(family).map((letter) => `m${keySound(first)}:${letter}`)

const lettersBeside = (other: NamePart | undefined): readonly string[] =>
  other === undefined || other.text === '' ? [NO_LETTER, ...LETTERS] : [NO_LETTER]

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

/** The family name as it is, and less each of its letters; the given name as it is. */
const spellingKeys = ({ family, given }: NameForms): readonly string[] => [
  ...(family.text === '' ? [] : deletionsOf(family.text).map((spelling) => `f${spelling}`)),
  ...(given[0]?.text ? [`g${given[0].text}`] : []),
]

function deletionsOf(name: string): readonly string[] {
  const text = name.slice(0, LONGEST_DELETED)
  if (text.length < SHORTEST_DELETED) return [text]
  return [text, ...Array.from(text, (_letter, index) => text.slice(0, index) + text.slice(index + 1))]
}

export const isOfPlaceholder = (key: string): boolean => key.startsWith(PLACEHOLDER)

const kindOf = (key: string): string | undefined => (isOfPlaceholder(key) ? key[PLACEHOLDER.length] : key[0])

/** Whether a key is about the family name, or about the given name. */
export const isOfFamily = (key: string): boolean => kindOf(key) === 'n' || kindOf(key) === 'f'
export const isOfGiven = (key: string): boolean => kindOf(key) === 'm' || kindOf(key) === 'g'
