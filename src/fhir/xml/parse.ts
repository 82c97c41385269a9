/**
 * An XML document as a tree (https://www.w3.org/TR/xml/, https://www.w3.org/TR/xml-names/), and its strict parser. DOCTYPE and
 * custom entities are rejected without being read, so nothing can be expanded or fetched. Processing instructions, which
 * are for other programs, are skipped. https://hl7.org/fhir/R4/xml.html
 */

import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import { spend } from '../../isolation/budget.ts'
import { badRequest, FhirError } from '../outcome.ts'
import { shortened } from '../validate/report.ts'

/** Nesting of elements, narrative included. */
const MAX_DEPTH = 256

/** Elements and comments: they take far more memory than their text; even large bodies have fewer. */
const MAX_NODES = 500_000

/** Characters that are parsed in a microsecond, and what a node of the tree costs besides. */
const CHARACTERS_PER_STEP = 6
const STEPS_PER_NODE = 1.5

/** Per element, namespace declarations included. */
const MAX_ATTRIBUTES = 64

const NO_ATTRIBUTES: readonly [] = []

/**
 * Parses a document to its root element.
 * @param what the subject of the error messages
 * @throws FhirError 400 with line and column of the first error, 413 when there are too many elements
 * @throws BudgetError
 */
export function parseXml(text: string, what = 'The body'): XmlElement {
  const nodes = countNodes(text)
  if (nodes > MAX_NODES) throw tooManyNodes(what, nodes)
  // A lone surrogate at the end of a text makes the parser throw a RangeError.
  if (!text.isWellFormed()) throw loneSurrogate(text, what)
  spend(text.length / CHARACTERS_PER_STEP + nodes * STEPS_PER_NODE, 'reading its XML')
  return new TreeParser(text, what).run()
}

/** Counted before parsing: all that begins with `<`, except for end tags. */
function countNodes(text: string): number {
  let nodes = 0
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) if (text[at + 1] !== '/') nodes++
  return nodes
}

const tooManyNodes = (what: string, nodes: number): FhirError =>
  new FhirError(413, {
    code: 'too-costly',
    diagnostics: `${what} has ${nodes} elements and comments; the most this server takes is ${MAX_NODES}; send it in parts`,
  })

/** The characters of XML 1.0: https://www.w3.org/TR/xml/#charsets. */
const loneSurrogate = (text: string, what: string): FhirError =>
  badRequest(
    `${what} is not well-formed XML: half of a surrogate pair is not a character (${placeOf(text, text.search(/\p{Surrogate}/u))})`,
  )

/** `line 3, column 7` for each offset, both counted from 1; reads the text only once. */
export function linePositions(text: string, offsets: readonly number[]): ReadonlyMap<number, string> {
  const places = new Map<number, string>()
  let line = 1
  let start = 0
  for (const offset of offsets.toSorted((left, right) => left - right)) {
    for (let end = text.indexOf('\n', start); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
      line++
      start = end + 1
    }
    places.set(offset, `line ${line}, column ${offset - start + 1}`)
  }
  return places
}

const placeOf = (text: string, offset: number): string => linePositions(text, [offset]).get(offset) ?? ''

class TreeParser {
  readonly #text: string
  readonly #what: string
  readonly #saxes = new SaxesParser({ xmlns: true })
  /** The open elements with their children so far, outermost first. */
  readonly #open: { readonly element: XmlElement; readonly children: XmlNode[] }[] = []
  /** Outermost XHTML elements whose source is not what is kept of them. */
  readonly #rewritten = new Set<XmlElement>()
  #root: XmlElement | undefined
  /** Number of attributes of the current element. */
  #attributes = 0
  #start = 0

  constructor(text: string, what: string) {
    this.#text = text
    this.#what = what
  }

  run(): XmlElement {
    const saxes = this.#saxes
    saxes.on('error', ({ message }) =>
      this.#fail(`is not well-formed XML: ${problemOf(message)}${this.#bareAmpersand()}`),
    )
    saxes.on('xmldecl', ({ version, encoding }) => this.#checkDeclaration(version, encoding))
    saxes.on('doctype', () => this.#fail('has a DOCTYPE; FHIR XML has none, leave it out'))
    saxes.on('processinginstruction', () => this.#skipInstruction())
    saxes.on('opentagstart', () => this.#begin())
    saxes.on('attribute', () => this.#countAttribute())
    saxes.on('opentag', (tag) => this.#openElement(tag))
    saxes.on('closetag', () => this.#closeElement())
    saxes.on('text', (content) => this.#add({ kind: 'text', text: content }))
    saxes.on('cdata', (content) => this.#add({ kind: 'cdata', text: content }))
    saxes.on('comment', (content) => this.#add({ kind: 'comment', text: content }))
    saxes.write(this.#text).close()
    return this.#root ?? this.#fail('has no root element')
  }

  #checkDeclaration(version: string | undefined, encoding: string | undefined): void {
    if (version !== undefined && version !== '1.0') this.#fail(`is XML ${shortened(version)}; FHIR XML is XML 1.0`)
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
      this.#fail(`says that its encoding is ${shortened(encoding)}; FHIR XML is sent in UTF-8`)
  }

  /** Called when the parser has read the name of a tag. */
  #begin(): void {
    this.#attributes = 0
    this.#start = this.#text.lastIndexOf('<', this.#saxes.position - 2)
    if (this.#open.length >= MAX_DEPTH)
      this.#fail(`is nested deeper than ${MAX_DEPTH} elements, the maximum of this server`)
  }

  #countAttribute(): void {
    if (++this.#attributes > MAX_ATTRIBUTES) this.#fail(`has an element with more than ${MAX_ATTRIBUTES} attributes`)
  }

  /** Narrative with one in it is written anew, without it. */
  #skipInstruction(): void {
    const narrative = this.#open.find(({ element }) => element.namespace === XHTML)
    if (narrative !== undefined) this.#rewritten.add(narrative.element)
  }

  #openElement({ prefix, local, uri, attributes }: SaxesTagNS): void {
    const given = Object.values(attributes)
    const element: XmlElement = {
      kind: 'element',
      prefix,
      name: local,
      namespace: uri,
      attributes: given.length === 0 ? NO_ATTRIBUTES : given.map(attributeFrom),
      children: [],
      parent: this.#open.at(-1)?.element,
      start: this.#start,
      markup: undefined,
    }
    this.#add(element)
    this.#root ??= element
    this.#open.push({ element, children: [] })
  }

  #closeElement(): void {
    const closed = this.#open.pop()
    if (closed === undefined) return
    const { element, children } = closed
    element.children = children
    if (element.namespace === XHTML && element.parent?.namespace !== XHTML && !this.#rewritten.has(element))
      element.markup = this.#text.slice(element.start, this.#saxes.position)
  }

  #add(node: XmlNode): void {
    this.#open.at(-1)?.children.push(node)
  }

  #fail(problem: string): never {
    throw badRequest(`${this.#what} ${problem} (${placeOf(this.#text, Math.max(0, this.#saxes.position - 1))})`)
  }

  /** A hint about a bare &: the parser reports it where it expected the end of an entity, maybe the end of the text. */
  #bareAmpersand(): string {
    const at = this.#text.search(/&(?![\w.:#-]+;)/)
    return at === -1 ? '' : `; a bare & is written &amp; (there is one in ${placeOf(this.#text, at)})`
  }
}

const attributeFrom = ({ prefix, local, uri, value }: SaxesAttributeNS) => ({
  prefix,
  name: local,
  namespace: uri,
  value,
})

/** The parser's message without its own position. */
function problemOf(message: string): string {
  const problem = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')
  if (problem.includes('entity'))
    return `${shortened(problem)}; write &lt; &gt; &amp; &quot; &apos; or a number such as &#160;`
  return problem.slice(0, 200)
}

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
