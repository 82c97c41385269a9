/**
 * References in a Bundle that resolve to nothing: https://hl7.org/fhir/R4/bundle.html#references,
 * https://hl7.org/fhir/R4/documents.html#content, https://hl7.org/fhir/R4/messaging.html#message.
 */
import { localReference, restfulUrl } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import { shortened } from '../../fhir/validate/report.ts'
import type { Finding, Findings } from '../findings.ts'
import { coreType, type TypedElement } from '../typed-element.ts'
import { absoluteUrl, entriesIn, entryAt, hasInteractions } from './bundle-index.ts'

/**
 * "Resources referenced by the Composition as listed below SHALL be included in the bundle when the document is
 * assembled", by the type that has the element.
 */
const OF_DOCUMENT = {
  Composition: ['subject', 'encounter', 'author', 'custodian'],
  'Composition.attester': ['party'],
  'Composition.event': ['detail'],
  'Composition.section': ['author', 'focus', 'entry'],
}
/** "The transaction data is always included in the bundle that is the full message." */
const OF_MESSAGE = { MessageHeader: ['focus'] }

interface Included {
  /** By the type that has them. */
  readonly elements: Readonly<Record<string, readonly string[]>>
  readonly rule: string
}

/** References that must resolve within a Bundle, by its type: elements of its first resource. */
const INCLUDED: ReadonlyMap<unknown, Included> = new Map([
  ['document', { elements: OF_DOCUMENT, rule: 'a document has all resources that its Composition refers to' }],
  ['message', { elements: OF_MESSAGE, rule: 'a message has the resources that it is about' }],
])

/**
 * Skips a Reference that is not in a Bundle, or refers to a contained resource (ref-1), by identifier, or
 * conditionally.
 * @throws BudgetError
 */
export function checkReference(item: TypedElement, findings: Findings): void {
  const reference = isObject(item.value) ? item.value['reference'] : undefined
  const entry = entryOf(item)
  const bundle = entry?.parent?.value
  if (typeof reference !== 'string' || /^#|\?/.test(reference) || !isObject(entry?.value) || !isObject(bundle)) return
  const url = absoluteUrl(reference, entry.value['fullUrl'])
  if (url !== undefined && entryAt(bundle, url) !== undefined) return
  const fault = faultOf({ item, reference, url, bundle })
  if (fault !== undefined) findings.add({ code: 'not-found', path: `${item.path}.reference`, ...fault })
}

/** The nearest entry around the element. */
function entryOf(item: TypedElement): TypedElement | undefined {
  let at: TypedElement | undefined = item
  while (at !== undefined && at.type !== 'Bundle.entry') at = at.parent
  return at
}

interface Unresolved {
  readonly item: TypedElement
  readonly reference: string
  /** Undefined when the reference has no defined meaning. */
  readonly url: string | undefined
  readonly bundle: Readonly<Record<string, unknown>>
}

function faultOf({ item, reference, url, bundle }: Unresolved): Pick<Finding, 'message' | 'severity'> | undefined {
  const what = `is ${shortened(reference)}`
  if (url?.startsWith('urn:'))
    return { message: `${what}, which is the fullUrl of no entry, and a URN can be found nowhere else` }
  const included = INCLUDED.get(bundle['type'])
  if (included !== undefined && isListed(item, included.elements) && isOfFirst(item, bundle)) {
    const why = url === undefined || url === reference ? '' : `; as ${shortened(url)}, by the fullUrl of its own entry`
    return { message: `${what}, which no entry has as its fullUrl${why}; ${included.rule}` }
  }
  if (url !== undefined || hasInteractions(bundle)) return undefined
  const message = `${what}, which is relative and has no meaning here: the fullUrl of its entry is not that of a RESTful server; use the fullUrl of the entry that is meant`
  return { message, severity: 'warning' }
}

const isListed = ({ name, parent }: TypedElement, elements: Included['elements']): boolean =>
  elements[parent?.type ?? '']?.includes(name) === true

/** Whether the element belongs to the first resource of the Bundle. */
function isOfFirst({ resource }: TypedElement, bundle: Readonly<Record<string, unknown>>): boolean {
  const [first] = entriesIn(bundle)
  return isObject(first) && first['resource'] === resource
}

/**
 * "If both Reference.type and Reference.reference are populated and Reference.reference is a FHIR URL, both SHALL be
 * consistent." https://hl7.org/fhir/R4/references-definitions.html#Reference.type
 */
export function checkReferenceType({ value, path }: TypedElement, findings: Findings): void {
  const { type, reference } = isObject(value) ? value : {}
  if (typeof type !== 'string' || typeof reference !== 'string') return
  const [unversioned = ''] = reference.split('/_history/', 1)
  const found = localReference(unversioned, '')?.type ?? restfulUrl(unversioned)?.type
  if (found === undefined || found === (coreType(type) ?? type)) return
  const message = `is ${shortened(type)}, but the reference is to a ${found}; they must agree`
  findings.add({ code: 'value', path: `${path}.type`, message })
}
