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
import { formsOf, type NameForms, type NamePart, otherNamesFor, swapped } from './names.ts'
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
const NO_LETTER = '_'

export const PLACEHOLDER = '~'

/** A key, or the beginning of one. */
const key = (kind: KeyKind, value: string): string => `${kind}${value}|`

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
  const pairs = storedPairs(names)
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

const distinct = (keys: readonly string[]): readonly string[] => [...new Set(keys)].slice(0, MAX_KEYS)

const hasText = (name: NamePart | undefined): name is NamePart => name !== undefined && name.text !== ''

export interface NamePair {
  readonly family: NamePart
  /** The first given name. */
  readonly given: NamePart | undefined
}

/** Each family name with its given name, and with those of the other names: a nickname may be recorded by itself. */
function storedPairs(names: readonly NameForms[]): readonly NamePair[] {
  const own = names.map(({ family, given: [given] }): NamePair => ({ family, given }))
  const all = names.length < 2 ? own : [...own, ...crossed(names)]
  return all.filter(({ family }) => family.text !== '').slice(0, MAX_PAIRS)
}

const crossed = (names: readonly NameForms[]): readonly NamePair[] =>
  names.flatMap(({ family }) => names.flatMap(({ given: [given] }) => (hasText(given) ? [{ family, given }] : [])))

/** Family names and first given names. */
const namePartsOf = (names: readonly NameForms[]): readonly NamePart[] =>
  names.flatMap(({ family, given: [given] }) => [family, given].filter(hasText))

/** Keys that few people share: identifiers, contacts, the street. */
const tellingKeys = ({ identifiers, phones, emails, addresses }: Demographics): readonly string[] => [
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
const dateKeys = (date: string | undefined): readonly string[] =>
  date?.length === 10 ? [key('d', date.replaceAll('-', ''))] : []

/** The first five characters, which for a ZIP+4 code are the ZIP code; precedes the first letter of a name. */
const postalKeys = ({ addresses, names }: Demographics): readonly string[] =>
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
const nameKey = ({ family, given }: NamePair): string =>
  nameBeginning(family, letterOf(given)) + soundPart(given) + letterPart(family)

const nameBeginning = (family: NamePart, letter: string): string => key('n', `${soundOf(family)}|${letter}`)

/** The sound of the given name, with the first letter of the family name. */
const givenKey = (given: NamePart, family: NamePart): string => givenBeginning(given, letterOf(family))

const givenBeginning = (given: NamePart, letter: string): string => key('m', `${soundOf(given)}|${letter}`)

/** The family name as written, and less each of its letters; precedes the sound of the given name. */
const spellingKeys = ({ text }: NamePart): readonly string[] =>
  text === '' ? [] : deletionsOf(text).map((spelling) => key('f', spelling))

function deletionsOf(name: string): readonly string[] {
  const text = name.slice(0, LONGEST_DELETED)
  if (text.length < SHORTEST_DELETED) return [text]
  const spellings = [text]
  for (const _letter of text) {
    const index = spellings.length - 1
    spellings.push(text.slice(0, index) + text.slice(index + 1))
  }
  return spellings
}

const wholeGivenKeys = ({ given: [first] }: NameForms): readonly string[] =>
  hasText(first) ? [key('g', first.text)] : []

const letterOf = (name: NamePart | undefined): string => name?.text[0] ?? NO_LETTER

const letterPart = (name: NamePart | undefined): string => `${letterOf(name)}|`

const soundPart = (name: NamePart | undefined): string => `${name === undefined ? '' : soundOf(name)}|`

/** An initial is not a name that sounds like others. */
const soundOf = ({ text, sound }: NamePart): string => (text.length < 2 || sound === '' ? text : sound)

export const isOfPlaceholder = (one: string): boolean => one.startsWith(PLACEHOLDER)

interface AskedKeys {
  /** Keys that few people share: identifiers, contacts, the street, the birth date with the sound of a name. */
  readonly telling: readonly string[]
  /** Keys of both names. */
  readonly both: readonly string[]
  /** Keys of the family name, with the first letter of the given name; and the other way round. */
  readonly family: readonly string[]
  readonly given: readonly string[]
  /** The birth date and the postal code, with the first letter of a name. */
  readonly dates: readonly string[]
  readonly places: readonly string[]
  /** For when the others find nobody who agrees well. */
  readonly fallback: readonly string[]
}

/** Keys that a record of the person may have: names in both orders, nicknames, the date with day and month swapped. */
export function askedKeys(demographics: Demographics): AskedKeys {
  const { names } = demographics
  const orders = ordersOf(names)
  return {
    telling: distinct([...tellingKeys(demographics), ...soundDateKeys(demographics)]),
    both: distinct(pairsOf(orders).map(nameKey)),
    family: distinct(orders.flatMap(familyKeys)),
    given: distinct(orders.flatMap(givenKeys)),
    dates: distinct(withEachLetter(bothDates(demographics), names)),
    places: distinct(withEachLetter(postalKeys(demographics), names)),
    fallback: distinct(orders.flatMap((name) => [...spellingKeys(name.family), ...wholeGivenKeys(name)])),
  }
}

/** Longer beginnings of keys that are too common, to find records that agree in something else too. */
interface NarrowerKeys {
  /** Keys of both names; where at most one name is known, and nothing else can agree, the keys themselves. */
  readonly names: readonly string[]
  /** Keys of one of the names and something else. */
  readonly others: readonly string[]
}

/** @param common keys of `askedKeys` that are too common */
export function narrowerKeys(demographics: Demographics, common: ReadonlySet<string>): NarrowerKeys {
  const { names } = demographics
  const parts = namePartsOf(names)
  const others = distinct([
    ...tellingKeys(demographics).flatMap((telling) => within(common, telling, parts.map(soundPart))),
    ...[...bothDates(demographics), ...postalKeys(demographics)].flatMap((one) =>
      parts.flatMap((part) => within(common, one + letterPart(part), [soundPart(part)])),
    ),
  ])
  const isOnlyOne = others.length === 0 && pairsOf(names).length === 0
  return { names: isOnlyOne ? [...common] : narrowerNames(pairsOf(ordersOf(names)), common), others }
}

const narrowerNames = (pairs: readonly WholePair[], common: ReadonlySet<string>): readonly string[] =>
  distinct([
    ...pairs.map(nameKey).filter((both) => common.has(both)),
    ...pairs.flatMap(({ family, given }) =>
      [given, ...shortFormsOf(given)].flatMap((other) =>
        within(common, nameBeginning(family, letterOf(other)), partsOf(other, given)),
      ),
    ),
    ...pairs.flatMap(({ family, given }) =>
      spellingKeys(family).flatMap((spelling) => within(common, spelling, [soundPart(given)])),
    ),
  ])

const within = (common: ReadonlySet<string>, beginning: string, more: readonly string[]): readonly string[] =>
  common.has(beginning) ? more.map((part) => beginning + part) : []

const ordersOf = (names: readonly NameForms[]): readonly NameForms[] =>
  names.flatMap((name) => [name, ...swapped(name)])

interface WholePair extends NamePair {
  readonly given: NamePart
}

const pairsOf = (orders: readonly NameForms[]): readonly WholePair[] =>
  orders.flatMap(({ family, given: [given] }) => (hasText(family) && hasText(given) ? [{ family, given }] : []))

/** Nicknames, and the initial. */
const shortFormsOf = ({ text }: NamePart): readonly NamePart[] =>
  formsOf({ family: '', given: [...otherNamesFor(text), ...text.slice(0, 1)], suffixes: [] }).given

/** An initial may mean every name that begins with it. */
const partsOf = (other: NamePart, given: NamePart): readonly string[] =>
  given.text.length === 1 ? [''] : [soundPart(other)]

/** Day and month may be swapped in the other record. */
function bothDates({ birthDate }: Demographics): readonly string[] {
  if (birthDate?.length !== 10) return []
  return [birthDate, `${birthDate.slice(0, 5)}${birthDate.slice(8)}-${birthDate.slice(5, 7)}`].flatMap(dateKeys)
}

/** The other record may lack a name; where the person lacks it, every first letter is possible. */
function soundDateKeys(demographics: Demographics): readonly string[] {
  const parts = namePartsOf(demographics.names)
  const more =
    parts.length === 0 ? LETTERS.map((letter) => `${letter}|`) : parts.map((part) => letterPart(part) + soundPart(part))
  return bothDates(demographics).flatMap((date) => [...more, letterPart(undefined)].map((end) => date + end))
}

const withEachLetter = (beginnings: readonly string[], names: readonly NameForms[]): readonly string[] =>
  beginnings.flatMap((beginning) => lettersOf(names).map((letter) => `${beginning}${letter}|`))

const lettersOf = (names: readonly NameForms[]): readonly string[] => [...new Set(namePartsOf(names).map(letterOf))]

/** With the first letter of the given name and of the names it is short for: William is also searched for as Bill. */
function familyKeys({ family, given: [given] }: NameForms): readonly string[] {
  if (!hasText(family)) return []
  const names = given === undefined ? [] : [given.text, ...otherNamesFor(given.text)]
  const letters = [...names.map((name) => name.slice(0, 1)), ...lettersBeside(given)]
  return [...new Set(letters)].map((letter) => nameBeginning(family, letter))
}

const givenKeys = ({ family, given: [given] }: NameForms): readonly string[] =>
  hasText(given)
    ? [...new Set([letterOf(family), ...lettersBeside(family)])].map((letter) => givenBeginning(given, letter))
    : []

/** Either side may lack the other name; where the person lacks it, every first letter is possible. */
const lettersBeside = (other: NamePart | undefined): readonly string[] =>
  hasText(other) ? [NO_LETTER] : [NO_LETTER, ...LETTERS]

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
