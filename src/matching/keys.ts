/**
 * The keys by which records of one person find each other, without comparing all with all. They are index entries of a
 * Patient: two records of a person share at least one key, as long as one of these has no mistake in both: an
 * identifier, a telephone number, an e-mail address, the sound of one name and the first letter of the other, the
 * street, the birth date or the postal code with the first letter of a name. Other records may share the family name
 * less one letter, so that two spellings that differ by one letter have a key in common (one-deletion keys: M. Bosker,
 * Fast Approximate Matching by Deletion Neighborhoods), or the whole given name.
 *
 * A key has parts, each of which ends with `|`: first its kind and its value, then further values that distinguish the
 * patients who share it. So a rare value is searched for by the beginning of keys, and a common one by a longer
 * beginning: all who sound like Smith and begin with J, or among these the ones who sound like John.
 *
 * Each key begins with the letter of its kind. Those of placeholders begin with `~`, so that any number of them does
 * not make a key too common to find a patient by.
 */
import type { Patient } from 'fhir/r4'
import { type Demographics, demographicsOf } from './demographics.ts'
import type { NameForms, NamePart } from './names.ts'
import { isPlaceholder, isReplaced } from './placeholder.ts'

/** The internal search parameter of the keys. */
export const MATCH_KEYS = '_match'

/** Raised when the same Patient has other keys than before. */
export const KEYS_VERSION = '3'

/**
 * Most keys of one Patient. Only records with hundreds of names and addresses have more, and they are not records of
 * people.
 */
const MAX_KEYS = 200
/** Most of these keys for a family name with the given name of another name. */
const MAX_PAIRS = 50

/** Digits of a telephone number that it has in every spelling, with country code and without. */
const PHONE_DIGITS = 7

/** Shortest name that can also be found with one letter missing. */
const SHORTEST_DELETED = 4
/** Most letters of a name that are used. */
const LONGEST_DELETED = 24

/** In place of a letter, in keys of a record that has only one of the two names. */
export const NO_LETTER = '_'

export const PLACEHOLDER = '~'

/** A key, or the beginning of one. */
const key = (kind: KeyKind, ...parts: readonly string[]): string => `${kind}${parts.join('|')}|`

/**
 * Identifier, phone, e-mail, address, date, zip code; name, given name by their sound; family name, given name as
 * written.
 */
type KeyKind = 'i' | 'p' | 'e' | 'a' | 'd' | 'z' | 'n' | 'm' | 'f' | 'g'

/** The keys of a stored Patient; none for one that another record has replaced. */
export function storedKeys(patient: Patient): readonly string[] {
  if (isReplaced(patient)) return []
  const demographics = demographicsOf(patient)
  const { names, birthDate } = demographics
  const pairs = pairsOf(names)
  const parts = namePartsOf(names)
  const keys = distinct([
    ...pairs.map(nameKey),
    ...names.flatMap(({ family, given: [given] }) => (hasText(given) ? [givenKey(given, family)] : [])),
    ...tellingKeys(demographics).flatMap((telling) => withSounds(telling, parts)),
    ...[...dateKeys(birthDate), ...postalKeys(demographics)].flatMap((one) => withLetters(one, parts)),
    ...pairs.flatMap(({ family, given }) => spellingKeys(family).map((spelling) => spelling + soundPart(given))),
    ...names.flatMap(wholeGivenKeys),
  ])
  return isPlaceholder(patient) ? keys.map((one) => PLACEHOLDER + one) : keys
}

export const distinct = (keys: readonly string[]): readonly string[] => [...new Set(keys)].slice(0, MAX_KEYS)

export const hasText = (name: NamePart | undefined): name is NamePart => name !== undefined && name.text !== ''

export interface NamePair {
  readonly family: NamePart
  /** The first given name. */
  readonly given: NamePart | undefined
}

/** Each family name with its given name, and with those of the other names: a nickname may be recorded by itself. */
function pairsOf(names: readonly NameForms[]): readonly NamePair[] {
  const own = names.map(({ family, given: [given] }): NamePair => ({ family, given }))
  const all = names.length < 2 ? own : [...own, ...crossed(names)]
  return all.filter(({ family }) => family.text !== '').slice(0, MAX_PAIRS)
}

const crossed = (names: readonly NameForms[]): readonly NamePair[] =>
  names.flatMap(({ family }) => names.flatMap(({ given: [given] }) => (hasText(given) ? [{ family, given }] : [])))

/** Family names and first given names. */
export const namePartsOf = (names: readonly NameForms[]): readonly NamePart[] =>
  names.flatMap(({ family, given: [given] }) => [family, given].filter(hasText))

/** Keys that few people share: identifiers, contacts, the street. */
export const tellingKeys = ({ identifiers, phones, emails, addresses }: Demographics): readonly string[] => [
  ...identifiers.map(({ value }) => key('i', value)),
  ...phones.map((number) => key('p', number.replace(/\D/g, '').slice(-PHONE_DIGITS))),
  ...emails.map((email) => key('e', email)),
  ...addresses.flatMap(({ lines }) => lines.flatMap(streetKeys)),
]

/** The number and the beginning of the street. */
function streetKeys(line: string): readonly string[] {
  const number = /\d+/.exec(line)?.[0]
  const letters = line.replace(/[\d ]+/g, '').slice(0, 4)
  return number === undefined || letters.length < 3 ? [] : [key('a', number + letters)]
}

/** Precedes the first letter of a name, as too many are born on a day to compare them all; none for a partial date. */
export const dateKeys = (date: string | undefined): readonly string[] =>
  date?.length === 10 ? [key('d', date.replaceAll('-', ''))] : []

/** The first five characters, which for a ZIP+4 code are the ZIP code; precedes the first letter of a name. */
export const postalKeys = ({ addresses, names }: Demographics): readonly string[] =>
  names.length === 0
    ? []
    : addresses.flatMap(({ postalCode }) => (postalCode === '' ? [] : [key('z', postalCode.slice(0, 5))]))

const withSounds = (beginning: string, parts: readonly NamePart[]): readonly string[] =>
  parts.length === 0 ? [beginning + soundPart(undefined)] : parts.map((part) => beginning + soundPart(part))

const withLetters = (beginning: string, parts: readonly NamePart[]): readonly string[] =>
  parts.length === 0
    ? [beginning + letterPart(undefined) + soundPart(undefined)]
    : parts.map((part) => beginning + letterPart(part) + soundPart(part))

/**
 * The sound of the family name, with the first letter of the given one and its sound, and the first letter of its own.
 */
export const nameKey = ({ family, given }: NamePair): string =>
  nameBeginning(family, letterOf(given)) + soundPart(given) + letterPart(family)

export const nameBeginning = (family: NamePart, letter: string): string => key('n', soundOf(family), letter)

/** The sound of the given name, with the first letter of the family name. */
const givenKey = (given: NamePart, family: NamePart): string => givenBeginning(given, letterOf(family))

export const givenBeginning = (given: NamePart, letter: string): string => key('m', soundOf(given), letter)

/** The family name as written, and less each of its letters; precedes the sound of the given name. */
export const spellingKeys = ({ text }: NamePart): readonly string[] =>
  text === '' ? [] : deletionsOf(text).map((spelling) => key('f', spelling))

function deletionsOf(name: string): readonly string[] {
  const text = name.slice(0, LONGEST_DELETED)
  if (text.length < SHORTEST_DELETED) return [text]
  return [text, ...Array.from(text, (_letter, index) => text.slice(0, index) + text.slice(index + 1))]
}

export const wholeGivenKeys = ({ given: [first] }: NameForms): readonly string[] =>
  hasText(first) ? [key('g', first.text)] : []

export const letterOf = (name: NamePart | undefined): string => name?.text[0] ?? NO_LETTER

export const letterPart = (name: NamePart | undefined): string => `${letterOf(name)}|`

export const soundPart = (name: NamePart | undefined): string => `${name === undefined ? '' : soundOf(name)}|`

/** An initial is not a name that sounds like others. */
const soundOf = ({ text, sound }: NamePart): string => (text.length < 2 || sound === '' ? text : sound)

export const isOfPlaceholder = (one: string): boolean => one.startsWith(PLACEHOLDER)
