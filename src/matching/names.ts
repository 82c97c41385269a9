/** The folded parts of a person's names: https://hl7.org/fhir/R4/datatypes.html#HumanName. */
import type { HumanName, Patient } from 'fhir/r4'
import { fold } from '../fhir/text-folding.ts'
import { compared, MAX_NAME_PARTS, MAX_NAMES } from './limits.ts'

/** With APOSTROPHE where there is one. */
export interface PersonName {
  /** '' when absent or without letters. */
  readonly family: string
  readonly given: readonly string[]
  /** `jr`, `sr`, `ii`. */
  readonly suffixes: readonly string[]
}

/** The names that have letters; at most `MAX_NAMES`. */
export const namesOf = ({ name = [] }: Pick<Patient, 'name'>): readonly PersonName[] =>
  name
    .slice(0, MAX_NAMES)
    .map(partsOf)
    .filter(({ family, given }) => family !== '' || given.length > 0)

/** Stands for an apostrophe in folded names: fold() makes a space of the others, and so two words of O'Brien. */
export const APOSTROPHE = 'ʼ'
/** The sign comes first, as few letters are beside one. */
const APOSTROPHES = /['’‘ʻ`´′](?<=[\p{L}\p{M}].)(?=\p{L})/gu

/** Elements of a list may be null in JSON. */
const folded = (text: string | null | undefined): string => fold(compared(text ?? '').replace(APOSTROPHES, APOSTROPHE))

/** In a name that has only a text, the last word is taken as the family name. */
function partsOf({ family, given = [], suffix = [], text = '' }: HumanName): PersonName {
  const suffixes = suffix
    .slice(0, MAX_NAME_PARTS)
    .map((text) => suffixOf(text ?? ''))
    .filter((part) => part !== '')
  if (family !== undefined || given.length > 0) {
    const parts = given.slice(0, MAX_NAME_PARTS).map(folded).filter(Boolean)
    return { family: folded(family), given: parts, suffixes }
  }
  const words = folded(text).split(' ').filter(Boolean).slice(-MAX_NAME_PARTS)
  return { family: words.at(-1) ?? '', given: words.slice(0, -1), suffixes }
}

/** As `suffixOf` gives them. */
export const SUFFIXES: ReadonlySet<string> = new Set(['jr', 'sr', 'ii', 'iii', 'iv'])

const FULL_SUFFIX: Readonly<Record<string, string>> = { junior: 'jr', senior: 'sr' }

/** Normalizes Jr., jr and Junior to `jr`. */
export function suffixOf(text: string): string {
  const suffix = folded(text)
  return FULL_SUFFIX[suffix] ?? suffix
}
