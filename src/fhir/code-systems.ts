/**
 * The case-sensitive code systems of R4: https://hl7.org/fhir/R4/codesystem-definitions.html#CodeSystem.caseSensitive.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '..', '..', 'resources', 'r4', 'case-sensitive-systems.json')

let known: ReadonlySet<string> | undefined

/** False also for code systems of which R4 does not say it. */
export function isCaseSensitiveInR4(system: string): boolean {
  known ??= new Set(JSON.parse(readFileSync(FILE, 'utf8')) as readonly string[])
  return known.has(system)
}
