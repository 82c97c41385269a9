/**
 * The profiles and extensions that R4 itself publishes, one StructureDefinition a line, as differentials:
 * https://hl7.org/fhir/R4/profilelist.html, https://hl7.org/fhir/R4/extensibility-registry.html.
 *
 * Left out is what says something to people and nothing to a check: texts, mappings, contacts.
 */
import type { ElementDefinition, StructureDefinition } from 'fhir/r4'
import { profileDefinitions } from './published.ts'

const KEPT = ['name', 'status', 'kind', 'abstract', 'context', 'contextInvariant', 'type', 'baseDefinition'] as const

const LEFT_OUT_OF_ELEMENTS: ReadonlySet<string> = new Set([
  'short',
  'definition',
  'comment',
  'requirements',
  'alias',
  'mapping',
  'example',
  'meaningWhenMissing',
  'mustSupport',
  'isModifierReason',
  'isSummary',
  'base',
  'condition',
  'code',
])

/** JSON lines by url; each begins with it, so that a line is found without reading it through. */
export function profileLines(): string {
  return `${profileDefinitions().map(lineOf).sort().join('\n')}\n`
}

function lineOf(definition: StructureDefinition): string {
  const { resourceType, url, version = '4.0.1', differential } = definition
  const kept = Object.fromEntries(KEPT.flatMap((name) => (name in definition ? [[name, definition[name]]] : [])))
  const element = (differential?.element ?? []).map(ruleOf)
  return JSON.stringify({
    resourceType,
    url,
    version,
    ...kept,
    derivation: 'constraint',
    differential: { element },
  })
}

function ruleOf(element: ElementDefinition): object {
  const kept = Object.entries(element).filter(([name]) => !LEFT_OUT_OF_ELEMENTS.has(name))
  const rule = Object.fromEntries(kept)
  if (element.binding !== undefined) {
    const { description: _description, ...binding } = element.binding
    rule['binding'] = binding
  }
  if (element.constraint !== undefined) {
    rule['constraint'] = element.constraint.map(({ xpath: _xpath, ...constraint }) => constraint)
  }
  return rule
}
