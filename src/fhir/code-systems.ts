/** Which code systems of R4 are case-sensitive: https://hl7.org/fhir/R4/codesystem-definitions.html#CodeSystem.caseSensitive. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '..', '..', 'resources', 'r4', 'case-sensitive-systems.json')

let known: ReadonlySet<string> | undefined

/** Of all others R4 says that they are not, or says nothing. */
export function isCaseSensitiveInR4(system: string): boolean {
  known ??= new Set(JSON.parse(readFileSync(FILE, 'utf8')) as readonly string[])
  return known.has(system)
}
