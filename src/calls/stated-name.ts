/** A name as a caller states it, in either order ("John Smith", "Smith, John"), beside the names on a record. Pure. */
import type { HumanName } from 'fhir/r4'
import { fold } from '../search/plan.ts'

/** Said before a name and no part of it. */
const LEAD_IN = /^(?:(?:my|the) (?:full )?name (?:is|s)|this is|i am|i m|it is|it s|hi|hello)\s+/
const TITLE = /^(?:mr|mrs|ms|miss|mister|dr|doctor)\s+/

/** The words of a name, folded, without lead-in and title; at most six, as no search needs more. */
export const nameWords = (stated: string): readonly string[] =>
  fold(stated).replace(LEAD_IN, '').replace(TITLE, '').split(' ').filter(Boolean).slice(0, 6)

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
export function sameName(words: readonly string[], names: readonly HumanName[]): boolean {
  return names.some((name) => {
    const family = solid(fold(name.family ?? ''))
    const given = (name.given ?? []).flatMap((part) => fold(part).split(' ')).filter(Boolean)
    if (family === '' || given.length === 0) return false
    return readings(words).some((reading) => solid(reading.family) === family && sameGiven(reading.given, given))
  })
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
