/**
 * The conformance resources the server ships (resources/): its OperationDefinitions, StructureDefinitions,
 * SearchParameters and CodeSystems are read and found in every clinic, and changed by none.
 */
import { join } from 'node:path'
import { unprocessable } from '../fhir/outcome.ts'
import type { SearchAnswer } from '../repository.ts'
import type { SearchPlan } from '../search/plan.ts'
import type { Context } from './context.ts'
import { defineProvider, type Provider } from './provider.ts'
import { Shipped } from './shipped.ts'
import { standard } from './standard.ts'

const RESOURCES = join(import.meta.dirname, '../../resources')
const FOLDERS = {
  OperationDefinition: 'operation-definitions',
  StructureDefinition: 'structure-definitions',
  SearchParameter: 'search-parameters',
  CodeSystem: 'code-systems',
} as const

export const builtInProviders: readonly Provider[] = Object.entries(FOLDERS).map(([type, folder]) =>
  builtInProvider(type, new Shipped(type, join(RESOURCES, folder))),
)

function builtInProvider(type: string, shipped: Shipped): Provider {
  const refuse = (id: string): void => {
    if (shipped.get(id) === undefined) return
    throw unprocessable(`${type}/${id} belongs to the server and cannot be changed; store yours under another id`, {
      expression: `${type}.id`,
    })
  }
  return defineProvider(type, {
    interactions: {
      ...standard,
      read: async (ctx, _type, id) => shipped.get(id) ?? standard.read(ctx, type, id),
      vread: async (ctx, _type, id, version) =>
        (version === 1 ? shipped.get(id) : undefined) ?? standard.vread(ctx, type, id, version),
      'history-instance': async (ctx, query) => {
        const found = shipped.get(query.id ?? '')
        return found === undefined ? standard['history-instance'](ctx, query) : { versions: [found], total: 1 }
      },
      'search-type': (ctx, plan) => searchBoth(ctx, plan, shipped),
      update: async (ctx, resource, precondition) => {
        refuse(resource.id)
        return standard.update(ctx, resource, precondition)
      },
      patch: async (ctx, _type, id, patch, precondition) => {
        refuse(id)
        return standard.patch(ctx, type, id, patch, precondition)
      },
      delete: async (ctx, _type, id, precondition) => {
        refuse(id)
        return standard.delete(ctx, type, id, precondition)
      },
    },
  })
}

/** Cursor within the shipped resources: how many of those found are on earlier pages. */
const CURSOR = /^shipped-(\d{1,6})$/

/** The shipped resources by id, then those of the clinic in the order asked for. */
async function searchBoth(ctx: Context, plan: SearchPlan, shipped: Shipped): Promise<SearchAnswer> {
  const { after, ...first } = plan
  const skipped = after === undefined ? 0 : Number(CURSOR.exec(after)?.[1] ?? Number.NaN)
  // The cursor is one of the store: the shipped ones are all on earlier pages.
  if (Number.isNaN(skipped)) return ctx.unit.search(plan)
  const found = shipped.find(plan)
  if (found.length === 0) return ctx.unit.search(plan)
  const shown = found.slice(skipped, skipped + plan.count)
  const { total: stored, ...answer } = await ctx.unit.search({ ...first, count: plan.count - shown.length })
  const total = stored === undefined ? {} : { total: stored + found.length }
  const isFull = plan.count > 0 && shown.length === plan.count
  const isLast = skipped + shown.length === found.length && stored === 0
  const next = isFull && !isLast ? { next: `shipped-${skipped + shown.length}` } : {}
  return { ...answer, ...next, ...total, matches: [...shown, ...answer.matches] }
}
