/** Keys that a record of the requested person may have, or their beginnings: see keys.ts. */
import type { Demographics } from './demographics.ts'
import {
  dateKeys,
  distinct,
  givenBeginning,
  hasText,
  letterOf,
  letterPart,
  type NamePair,
  NO_LETTER,
  nameBeginning,
  nameKey,
  namePartsOf,
  postalKeys,
  soundPart,
  spellingKeys,
  tellingKeys,
  wholeGivenKeys,
} from './keys.ts'
import { formsOf, type NameForms, type NamePart, swapped } from './names.ts'
import { otherNamesFor } from './nicknames.ts'

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
    dates: distinct(withLetters(bothDates(demographics), names)),
    places: distinct(withLetters(postalKeys(demographics), names)),
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

const withLetters = (beginnings: readonly string[], names: readonly NameForms[]): readonly string[] =>
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
