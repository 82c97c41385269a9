/**
 * Converts a resource from XML to JSON: https://hl7.org/fhir/R4/xml.html. Checks element names, order, namespaces and
 * the JSON types of values; everything else is checked when the resource is validated.
 */

import { didYouMean, resourceTypeHint } from '../closest-name.ts'
import { isResourceType } from '../definitions.ts'
import { parseJsonUnpaid } from '../json.ts'
import { FhirError, type Issue } from '../outcome.ts'
import type { JsonObject } from '../resource.ts'
import { abbreviatedList, shortened } from '../validate/report.ts'
import { divOf } from './narrative.ts'
import {
  attributeOf,
  FHIR,
  isDeclaration,
  isElement,
  isWhiteSpace,
  linePositions,
  parseXml,
  writtenName,
  XHTML,
  type XmlElement,
} from './parse.ts'
import { type XmlPlan, type XmlProperty, xmlPlanOf } from './plan.ts'

export interface ReadResult {
  readonly resource: JsonObject
  /** At most 50; when there are any, the resource is incomplete. */
  readonly problems: readonly XmlProblem[]
}

/**
 * The resource of an XML document; decimals keep their digits.
 * @throws FhirError 400 with an issue for each problem, naming line, column and element, 413 when it is too large
 */
export function readXml(text: string): JsonObject {
  const { resource, problems } = resourceOf(parseXml(text), { ordered: true })
  if (problems.length === 0) return resource
  const places = linePositions(
    text,
    problems.map(({ element }) => element.start),
  )
  const issues = problems.map(
    ({ path, message, element }): Issue => ({
      code: 'structure',
      diagnostics: `${path} ${message} (${places.get(element.start)})`,
      expression: path,
    }),
  )
  throw new FhirError(400, issues)
}

/** @param ordered require elements in the order of their definition */
export function resourceOf(root: XmlElement, { ordered }: { readonly ordered: boolean }): ReadResult {
  const reader = new XmlReader(ordered)
  return { resource: reader.root(root), problems: reader.problems }
}

/** A problem of an element; `message` continues a sentence that begins with its path. */
export interface XmlProblem {
  readonly path: string
  readonly message: string
  readonly element: XmlElement
}

/** More would not help a client. */
const MAX_PROBLEMS = 50

/** Attributes of this namespace are for XML schema tools and are ignored. */
const SCHEMA_INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance'

/** A path in FHIRPath names; only formatted when there is a problem. */
interface Path {
  readonly outer: Path | undefined
  readonly name: string
  readonly index: number | undefined
}

interface Value {
  readonly value: unknown
  /** Id and extensions of a primitive, the `_birthDate` of JSON. */
  readonly sibling?: JsonObject | undefined
}

/** The values of a repeating element, and the id and extensions of each. */
interface Repeats {
  readonly values: unknown[]
  readonly siblings: unknown[]
}

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const INTEGER = /^[+-]?(?:0|[1-9]\d*)$/

class XmlReader {
  readonly problems: XmlProblem[] = []
  readonly #ordered: boolean

  constructor(ordered: boolean) {
    this.#ordered = ordered
  }

  root(element: XmlElement): JsonObject {
    return this.#resource(element, { outer: undefined, name: element.name, index: undefined })
  }

  #resource(element: XmlElement, path: Path): JsonObject {
    const { name } = element
    if (element.namespace !== FHIR) this.#wrongNamespace(element, path, FHIR)
    else if (!isResourceType(name)) this.#report(element, path, `is no resource type of R4; ${resourceTypeHint(name)}`)
    else {
      const resource = { resourceType: name }
      this.#attributes(element, path, [])
      this.#children(xmlPlanOf(name), element, path, resource)
      return resource
    }
    return {}
  }

  /** Converts the children into properties of `target`. */
  #children(plan: XmlPlan, element: XmlElement, path: Path, target: JsonObject): void {
    const repeats = new Map<XmlProperty, Repeats>()
    let last: XmlProperty | undefined
    for (const child of this.#elementsOf(element, path)) {
      const property = plan.properties.get(child.name)
      if (property === undefined) {
        this.#report(child, { outer: path, name: child.name, index: undefined }, unknownElement(plan, child.name))
        continue
      }
      const { key, name } = property
      const repeated = property.repeats ? (repeats.get(property) ?? begin(repeats, property, target)) : undefined
      const at: Path = { outer: path, name, index: repeated?.values.length }
      if (this.#isMisplaced(property, child, at, last)) continue
      last = property
      if (repeated !== undefined) this.#addTo(repeated, property, child, at)
      else if (key in target || property.sibling in target)
        this.#report(child, at, 'is given twice; it may be given once')
      else this.#set(target, property, child, at)
    }
    for (const [property, list] of repeats) finish(list, property, target)
  }

  /** Reports a wrong namespace or order. True for a wrong namespace: the child is then ignored. */
  #isMisplaced(property: XmlProperty, child: XmlElement, at: Path, last: XmlProperty | undefined): boolean {
    const namespace = property.content === 'xhtml' ? XHTML : FHIR
    if (child.namespace !== namespace) {
      this.#wrongNamespace(child, at, namespace)
      return true
    }
    if (this.#ordered && last !== undefined && property.position < last.position)
      this.#report(
        child,
        at,
        `comes after ${last.key}, but must come before it: in XML, elements are in the order of the definition`,
      )
    return false
  }

  #addTo({ values, siblings }: Repeats, property: XmlProperty, child: XmlElement, at: Path): void {
    const { value, sibling } = this.#valueOf(property, child, at)
    values.push(value ?? null)
    siblings.push(sibling ?? null)
  }

  #set(target: JsonObject, property: XmlProperty, child: XmlElement, at: Path): void {
    const { value, sibling } = this.#valueOf(property, child, at)
    if (value !== undefined) target[property.key] = value
    if (sibling !== undefined) target[property.sibling] = sibling
  }

  #valueOf(property: XmlProperty, child: XmlElement, at: Path): Value {
    switch (property.content) {
      case 'complex':
        return { value: this.#complex(xmlPlanOf(property.type), child, at) }
      case 'resource':
        return { value: this.#nested(child, at) }
      case 'xhtml':
        return { value: divOf(child) }
      default:
        return this.#primitive(property, child, at)
    }
  }

  #complex(plan: XmlPlan, element: XmlElement, path: Path): JsonObject {
    const value: JsonObject = {}
    this.#attributes(element, path, plan.attributes)
    for (const name of plan.attributes) {
      const given = attributeOf(element, name)
      if (given !== undefined) value[name] = given
    }
    this.#children(plan, element, path, value)
    return value
  }

  /** The resource within `contained`, `resource` or `outcome`. */
  #nested(element: XmlElement, path: Path): JsonObject {
    this.#attributes(element, path, [])
    const [resource, second] = this.#elementsOf(element, path)
    if (resource !== undefined && second === undefined) return this.#resource(resource, path)
    this.#report(second ?? element, path, 'must hold one resource, e.g. <Patient>…</Patient>')
    return {}
  }

  #primitive(property: XmlProperty, element: XmlElement, path: Path): Value {
    const plan = xmlPlanOf('Element')
    this.#attributes(element, path, [...plan.attributes, 'value'])
    const sibling: JsonObject = {}
    const id = attributeOf(element, 'id')
    if (id !== undefined) sibling['id'] = id
    this.#children(plan, element, path, sibling)
    const text = attributeOf(element, 'value')
    if (text === undefined && Object.keys(sibling).length === 0)
      this.#report(element, path, `is empty; give it a value: <${property.key} value="…"/>`)
    return {
      value: text === undefined ? undefined : this.#scalar(property, text, element, path),
      sibling: Object.keys(sibling).length === 0 ? undefined : sibling,
    }
  }

  #scalar({ type, content }: XmlProperty, text: string, element: XmlElement, path: Path): unknown {
    if (content === 'string') return text
    if (content === 'boolean') {
      if (text === 'true' || text === 'false') return text === 'true'
      this.#report(element, path, `must be true or false: value="true"`)
    } else {
      // JSON numbers have no plus sign.
      if ((type === 'decimal' ? DECIMAL : INTEGER).test(text)) return parseJsonUnpaid(text.replace(/^\+/, ''))
      this.#report(
        element,
        path,
        `must be ${type === 'decimal' ? 'a number: value="7.25"' : 'a whole number: value="7"'}`,
      )
    }
    return undefined
  }

  #attributes(element: XmlElement, path: Path, allowed: readonly string[]): void {
    for (const attribute of element.attributes) {
      const { name, namespace, value } = attribute
      if (isDeclaration(attribute) || namespace === SCHEMA_INSTANCE) continue
      if (namespace !== '' || !allowed.includes(name)) {
        const hint = allowed.length === 0 ? 'this element has none' : `this element has ${allowed.join(', ')}`
        this.#report(element, path, `has the attribute ${shortened(writtenName(attribute))}; ${hint}`)
      } else if (value === '') this.#report(element, path, `has an empty ${name}=""; leave the attribute out instead`)
    }
  }

  #elementsOf(element: XmlElement, path: Path): readonly XmlElement[] {
    const { children } = element
    if (children.some((node) => (node.kind === 'text' || node.kind === 'cdata') && !isWhiteSpace(node.text)))
      this.#report(element, path, 'contains text; put the value in the attribute: value="…"')
    return children.filter(isElement)
  }

  #wrongNamespace(element: XmlElement, path: Path, expected: string): void {
    const { namespace, name } = element
    const found = namespace === '' ? 'is in no namespace' : `is in the namespace '${shortened(namespace)}'`
    this.#report(element, path, `${found}; it must be in '${expected}': <${shortened(name)} xmlns="${expected}">`)
  }

  #report(element: XmlElement, path: Path, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ path: pathText(path), message, element })
  }
}

function begin(repeats: Map<XmlProperty, Repeats>, property: XmlProperty, target: JsonObject): Repeats {
  const list: Repeats = { values: [], siblings: [] }
  repeats.set(property, list)
  target[property.key] = list.values
  return list
}

/** JSON has two parallel arrays, filled up with null: https://hl7.org/fhir/R4/json.html#primitive. */
function finish({ values, siblings }: Repeats, { key, sibling }: XmlProperty, target: JsonObject): void {
  if (siblings.every((item) => item === null)) return
  target[sibling] = siblings
  if (values.every((value) => value === null)) delete target[key]
}

function pathText({ outer, name, index }: Path): string {
  const step = index === undefined ? shortened(name) : `${shortened(name)}[${index}]`
  return outer === undefined ? step : `${pathText(outer)}.${step}`
}

function unknownElement({ type, properties, attributes }: XmlPlan, name: string): string {
  const known = [...properties.keys()]
  if (attributes.includes(name)) return `is an attribute of ${type}, not an element: ${name}="…"`
  const choice = [...properties.values()].filter((property) => property.name === name).map(({ key }) => key)
  if (choice.length > 0) return `is written with its type: ${abbreviatedList(choice)}`
  const hint = didYouMean(name, known, `its elements are ${abbreviatedList(known, 40)}`)
  return `is not an element of ${type}; ${hint}`
}
