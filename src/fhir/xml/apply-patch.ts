/** Applies an XML Patch to a resource: https://www.rfc-editor.org/rfc/rfc5261#section-4. */
import { spend } from '../../isolation/budget.ts'
import { FhirError, type Issue, unprocessable } from '../outcome.ts'
import { isObject } from '../resource.ts'
import { parseXml } from './parse.ts'
import type { XmlOperation, XmlPatch } from './patch.ts'
import { resourceOf } from './read.ts'
import { Finder, type Selected } from './select.ts'
import { attributeOf, isElement, isWhiteSpace, type XmlElement, type XmlNode, type XmlText } from './tree.ts'
import { writeXml } from './write.ts'

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
