/** Compares birth dates: https://hl7.org/fhir/R4/datatypes.html#date. */
import { isOneOff } from './one-off.ts'
import type { FieldEvidence } from './weights.ts'

/** Both as FHIR has dates: YYYY, YYYY-MM or YYYY-MM-DD. */
export function birthDateEvidence(a: string, b: string): FieldEvidence {
  if (a === b) return { field: 'birthDate', level: a.length === 10 ? 'same' : 'partial' }
  if (a.length !== b.length) {
    return { field: 'birthDate', level: a.startsWith(b) || b.startsWith(a) ? 'partial' : 'differ' }
  }
  if (isSwapped(a, b)) return { field: 'birthDate', level: 'swapped' }
  return { field: 'birthDate', level: a.length === 10 && isOneOff(a, b) ? 'digit' : 'differ' }
}

/** Day and month are in each other's place. */
const isSwapped = (a: string, b: string): boolean =>
  a.length === 10 && b === `${a.slice(0, 5)}${a.slice(8)}-${a.slice(5, 7)}`
