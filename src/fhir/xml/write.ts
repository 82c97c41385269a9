/** Converts a resource from JSON to XML: https://hl7.org/fhir/R4/xml.html. */
import { isResourceType } from '../definitions.ts'
import { isNumber } from '../json.ts'
import { isObject, listOf } from '../resource.ts'
import { attributeText, divText } from './narrative.ts'
import { FHIR } from './parse.ts'
import { type XmlPlan, type XmlProperty, xmlPlanOf } from './plan.ts'

type Elements = Readonly<Record<string, unknown>>

/**
 * The resource as an XML document; decimals keep their digits when they were read by `parseJson`.
 * @param pretty write each element on its own line
 * @throws Error when it is not an R4 resource
 */
export function writeXml(resource: Elements, pretty = false): string {
  const writer = new Writer(pretty)
  writer.resource(resource, ` xmlns="${FHIR}"`)
  return `<?xml version="1.0" encoding="UTF-8"?>${pretty ? '\n' : ''}${writer.text}`
}

class Writer {
  text = ''
  readonly #pretty: boolean
  #indent = ''

  constructor(pretty: boolean) {
    this.#pretty = pretty
  }

  resource(resource: Elements, declaration = ''): void {
    const type = resource['resourceType']
    if (!isResourceType(type)) throw new Error('Only R4 resources can be written as XML')
    this.#element(type, declaration, () => this.#properties(xmlPlanOf(type), resource))
  }

  #properties({ properties }: XmlPlan, value: Elements): void {
    for (const property of inOrder(properties, value)) {
      const item = value[property.key]
      const sibling = value[property.sibling]
      if (!property.repeats) this.#one(property, item, sibling)
      else this.#many(property, listOf(item), listOf(sibling))
    }
  }

  #many(property: XmlProperty, items: readonly unknown[], siblings: readonly unknown[]): void {
    for (let index = 0; index < Math.max(items.length, siblings.length); index++)
      this.#one(property, items[index], siblings[index])
  }

  #one({ key, type, content }: XmlProperty, item: unknown, sibling: unknown): void {
    if (content === 'complex') {
      if (isObject(item)) this.#complex(key, xmlPlanOf(type), item)
    } else if (content === 'resource') {
      if (isObject(item)) this.#element(key, '', () => this.resource(item))
    } else if (content === 'xhtml') {
      this.#line(divText(String(item)))
    } else this.#primitive(key, item, sibling)
  }

  #complex(key: string, plan: XmlPlan, value: Elements): void {
    const attributes = plan.attributes.map((name) => attribute(name, value[name])).join('')
    this.#element(key, attributes, () => this.#properties(plan, value))
  }

  #primitive(key: string, value: unknown, sibling: unknown): void {
    const written = isScalar(value) ? attribute('value', value) : ''
    if (isObject(sibling)) {
      const attributes = `${attribute('id', sibling['id'])}${written}`
      this.#element(key, attributes, () => this.#properties(xmlPlanOf('Element'), sibling))
    } else if (written !== '') this.#line(`<${key}${written}/>`)
  }

  #element(name: string, attributes: string, content: () => void): void {
    this.#line(`<${name}${attributes}>`)
    const outer = this.#indent
    const start = this.text.length
    if (this.#pretty) this.#indent += '  '
    content()
    this.#indent = outer
    if (this.text.length > start) this.#line(`</${name}>`)
    // Without content the start tag becomes an empty-element tag.
    else this.text = `${this.text.slice(0, this.#pretty ? -2 : -1)}/>${this.#pretty ? '\n' : ''}`
  }

  #line(text: string): void {
    this.text += this.#pretty ? `${this.#indent}${text}\n` : text
  }
}

/** The properties present, in the order of the definition. Most objects are small and in order already. */
function inOrder(properties: XmlPlan['properties'], value: Elements): Iterable<XmlProperty> {
  const found = new Set<XmlProperty>()
  let isOrdered = true
  let last = -1
  for (const key in value) {
    const property = properties.get(key.startsWith('_') ? key.slice(1) : key)
    if (property === undefined) continue
    isOrdered &&= property.position >= last
    last = property.position
    found.add(property)
  }
  return isOrdered ? found : [...found].sort((left, right) => left.position - right.position)
}

const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'boolean' || isNumber(value)

const attribute = (name: string, value: unknown): string =>
  isScalar(value) ? ` ${name}="${attributeText(scalarText(value))}"` : ''

/** A FhirDecimal is written as its source text. */
const scalarText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
