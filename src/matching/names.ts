/** The parts of a person's names: https://hl7.org/fhir/R4/datatypes.html#HumanName, folded. */
import type { HumanName, Patient } from 'fhir/r4'
import { fold } from '../search/plan.ts'

export interface PersonName {
  /** '' where there is none; so a name that holds no letter is not a name. */
  readonly family: string
  readonly given: readonly string[]
  /** `jr`, `sr`, `ii`. */
  readonly suffixes: readonly string[]
}

/** Without names that hold no letter, which nobody is found by. */
export const namesOf = ({ name = [] }: Pick<Patient, 'name'>): readonly PersonName[] =>
  name.map(partsOf).filter(({ family, given }) => family !== '' || given.length > 0)

/** A name that is only a text is read as given names and, last, the family name. */
function partsOf({ family, given = [], suffix = [], text = '' }: HumanName): PersonName {
  const suffixes = suffix.map((part) => suffixOf(part)).filter((part) => part !== '')
  if (family !== undefined || given.length > 0) {
    return { family: fold(family ?? ''), given: given.map((part) => fold(part ?? '')).filter(Boolean), suffixes }
  }
  const words = fold(text).split(' ').filter(Boolean)
  return { family: words.at(-1) ?? '', given: words.slice(0, -1), suffixes }
}

const FULL_SUFFIX: Readonly<Record<string, string>> = { junior: 'jr', senior: 'sr' }

/** One form for Jr., jr and Junior. */
export function suffixOf(text: string): string {
  const folded = fold(text ?? '')
  return FULL_SUFFIX[folded] ?? folded
}
