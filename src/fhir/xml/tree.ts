/** An XML document as a tree: https://www.w3.org/TR/xml/, https://www.w3.org/TR/xml-names/. */

export const FHIR = 'http://hl7.org/fhir'
export const XHTML = 'http://www.w3.org/1999/xhtml'
const XMLNS = 'http://www.w3.org/2000/xmlns/'

export interface XmlAttribute {
  readonly prefix: string
  /** Without its prefix. */
  readonly name: string
  readonly namespace: string
  readonly value: string
}

export interface XmlElement {
  readonly kind: 'element'
  readonly prefix: string
  /** Without its prefix. */
  readonly name: string
  readonly namespace: string
  /** As written, declarations of namespaces included. */
  attributes: readonly XmlAttribute[]
  children: readonly XmlNode[]
  parent: XmlElement | undefined
  /** Where `<` stands in the text that was parsed, counted in UTF-16 units. */
  readonly start: number
  /** Of the outermost XHTML element: its text as it came, until it is changed. */
  markup: string | undefined
}

/** Text has no character references any more, a comment stands without its marks. */
export type XmlText = { readonly kind: 'text' | 'cdata' | 'comment'; readonly text: string }

export type XmlNode = XmlElement | XmlText

export const isElement = (node: XmlNode): node is XmlElement => node.kind === 'element'

/** `xmlns` and `xmlns:…`, which give names their meaning and say nothing by themselves. */
export const isDeclaration = ({ namespace }: XmlAttribute): boolean => namespace === XMLNS

export const isBlank = (text: string): boolean => /^[\t\n\r ]*$/.test(text)

/** The value of an attribute that has no namespace. */
export const attributeOf = ({ attributes }: XmlElement, name: string): string | undefined =>
  attributes.find((attribute) => attribute.name === name && attribute.namespace === '')?.value

/** As it is written: `f:Patient`. */
export const writtenName = ({ prefix, name }: Pick<XmlElement, 'prefix' | 'name'>): string =>
  prefix === '' ? name : `${prefix}:${name}`
