/** Narrative.div, the one element that is no FHIR element: https://hl7.org/fhir/R4/narrative.html#xhtml. */
import { isNarrative } from '../fhirpath/narrative.ts'
import { parseXml } from './parse.ts'
import { attributeText, contentText } from './text.ts'
import { attributeOf, isDeclaration, isElement, writtenName, XHTML, type XmlElement, type XmlNode } from './tree.ts'

/** The text that JSON holds: as it came, unless it leans on declarations outside of it or was put together anew. */
export const divOf = (div: XmlElement): string =>
  div.markup !== undefined && declaresItself(div) && isPlain(div) ? div.markup : markupOf(div, '')

const declaresItself = ({ attributes }: XmlElement): boolean =>
  attributes.some((attribute) => isDeclaration(attribute) && attribute.name === 'xmlns')

/** JSON has no place for a prefix that is declared elsewhere, and FHIR none for a CDATA section. */
const isPlain = (node: XmlNode): boolean =>
  isElement(node) ? node.prefix === '' && node.children.every(isPlain) : node.kind !== 'cdata'

function markupOf(node: XmlNode, outer: string): string {
  if (!isElement(node)) return node.kind === 'comment' ? `<!--${node.text}-->` : contentText(node.text)
  const { name, namespace, attributes, children } = node
  const written = attributes
    .filter((attribute) => !isDeclaration(attribute))
    .map((attribute) => ` ${writtenName(attribute)}="${attributeText(attribute.value)}"`)
  const start = `<${name}${namespace === outer ? '' : ` xmlns="${attributeText(namespace)}"`}${written.join('')}`
  return children.length === 0
    ? `${start}/>`
    : `${start}>${children.map((child) => markupOf(child, namespace)).join('')}</${name}>`
}

/** The div of a stored resource, to be put into a document whose default namespace is another one. */
export function divText(div: string): string {
  if (!isNarrative(div) && !isDiv(div)) return `<div xmlns="${XHTML}">${contentText(div)}</div>`
  const start = div.indexOf('<div')
  const isDeclared = /^[^>]*\sxmlns\s*=/.test(div.slice(start))
  return isDeclared ? div.trim() : div.trim().replace('<div', `<div xmlns="${XHTML}"`)
}

/** Validated narrative always is one; this keeps anything else from breaking out of its place. */
function isDiv(div: string): boolean {
  try {
    const root = parseXml(div.trim())
    return root.name === 'div' && root.prefix === '' && (attributeOf(root, 'xmlns') ?? XHTML) === XHTML
  } catch {
    return false
  }
}
