/** A name as stated by a caller ("my name is John Smith", "Smith, S M I T H"), for matching. Pure. */
import type { Patient } from 'fhir/r4'
import { fold } from '../fhir/text-folding.ts'
import { nameEvidence, namesAgree } from '../matching/compare.ts'
import { formsOf, type NameForms, type NamePart, nameFormsOf, type PersonName, suffixOf } from '../matching/names.ts'
import { DEGREES, type LabelledName, labelledName, TITLES, withoutAsides, withoutNotes } from './around-name.ts'
import { withSpelling } from './spelling.ts'

/** Most words of a name; a search needs no more. */
const MAX_WORDS = 6

/** Most names, from several readings of a statement with several divisions each. */
const MAX_NAMES = 40

/**
 * All readings of the words as given names and family name, the likeliest first. The family name is certain only if
 * the caller labels it; matching tries both orders. A single word is returned as the family name, which matching also
 * tries as the given name. Empty if the text contains no name.
 */
export function statedName(text: string): readonly PersonName[] {
  const names = withoutAsides(text).flatMap((said) => {
    const labelled = labelledName(said)
    return labelled === undefined
      ? withoutNotes(said, 'whole').flatMap(withSpelling).flatMap(divisions)
      : labelled.flatMap(inParts)
  })
  return distinct(names).slice(0, MAX_NAMES)
}

/**
 * True if family and first given name agree, perhaps by a nickname or a spelling that sounds the same; a single word
 * may be either.
 */
export function hasStatedName(stated: readonly PersonName[], patient: Pick<Patient, 'name'>): boolean {
  const names = nameFormsOf(patient)
  return stated.some((one) => {
    const forms = formsOf(one)
    return names.some((name) => (isOneWord(one) ? isPartOf(forms.family, name) : isSameName(forms, name)))
  })
}

const isPartOf = (word: NamePart, { family, given }: NameForms): boolean =>
  family.text === word.text || given[0]?.text === word.text

function isSameName(stated: NameForms, name: NameForms): boolean {
  for (const evidence of nameEvidence(stated, name)) if (namesAgree(evidence)) return true
  return false
}

/**
 * Agreement of family and first given name with the record: `same` if the given name is identical, `alike` if it is a
 * nickname or sounds the same.
 * @param stated full names, in the form that `formsOf` returns
 */
export function fullNameAgreement(
  stated: readonly NameForms[],
  patient: Pick<Patient, 'name'>,
): 'same' | 'alike' | undefined {
  const agreeing = nameFormsOf(patient)
    .flatMap((theirs) => stated.flatMap((name) => [...nameEvidence(name, theirs)]))
    .filter(namesAgree)
  if (agreeing.length === 0) return undefined
  return agreeing.flat().some(({ field, level }) => field === 'given' && level === 'same') ? 'same' : 'alike'
}

export const isOneWord = ({ given }: PersonName): boolean => given.length === 0

const SUFFIXES: ReadonlySet<string> = new Set(['jr', 'junior', 'sr', 'senior', 'ii', 'iii', 'iv'])

/** "john smith the third" */
const ORDINALS: ReadonlyMap<string, string> = new Map(
  Object.entries({ second: 'ii', '2nd': 'ii', third: 'iii', '3rd': 'iii', fourth: 'iv', '4th': 'iv' }),
)

interface Parts {
  /** Words between pauses, folded. */
  readonly groups: readonly (readonly string[])[]
  readonly suffixes: readonly string[]
}

/** All divisions of one reading; `words` in the form that `withSpelling` returns. */
function divisions(words: readonly string[]): readonly PersonName[] {
  const { groups, suffixes } = partsOf(words)
  const all = groups.flat().slice(0, MAX_WORDS)
  const [family] = all
  if (family === undefined) return []
  const names =
    all.length === 1
      ? [{ family, given: [], suffixes }]
      : [...aroundComma(groups, suffixes), ...inAnyOrder(all, suffixes)]
  return [...names, ...suffixAsName(words, all)]
}

/** The name whose parts are labelled; a single part is one word. */
function inParts({ family, given }: LabelledName): readonly PersonName[] {
  const [last, first] = [partsOf(family), partsOf(given)]
  const [familyWords, givenWords] = [last.groups.flat(), first.groups.flat()]
  const suffixes = [...last.suffixes, ...first.suffixes]
  if (familyWords.length === 0 && givenWords.length === 0) return []
  return familyWords.length === 0 || givenWords.length === 0
    ? [{ family: [...familyWords, ...givenWords].join(' '), given: [], suffixes }]
    : [{ family: familyWords.join(' '), given: givenWords, suffixes }]
}

function partsOf(words: readonly string[]): Parts {
  const groups: string[][] = [[]]
  const suffixes: string[] = []
  const folded = words.map((word) => (word === ',' ? ',' : fold(word))).filter((word) => word !== '')
  for (const [index, word] of folded.entries()) {
    const isFirst = groups.flat().length === 0
    const isEnd = [undefined, ',', ...SUFFIXES, ...DEGREES].includes(folded[index + 1])
    const ordinal = folded[index - 1] === 'the' ? ORDINALS.get(word) : undefined
    if (word === ',') groups.push([])
    else if (!isFirst && isEnd && SUFFIXES.has(word)) suffixes.push(suffixOf(word))
    else if (ordinal !== undefined && isEnd) {
      groups.at(-1)?.pop()
      suffixes.push(ordinal)
    } else if (isFirst || !(isEnd && DEGREES.includes(word))) groups.at(-1)?.push(word)
  }
  return { groups: withoutRepeats(withoutTitles(groups.filter((group) => group.length > 0))), suffixes }
}

/** A word counts as a title only if a name follows it. */
const withoutTitles = (groups: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  groups.map((group) =>
    group.length > 1 && TITLES.includes(group[0] ?? '') ? (withoutTitles([group.slice(1)])[0] ?? group) : group,
  )

/** Reduces "bond, james bond" to james bond. */
function withoutRepeats(groups: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const [first = [], second = [], ...others] = groups
  if (first.length === 0 || second.length === 0) return groups
  const isRepeated = sameWords(first, second.slice(0, first.length)) || sameWords(first, second.slice(-first.length))
  return isRepeated ? [second, ...others] : groups
}

const sameWords = (one: readonly string[], other: readonly string[]): boolean => one.join(' ') === other.join(' ')

/** "smith, john" */
function aroundComma(groups: readonly (readonly string[])[], suffixes: readonly string[]): readonly PersonName[] {
  const [family = [], given = [], ...others] = groups
  if (family.length === 0 || given.length === 0 || others.length > 0) return []
  return [{ family: family.join(' '), given: given.slice(0, MAX_WORDS), suffixes }]
}

/** Given names first, and for several words also the family name first: "de la cruz maria". */
const inAnyOrder = (words: readonly string[], suffixes: readonly string[]): readonly PersonName[] =>
  words.slice(1).flatMap((_word, index) => {
    const [head, tail] = [words.slice(0, index + 1), words.slice(index + 1)]
    const inOrder = { given: head, family: tail.join(' '), suffixes }
    return head.length === 1 ? [inOrder] : [inOrder, { given: tail, family: head.join(' '), suffixes }]
  })

/** Senior is also a family name, and Junior a given name; nobody says Jr. for them. */
function suffixAsName(words: readonly string[], others: readonly string[]): readonly PersonName[] {
  const last = fold(words.findLast((word) => word !== ',') ?? '')
  return NAMES_TOO.includes(last) && last !== others.at(-1) ? [{ given: others, family: last, suffixes: [] }] : []
}

const NAMES_TOO: readonly string[] = ['junior', 'senior']

const distinct = (names: readonly PersonName[]): readonly PersonName[] => [
  ...new Map(
    names.map((name) => [[name.family, name.given.join(' '), name.suffixes.join(' ')].join('|'), name] as const),
  ).values(),
]
