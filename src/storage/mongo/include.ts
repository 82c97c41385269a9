/** _include and _revinclude: https://hl7.org/fhir/R4/search.html#revinclude. */
import type { Include, SearchPlan } from '../../search/plan.ts'
import type { SearchResult } from '../port.ts'
import type { Filter, ResourceDocument, ResourceIndex } from './collections.ts'
import { type Reader, sessionOf } from './engine.ts'
import { keyOf } from './index-items.ts'
import { toStored, VERSION_FIELDS } from './resources.ts'
import { item } from './term.ts'

const EVERY = '*'
const REFERENCES = keyOf('reference', '')

/** What `matches` (with their items) bring along: each resource once, never a match, `plan.includeLimit` at most. */
export async function included(
  reader: Reader,
  plan: SearchPlan,
  matches: readonly ResourceDocument[],
): Promise<Pick<SearchResult, 'included' | 'truncated'>> {
  const seen = new Set(matches.map(addressOf))
  const found: ResourceDocument[] = []
  const result = (truncated: boolean) => ({ included: found.map(toStored), truncated })
  let newest = matches
  for (let round = 0; newest.length > 0; round += 1) {
    const reached: ResourceDocument[] = []
    for (const include of plan.include.filter(({ iterate }) => round === 0 || iterate)) {
      for (const document of await neighbours(reader, plan, include, newest, plan.includeLimit + seen.size + 1)) {
        if (seen.has(addressOf(document))) continue
        if (found.length === plan.includeLimit) return result(true)
        seen.add(addressOf(document))
        found.push(document)
        reached.push(document)
      }
    }
    newest = reached
  }
  return result(false)
}

const addressOf = ({ type, id }: { readonly type: string; readonly id: string }): string => `${type}/${id}`

/** Resources one reference away from `documents`, in the direction of `include`. */
async function neighbours(
  reader: Reader,
  { clinic }: SearchPlan,
  include: Include,
  documents: readonly ResourceDocument[],
  limit: number,
): Promise<readonly ResourceDocument[]> {
  const [index, filters] = include.reverse
    ? (['by_entry', sources(include, documents)] as const)
    : (['by_id', targets(include, documents)] as const)
  const found: ResourceDocument[] = []
  for (const filter of filters) {
    found.push(...(await find(reader, { clinic, ...filter, live: true }, index, limit - found.length)))
    if (found.length >= limit) break
  }
  return found
}

const find = (reader: Reader, filter: Filter, index: ResourceIndex, limit: number): Promise<ResourceDocument[]> =>
  reader.resources
    .find(filter, { projection: { ...VERSION_FIELDS, ix: 1 }, ...sessionOf(reader) })
    .hint(index)
    .limit(limit)
    .toArray()

/** What `documents` point to: a filter for each type. */
function targets({ source, param, target }: Include, documents: readonly ResourceDocument[]): readonly Filter[] {
  const references = documents
    .filter(({ type }) => source === EVERY || type === source)
    .flatMap(({ ix }) =>
      ix.filter(({ k }) => (param === EVERY ? k.startsWith(REFERENCES) : k === keyOf('reference', param))),
    )
    .filter(({ type }) => type !== '' && (target === undefined || type === target))
  return byType(references.map(({ type, v }) => ({ type: String(type), id: String(v) }))).map(([type, ids]) => ({
    type,
    id: { $in: ids },
  }))
}

/** What points to `documents`: a filter for each of their types. The index skips from parameter to parameter. */
function sources({ source, param, target }: Include, documents: readonly ResourceDocument[]): readonly Filter[] {
  const k = param === EVERY ? { $gte: REFERENCES, $lt: 'reference;' } : keyOf('reference', param)
  return byType(documents)
    .filter(([type]) => target === undefined || type === target)
    .map(([type, ids]) => ({ ...(source === EVERY ? {} : { type: source }), ...item({ k, v: { $in: ids }, type }) }))
}

const byType = (
  resources: readonly { readonly type: string; readonly id: string }[],
): readonly (readonly [type: string, ids: readonly string[]])[] =>
  [...Map.groupBy(resources, ({ type }) => type)].map(
    ([type, group]) => [type, [...new Set(group.map(({ id }) => id))]] as const,
  )
