/** Texts as elements of FHIR can have them: https://hl7.org/fhir/R4/datatypes.html#string. */
import { possibleText } from '../../fhir/xml/narrative.ts'

/** Characters: a string of FHIR has a million at most. */
const MOST = 100_000

/** Undefined for a text without anything to read, which no element can have. */
export function fhirText(text: string): string | undefined {
  const written = possibleText(text.slice(0, MOST))
  return written.trim() === '' ? undefined : written
}
