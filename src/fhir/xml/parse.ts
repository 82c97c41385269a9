/**
 * Text to tree, strictly: a document type, an entity of its own or a processing instruction is refused and never looked
 * into, so that nothing can be expanded or fetched. https://hl7.org/fhir/R4/xml.html, https://www.w3.org/TR/xml/
 */
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import { badRequest, FhirError } from '../outcome.ts'
import { XHTML, type XmlElement, type XmlNode } from './tree.ts'

/** Elements within elements, narrative included. */
const DEEPEST = 256

/** Each takes far more memory than its text; a body full of values has many fewer. */
const MOST_ELEMENTS = 1_000_000

/** Of one element, declarations of namespaces included. */
const MOST_ATTRIBUTES = 64

const NO_ATTRIBUTES: readonly [] = []

/**
 * The root element.
 * @param what begins the messages
 * @throws FhirError 400 saying in which line and column the text stops being XML that FHIR allows, 413 when it is too much
 */
export function parseXml(text: string, what = 'The body'): XmlElement {
  return new TreeParser(text, what).run()
}

/** `line 3, column 7` for each offset; both count from 1. The text is gone through once, however many there are. */
export function placesOf(text: string, offsets: readonly number[]): ReadonlyMap<number, string> {
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

const placeOf = (text: string, offset: number): string => placesOf(text, [offset]).get(offset) ?? ''

class TreeParser {
  readonly #text: string
  readonly #what: string
  readonly #saxes = new SaxesParser({ xmlns: true })
  /** The elements that are open, outermost first, with the lists their children are put into. */
  readonly #open: { readonly element: XmlElement; readonly children: XmlNode[] }[] = []
  #root: XmlElement | undefined
  #elements = 0
  /** Of the element that is being read. */
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
    saxes.on('processinginstruction', ({ target }) =>
      this.#fail(`has the processing instruction <?${cut(target)} …?>; leave it out`),
    )
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
    if (version !== undefined && version !== '1.0') this.#fail(`is XML ${cut(version)}; FHIR XML is XML 1.0`)
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
      this.#fail(`says that its encoding is ${cut(encoding)}; FHIR XML is sent in UTF-8`)
  }

  /** The parser has just read the name of a tag. */
  #begin(): void {
    this.#attributes = 0
    this.#start = this.#text.lastIndexOf('<', this.#saxes.position - 2)
    if (this.#open.length >= DEEPEST)
      this.#fail(`is nested deeper than ${DEEPEST} elements, the most this server takes`)
    if (++this.#elements > MOST_ELEMENTS) throw this.#tooMany()
  }

  #countAttribute(): void {
    if (++this.#attributes > MOST_ATTRIBUTES) this.#fail(`has an element with more than ${MOST_ATTRIBUTES} attributes`)
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
    if (element.namespace === XHTML && element.parent?.namespace !== XHTML)
      element.markup = this.#text.slice(element.start, this.#saxes.position)
  }

  #add(node: XmlNode): void {
    this.#open.at(-1)?.children.push(node)
  }

  #fail(says: string): never {
    throw badRequest(`${this.#what} ${says} (${placeOf(this.#text, Math.max(0, this.#saxes.position - 1))})`)
  }

  /** The parser looks for the end of an entity that is none, and may find the end of the text. */
  #bareAmpersand(): string {
    const at = this.#text.search(/&(?![\w.:#-]+;)/)
    return at === -1 ? '' : `; a bare & is written &amp; (there is one in ${placeOf(this.#text, at)})`
  }

  #tooMany(): FhirError {
    return new FhirError(413, {
      code: 'too-costly',
      diagnostics: `${this.#what} has more than ${MOST_ELEMENTS} elements; send it in parts`,
    })
  }
}

const attributeFrom = ({ prefix, local, uri, value }: SaxesAttributeNS) => ({
  prefix,
  name: local,
  namespace: uri,
  value,
})

const LONGEST = 64
const cut = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`)

/** The parser's own place is dropped: one form of it is enough. */
function problemOf(message: string): string {
  const said = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')
  if (said.includes('entity')) return `${cut(said)}; write &lt; &gt; &amp; &quot; &apos; or a number such as &#160;`
  return said.slice(0, 200)
}
