/**
 * FHIR's XML as an object like that of its JSON, for reading (https://hl7.org/fhir/R4/xml.html). As XML tells no types, values
 * are texts, and an element is a list where it stands more than once.
 */
import { isXml } from './xml-text.ts'

const FHIR = 'http://hl7.org/fhir'

/** Elements that are read in code, and are lists also where there is one of them. */
const LISTS: ReadonlySet<string> = new Set(['entry', 'issue', 'expression'])

type Members = Readonly<Record<string, unknown>>

/** @returns undefined where the text is no resource in XML */
export function xmlTree(text: string): Members | undefined {
  if (!isXml(text)) return undefined
  const xml = new DOMParser().parseFromString(text, 'application/xml')
  const { documentElement: root } = xml
  if (root.namespaceURI !== FHIR || xml.querySelector('parsererror') !== null) return undefined
  return resourceIn(root)
}

const resourceIn = (element: Element): Members => ({ resourceType: element.localName, ...membersIn(element) })

function membersIn(element: Element): Members {
  const attributes = [...element.attributes].filter(({ name }) => name === 'id' || name === 'url')
  const children = Map.groupBy(element.children, ({ localName }) => localName)
  return Object.fromEntries([
    ...attributes.map(({ name, value }) => [name, value]),
    ...[...children].map(([name, all]) => [name, memberOf(name, all.map(valueIn))]),
  ])
}

const memberOf = (name: string, values: readonly unknown[]): unknown =>
  values.length > 1 || LISTS.has(name) ? values : values[0]

function valueIn(element: Element): unknown {
  if (element.namespaceURI !== FHIR) return element.outerHTML
  const { firstElementChild: first } = element
  if (first !== null && /^[A-Z]/.test(first.localName)) return resourceIn(first)
  const value = element.getAttribute('value')
  const members = membersIn(element)
  if (value === null) return members
  // Extensions stand beside a value.
  return Object.keys(members).length === 0 ? value : { value, ...members }
}
