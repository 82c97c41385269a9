/** Resolving references in a Bundle, and its fullUrls: https://hl7.org/fhir/R4/bundle.html#references. */
import { restfulUrl } from '../../fhir/reference.ts'
import { isObject, itemsOf } from '../../fhir/resource.ts'
import { shortened } from '../../fhir/validate/report.ts'
import { Meter } from '../../isolation/budget.ts'
import type { Findings } from '../findings.ts'
import type { TypedElement } from '../typed-element.ts'
import { isAbsolute } from './uris.ts'

interface IndexedEntry {
  readonly index: number
  readonly version: unknown
}
type EntriesByUrl = ReadonlyMap<string, readonly IndexedEntry[]>

/** Adding an entry to the index. */
const STEPS_PER_ENTRY = 0.5
const meter = new Meter('the entries of the Bundle')

/** As there may be as many references as entries. */
const known = new WeakMap<object, EntriesByUrl>()

/** The index of the entry that an absolute URL refers to; undefined when none does. @throws BudgetError */
export function entryAt(bundle: object, url: string): number | undefined {
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
export function absoluteUrl(reference: string, fullUrl: unknown): string | undefined {
  if (isAbsolute(reference)) return reference
  const root = typeof fullUrl === 'string' && RELATIVE.test(reference) ? restfulUrl(fullUrl)?.root : undefined
  return root === undefined ? undefined : `${root}${reference}`
}

const RELATIVE = /^[A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[A-Za-z0-9\-.]{1,64})?(?:#.*)?$/

function entriesOf(bundle: object): EntriesByUrl {
  const found = known.get(bundle)
  if (found !== undefined) return found
  const entries = Map.groupBy(indexedEntries(bundle), ({ fullUrl }) => fullUrl)
  known.set(bundle, entries)
  return entries
}

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
export const hasInteractions = (bundle: unknown): boolean => isObject(bundle) && INTERACTIONS.has(bundle['type'])

export const entriesIn = (bundle: unknown): readonly unknown[] => (isObject(bundle) ? itemsOf(bundle['entry']) : [])

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
