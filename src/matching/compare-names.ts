/** Compares the names of two records, and single names. */
import { jaroWinkler } from '@skyra/jaro-winkler'
import { distance } from 'fastest-levenshtein'
import { type NameForms, type NamePart, swapped } from './names.ts'
import { areNicknames } from './nicknames.ts'
import type { FieldEvidence } from './weights.ts'

/** Shorter names that differ by a letter are different names: Ann and Ian. */
const SHORTEST_NEAR = 4
/** Jaro-Winkler similarity from which a name counts as a misspelling of another. */
const NEAR = 0.93
const SIMILAR = 0.86
const MOST_LETTERS_LEFT_OUT = 2

/**
 * The evidence of a pair of names in the order of their parts and, where they do not agree, with the parts of either
 * one swapped.
 */
export function* nameEvidence(mine: NameForms, theirs: NameForms): Generator<readonly FieldEvidence[]> {
  const evidence = inOrder(mine, theirs)
  yield evidence
  if (mine.given.length + theirs.given.length === 0 || bothAgree(evidence)) return
  for (const other of swapped(mine)) yield [...inOrder(other, theirs), SWAPPED]
  for (const other of swapped(theirs)) yield [...inOrder(mine, other), SWAPPED]
}

const SWAPPED: FieldEvidence = { field: 'order', level: 'swapped' }

const AGREEING: ReadonlySet<FieldEvidence['level']> = new Set(['same', 'near', 'nickname', 'initial'] as const)

const bothAgree = (evidence: readonly FieldEvidence[]): boolean =>
  evidence.filter(({ field, level }) => field !== 'suffix' && AGREEING.has(level)).length === 2

/** Whether both names are present and agree, even if only by sound or as nickname, and no suffix contradicts. */
export function namesAgree(evidence: readonly FieldEvidence[]): boolean {
  const has = (field: FieldEvidence['field'], ...levels: readonly string[]) =>
    evidence.some((one) => one.field === field && levels.includes(one.level))
  return has('family', 'same', 'near') && has('given', 'same', 'nickname', 'near') && !has('suffix', 'differ')
}

function inOrder(mine: NameForms, theirs: NameForms): readonly FieldEvidence[] {
  const evidence: FieldEvidence[] = []
  if (mine.family.text !== '' && theirs.family.text !== '') evidence.push(familyEvidence(mine, theirs))
  const [first, other] = [mine.given[0], theirs.given[0]]
  if (first !== undefined && other !== undefined) evidence.push(givenEvidence(mine.given, theirs.given, first, other))
  const suffix = suffixEvidence(mine.suffixes, theirs.suffixes)
  if (suffix !== undefined) evidence.push(suffix)
  return evidence
}

function familyEvidence(mine: NameForms, theirs: NameForms): FieldEvidence {
  const level = similarity(mine.family, theirs.family)
  if (level === 'same') return { field: 'family', level, value: mine.family.text }
  if (level === 'differ' && sharesWord(mine, theirs)) return { field: 'family', level: 'part' }
  return { field: 'family', level }
}

/** Whether one of two family names is the other record's only one: after a marriage, or cut off. */
export const sharesWord = (mine: NameForms, theirs: NameForms): boolean =>
  mine.familyWords.some(({ text }) => text.length > 2 && text === theirs.family.text) ||
  theirs.familyWords.some(({ text }) => text.length > 2 && text === mine.family.text)

/**
 * Middle names may be absent or initials. A middle name alone is near, a different one after the same first name
 * similar.
 */
function givenEvidence(
  mine: readonly NamePart[],
  theirs: readonly NamePart[],
  first: NamePart,
  other: NamePart,
): FieldEvidence {
  if (first.text === other.text) {
    const agree = mine.slice(1).every((name, index) => isMiddle(name, theirs[index + 1]))
    return agree ? { field: 'given', level: 'same', value: first.text } : { field: 'given', level: 'similar' }
  }
  if (mine.length + theirs.length > 2 && joined(mine) === joined(theirs)) return { field: 'given', level: 'same' }
  if (isInitialOf(first, other) || isInitialOf(other, first)) return { field: 'given', level: 'initial' }
  const level = similarity(first, other)
  if (level === 'near') return { field: 'given', level }
  if (areNicknames(first.text, other.text)) return { field: 'given', level: 'nickname' }
  if (isCalledByMiddle(first, theirs) || isCalledByMiddle(other, mine)) return { field: 'given', level: 'near' }
  return isShort(first, other) || isShort(other, first)
    ? { field: 'given', level: 'nickname' }
    : { field: 'given', level }
}

/** Mary Ann and Maryann are one name. */
const joined = (names: readonly NamePart[]): string => names.map(({ text }) => text).join('')

const isMiddle = (mine: NamePart, theirs: NamePart | undefined): boolean =>
  theirs === undefined || mine.text === theirs.text || isInitialOf(mine, theirs) || isInitialOf(theirs, mine)

const isInitialOf = ({ text }: NamePart, full: NamePart): boolean => text.length === 1 && full.text.startsWith(text)

const isCalledByMiddle = (first: NamePart, others: readonly NamePart[]): boolean =>
  others.some(({ text }, index) => index > 0 && text.length > 1 && text === first.text)

/** Whether one name is a beginning of the other: Chris for Christopher. */
const isShort = (short: NamePart, long: NamePart): boolean =>
  short.text.length >= 3 && short.text.length < long.text.length && long.text.startsWith(short.text)

/** A suffix that is absent in one record is no evidence. */
export function suffixEvidence(mine: readonly string[], theirs: readonly string[]): FieldEvidence | undefined {
  if (mine.length === 0 || theirs.length === 0) return undefined
  return { field: 'suffix', level: mine.some((suffix) => theirs.includes(suffix)) ? 'same' : 'differ' }
}

type NameSimilarity = 'same' | 'near' | 'similar' | 'differ'

function similarity(a: NamePart, b: NamePart): NameSimilarity {
  if (a.text === b.text) return 'same'
  const [shortest, longest] =
    a.text.length < b.text.length ? [a.text.length, b.text.length] : [b.text.length, a.text.length]
  // Far apart by every measure below.
  if (shortest * 2 < longest) return 'differ'
  if (shortest >= SHORTEST_NEAR && longest - shortest <= 1 && distance(a.text, b.text) <= 1) return 'near'
  const alike = jaroWinkler(a.text, b.text)
  const soundsAlike = a.sound === b.sound && a.sound !== ''
  // Smithson is not a misspelling of Smith.
  const isNear = longest - shortest <= MOST_LETTERS_LEFT_OUT
  if (isNear && (alike >= NEAR || (soundsAlike && alike >= SIMILAR))) return 'near'
  return alike >= SIMILAR || soundsAlike ? 'similar' : 'differ'
}
