/**
 * Text in XML: its escaping, https://www.w3.org/TR/xml/#charsets, and Narrative.div, the only XHTML element in FHIR:
 * https://hl7.org/fhir/R4/narrative.html#xhtml.
 */
import { rethrowBudgetError } from '../../isolation/budget.ts'
import { isAllowedMarkup } from '../fhirpath/narrative.ts'
import {
  attributeOf,
  isDeclaration,
  isElement,
  parseXml,
  writtenName,
  XHTML,
  type XmlElement,
  type XmlNode,
} from './parse.ts'

/** The div as a JSON string: the source text when there is one and it is self-contained, else written from the tree. */
export const divOf = (div: XmlElement): string =>
  div.markup !== undefined && declaresItself(div) && isPlain(div) ? div.markup : markupOf(div, '')

const declaresItself = ({ attributes }: XmlElement): boolean =>
  attributes.some((attribute) => isDeclaration(attribute) && attribute.name === 'xmlns')

/** Without prefixes, which may be declared outside of the div, and CDATA sections, which FHIR does not allow. */
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

/** The div of a stored resource as XML, with its own namespace declaration. */
export function divText(div: string): string {
  if (!isAllowedMarkup(div) && !isDiv(div)) return `<div xmlns="${XHTML}">${contentText(div)}</div>`
  const start = div.indexOf('<div')
  const isDeclared = /^[^>]*\sxmlns\s*=/.test(div.slice(start))
  return isDeclared ? div.trim() : div.trim().replace('<div', `<div xmlns="${XHTML}"`)
}

/** Always true for validated narrative; anything else must not break the document it is put into. */
function isDiv(div: string): boolean {
  try {
    const root = parseXml(div.trim())
    return root.name === 'div' && root.prefix === '' && (attributeOf(root, 'xmlns') ?? XHTML) === XHTML
  } catch (error) {
    rethrowBudgetError(error)
    return false
  }
}

/** Not a character of XML 1.0; of these FHIR strings allow only U+FFFE and U+FFFF. */
const IMPOSSIBLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
/** Any character that may need escaping. */
const TO_ESCAPE = /[^\u{20}!#-%'-;=-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Escapes an attribute value in double quotes. Line breaks and tabs would be read as spaces. */
export const attributeText = (value: string): string => (TO_ESCAPE.test(value) ? escaped(value, /[&<"\t\n\r]/g) : value)

/** Escapes text between tags. */
export const contentText = (value: string): string => escaped(value, /[&<>\r]/g)

/** The text with U+FFFD in place of what neither XML nor a string of FHIR can hold: control characters, halves of pairs. */
export const possibleText = (value: string): string => value.replace(IMPOSSIBLE, '\u{fffd}')

const escaped = (value: string, special: RegExp): string =>
  possibleText(value).replace(special, (character) => ESCAPES[character] ?? character)
