/** An XML document as a tree: https://www.w3.org/TR/xml/, https://www.w3.org/TR/xml-names/. */

export const FHIR = 'http://hl7.org/fhir'
export const XHTML = 'http://www.w3.org/1999/xhtml'
const XMLNS = 'http://www.w3.org/2000/xmlns/'

export interface XmlAttribute {
  readonly prefix: string
  /** The local name. */
  readonly name: string
  readonly namespace: string
  readonly value: string
}

export interface XmlElement {
  readonly kind: 'element'
  readonly prefix: string
  /** The local name. */
  readonly name: string
  readonly namespace: string
  /** In document order, namespace declarations included. */
  attributes: readonly XmlAttribute[]
  children: readonly XmlNode[]
  parent: XmlElement | undefined
  /** The position of its `<` in the source text, in UTF-16 units. */
  readonly start: number
  /** The source text of an outermost XHTML element, until it is changed. */
  markup: string | undefined
}

/** Character references are resolved; a comment is without its delimiters. */
export type XmlText = { readonly kind: 'text' | 'cdata' | 'comment'; readonly text: string }

export type XmlNode = XmlElement | XmlText

export const isElement = (node: XmlNode): node is XmlElement => node.kind === 'element'

/** Whether the attribute is a namespace declaration, `xmlns` or `xmlns:…`. */
export const isDeclaration = ({ namespace }: XmlAttribute): boolean => namespace === XMLNS

export const isWhiteSpace = (text: string): boolean => /^[\t\n\r ]*$/.test(text)

/** The value of an attribute without namespace. */
export const attributeOf = ({ attributes }: XmlElement, name: string): string | undefined =>
  attributes.find((attribute) => attribute.name === name && attribute.namespace === '')?.value

/** The qualified name: `f:Patient`. */
export const writtenName = ({ prefix, name }: Pick<XmlElement, 'prefix' | 'name'>): string =>
  prefix === '' ? name : `${prefix}:${name}`
