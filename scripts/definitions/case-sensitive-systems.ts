/** The code systems that are case-sensitive: https://hl7.org/fhir/R4/codesystem-definitions.html#CodeSystem.caseSensitive. */
import { packagedCodeSystems } from './published.ts'

/** R4 does not publish it, but says so: "Some code systems are case sensitive (e.g. UCUM)" (search.html#token). */
const UCUM = 'http://unitsofmeasure.org'

/** @returns their urls, sorted */
export function caseSensitiveSystems(): readonly string[] {
  const urls = packagedCodeSystems().flatMap(({ url, caseSensitive }) => (caseSensitive === true && url ? [url] : []))
  return [...new Set([...urls, UCUM])].sort()
}
