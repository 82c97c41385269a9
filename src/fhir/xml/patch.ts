/**
 * XML Patch, parsed and applied: https://hl7.org/fhir/R4/http.html#patch, https://www.rfc-editor.org/rfc/rfc5261#section-4,
 * and RFC 7351 for its media type.
 */

import { spend } from '../../isolation/budget.ts'
import { badRequest, FhirError, type Issue, unprocessable } from '../outcome.ts'
import { isObject } from '../resource.ts'
import {
  attributeOf,
  FHIR,
  isDeclaration,
  isElement,
  isWhiteSpace,
  parseXml,
  writtenName,
  XHTML,
  type XmlElement,
  type XmlNode,
  type XmlText,
} from './parse.ts'
import { resourceOf } from './read.ts'
import { Finder, type Namespaces, parseSelector, type Selected, type Selector } from './select.ts'
import { writeXml } from './write.ts'

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

/** Characters that are written, and read again as JSON, in a microsecond. */
const CHARACTERS_PER_STEP = 8

/**
 * The patched resource as JSON; `document` is not changed. Elements may be added in any position, as JSON has no order
 * of elements.
 * @throws FhirError 422 when a selector does not find exactly one node or the result is not a resource, 413 when the
 *   patch takes too much work
 * @throws BudgetError
 */
export function applyXmlPatch(document: unknown, patch: XmlPatch): unknown {
  if (!isObject(document)) throw new TypeError('An XML Patch changes a resource')
  // Wrapped in an element while it is patched, so that the root can be replaced like any element.
  const text = writeXml(document)
  spend(text.length / CHARACTERS_PER_STEP, 'the XML that its patch is applied to')
  const holder = holderOf(parseXml(text))
  const finder = new Finder()
  for (const [index, operation] of patch.entries()) applyOne(holder, operation, index, finder)
  const [root] = holder.children.filter(isElement)
  if (root === undefined) throw new TypeError('The patch has removed the resource')
  const { resource, problems } = resourceOf(root, { ordered: false })
  if (problems.length === 0) return resource
  throw new FhirError(
    422,
    problems.map(
      ({ path, message }): Issue => ({
        code: 'structure',
        diagnostics: `After the patch, ${path} ${message}`,
        expression: path,
      }),
    ),
  )
}

function holderOf(root: XmlElement): XmlElement {
  const holder: XmlElement = { ...root, name: '', attributes: [], children: [root], parent: undefined }
  root.parent = holder
  return holder
}

function applyOne(holder: XmlElement, operation: XmlOperation, index: number, finder: Finder): void {
  const [root] = holder.children.filter(isElement)
  const [found, second] = root === undefined ? [] : finder.find(operation.selector, root)
  const fail = (problem: string): FhirError => notApplicable(operation, index, problem)
  if (found === undefined) throw fail('the selector finds nothing')
  if (second !== undefined) throw fail('the selector finds several nodes; it must find one, e.g. by its position [1]')
  if (operation.op === 'add') add(found, operation, fail)
  else if (operation.op === 'replace') replace(found, operation)
  else remove(found, operation, fail)
}

type Fail = (problem: string) => FhirError

function add(found: Selected, operation: XmlOperation, fail: Fail): void {
  const { position, attribute, content } = operation
  if (position === 'before' || position === 'after') {
    const { list, index, parent } = placeOf(found, fail)
    put(parent, list.toSpliced(position === 'before' ? index : index + 1, 0, ...copies(content, parent)))
    return
  }
  if (found.kind !== 'element') throw fail('the selector must end at an element, to which the content is added')
  const { of } = found
  if (attribute !== undefined) {
    if (attributeOf(of, attribute) !== undefined)
      throw fail(`the element has the attribute ${attribute} already; replace it`)
    setAttribute(of, attribute, textOf(content))
    return
  }
  const added = copies(content, of)
  put(of, position === 'prepend' ? [...added, ...of.children] : [...of.children, ...added])
}

function replace(found: Selected, { content }: XmlOperation): void {
  if (found.kind === 'attribute') setAttribute(found.of, found.attribute.name, textOf(content))
  else if (found.kind === 'text') {
    const changed: XmlText = { ...found.node, text: textOf(content) }
    put(
      found.of,
      found.of.children.map((node) => (node === found.node ? changed : node)),
    )
  } else {
    const { parent } = found.of
    if (parent === undefined) return
    const replacement = copies(content.filter(isElement), parent)
    put(
      parent,
      parent.children.flatMap((node) => (node === found.of ? replacement : node)),
    )
  }
}

function remove(found: Selected, { whiteSpace }: XmlOperation, fail: Fail): void {
  if (found.kind === 'attribute') {
    found.of.attributes = found.of.attributes.filter((attribute) => attribute !== found.attribute)
    invalidateMarkup(found.of)
    return
  }
  const { list, index, parent } = placeOf(found, fail)
  const removed = new Set([list[index]])
  for (const side of whiteSpace) {
    const neighbour = list[side === 'before' ? index - 1 : index + 1]
    if (neighbour?.kind !== 'text' || !isWhiteSpace(neighbour.text)) throw fail(`there is no white space ${side} it`)
    removed.add(neighbour)
  }
  put(
    parent,
    list.filter((node) => !removed.has(node)),
  )
}

/** A node's position among its siblings. */
function placeOf(found: Selected, fail: Fail) {
  if (found.kind === 'attribute') throw fail('an attribute has no place before or after it')
  if (found.kind === 'text') return placeIn(found.of, found.node)
  const { parent } = found.of
  // The resource's parent is the holder.
  if (parent?.parent === undefined)
    throw fail('the resource itself stays; it can only be replaced, and has no siblings')
  return placeIn(parent, found.of)
}

const placeIn = (parent: XmlElement, node: XmlNode) => ({
  parent,
  list: parent.children,
  index: parent.children.indexOf(node),
})

function put(parent: XmlElement, children: readonly XmlNode[]): void {
  parent.children = children
  invalidateMarkup(parent)
}

function setAttribute(of: XmlElement, name: string, value: string): void {
  const others = of.attributes.filter((attribute) => attribute.name !== name || attribute.namespace !== '')
  of.attributes = [...others, { prefix: '', name, namespace: '', value }]
  invalidateMarkup(of)
}

/** Discards the source text of the element and of those around it. */
function invalidateMarkup(element: XmlElement): void {
  for (let at: XmlElement | undefined = element; at !== undefined; at = at.parent) at.markup = undefined
}

/** Copied, as a patch may be applied again, to another version. */
const copies = (nodes: readonly XmlNode[], parent: XmlElement): readonly XmlNode[] =>
  nodes.map((node) => (isElement(node) ? copyOf(node, parent) : node))

function copyOf(element: XmlElement, parent: XmlElement): XmlElement {
  const copy: XmlElement = { ...element, parent }
  copy.children = copies(element.children, copy)
  return copy
}

/** The text of the content, without comments. */
const textOf = (content: readonly XmlNode[]): string =>
  content.map((node) => (isElement(node) || node.kind === 'comment' ? '' : node.text)).join('')

const notApplicable = ({ op, sel }: XmlOperation, index: number, problem: string): FhirError =>
  unprocessable(`XML Patch operation ${index} (${op} ${sel}) cannot be applied: ${problem}`, {
    reason: 'patch-path-not-found',
  })
