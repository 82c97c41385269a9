/** Parses an XML Patch: https://hl7.org/fhir/R4/http.html#patch, RFC 5261, and RFC 7351 for its media type. */
import { badRequest, FhirError } from '../outcome.ts'
import { parseXml } from './parse.ts'
import { type Namespaces, parseSelector, type Selector } from './select.ts'
import {
  attributeOf,
  FHIR,
  isDeclaration,
  isElement,
  isWhiteSpace,
  writtenName,
  XHTML,
  type XmlElement,
  type XmlNode,
} from './tree.ts'

export type XmlPatch = readonly XmlOperation[]

export interface XmlOperation {
  readonly op: 'add' | 'replace' | 'remove'
  /** The selector as written by the client. */
  readonly sel: string
  readonly selector: Selector
  readonly position: Position
  /** The name of the attribute to add; undefined when nodes are added. */
  readonly attribute: string | undefined
  /** For remove: on which sides white space is removed too. */
  readonly whiteSpace: readonly ('before' | 'after')[]
  readonly content: readonly XmlNode[]
}

type Position = 'append' | 'prepend' | 'before' | 'after'

/** Each operation searches the resource. */
const MAX_OPERATIONS = 1000

/** The attributes of each operation, besides `sel`. */
const ATTRIBUTES = { add: ['pos', 'type'], replace: [], remove: ['ws'] } as const
const POSITIONS: readonly string[] = ['prepend', 'before', 'after']
const WHITE_SPACE: Readonly<Record<string, XmlOperation['whiteSpace']>> = {
  before: ['before'],
  after: ['after'],
  both: ['before', 'after'],
}

const EXAMPLE = `<diff xmlns:f="${FHIR}"><replace sel="f:Patient/f:active/@value">true</replace></diff>`

/** @throws FhirError 400 naming the malformed operation, 413 when the document has too many elements */
export function readXmlPatch(text: string): XmlPatch {
  const root = parseXml(text, 'The XML Patch')
  if (root.name !== 'diff' && root.name !== 'patch')
    throw badRequest(`An XML Patch is a diff (or patch) with add, replace and remove in it, e.g. ${EXAMPLE}`)
  if (hasText(root)) throw badRequest('An XML Patch contains add, replace and remove, and no text between them')
  const elements = root.children.filter(isElement)
  if (elements.length > MAX_OPERATIONS)
    throw badRequest(`An XML Patch has at most ${MAX_OPERATIONS} operations; this one has ${elements.length}`)
  return elements.map(readOperation)
}

function readOperation(element: XmlElement, index: number): XmlOperation {
  const at = `XML Patch operation ${index}`
  const op = element.name
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw badRequest(`${at}: ${writtenName(element)} is none of add, replace, remove`)
  checkAttributes(element, op, at)
  const sel = attributeOf(element, 'sel')
  if (sel === undefined || sel.trim() === '') throw badRequest(`${at}: ${op} needs sel, as in ${EXAMPLE}`)
  const operation: XmlOperation = {
    op,
    sel: sel.trim(),
    selector: located(at, () => parseSelector(sel.trim(), namespacesAt(element))),
    position: positionOf(element, at),
    attribute: addedAttribute(element, at),
    whiteSpace: whiteSpaceOf(element, at),
    content: element.children,
  }
  checkContent(operation, at)
  return operation
}

function checkAttributes(element: XmlElement, op: XmlOperation['op'], at: string): void {
  const known: readonly string[] = ['sel', ...ATTRIBUTES[op]]
  const unknown = element.attributes.find(
    (attribute) => !isDeclaration(attribute) && !(attribute.namespace === '' && known.includes(attribute.name)),
  )
  if (unknown !== undefined)
    throw badRequest(`${at}: ${op} has no attribute ${writtenName(unknown)}; it has ${known.join(', ')}`)
}

function positionOf(element: XmlElement, at: string): Position {
  const position = attributeOf(element, 'pos')
  if (position === undefined) return 'append'
  if (!POSITIONS.includes(position)) throw badRequest(`${at}: pos '${position}' is none of ${POSITIONS.join(', ')}`)
  return position as Position
}

function addedAttribute(element: XmlElement, at: string): string | undefined {
  const type = attributeOf(element, 'type')
  if (type === undefined) return undefined
  const name = /^@([A-Za-z_][\w.-]*)$/.exec(type)?.[1]
  if (name === undefined)
    throw badRequest(
      `${at}: type '${type}' must be the name of an attribute such as @value; a resource has no other namespaces`,
    )
  if (attributeOf(element, 'pos') !== undefined) throw badRequest(`${at}: pos makes no sense for an attribute`)
  return name
}

function whiteSpaceOf(element: XmlElement, at: string): XmlOperation['whiteSpace'] {
  const given = attributeOf(element, 'ws')
  const sides = given === undefined ? [] : WHITE_SPACE[given]
  if (sides === undefined) throw badRequest(`${at}: ws '${given}' is none of before, after, both`)
  return sides
}

function checkContent({ op, attribute, content, selector }: XmlOperation, at: string): void {
  const isText = attribute !== undefined || (op === 'replace' && selector.end.kind !== 'element')
  const elements = content.filter(isElement)
  if (op === 'remove' && content.some((node) => isElement(node) || !isWhiteSpace(node.text)))
    throw badRequest(`${at}: remove takes no content`)
  if (isText && elements.length > 0) throw badRequest(`${at}: its content must be the new text, without elements`)
  if (op === 'replace' && !isText && (elements.length !== 1 || content.some(isVisibleText)))
    throw badRequest(`${at}: an element is replaced by one element`)
  if (op === 'add' && !isText && content.every((node) => !isElement(node) && isWhiteSpace(node.text)))
    throw badRequest(`${at}: there is nothing to add`)
}

const isVisibleText = (node: XmlNode): boolean =>
  (node.kind === 'text' || node.kind === 'cdata') && !isWhiteSpace(node.text)

const hasText = ({ children }: XmlElement): boolean => children.some(isVisibleText)

/**
 * The namespaces declared at an operation. A name without prefix is in the default namespace (RFC 5261, section 4.2.2);
 * when that is neither FHIR nor XHTML, FHIR is assumed.
 */
const namespacesAt =
  (element: XmlElement): Namespaces =>
  (prefix) => {
    const declared = declaredAt(element, prefix)
    if (prefix !== '') return declared
    return declared === XHTML ? XHTML : FHIR
  }

function declaredAt(element: XmlElement, prefix: string): string | undefined {
  const declaredName = prefix === '' ? 'xmlns' : prefix
  for (let at: XmlElement | undefined = element; at !== undefined; at = at.parent) {
    const found = at.attributes.find(
      (attribute) =>
        isDeclaration(attribute) &&
        attribute.name === declaredName &&
        attribute.prefix === (prefix === '' ? '' : 'xmlns'),
    )
    if (found !== undefined) return found.value
  }
  return undefined
}

function located<T>(at: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof FhirError)) throw error
    throw badRequest(`${at}: ${error.message}`)
  }
}
