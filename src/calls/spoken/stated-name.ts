/** A name as a caller states it ("my name is John Smith", "Smith, John", "Smith"), for matching. Pure. */

import type { Patient } from 'fhir/r4'
import { compareNames } from '../../matching/compare.ts'
import { namesOf, type PersonName, suffixOf } from '../../matching/names.ts'
import { fold } from '../../search/plan.ts'

/** Said before a name, and not part of it. */
const LEAD_IN = /^(?:(?:my|the) (?:full )?name (?:is|s)|this is|i am|i m|it is|it s|hi|hello)\s+/
const TITLE = /^(?:mr|mrs|ms|miss|mister|dr|doctor)\s+/
const SUFFIX = /\s+(jr|junior|sr|senior|ii|iii|iv)$/

/** Words of a name; a search needs no more. */
const MAX_WORDS = 6

/**
 * Every way to divide the words between given names and family name, given names first: matching tries both orders.
 * A single word is the family name, which matching tries as given name too. Empty when the text holds no name.
 */
export function statedName(text: string): readonly PersonName[] {
  const name = fold(text).replace(LEAD_IN, '').replace(TITLE, '')
  const words = name.replace(SUFFIX, '').split(' ').filter(Boolean).slice(0, MAX_WORDS)
  const suffix = SUFFIX.exec(name)?.[1]
  const suffixes = suffix === undefined ? [] : [suffixOf(suffix)]
  const [family] = words
  if (family !== undefined && words.length === 1) return [{ family, given: [], suffixes }]
  return words
    .slice(1)
    .map((_word, index) => ({ given: words.slice(0, index + 1), family: words.slice(index + 1).join(' '), suffixes }))
}

/** Family and first given name agree; where a single word was stated, one of the two does. */
export function hasStatedName(stated: readonly PersonName[], patient: Pick<Patient, 'name'>): boolean {
  const { family, given } = compareNames(stated, namesOf(patient))
  return isOneWord(stated) ? family === 'agree' || given === 'agree' : family === 'agree' && given === 'agree'
}

export const isOneWord = (stated: readonly PersonName[]): boolean => stated[0]?.given.length === 0
