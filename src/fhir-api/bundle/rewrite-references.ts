/**
 * References and other links in a resource, found and rewritten where R4 says that a transaction replaces them:
 * https://hl7.org/fhir/R4/http.html#trules. A Bundle within a body has a scope of its own, so nothing in it is found or
 * rewritten.
 */
import { structureOf } from '../../fhir/definitions.ts'
import { isObject } from '../../fhir/resource.ts'
import { Meter } from '../../isolation/budget.ts'

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
  else if (isObject(value) && !isBundle(value)) {
    meter.pay(LOOKED_THROUGH)
    for (const [name, member] of Object.entries(value)) {
      if (names.has(name) && typeof member === 'string') found.push(member)
      else if (typeof member === 'object') addReferences(member, names, found, meter)
    }
  }
}

const isBundle = ({ resourceType }: Record<string, unknown>): boolean => resourceType === 'Bundle'

/** The addresses that a transaction replaces, each with what replaces it (`Type/id`). */
export interface Replacements {
  /** Conditional references, `Patient?identifier=…`: only a Reference has them. */
  readonly conditional: ReadonlyMap<string, string>
  /** Addresses of entries: their fullUrl, and what else a link may call them. */
  readonly links: ReadonlyMap<string, string>
  /** The links that an element of type uri may hold: placeholders, `urn:uuid:` and `urn:oid:`, which name nothing else. */
  readonly placeholders: ReadonlyMap<string, string>
}

/** How an element holds an address: as a Reference, as another link, as a uri, in its narrative. Any other text stays. */
type Address = 'reference' | 'link' | 'uri' | 'xhtml'

/** A canonical is the name of a definition, not a link: "elements of type canonical are not replaced" (http.html#trules). */
const ADDRESSES: ReadonlyMap<string, Address> = new Map([
  ['url', 'link'],
  ['uri', 'uri'],
  ['oid', 'uri'],
  ['uuid', 'uri'],
  ['xhtml', 'xhtml'],
])

/** Elements of type uri that name something: the system of a code, the url of a definition or of an extension. */
const NAMES: ReadonlySet<string> = new Set(['system', 'url'])

interface Rewriting extends Replacements {
  readonly meter: Meter
}

/** A resource or a patch with every link in `replacements` replaced; a fragment after it is kept. @throws BudgetError */
export function rewriteLinks(body: unknown, replacements: Replacements): unknown {
  const rewriting = { ...replacements, meter: new Meter('rewriting the references of its entries') }
  return typeof body === 'string'
    ? body.replace(
        XML_REFERENCE,
        (_, before: string, text: string) => before + rewriteText(text, 'reference', rewriting),
      )
    : rewrite(body, 'Resource', rewriting)
}

function rewrite(value: unknown, type: string | undefined, rewriting: Rewriting): unknown {
  if (typeof value === 'string') return rewriteText(value, type, rewriting)
  if (Array.isArray(value)) return value.map((item) => rewrite(item, type, rewriting))
  if (!isObject(value) || isBundle(value)) return value
  rewriting.meter.pay(WRITTEN)
  const types = typesIn(value, type)
  const member = (name: string) => (name.startsWith('_') ? 'Element' : types.get(name))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, rewrite(item, member(name), rewriting)]))
}

function rewriteText(text: string, type: string | undefined, { conditional, links, placeholders }: Rewriting): string {
  switch (type as Address | undefined) {
    case 'reference':
      return conditional.get(text) ?? replaced(text, links)
    case 'link':
      return replaced(text, links)
    case 'uri':
      return replaced(text, placeholders)
    case 'xhtml':
      return rewriteNarrative(text, links)
    default:
      return text
  }
}

function replaced(text: string, links: ReadonlyMap<string, string>): string {
  const [address = '', fragment] = text.split(/#(.*)/s)
  const whole = links.get(text)
  const target = whole ?? links.get(address)
  if (target === undefined) return text
  return fragment === undefined || whole !== undefined ? target : `${target}#${fragment}`
}

const rewriteNarrative = (div: string, links: ReadonlyMap<string, string>): string =>
  div.replace(
    /((?:href|src)\s*=\s*)("|')(.*?)\2/g,
    (_, attribute: string, quote: string, target: string) => `${attribute}${quote}${replaced(target, links)}${quote}`,
  )

/** R4 gives Reference.reference the type string, since it may be relative. */
const REFERENCE: ReadonlyMap<string, string> = new Map([['reference', 'reference']])

/** A part of Parameters whose text is that of a Reference: one that a FHIRPath Patch puts in. */
const REFERENCE_PART = 'Parameters.parameter.reference'

/** The types of the elements of an object, or how they hold an address, by their names in JSON. */
function typesIn(value: Record<string, unknown>, type: string | undefined): ReadonlyMap<string, string> {
  const { resourceType, op, path } = value
  if (type === REFERENCE_PART) return REFERENCE_TEXT
  if (type === 'Parameters.parameter') return typesInParameter(value)
  if (type !== 'Resource') return typesOf(type)
  if (typeof resourceType === 'string') return typesOf(resourceType)
  // A JSON Patch: what its values are shows where they go.
  const isReference = typeof op === 'string' && typeof path === 'string' && path.endsWith('/reference')
  return isReference ? new Map([['value', 'reference']]) : REFERENCE
}

const REFERENCE_TEXT: ReadonlyMap<string, string> = new Map([['valueString', 'reference']])

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
  const types = new Map(structure.elements.flatMap(({ properties }) => Array.from(properties, addressOf)))
  if (structure.name === 'Reference') types.set('reference', 'reference')
  known.set(structure.name, types)
  return types
}

/** The name of an element with how it holds an address, or else with its type. */
const addressOf = ([name, type]: readonly [string, string]): [string, string] => {
  const address = ADDRESSES.get(type)
  return [name, address === 'uri' && NAMES.has(name) ? 'string' : (address ?? type)]
}
