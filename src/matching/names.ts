/**
 * The folded parts of a person's names (https://hl7.org/fhir/R4/datatypes.html#HumanName), and the form in which they are
 * compared: without spaces, and with the sound they begin with; nicknames.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HumanName, Patient } from 'fhir/r4'
import { fold, soundsOf } from '../fhir/text-folding.ts'

/** Limits of the compared part. Ordinary records have far less; otherwise the first values count. */
const MAX_NAMES = 25
/** Given names of one name, and suffixes. */
const MAX_NAME_PARTS = 20
/** Characters of a part of a name, an address or a contact. */
const MAX_CHARACTERS = 250

/** The part of `text` that is compared. */
export const compared = (text: string): string =>
  text.length <= MAX_CHARACTERS ? text : text.slice(0, MAX_CHARACTERS).toWellFormed()

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
const SUFFIXES: ReadonlySet<string> = new Set(['jr', 'sr', 'ii', 'iii', 'iv'])

const FULL_SUFFIX: Readonly<Record<string, string>> = { junior: 'jr', senior: 'sr' }

/** Normalizes Jr., jr and Junior to `jr`. */
export function suffixOf(text: string): string {
  const suffix = folded(text)
  return FULL_SUFFIX[suffix] ?? suffix
}

export interface NamePart {
  /** Folded, as in the search index: `o brien`. */
  readonly written: string
  /** In plain letters without spaces: O'Brien, O Brien and OBrien are one name. */
  readonly text: string
  /** By Double Metaphone; '' where there is none. */
  readonly sound: string
}

export interface NameForms {
  readonly family: NamePart
  /** Parts of a family name of several words: Lillie-Hinrichs, de la Cruz. */
  readonly familyWords: readonly NamePart[]
  /** The first given name and then the others. */
  readonly given: readonly NamePart[]
  readonly suffixes: readonly string[]
}

const NONE: NamePart = { written: '', text: '', sound: '' }

export const nameFormsOf = (patient: Pick<Patient, 'name'>): readonly NameForms[] => namesOf(patient).map(formsOf)

export function formsOf({ family, given, suffixes }: PersonName): NameForms {
  const words = family.split(' ')
  // Some systems store Jr. with the family name.
  const inFamily = words.length > 1 ? words.filter((word) => SUFFIXES.has(word)) : []
  const names = inFamily.length === 0 ? words : words.filter((word) => !SUFFIXES.has(word))
  return {
    family: partOf(names.join(' ')),
    familyWords: names.length > 1 ? names.map(partOf) : [],
    given: given.flatMap((name) => name.split(' ')).map(partOf),
    suffixes: [...suffixes, ...inFamily],
  }
}

/**
 * The same name with given and family name swapped; the new family name is made of all given names, or of the first.
 */
export function swapped({ family, familyWords, given, suffixes }: NameForms): readonly NameForms[] {
  const [first = NONE] = given
  const words = familyWords.length > 0 ? familyWords : [family]
  const swappedGiven = family.text === '' ? [] : words
  const one = { family: first, familyWords: [], given: swappedGiven, suffixes }
  if (given.length < 2) return [one]
  return [one, { ...one, family: partOf(given.map(({ written }) => written).join(' ')), familyWords: given }]
}

const SEPARATORS = /[ ʼ]/g

const partOf = (written: string): NamePart => new FoldedPart(written)

/** The sound is found on first use: most names that are compared are the same, or far apart. */
class FoldedPart implements NamePart {
  readonly written: string
  readonly text: string
  #sound: string | undefined

  constructor(written: string) {
    this.written = written.replaceAll(APOSTROPHE, ' ')
    this.text = written.replace(SEPARATORS, '')
  }

  get sound(): string {
    this.#sound ??= this.text === '' ? '' : soundsOf(this.text)[0]
    return this.#sound
  }
}

/** Given names that are used for one another: William, Bill and Billy. */
const NICKNAMES = join(import.meta.dirname, '../../resources/matching/nicknames.csv')

interface Table {
  /** By folded name, the names that it is a nickname of, and itself where it has nicknames. */
  readonly formalNamesOf: ReadonlyMap<string, readonly string[]>
  /** By folded name, what may be said in its place. */
  readonly nicknamesOf: ReadonlyMap<string, readonly string[]>
}

let table: Table | undefined

/** One of them is a nickname of the other, or both are of the same name. Folded names. */
export function areNicknames(one: string, other: string): boolean {
  const formal = formalNames(one)
  return formal.length > 0 && formalNames(other).some((name) => formal.includes(name))
}

/** The names that `name` may stand for, and that may stand for it; folded, without itself. */
export function otherNamesFor(name: string): readonly string[] {
  table ??= readTable()
  const { nicknamesOf } = table
  const all = formalNames(name).flatMap((formal) => [formal, ...(nicknamesOf.get(formal) ?? [])])
  return [...new Set(all)].filter((other) => other !== name)
}

function formalNames(name: string): readonly string[] {
  table ??= readTable()
  return table.formalNamesOf.get(name) ?? []
}

/** A line has a name and its nicknames; lines that begin with # are about the table. */
function readTable(): Table {
  const formalNamesOf = new Map<string, string[]>()
  const nicknamesOf = new Map<string, readonly string[]>()
  for (const line of readFileSync(NICKNAMES, 'utf8').split('\n')) {
    const [name = '', ...nicknames] = line.split(',')
    if (name === '' || name.startsWith('#')) continue
    nicknamesOf.set(name, nicknames)
    for (const one of [name, ...nicknames]) {
      const formal = formalNamesOf.get(one)
      if (formal === undefined) formalNamesOf.set(one, [name])
      else formal.push(name)
    }
  }
  return { formalNamesOf, nicknamesOf }
}
