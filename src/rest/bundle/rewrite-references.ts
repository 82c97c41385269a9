/** References and other addresses in a resource, found and rewritten where R4 says that an element is an address: https://hl7.org/fhir/R4/http.html#trules. */
import { Meter } from '../../budget/meter.ts'
import { structureOf } from '../../fhir/definitions.ts'
import { isObject } from '../../fhir/resource.ts'

/** A reference that an XML Patch puts in: as an element, or as the new text of its value. */
const XML_REFERENCE =
  /(<(?:[\w.-]+:)?reference\s[^<>]{0,200}?value\s*=\s*["']|reference\/@value\s*["'][^<>]{0,200}>)([^<>"']*)/g

/** Steps for an object that is looked through, and for one that is written again; characters of an XML Patch in one. */
const LOOKED_THROUGH = 0.3
const WRITTEN = 1
const CHARACTERS_IN_A_STEP = 100

/**
 * The text of every Reference in a resource, contained ones included, or in a patch. An XML Patch is text itself.
 * @param names of the elements that have it
 * @throws BudgetError
 */
export function referencesIn(body: unknown, names: ReadonlySet<string> = REFERENCES): readonly string[] {
  const meter = new Meter('the references of its entries')
  if (typeof body === 'string') {
    meter.pay(body.length / CHARACTERS_IN_A_STEP)
    return Array.from(body.matchAll(XML_REFERENCE), ([, , reference = '']) => reference)
  }
  const found: string[] = []
  addReferences(body, names, found, meter)
  return found
}

/** Where a Reference has its text. */
const REFERENCES: ReadonlySet<string> = new Set(['reference'])
/** The same with Attachment.url, which leads to a Binary. */
export const REFERENCES_AND_LINKS: ReadonlySet<string> = new Set(['reference', 'url'])

function addReferences(value: unknown, names: ReadonlySet<string>, found: string[], meter: Meter): void {
  if (Array.isArray(value)) for (const item of value) addReferences(item, names, found, meter)
  else if (isObject(value)) {
    meter.pay(LOOKED_THROUGH)
    for (const [name, member] of Object.entries(value)) {
      if (names.has(name) && typeof member === 'string') found.push(member)
      else if (typeof member === 'object') addReferences(member, names, found, meter)
    }
  }
}

interface Names {
  readonly get: (address: string) => string | undefined
  readonly has: (address: string) => boolean
  readonly meter: Meter
}

/** Text in any other element stays as it is, even when it looks like an address: Identifier.value, for instance. */
const ADDRESS_TYPES: ReadonlySet<string | undefined> = new Set(['uri', 'url', 'canonical', 'oid', 'uuid'])

/** A resource or a patch with every address in `names` replaced; a fragment after it is kept. */
export function rewriteAddresses(body: unknown, targets: ReadonlyMap<string, string>): unknown {
  const names: Names = {
    get: (address) => targets.get(address),
    has: (address) => targets.has(address),
    meter: new Meter('rewriting the references of its entries'),
  }
  return typeof body === 'string'
    ? body.replace(XML_REFERENCE, (_, before: string, address: string) => before + rewriteText(address, 'uri', names))
    : rewrite(body, 'Resource', names)
}

function rewrite(value: unknown, type: string | undefined, names: Names): unknown {
  if (typeof value === 'string') return rewriteText(value, type, names)
  if (Array.isArray(value)) return value.map((item) => rewrite(item, type, names))
  if (!isObject(value)) return value
  names.meter.pay(WRITTEN)
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
