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

/** Where R4's own resources have extensions that their published context does not name. */
const MORE_CONTEXTS: Readonly<Record<string, readonly string[]>> = {
  'http://hl7.org/fhir/StructureDefinition/regex': ['ElementDefinition.type'],
  'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type': ['ElementDefinition.type'],
  'http://hl7.org/fhir/StructureDefinition/structuredefinition-normative-version': ['Resource', 'ElementDefinition'],
  'http://hl7.org/fhir/StructureDefinition/valueset-concept-comments': ['CodeSystem.concept'],
}

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
    ...withContexts(definition),
    derivation: 'constraint',
    differential: { element },
  })
}

const withContexts = ({ url, context = [] }: StructureDefinition): Pick<StructureDefinition, 'context'> => {
  const more = (MORE_CONTEXTS[url] ?? []).map((expression) => ({ type: 'element' as const, expression }))
  return more.length === 0 ? {} : { context: [...context, ...more] }
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
