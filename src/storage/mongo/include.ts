/** _include and _revinclude: https://hl7.org/fhir/R4/search.html#revinclude. */
import { CALLED, canonicalParam } from '../../search/canonical.ts'
import { isInner, resourceTypeOf } from '../../search/inner.ts'
import type { Include, SearchPlan } from '../../search/plan.ts'
import { Included, type Neighbour } from '../included.ts'
import type { SearchResult, StoredResource } from '../port.ts'
import { ResponseLimit } from '../response-limit.ts'
import type { Filter, IndexItem, ResourceDocument, ResourceIndex } from './collections.ts'
import type { Reader } from './engine.ts'
import { keyOf } from './index-entries.ts'
import { collectionOf } from './inner-resources.ts'
import { toStored, VERSION_FIELDS } from './resources.ts'
import { item } from './term.ts'
import { readOptions } from './transaction.ts'

const WILDCARD = '*'
const REFERENCES = keyOf('reference', '')

/** A resource with its references. */
interface Referring {
  readonly resource: StoredResource
  /** References; empty for an older version, whose references are unknown. */
  readonly ix: readonly IndexItem[]
}

interface ReferringNeighbour extends Referring, Neighbour {
  /** False for an older version: what refers to its resource does not refer to it. */
  readonly isCurrent: boolean
}

/** The resources included with `matches`. */
export async function included(
  reader: Reader,
  plan: SearchPlan,
  matches: readonly Referring[],
): Promise<Pick<SearchResult, 'included' | 'truncated'>> {
  const addresses = matches.map(({ resource }) => addressOf(resource))
  const collected = new Included<ReferringNeighbour>(plan, addresses)
  const limit = new ResponseLimit()
  for (const [include, near] of collected.rounds<Include, Referring>(plan.include, matches, (one) =>
    one.isCurrent ? [one] : [],
  )) {
    for await (const one of neighbours(reader, plan, include, near, collected.readable)) {
      if (!collected.add(one, () => limit.fits(one.resource))) break
    }
  }
  return { included: collected.found.map(({ resource }) => resource), truncated: collected.truncated }
}

const addressOf = ({ type, id }: { readonly type: string; readonly id: string }): string => `${type}/${id}`

/** Resources one reference away from `near`, in the direction of `include`. */
async function* neighbours(
  reader: Reader,
  { clinic }: SearchPlan,
  include: Include,
  near: readonly Referring[],
  limit: number,
): AsyncGenerator<ReferringNeighbour> {
  if (include.canonical !== undefined) {
    const filter = include.reverse ? callers(include, near) : definitions(include, near)
    if (filter !== undefined) yield* current(reader, { clinic, ...filter }, 'by_entry', limit)
    return
  }
  if (include.reverse) {
    for (const filter of sources(include, near)) yield* current(reader, { clinic, ...filter }, 'by_entry', limit)
    return
  }
  const references = targets(include, near)
  for (const [type, ids] of byType(references.filter(({ version }) => version === undefined))) {
    yield* current(reader, { clinic, type, id: { $in: ids } }, 'by_id', limit)
  }
  const versioned = references.flatMap(({ type, id, version }) => versionIn(type, id, version) ?? [])
  if (versioned.length > 0) yield* versions(reader, clinic, versioned)
}

async function* current(
  reader: Reader,
  filter: Filter,
  hint: ResourceIndex,
  limit: number,
): AsyncGenerator<ReferringNeighbour> {
  const options = { projection: { ...VERSION_FIELDS, ix: 1 }, hint, limit, ...readOptions(reader) }
  const { type } = filter
  // The referring resource may be contained in another one.
  const collections = type === undefined ? [reader.resources, reader.inner] : [collectionOf(reader, String(type))]
  for (const collection of collections) {
    for await (const document of collection.find({ ...filter, live: true }, options)) yield currentOf(document)
  }
}

function currentOf(document: ResourceDocument): ReferringNeighbour {
  const resource = toStored(document)
  return { resource, ix: document.ix, address: addressOf(resource), isInner: isInner(resource.type), isCurrent: true }
}

/** The versions named by versioned references, even of resources that have been deleted since. */
async function* versions(reader: Reader, clinic: string, named: readonly Filter[]): AsyncGenerator<ReferringNeighbour> {
  const filter: Filter = { clinic, $or: named, method: { $ne: 'DELETE' } }
  const options = readOptions(reader)
  const current = reader.resources.find(filter, { projection: { ...VERSION_FIELDS, ix: 1 }, ...options })
  for await (const document of current) yield currentOf(document)
  for await (const document of reader.history.find(filter, { projection: VERSION_FIELDS, ...options })) {
    const resource = toStored(document)
    const address = `${addressOf(resource)}/_history/${resource.version}`
    yield { resource, ix: [], address, isInner: false, isCurrent: false }
  }
}

/**
 * A filter for one version; undefined for the version of an external address, or text that is not a version id of this
 * server.
 */
function versionIn(type: string, id: string, text: string | undefined): Filter | undefined {
  const version = Number(text)
  return text === undefined || String(version) !== text ? undefined : { type, id, version }
}

/** A filter for the definitions that canonicals of `near` name; undefined: there are no canonicals. */
function definitions({ source, param, canonical = [] }: Include, near: readonly Referring[]): Filter | undefined {
  const holders = near.filter(({ resource: { type } }) => resourceTypeOf(type) === source)
  const called = addressesIn(holders, canonicalParam(param))
  return called.length === 0 ? undefined : { type: { $in: canonical }, ...item({ k: CALLED_KEY, v: { $in: called } }) }
}

/** A filter for resources that name one of `near` by a canonical; undefined: none of them is a definition. */
function callers({ source, param, canonical = [] }: Include, near: readonly Referring[]): Filter | undefined {
  const called = addressesIn(
    near.filter(({ resource: { type } }) => canonical.includes(type)),
    CALLED,
  )
  const k = keyOf('reference', canonicalParam(param))
  return called.length === 0 ? undefined : { type: source, ...item({ k, v: { $in: called } }) }
}

const CALLED_KEY = keyOf('reference', CALLED)

const addressesIn = (near: readonly Referring[], param: string): readonly unknown[] => [
  ...new Set(near.flatMap(({ ix }) => ix.filter(({ k }) => k === keyOf('reference', param)).map(({ v }) => v))),
]

interface Reference {
  readonly type: string
  readonly id: string
  readonly version?: string
}

/** The references of `near`, each once. */
function targets({ source, param, target }: Include, near: readonly Referring[]): readonly Reference[] {
  const items = near
    .filter(({ resource: { type } }) => source === WILDCARD || resourceTypeOf(type) === source)
    .flatMap(({ ix }) =>
      ix.filter(({ k }) => (param === WILDCARD ? k.startsWith(REFERENCES) : k === keyOf('reference', param))),
    )
  const references = items.flatMap(({ type: found, v, version }): readonly Reference[] => {
    const type = String(found)
    if (type === '' || (target !== undefined && resourceTypeOf(type) !== target)) return []
    return [{ type, id: String(v), ...(typeof version === 'string' ? { version } : {}) }]
  })
  return [...new Map(references.map((one) => [`${addressOf(one)} ${one.version ?? ''}`, one])).values()]
}

/**
 * Filters for the resources that refer to `near`, one for each of their types. With `*`, the index skips from parameter
 * to parameter.
 */
function sources({ source, param, target }: Include, near: readonly Referring[]): readonly Filter[] {
  const k = param === WILDCARD ? { $gte: REFERENCES, $lt: 'reference;' } : keyOf('reference', param)
  return byType(near.map(({ resource }) => resource))
    .filter(([type]) => target === undefined || resourceTypeOf(type) === target)
    .map(([type, ids]) => ({ ...(source === WILDCARD ? {} : { type: source }), ...item({ k, v: { $in: ids }, type }) }))
}

const byType = (
  resources: readonly { readonly type: string; readonly id: string }[],
): readonly (readonly [type: string, ids: readonly string[]])[] =>
  [...Map.groupBy(resources, ({ type }) => type)].map(
    ([type, group]) => [type, [...new Set(group.map(({ id }) => id))]] as const,
  )
