/**
 * The code systems, value sets and concept maps of the R4 packages, one resource per line, so that the server can read
 * single ones: https://hl7.org/fhir/R4/terminologies.html.
 *
 * Narrative, contacts and other properties that no terminology operation returns are left out. Corrections: ISO 3166
 * has its numeric codes as properties only, and BCP 47 lists languages, but not the tags composed of them.
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

/** JSON lines sorted by type and url; each begins with both, so that a line can be found without parsing it. */
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

/** When two packages have a code system with the same url, the one with more concepts is used. */
function unique(systems: readonly CodeSystem[]): readonly CodeSystem[] {
  const byUrl = new Map<string, CodeSystem>()
  for (const system of systems) {
    const known = byUrl.get(system.url ?? '')
    if ((known?.concept?.length ?? 0) <= (system.concept?.length ?? 0)) byUrl.set(system.url ?? '', system)
  }
  return [...byUrl.values()]
}

/** Without extensions, line breaks and repeated spaces. */
function compact(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\s+/g, ' ').trim()
  if (Array.isArray(value)) return value.map(compact)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => name !== 'extension' && !name.startsWith('_'))
  return Object.fromEntries(kept.map(([name, property]) => [name, name === 'code' ? property : compact(property)]))
}

function corrected(system: CodeSystem): CodeSystem {
  if (system.url === 'urn:ietf:bcp:47') return { ...system, content: 'fragment' }
  if (system.url !== 'urn:iso:std:iso:3166') return system
  const { concept = [] } = system
  return { ...system, concept: [...concept, ...concept.flatMap(numericCode)] }
}

/** The numeric code of a country, once: for its two-letter code. */
function numericCode({ code, display, property = [] }: CodeSystemConcept): readonly CodeSystemConcept[] {
  const numeric = property.find((one) => one.code === 'numeric')?.valueCode
  if (code.length !== 2 || numeric === undefined || display === undefined) return []
  return [{ code: numeric, display, property: [{ code: 'synonym', valueCode: code }] }]
}
