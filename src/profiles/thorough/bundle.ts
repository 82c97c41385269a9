/**
 * References in a Bundle, the fullUrls by which they resolve, and the permitted resources of a document:
 * https://hl7.org/fhir/R4/bundle.html#references, https://hl7.org/fhir/R4/documents.html#content,
 * https://hl7.org/fhir/R4/messaging.html#message.
 */
import { oncePer } from '../../fhir/memoize.ts'
import { isAbsolute, localReference, restfulUrl } from '../../fhir/reference.ts'
import { isObject, itemsOf } from '../../fhir/resource.ts'
import { shortened } from '../../fhir/validate/report.ts'
import { Meter } from '../../isolation/budget.ts'
import type { Finding, Findings } from '../findings.ts'
import { coreType, type TypedElement } from '../typed-element.ts'

interface IndexedEntry {
  readonly index: number
  readonly version: unknown
}
type EntriesByUrl = ReadonlyMap<string, readonly IndexedEntry[]>

/** Adding an entry to the index. */
const STEPS_PER_ENTRY = 0.5
const meter = new Meter('the entries of the Bundle')

/** The index of the entry that an absolute URL refers to; undefined when none does. @throws BudgetError */
function entryAt(bundle: object, url: string): number | undefined {
  const [whole = ''] = url.split('#', 1)
  const at = whole.indexOf(VERSION)
  const entries = entriesOf(bundle).get(at < 0 ? whole : whole.slice(0, at)) ?? []
  const found = at < 0 ? entries[0] : entries.find(({ version }) => version === whole.slice(at + VERSION.length))
  return found?.index
}

const VERSION = '/_history/'

/**
 * A reference as an absolute URL: "if the reference has the format [type]/[id], and if the fullUrl for the bundle entry
 * containing the resource is a RESTful one, extract the [root] from the fullUrl, and append the reference". Undefined
 * where that is not possible, and the reference has no defined meaning.
 */
function absoluteUrl(reference: string, fullUrl: unknown): string | undefined {
  if (isAbsolute(reference)) return reference
  const root = typeof fullUrl === 'string' && RELATIVE.test(reference) ? restfulUrl(fullUrl)?.root : undefined
  return root === undefined ? undefined : `${root}${reference}`
}

const RELATIVE = /^[A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[A-Za-z0-9\-.]{1,64})?(?:#.*)?$/

/** Cached, as there may be as many references as entries. */
const entriesOf = oncePer(
  (bundle: object): EntriesByUrl => Map.groupBy(indexedEntries(bundle), ({ fullUrl }) => fullUrl),
)

function* indexedEntries(bundle: object): Generator<IndexedEntry & { readonly fullUrl: string }> {
  for (const [index, entry] of entriesIn(bundle).entries()) {
    meter.pay(STEPS_PER_ENTRY)
    const { fullUrl, resource } = isObject(entry) ? entry : {}
    const meta = isObject(resource) ? resource['meta'] : undefined
    if (typeof fullUrl === 'string') yield { fullUrl, index, version: isObject(meta) ? meta['versionId'] : undefined }
  }
}

const INTERACTIONS: ReadonlySet<unknown> = new Set(['batch', 'transaction', 'batch-response', 'transaction-response'])

/**
 * Whether it is a batch, a transaction or the response to one: relative references in it are to resources of the server
 * that carries it out, and its entries may have resources without an identity.
 */
const hasInteractions = (bundle: unknown): boolean => isObject(bundle) && INTERACTIONS.has(bundle['type'])

const entriesIn = (bundle: unknown): readonly unknown[] => (isObject(bundle) ? itemsOf(bundle['entry']) : [])

/** That it is unique is bdl-7, that it names no version bdl-8. */
export function checkFullUrl({ value: entry, parent, path }: TypedElement, findings: Findings): void {
  if (!isObject(entry)) return
  const { fullUrl, resource } = entry
  const where = `${path}.fullUrl`
  if (typeof fullUrl === 'string') {
    const message = isAbsolute(fullUrl) ? disagreement(fullUrl, resource) : relative(fullUrl)
    if (message !== undefined) findings.add({ code: 'value', path: where, message })
  } else if (isObject(resource) && needsFullUrl(parent?.value, resource)) {
    const message = `is missing; it is the absolute URL of the resource, or urn:uuid: and a UUID where it has none`
    findings.add({ code: 'required', path: where, message })
  }
}

const relative = (fullUrl: string): string =>
  `is ${shortened(fullUrl)}, but must be absolute, e.g. "http://example.org/fhir/Patient/1" or urn:uuid: and a UUID`

/**
 * "The fullUrl element SHALL have a value except that … Results from operations might involve resources that are not
 * identified."
 */
function needsFullUrl(bundle: unknown, { id }: Record<string, unknown>): boolean {
  if (hasInteractions(bundle)) return false
  const type = isObject(bundle) ? bundle['type'] : undefined
  return type === 'document' || type === 'message' || id !== undefined
}

/**
 * "If the fullUrl does look like a RESTful server URL (e.g. meets the regex), then the 'id' portion of the fullUrl SHALL
 * end with the Resource.id."
 */
function disagreement(fullUrl: string, resource: unknown): string | undefined {
  const url = restfulUrl(fullUrl)
  if (url === undefined || !isObject(resource)) return undefined
  const { resourceType, id } = resource
  if (resourceType !== url.type) return `is that of a ${url.type}, but the resource is a ${String(resourceType)}`
  if (id === undefined || id === url.id) return undefined
  return `ends with the id ${url.id}, but the id of the resource is ${String(id)}; they must be equal`
}

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

/** Steps to search a value for a reference. */
const STEPS_PER_VALUE = 0.5
const textMeter = new Meter('the references of the document')

/**
 * "The document bundle SHALL include only: The Composition resource, and any resources directly or indirectly (e.g.
 * recursively) referenced from it; A Binary resource containing a stylesheet; Provenance Resources that have a target of
 * Composition or another resource included in the document."
 * @throws BudgetError
 */
export function checkDocument({ value: bundle, path }: TypedElement, findings: Findings): void {
  if (!isObject(bundle) || bundle['type'] !== 'document') return
  const entries = entriesIn(bundle)
  const alone = entries.flatMap((entry, index) => (standsAlone(entry, bundle) ? [index] : []))
  const reached = reachedFrom([0, ...alone], bundle)
  for (const [index, entry] of entries.entries()) {
    if (reached.has(index) || !isObject(entry) || !isObject(entry['resource'])) continue
    const message =
      'is not part of the document: no reference leads to it from the Composition; leave it out, or refer to it by its fullUrl'
    findings.add({ code: 'structure', path: `${path}.entry[${index}]`, message })
  }
}

/** Whether an entry is a stylesheet, or a Provenance of something in the document: nothing needs to refer to these. */
function standsAlone(entry: unknown, bundle: object): boolean {
  const { fullUrl, resource } = fieldsOf(entry)
  const { resourceType, contentType, target } = fieldsOf(resource)
  if (resourceType === 'Binary') return contentType === 'text/css'
  return resourceType === 'Provenance' && entriesFrom(target, fullUrl, bundle).next().done === false
}

/** The indices of the entries that any of `starts` leads to, themselves included. */
function reachedFrom(starts: readonly number[], bundle: object): ReadonlySet<number> {
  const reached = new Set(starts)
  const entries = entriesIn(bundle)
  // A Set can be added to while it is iterated over.
  for (const index of reached) {
    const { fullUrl, resource } = fieldsOf(entries[index])
    for (const target of entriesFrom(resource, fullUrl, bundle)) reached.add(target)
  }
  return reached
}

/** The indices of the entries that anything in `value` refers to. */
function* entriesFrom(value: unknown, fullUrl: unknown, bundle: object): Generator<number> {
  for (const text of textsIn(value)) {
    const url = LINK.test(text) ? absoluteUrl(text, fullUrl) : undefined
    const target = url === undefined ? undefined : entryAt(bundle, url)
    if (target !== undefined) yield target
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

/** Texts that may be a reference, a canonical, or another link to an entry. */
const LINK = /^(?:[a-z][a-z0-9+.-]*:|[A-Z][A-Za-z]+\/)\S+$/

/** All strings in a value. Iterative, so that deep nesting cannot overflow the stack. */
function* textsIn(value: unknown): Generator<string> {
  const open = [value]
  while (open.length > 0) {
    textMeter.pay(STEPS_PER_VALUE)
    const next = open.pop()
    if (typeof next === 'string') yield next
    else if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) open.push(child)
  }
}
