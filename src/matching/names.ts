/** The parts of a person's names: https://hl7.org/fhir/R4/datatypes.html#HumanName. */
import type { HumanName, Patient } from 'fhir/r4'
import { fold } from '../search/plan.ts'

export interface NameParts {
  readonly families: readonly string[]
  readonly givens: readonly string[]
}

/** All names together; without those that hold no letter, which nobody is found by. */
export function namesOf({ name = [] }: Patient): NameParts {
  const parts = name.map(partsOf)
  return {
    families: parts.flatMap(({ families }) => families).filter(isName),
    givens: parts.flatMap(({ givens }) => givens).filter(isName),
  }
}

/** A name that is only a text is read as given names and, last, the family name. */
function partsOf({ family, given = [], text }: HumanName): NameParts {
  if (family !== undefined || given.length > 0) return { families: family === undefined ? [] : [family], givens: given }
  const words = (text ?? '').trim().split(/\s+/)
  return { families: words.slice(-1), givens: words.slice(0, -1) }
}

const isName = (text: string | null): text is string => text !== null && fold(text) !== ''
