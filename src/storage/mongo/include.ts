/** _include and _revinclude: https://hl7.org/fhir/R4/search.html#revinclude. */
import type { Include, SearchPlan } from '../../search/plan.ts'
import type { SearchResult, StoredResource } from '../port.ts'
import { ResponseLimit } from '../response-limit.ts'
import type { Filter, IndexItem, ResourceIndex } from './collections.ts'
import type { Reader } from './engine.ts'
import { keyOf } from './index-entries.ts'
import { toStored, VERSION_FIELDS } from './resources.ts'
import { item } from './term.ts'
import { readOptions } from './transaction.ts'

const WILDCARD = '*'
const REFERENCES = keyOf('reference', '')

/** A resource with its references. */
interface Referring {
  readonly resource: StoredResource
  readonly ix: readonly IndexItem[]
}

/** What is included with `matches`: each resource once, never a match, at most `plan.includeLimit`. */
export async function included(
  reader: Reader,
  plan: SearchPlan,
  matches: readonly Referring[],
): Promise<Pick<SearchResult, 'included' | 'truncated'>> {
  const seen = new Set(matches.map(({ resource }) => addressOf(resource)))
  const [found, limit]: [StoredResource[], ResponseLimit] = [[], new ResponseLimit()]
  let newest = matches
  for (let round = 0; newest.length > 0; round += 1) {
    const reached: Referring[] = []
    for (const include of plan.include.filter(({ iterate }) => round === 0 || iterate)) {
      for await (const one of neighbours(reader, plan, include, newest, plan.includeLimit + seen.size + 1)) {
        if (seen.has(addressOf(one.resource))) continue
        if (found.length === plan.includeLimit || !limit.fits(one.resource)) {
          return { included: found, truncated: true }
        }
        seen.add(addressOf(one.resource))
        found.push(one.resource)
        reached.push(one)
      }
    }
    newest = reached
  }
  return { included: found, truncated: false }
}

const addressOf = ({ type, id }: { readonly type: string; readonly id: string }): string => `${type}/${id}`

/** Resources one reference away from `near`, in the direction of `include`. */
async function* neighbours(
  reader: Reader,
  { clinic }: SearchPlan,
  include: Include,
  near: readonly Referring[],
  limit: number,
): AsyncGenerator<Referring> {
  const index: ResourceIndex = include.reverse ? 'by_entry' : 'by_id'
  for (const filter of include.reverse ? sources(include, near) : targets(include, near)) {
    const found = reader.resources
      .find({ clinic, ...filter, live: true }, { projection: { ...VERSION_FIELDS, ix: 1 }, ...readOptions(reader) })
      .hint(index)
      .limit(limit)
    for await (const document of found) yield { resource: toStored(document), ix: document.ix }
  }
}

/** What `near` refers to: a filter for each type. */
function targets({ source, param, target }: Include, near: readonly Referring[]): readonly Filter[] {
  const references = near
    .filter(({ resource: { type } }) => source === WILDCARD || type === source)
    .flatMap(({ ix }) =>
      ix.filter(({ k }) => (param === WILDCARD ? k.startsWith(REFERENCES) : k === keyOf('reference', param))),
    )
    .filter(({ type }) => type !== '' && (target === undefined || type === target))
  return byType(references.map(({ type, v }) => ({ type: String(type), id: String(v) }))).map(([type, ids]) => ({
    type,
    id: { $in: ids },
  }))
}

/** What refers to `near`: a filter for each of their types. With `*`, the index skips from parameter to parameter. */
function sources({ source, param, target }: Include, near: readonly Referring[]): readonly Filter[] {
  const k = param === WILDCARD ? { $gte: REFERENCES, $lt: 'reference;' } : keyOf('reference', param)
  return byType(near.map(({ resource }) => resource))
    .filter(([type]) => target === undefined || type === target)
    .map(([type, ids]) => ({ ...(source === WILDCARD ? {} : { type: source }), ...item({ k, v: { $in: ids }, type }) }))
}

const byType = (
  resources: readonly { readonly type: string; readonly id: string }[],
): readonly (readonly [type: string, ids: readonly string[]])[] =>
  [...Map.groupBy(resources, ({ type }) => type)].map(
    ([type, group]) => [type, [...new Set(group.map(({ id }) => id))]] as const,
  )
