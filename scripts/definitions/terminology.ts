/**
 * The code systems, value sets and concept maps that the R4 packages carry, one resource a line, so that the server
 * reads those it is asked for and no others: https://hl7.org/fhir/R4/terminologies.html.
 *
 * Left out are narrative, contacts and what else no terminology operation answers with. Corrected on the way: ISO 3166
 * has its numeric codes as properties only, and BCP 47 lists its languages, not the tags made of them.
 */
import type { CodeSystem, CodeSystemConcept, ConceptMap, ValueSet } from 'fhir/r4'
import { isObject } from '../../src/fhir/resource.ts'
import { conceptMaps, packagedCodeSystems, packagedValueSets } from './published.ts'

const LEFT_OUT: ReadonlySet<string> = new Set([
  'text',
  'meta',
  'extension',
  'identifier',
  'contact',
  'contained',
  'useContext',
  'jurisdiction',
  'language',
  'fhir_comments',
])

type Terms = CodeSystem | ValueSet | ConceptMap

/** JSON lines, by type and url; each begins with both, so that a line is found without reading it through. */
export function terminologyLines(): string {
  const resources: readonly Terms[] = [
    ...unique(packagedCodeSystems().map(corrected)),
    ...packagedValueSets(),
    ...conceptMaps(),
  ]
  const lines = resources.map(lineOf).sort()
  return `${lines.join('\n')}\n`
}

function lineOf({ resourceType, url, version, ...rest }: Terms): string {
  const head = { resourceType, url, ...(version === undefined ? {} : { version }) }
  const kept = Object.fromEntries(Object.entries(rest).filter(([name]) => !LEFT_OUT.has(name)))
  return JSON.stringify({ ...head, ...(compact(kept) as object) })
}

/** Two packages have the same url where a later one fills what the first only names. */
function unique(systems: readonly CodeSystem[]): readonly CodeSystem[] {
  const byUrl = new Map<string, CodeSystem>()
  for (const system of systems) {
    const known = byUrl.get(system.url ?? '')
    if ((known?.concept?.length ?? 0) <= (system.concept?.length ?? 0)) byUrl.set(system.url ?? '', system)
  }
  return [...byUrl.values()]
}

/** Without what is left out, and without the line breaks and runs of spaces of the published texts. */
function compact(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\s+/g, ' ').trim()
  if (Array.isArray(value)) return value.map(compact)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => name !== 'extension' && !name.startsWith('_'))
  return Object.fromEntries(kept.map(([name, held]) => [name, name === 'code' ? held : compact(held)]))
}

function corrected(system: CodeSystem): CodeSystem {
  if (system.url === 'urn:ietf:bcp:47') return { ...system, content: 'fragment' }
  if (system.url !== 'urn:iso:std:iso:3166') return system
  const { concept = [] } = system
  return { ...system, concept: [...concept, ...concept.flatMap(numericCode)] }
}

/** One for the two letters of a country, none for its three. */
function numericCode({ code, display, property = [] }: CodeSystemConcept): readonly CodeSystemConcept[] {
  const numeric = property.find((one) => one.code === 'numeric')?.valueCode
  if (code.length !== 2 || numeric === undefined || display === undefined) return []
  return [{ code: numeric, display, property: [{ code: 'synonym', valueCode: code }] }]
}
