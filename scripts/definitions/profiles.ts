/**
 * The profiles and extensions published with R4, one StructureDefinition per line, as differentials:
 * https://hl7.org/fhir/R4/profilelist.html, https://hl7.org/fhir/R4/extensibility-registry.html.
 *
 * Properties that are only for people, such as texts, mappings and contacts, are left out.
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

/** Contexts in which R4's own resources use extensions, although the published context does not allow it. */
const MORE_CONTEXTS: Readonly<Record<string, readonly string[]>> = {
  'http://hl7.org/fhir/StructureDefinition/regex': ['ElementDefinition.type'],
  'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type': ['ElementDefinition.type'],
  'http://hl7.org/fhir/StructureDefinition/structuredefinition-normative-version': ['Resource', 'ElementDefinition'],
  'http://hl7.org/fhir/StructureDefinition/valueset-concept-comments': ['CodeSystem.concept'],
}

/** JSON lines sorted by url; each begins with the url, so that a line can be found without parsing it. */
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
