/** $reindex-status: the progress of indexing a clinic's resources by the search parameters that it has added. */
import type { Context } from '../core/context.ts'
import { defineOperation } from '../core/operation.ts'
import { CUSTOM_DECLARATION, CUSTOM_KEY, CUSTOM_PROGRESS } from '../repository/record-kinds.ts'
import {
  type CustomIndex,
  type CustomParameter,
  customIndexIn,
  declarationIn,
  typesOf,
} from '../search/index/custom-declaration.ts'

export const reindexStatus = defineOperation('reindex-status', async ({ access }) => {
  const ctx = await access.reader()
  const { records } = ctx.unit
  // Reads the declaration first, so that indexing meanwhile shows as more progress, not less.
  const { parameters, types } = declarationIn((await records.read(CUSTOM_DECLARATION, CUSTOM_KEY))?.value)
  const index = customIndexIn((await records.read(CUSTOM_PROGRESS, CUSTOM_KEY))?.value)
  const unfinished = Object.keys(types).filter((type) => (index.types[type]?.indexVersion ?? 0) < (types[type] ?? 0))
  const stored = new Map<string, number>()
  for (const type of unfinished) stored.set(type, await numberOf(ctx, type))
  return { parameter: parameters.map((parameter) => stateOf(parameter, index, types, stored)) }
})

/** Number of resources of the type that are not deleted. */
async function numberOf({ unit, clinic }: Context, type: string): Promise<number> {
  const plan = { clinic, types: [type], where: [], sort: [], count: 0, include: [], includeLimit: 0 }
  return (await unit.search({ ...plan, total: 'accurate' })).total ?? 0
}

function stateOf(
  { id, code, base, since }: CustomParameter,
  index: CustomIndex,
  wanted: Readonly<Record<string, number>>,
  stored: ReadonlyMap<string, number>,
) {
  const types = typesOf(base)
  const lacking = types.filter((type) => (index.types[type]?.indexVersion ?? 0) < since)
  const [done, failed] = (['done', 'failed'] as const).map((name) =>
    types.reduce((sum, type) => sum + (isCounted(index, type, wanted) ? (index.types[type]?.[name] ?? 0) : 0), 0),
  )
  const left = lacking.reduce((sum, type) => {
    const looked = isCounted(index, type, wanted) ? (index.types[type]?.done ?? 0) : 0
    return sum + Math.max(0, (stored.get(type) ?? 0) - looked)
  }, 0)
  const state = lacking.length === 0 ? 'complete' : done === 0 ? 'waiting' : 'indexing'
  return { reference: { reference: `SearchParameter/${id}` }, code, type: base, state, done, left, failed }
}

/** Counts of an earlier pass do not apply to the current one. */
const isCounted = (index: CustomIndex, type: string, wanted: Readonly<Record<string, number>>): boolean =>
  index.types[type]?.towards === wanted[type]
