/**
 * Selectors of XML Patch, a subset of XPath: a path of names with predicates that ends at an element, an attribute, a
 * text or a comment. https://www.rfc-editor.org/rfc/rfc5261#section-4.1
 */
import { Meter } from '../../isolation/budget.ts'
import { badRequest, FhirError } from '../outcome.ts'
import { FHIR, isElement, type XmlAttribute, type XmlElement, type XmlNode, type XmlText } from './parse.ts'

/** A node that a selector finds; attributes and texts belong to the element `of`. */
export type Selected =
  | { readonly kind: 'element'; readonly of: XmlElement }
  | { readonly kind: 'attribute'; readonly of: XmlElement; readonly attribute: XmlAttribute }
  | { readonly kind: 'text'; readonly of: XmlElement; readonly node: XmlText }

export interface Selector {
  readonly steps: readonly Step[]
  readonly end: End
}

interface Step {
  readonly name: NameTest
  readonly predicates: readonly Predicate[]
}

/** Undefined is `*`. */
type NameTest = { readonly namespace: string; readonly name: string } | undefined

type End =
  | { readonly kind: 'element' }
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'text' | 'comment'; readonly predicates: readonly Predicate[] }

type Predicate =
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'last' }
  | { readonly kind: 'path'; readonly path: Selector; readonly equals: string | undefined }

/** The namespace of a prefix, '' for names without one; undefined when it is not declared. */
export type Namespaces = (prefix: string) => string | undefined

const MAX_SELECTOR_LENGTH = 2000

/** @throws FhirError 400 naming the character of the syntax error */
export function parseSelector(text: string, namespaces: Namespaces): Selector {
  if (text.length > MAX_SELECTOR_LENGTH)
    throw badRequest(`A selector has at most ${MAX_SELECTOR_LENGTH} characters; this one has ${text.length}`)
  return new SelectorParser(text, namespaces).run()
}

const NAME = /(?:([A-Za-z_][\w.-]*):)?(\*|[A-Za-z_][\w.-]*)(?![\w.:(-])/y
const EXAMPLES = `f:Patient/f:name[1]/f:family/@value, f:Patient/f:identifier[f:system/@value='urn:x']`

class SelectorParser {
  readonly #text: string
  readonly #namespaces: Namespaces
  #at = 0

  constructor(text: string, namespaces: Namespaces) {
    this.#text = text
    this.#namespaces = namespaces
  }

  run(): Selector {
    this.#skip('/')
    const selector = this.#path()
    if (this.#at < this.#text.length) throw this.#wrong()
    return selector
  }

  #path(): Selector {
    const steps: Step[] = []
    do {
      const end = this.#end()
      if (end !== undefined) return { steps, end }
      steps.push({ name: this.#name(), predicates: this.#predicates() })
    } while (this.#skip('/'))
    return { steps, end: { kind: 'element' } }
  }

  #end(): End | undefined {
    if (this.#skip('@')) {
      const [, prefix, name = ''] = this.#match(NAME) ?? []
      if (prefix !== undefined || name === '' || name === '*')
        throw this.#wrong('an attribute of FHIR: @value, @id or @url')
      return { kind: 'attribute', name }
    }
    for (const kind of ['text', 'comment'] as const) {
      if (this.#skip(`${kind}()`)) return { kind, predicates: this.#predicates() }
    }
    return undefined
  }

  #name(): NameTest {
    const [, prefix = '', name] = this.#match(NAME) ?? []
    if (name === undefined) throw this.#wrong()
    if (name === '*' && prefix === '') return undefined
    const namespace = this.#namespaces(prefix)
    if (namespace === undefined) throw this.#wrong(`a prefix that the patch declares, as in xmlns:${prefix}="${FHIR}"`)
    return { namespace, name }
  }

  #predicates(): readonly Predicate[] {
    const predicates: Predicate[] = []
    while (this.#skip('[')) {
      predicates.push(this.#predicate())
      if (!this.#skip(']')) throw this.#wrong("']'")
    }
    return predicates
  }

  #predicate(): Predicate {
    const [, position] = this.#match(/\s*(\d{1,9})\s*(?=\])/y) ?? []
    if (position !== undefined) return { kind: 'position', position: Number(position) }
    if (this.#match(/\s*last\(\)\s*(?=\])/y)) return { kind: 'last' }
    this.#match(/\s*/y)
    const path = this.#skip('.') ? { steps: [], end: { kind: 'element' as const } } : this.#path()
    const [, double, single] = this.#match(/\s*=\s*(?:"([^"]*)"|'([^']*)')\s*/y) ?? []
    return { kind: 'path', path, equals: double ?? single }
  }

  #skip(text: string): boolean {
    const found = this.#text.startsWith(text, this.#at)
    if (found) this.#at += text.length
    return found
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text) ?? undefined
    if (match !== undefined) this.#at = pattern.lastIndex
    return match
  }

  #wrong(expected = `a path such as ${EXAMPLES}`) {
    return badRequest(
      `the selector '${this.#text}' cannot be read from character ${this.#at + 1} on; it takes ${expected}`,
    )
  }
}

/** How many nodes all selectors of one patch may visit; only a hostile patch needs more. */
const MAX_VISITED_NODES = 2_000_000
/** Nodes that are visited in a microsecond. */
const VISITED_PER_STEP = 5

/** Evaluates the selectors of one patch, within a common limit of work. */
export class Finder {
  #left = MAX_VISITED_NODES
  readonly #meter = new Meter('the selectors of its patch')

  /** All nodes that the selector finds, starting from the parent of `root`. @throws FhirError 413 beyond the limit, BudgetError */
  find({ steps: [first, ...others], end }: Selector, root: XmlElement): readonly Selected[] {
    if (first === undefined) return []
    const elements = others.reduce(
      (found, step) => found.flatMap((element) => this.#matches(step, element.children)),
      this.#matches(first, [root]),
    )
    return elements.flatMap((element) => this.#ends(end, element))
  }

  #matches({ name, predicates }: Step, nodes: readonly XmlNode[]): readonly XmlElement[] {
    this.#spend(nodes.length)
    return this.#filtered(
      nodes.filter(isElement).filter((element) => hasName(element, name)),
      predicates,
    )
  }

  /** Positions refer to the nodes left by the preceding predicates. */
  #filtered<Node extends XmlNode>(nodes: readonly Node[], predicates: readonly Predicate[]): readonly Node[] {
    return predicates.reduce(
      (left, predicate) => left.filter((node, index) => this.#holds(predicate, node, index, left.length)),
      nodes,
    )
  }

  #holds(predicate: Predicate, node: XmlNode, index: number, count: number): boolean {
    switch (predicate.kind) {
      case 'position':
        return index + 1 === predicate.position
      case 'last':
        return index + 1 === count
      case 'path':
        return this.#pathHolds(predicate, node)
    }
  }

  #pathHolds({ path: { steps, end }, equals }: Extract<Predicate, { kind: 'path' }>, node: XmlNode): boolean {
    const start: readonly XmlNode[] = [node]
    const nodes = steps.reduce((found, step) => found.flatMap((one) => this.#matches(step, childrenOf(one))), start)
    if (end.kind === 'element') return nodes.some((one) => equals === undefined || this.#textIn(one) === equals)
    return nodes
      .filter(isElement)
      .flatMap((element) => this.#ends(end, element))
      .some((found) => equals === undefined || this.#textFound(found) === equals)
  }

  #ends(end: End, of: XmlElement): readonly Selected[] {
    if (end.kind === 'element') return [{ kind: 'element', of }]
    if (end.kind === 'attribute') {
      return of.attributes
        .filter(({ name, namespace }) => name === end.name && namespace === '')
        .map((attribute) => ({ kind: 'attribute', of, attribute }))
    }
    this.#spend(of.children.length)
    const texts = of.children.filter((node): node is XmlText => isOfKind(node, end.kind))
    return this.#filtered(texts, end.predicates).map((node) => ({ kind: 'text', of, node }))
  }

  #textFound(found: Selected): string {
    if (found.kind === 'attribute') return found.attribute.value
    return this.#textIn(found.kind === 'text' ? found.node : found.of)
  }

  #textIn(node: XmlNode): string {
    this.#spend(1)
    if (!isElement(node)) return node.text
    return node.children.map((child) => (child.kind === 'comment' ? '' : this.#textIn(child))).join('')
  }

  #spend(nodes: number): void {
    this.#left -= nodes
    this.#meter.pay(nodes / VISITED_PER_STEP)
    if (this.#left >= 0) return
    throw new FhirError(413, {
      code: 'too-costly',
      diagnostics: `The selectors of the patch visit more than ${MAX_VISITED_NODES} nodes; send it in parts`,
    })
  }
}

const hasName = (element: XmlElement, test: NameTest): boolean =>
  test === undefined || (element.namespace === test.namespace && (test.name === '*' || element.name === test.name))

const childrenOf = (node: XmlNode): readonly XmlNode[] => (isElement(node) ? node.children : [])

const isOfKind = ({ kind }: XmlNode, end: 'text' | 'comment'): boolean =>
  end === 'comment' ? kind === 'comment' : kind === 'text' || kind === 'cdata'
