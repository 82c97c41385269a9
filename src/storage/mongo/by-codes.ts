/** The resources that have one of many codes. */
import { codesPlan } from '../codes-plan.ts'
import type { CodesQuery, FoundByCodes } from '../port.ts'
import type { Filter } from './collections.ts'
import type { Engine } from './engine.ts'
import { keyOf } from './index-entries.ts'
import { readLimits } from './read-limits.ts'
import { readRows } from './read-rows.ts'
import { toStored, VERSION_FIELDS } from './resources.ts'

/** @throws IndexIncomplete */
export async function findByCodes(engine: Engine, query: CodesQuery): Promise<FoundByCodes> {
  engine.index.check(codesPlan(query))
  const [any, both] = await Promise.all([withAny(engine, query), withBoth(engine, query)])
  const ids = new Set(any.resources.map(({ id }) => id))
  const resources = [...any.resources, ...both.resources.filter(({ id }) => !ids.has(id))]
  return { resources, tooCommon: any.tooCommon, isCut: any.isCut || both.isCut }
}

/**
 * Codes are usually rare, so one command reads what has any of them; only where that is more than one code may have are
 * they counted one by one.
 */
async function withAny(engine: Engine, query: CodesQuery): Promise<FoundByCodes> {
  if (query.codes.length === 0) return NONE
  const all = await readWith(engine, query, query.codes, query.most + 1)
  // What was cut may hide a code that is too common.
  if (!all.isCut && all.items.length <= query.most)
    return { resources: resourcesOf(all.items), tooCommon: [], isCut: false }
  const counted = await Promise.all(
    query.codes.map(async (code) => ({ code, count: await count(engine, query, code) })),
  )
  const rare = counted.flatMap(({ code, count }) => (count > query.most ? [] : [code]))
  const found = rare.length === 0 ? { items: [], isCut: false } : await readWith(engine, query, rare)
  const tooCommon = counted.flatMap(({ code, count }) => (count > query.most ? [code] : []))
  return { resources: resourcesOf(found.items), tooCommon, isCut: found.isCut }
}

async function withBoth(engine: Engine, query: CodesQuery): Promise<FoundByCodes> {
  const [codes, others] = query.together ?? [[], []]
  if (codes.length === 0 || others.length === 0) return NONE
  const { items, isCut } = await readWith(engine, query, codes, query.most + 1, others)
  const resources = resourcesOf(items.slice(0, query.most))
  return { resources, tooCommon: [], isCut: isCut || items.length > query.most }
}

type Items = Awaited<ReturnType<typeof readWith>>['items']

const NONE: FoundByCodes = { resources: [], tooCommon: [], isCut: false }

const resourcesOf = (items: Items) => items.map(({ resource }) => resource)

/** @param limit of resources; absent: none */
async function readWith(
  { resources }: Engine,
  query: CodesQuery,
  codes: readonly string[],
  limit?: number,
  others?: readonly string[],
) {
  const both = others === undefined ? {} : { $and: [{ ix: entryOf(query, { $in: others }) }] }
  const filter = { ...filterOf(query, { $in: codes }), ...both }
  const found = resources.find(filter, {
    projection: { _id: 0, ...VERSION_FIELDS },
    hint: 'by_entry',
    ...(limit === undefined ? {} : { limit }),
    ...readLimits(),
  })
  return await readRows(found, (document) => ({ resource: toStored(document) }))
}

const count = ({ resources }: Engine, query: CodesQuery, code: string): Promise<number> =>
  resources.countDocuments(filterOf(query, code), { limit: query.most + 1, hint: 'by_entry', ...readLimits() })

const filterOf = (query: CodesQuery, v: Value): Filter => ({
  clinic: query.clinic,
  type: query.type,
  ix: entryOf(query, v),
})

type Value = string | { readonly $in: readonly string[] }

const entryOf = ({ param }: CodesQuery, v: Value) => ({ $elemMatch: { k: keyOf('token', param), v } })
