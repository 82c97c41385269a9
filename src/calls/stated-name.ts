/** A name as a caller states it, in either order ("John Smith", "Smith, John"), beside the names on a record. Pure. */
import type { HumanName } from 'fhir/r4'
import { fold } from '../search/plan.ts'

/** Said before a name and no part of it. */
const LEAD_IN = /^(?:(?:my|the) (?:full )?name (?:is|s)|this is|i am|i m|it is|it s|hi|hello)\s+/
const TITLE = /^(?:mr|mrs|ms|miss|mister|dr|doctor)\s+/
const SUFFIX = /\s+(jr|junior|sr|senior|ii|iii|iv)$/
const FULL_SUFFIX: Readonly<Record<string, string>> = { junior: 'jr', senior: 'sr' }

export interface StatedName {
  /** Folded, at most six, as no search needs more. */
  readonly words: readonly string[]
  readonly suffix: string | undefined
}

/** A name without lead-in and title. */
export function statedName(text: string): StatedName {
  const name = fold(text).replace(LEAD_IN, '').replace(TITLE, '')
  const words = name.replace(SUFFIX, '').split(' ').filter(Boolean).slice(0, 6)
  return { words, suffix: suffixOf(SUFFIX.exec(name)?.[1]) }
}

const suffixOf = (suffix = ''): string | undefined => {
  const folded = fold(suffix)
  return FULL_SUFFIX[folded] ?? (folded || undefined)
}

interface Reading {
  readonly given: readonly string[]
  readonly family: string
}

/** Every way to divide the words between given names and family name, in both orders. */
export const readings = (words: readonly string[]): readonly Reading[] =>
  words.slice(1).flatMap((_word, index) => {
    const [head, tail] = [words.slice(0, index + 1), words.slice(index + 1)]
    return [
      { given: head, family: tail.join(' ') },
      { given: tail, family: head.join(' ') },
    ]
  })

/** Both family name and first given name must be there; further given names may be left out or be initials. */
export const sameName = (stated: StatedName, names: readonly HumanName[]): boolean =>
  names.some((name) => {
    const family = solid(fold(name.family ?? ''))
    const given = (name.given ?? []).flatMap((part) => fold(part).split(' ')).filter(Boolean)
    if (family === '' || given.length === 0 || otherGeneration(stated, name)) return false
    return readings(stated.words).some((reading) => solid(reading.family) === family && sameGiven(reading.given, given))
  })

/** Jr. is not Sr.; a suffix that one side leaves out says nothing. */
function otherGeneration({ suffix }: StatedName, name: HumanName): boolean {
  const known = (name.suffix ?? []).map(suffixOf).filter((entry) => entry !== undefined)
  return suffix !== undefined && known.length > 0 && !known.includes(suffix)
}

/** O'Brien, O Brien and OBrien are one name. */
const solid = (name: string): string => name.replaceAll(' ', '')

function sameGiven(stated: readonly string[], known: readonly string[]): boolean {
  if (stated.join('') === known.join('')) return true
  return stated[0] === known[0] && stated.every((word, index) => agrees(word, known[index]))
}

const agrees = (stated: string, known: string | undefined): boolean =>
  known === undefined ||
  stated === known ||
  (stated.length === 1 && known.startsWith(stated)) ||
  (known.length === 1 && stated.startsWith(known))
