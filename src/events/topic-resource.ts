/**
 * A topic as a resource of R4, which has no SubscriptionTopic: a Basic with an extension for each element of R5.
 * https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/components.html, https://hl7.org/fhir/R5/versions.html#extensions
 */
import type { Basic, Extension } from 'fhir/r4'
import type { JsonObject } from '../fhir/resource.ts'
import { isObject } from '../fhir/resource.ts'
import type { Topic } from './topics.ts'

const ELEMENT = 'http://hl7.org/fhir/5.0/StructureDefinition/extension-SubscriptionTopic.'

/** The types of elements that are neither string nor complex, by name. */
const TYPES: Readonly<Record<string, string>> = {
  url: 'Uri',
  date: 'DateTime',
  description: 'Markdown',
  resource: 'Uri',
  supportedInteraction: 'Code',
  resultForCreate: 'Code',
  resultForDelete: 'Code',
  modifier: 'Code',
}

/** R4 wants what changes the meaning of a resource among the modifiers. */
const MODIFIERS: ReadonlySet<string> = new Set(['status'])

/** Elements that Basic has itself. */
const OWN: ReadonlySet<string> = new Set(['resourceType', 'id', 'meta'])

export function topicResource({ id, definition }: Topic): Basic & { readonly id: string } {
  const elements = Object.entries(definition).filter(([name]) => !OWN.has(name))
  const [modifiers, others] = [true, false].map((isModifier) =>
    elements.filter(([name]) => MODIFIERS.has(name) === isModifier),
  )
  return {
    resourceType: 'Basic',
    id,
    extension: others?.flatMap(([name, value]) => extensionsOf(name, value, ELEMENT)) ?? [],
    modifierExtension: modifiers?.map(([name, value]) => ({ url: ELEMENT + name, valueCode: String(value) })) ?? [],
    code: { coding: [{ system: 'http://hl7.org/fhir/fhir-types', code: 'SubscriptionTopic' }] },
  }
}

/** An extension for each repetition of an element. */
const extensionsOf = (name: string, value: unknown, prefix = ''): Extension[] =>
  [value].flat().map((one) => {
    const url = prefix + name
    if (isObject(one)) return { url, extension: elementsOf(one) }
    if (typeof one === 'boolean') return { url, valueBoolean: one }
    return { url, [`value${TYPES[name] ?? 'String'}`]: String(one) } as unknown as Extension
  })

const elementsOf = (element: JsonObject): Extension[] =>
  Object.entries(element).flatMap(([name, value]) => extensionsOf(name, value))
