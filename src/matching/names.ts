/** The folded parts of a person's names: https://hl7.org/fhir/R4/datatypes.html#HumanName. */
import type { HumanName, Patient } from 'fhir/r4'
import { fold } from '../search/plan.ts'

export interface PersonName {
  /** '' when absent or without letters. */
  readonly family: string
  readonly given: readonly string[]
  /** `jr`, `sr`, `ii`. */
  readonly suffixes: readonly string[]
}

/** The names that have letters. */
export const namesOf = ({ name = [] }: Pick<Patient, 'name'>): readonly PersonName[] =>
  name.map(partsOf).filter(({ family, given }) => family !== '' || given.length > 0)

/** In a name that has only a text, the last word is taken as the family name. */
function partsOf({ family, given = [], suffix = [], text = '' }: HumanName): PersonName {
  const suffixes = suffix.map((part) => suffixOf(part)).filter((part) => part !== '')
  if (family !== undefined || given.length > 0) {
    return { family: fold(family ?? ''), given: given.map((part) => fold(part ?? '')).filter(Boolean), suffixes }
  }
  const words = fold(text).split(' ').filter(Boolean)
  return { family: words.at(-1) ?? '', given: words.slice(0, -1), suffixes }
}

const FULL_SUFFIX: Readonly<Record<string, string>> = { junior: 'jr', senior: 'sr' }

/** Normalizes Jr., jr and Junior to `jr`. */
export function suffixOf(text: string): string {
  const folded = fold(text ?? '')
  return FULL_SUFFIX[folded] ?? folded
}
