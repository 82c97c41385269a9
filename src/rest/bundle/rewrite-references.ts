/** References and other addresses in a resource, found and rewritten where R4 says that an element is an address: https://hl7.org/fhir/R4/http.html#trules. */
import { structureOf } from '../../fhir/definitions.ts'
import { isObject } from '../../fhir/resource.ts'

/** A reference that an XML Patch puts in: as an element, or as the new text of its value. */
const XML_REFERENCE =
  /(<(?:[\w.-]+:)?reference\s[^<>]{0,200}?value\s*=\s*["']|reference\/@value\s*["'][^<>]{0,200}>)([^<>"']*)/g

/** The text of every Reference in a resource, contained ones included, or in a patch. An XML Patch is text itself. */
export function* referencesIn(body: unknown): Generator<string> {
  if (typeof body !== 'string') yield* referencesOf(body)
  else for (const [, , reference = ''] of body.matchAll(XML_REFERENCE)) yield reference
}

function* referencesOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* referencesOf(item)
  else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'reference' && typeof member === 'string') yield member
      else if (typeof member === 'object') yield* referencesOf(member)
    }
  }
}

type Names = ReadonlyMap<string, string>

/** Text in any other element stays as it is, even when it looks like an address: Identifier.value, for instance. */
const ADDRESS_TYPES: ReadonlySet<string | undefined> = new Set(['uri', 'url', 'canonical', 'oid', 'uuid'])

/** A resource or a patch with every address in `names` replaced; a fragment after it is kept. */
export const rewriteAddresses = (body: unknown, names: Names): unknown =>
  typeof body === 'string'
    ? body.replace(XML_REFERENCE, (_, before: string, address: string) => before + rewriteText(address, 'uri', names))
    : rewrite(body, 'Resource', names)

function rewrite(value: unknown, type: string | undefined, names: Names): unknown {
  if (typeof value === 'string') return rewriteText(value, type, names)
  if (Array.isArray(value)) return value.map((item) => rewrite(item, type, names))
  if (!isObject(value)) return value
  const types = typesIn(value, type)
  const member = (name: string) => (name.startsWith('_') ? 'Element' : types.get(name))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, rewrite(item, member(name), names)]))
}

function rewriteText(text: string, type: string | undefined, names: Names): string {
  if (type === 'xhtml') return rewriteLinks(text, names)
  if (!ADDRESS_TYPES.has(type)) return text
  const [address = '', fragment] = text.split(/#(.*)/s)
  const target = names.get(text) ?? names.get(address)
  if (target === undefined) return text
  return fragment === undefined || names.has(text) ? target : `${target}#${fragment}`
}

const rewriteLinks = (div: string, names: Names): string =>
  div.replace(/((?:href|src)\s*=\s*)("|')(.*?)\2/g, (whole, attribute: string, quote: string, target: string) =>
    names.has(target) ? `${attribute}${quote}${names.get(target)}${quote}` : whole,
  )

/** R4 gives Reference.reference the type string, since it may be relative. */
const REFERENCE: ReadonlyMap<string, string> = new Map([['reference', 'uri']])

/** A part of Parameters whose text is that of a Reference: one that a FHIRPath Patch puts in. */
const REFERENCE_PART = 'Parameters.parameter.reference'

/** The types of the elements of an object by their names in JSON. */
function typesIn(value: Record<string, unknown>, type: string | undefined): ReadonlyMap<string, string> {
  const { resourceType, op, path } = value
  if (type === REFERENCE_PART) return REFERENCE_TEXT
  if (type === 'Parameters.parameter') return typesInParameter(value)
  if (type !== 'Resource') return typesOf(type)
  if (typeof resourceType === 'string') return typesOf(resourceType)
  // A JSON Patch: what its values are shows where they go.
  const isReference = typeof op === 'string' && typeof path === 'string' && path.endsWith('/reference')
  return isReference ? new Map([['value', 'uri']]) : REFERENCE
}

const REFERENCE_TEXT: ReadonlyMap<string, string> = new Map([['valueString', 'uri']])

/** An operation of a FHIRPath Patch says by its path, or a part by its name, that its text is a reference. */
function typesInParameter({ name, part }: Record<string, unknown>): ReadonlyMap<string, string> {
  const types = typesOf('Parameters.parameter')
  const parts: readonly unknown[] = Array.isArray(part) ? part : []
  const path = parts.find((one) => isObject(one) && one.name === 'path')
  const text = isObject(path) ? path.valueString : undefined
  if (typeof text === 'string' && text.endsWith('.reference')) return new Map([...types, ['part', REFERENCE_PART]])
  return name === 'reference' ? new Map([...types, ...REFERENCE_TEXT]) : types
}

const known = new Map<string, ReadonlyMap<string, string>>()

/** In a type that R4 does not have, only references are rewritten. */
function typesOf(type: string | undefined): ReadonlyMap<string, string> {
  const structure = type === undefined ? undefined : structureOf(type)
  if (structure === undefined) return REFERENCE
  const before = known.get(structure.name)
  if (before !== undefined) return before
  const own = structure.elements.flatMap(({ properties }) => [...properties])
  const types = new Map([...own, ...(structure.name === 'Reference' ? REFERENCE : [])])
  known.set(structure.name, types)
  return types
}
