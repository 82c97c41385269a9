/**
 * A provider declares the interactions of a resource type; /metadata and the routes are made from the declarations. The
 * standard interactions serve every R4 resource type: https://hl7.org/fhir/R4/http.html.
 */

import { hasMarkers, withContentsAsData, withMarkers } from '../fhir/content/marker.ts'
import { parseJson } from '../fhir/json.ts'
import { FhirError, gone, type Issue, notFound, unprocessable } from '../fhir/outcome.ts'
import type { Patch } from '../fhir/patch/patch.ts'
import { type AnyResource, isObject } from '../fhir/resource.ts'
import type { HistoryPage, HistoryQuery, SearchAnswer, Versioned } from '../repository/repository.ts'
import type { SearchPlan } from '../search/plan.ts'
import type { ClinicAccess, Context } from './context.ts'
import type { Operation } from './operation.ts'
import { isShipped, shippedTypes } from './shipped.ts'

/**
 * The handlers of a type; the keys are FHIR's interaction codes (https://hl7.org/fhir/R4/http.html). A resource to be
 * written is valid, keeps its profiles, and its precondition holds (core/write.ts). The handler must not change that
 * object, which counts as valid in its unit of work; a changed copy is validated when it is staged.
 */
export interface Interactions {
  readonly read: (ctx: Context, type: string, id: string) => Promise<Versioned>
  readonly vread: (ctx: Context, type: string, id: string, version: number) => Promise<Versioned>
  readonly create: (ctx: Context, resource: AnyResource) => Promise<Versioned>
  readonly update: (ctx: Context, resource: AnyResource & { id: string }) => Promise<Versioned>
  readonly patch: (ctx: Context, type: string, id: string, patch: Patch) => Promise<Versioned>
  /** The deletion, or undefined when there was nothing to delete. */
  readonly delete: (ctx: Context, type: string, id: string) => Promise<Versioned | undefined>
  readonly 'history-instance': (ctx: Context, query: Omit<HistoryQuery, 'clinic'>) => Promise<HistoryPage>
  readonly 'history-type': (ctx: Context, query: Omit<HistoryQuery, 'clinic'>) => Promise<HistoryPage>
  readonly 'search-type': (ctx: Context, plan: SearchPlan) => Promise<SearchAnswer>
}

export type InteractionCode = keyof Interactions

export interface Provider {
  readonly type: string
  /** Description of the type for /metadata, in markdown. */
  readonly documentation?: string
  readonly interactions: Partial<Interactions>
  /**
   * Issues by the rules of the type in a resource that is to be written; absent: it has no rules that warn. An error
   * refuses the write, a warning is shown where the client requests it, and $validate shows all.
   */
  readonly findings?: (
    ctx: Context,
    resource: AnyResource,
    before: AnyResource | undefined,
  ) => Promise<readonly Issue[]>
  /** The whole resource where a client may send less for an update (`id` is that of the address), else what it sent. */
  readonly completed?: (ctx: Context, body: unknown, id: string) => Promise<unknown>
  /** Does what is due in the clinic, so that reads show it; called before each request for the type. */
  readonly settle?: (access: ClinicAccess) => Promise<void>
  /** For the audit trail: the ids of the patients whose data a resource holds without naming them. */
  readonly patientsOf?: (ctx: Context, id: string) => Promise<readonly string[]>
  /** Whether an update must name by If-Match the version it is based on. */
  readonly requiresIfMatch?: (ctx: Context) => Promise<boolean>
  /**
   * Further policy for /metadata, besides `literal`, `logical` and `local`:
   * http://hl7.org/fhir/R4/valueset-reference-handling-policy.html
   */
  readonly referencePolicy?: 'enforced'
  /**
   * Codes of the search parameters served, besides those of every resource; absent: all that R4 defines for the type.
   */
  readonly searchParams?: readonly string[]
  readonly operations: readonly Operation[]
  /** Frequent searches, each with an index of its own: equality on one or two parameters, range on a date. */
  readonly combined: readonly {
    readonly equal: readonly [string] | readonly [string, string]
    readonly range: string
  }[]
}

export type Providers = ReadonlyMap<string, Provider>

type Declaration = Pick<Provider, 'interactions'> & Partial<Omit<Provider, 'type' | 'interactions'>>

export const defineProvider = (type: string, declaration: Declaration): Provider => ({
  type,
  operations: [],
  combined: [],
  ...declaration,
})

/**
 * The handler of a provider for an interaction: bundles and operations obey the same declaration as routes.
 * @throws FhirError 404 for a type that R4 does not have, 405 for an interaction that the type does not offer
 */
export function handlerOf<C extends InteractionCode>(providers: Providers, type: string, code: C): Interactions[C] {
  const handler = providers.get(type)?.interactions[code]
  if (handler === undefined) throw notSupported(providers, type, code)
  return handler
}

function notSupported(providers: Providers, type: string, code: InteractionCode): FhirError {
  const provider = providers.get(type)
  if (provider === undefined) return notFound(`There is no resource type '${type}' in FHIR R4`)
  const offered = Object.keys(provider.interactions).join(', ')
  return new FhirError(405, {
    code: 'not-supported',
    diagnostics: `${type} does not support ${code}; it supports ${offered}`,
  })
}

export const standard: Interactions = {
  read: async (ctx, type, id) => orNotFound(await ctx.unit.read(type, id), type, id),

  vread: async (ctx, type, id, version) => {
    const found = await ctx.unit.readVersion(type, id, version)
    if (found === undefined) throw notFoundError(type, `${id}/_history/${version}`)
    return orNotFound(found, type, id)
  },

  create: (ctx, resource) => ctx.unit.put(resource, 'POST'),

  update: async (ctx, resource) => {
    refuseShipped(resource.resourceType, resource.id)
    return ctx.unit.put(resource, 'PUT')
  },

  // The patched resource goes through every stage of an update, so that each rule holds for it too.
  patch: async (ctx, type, id, patch) => {
    const current = orNotFound(await ctx.unit.read(type, id), type, id)
    const document = parseJson(current.text)
    const patched = withMarkers(patch(hasMarkers(current.text) ? withContentsAsData(document) : document))
    if (!isObject(patched) || patched.resourceType !== type || patched.id !== id) {
      throw unprocessable(`The patch changes what ${type}/${id} is: resourceType and id must stay`)
    }
    return ctx.unit.asPatched(await ctx.update(patched as unknown as AnyResource))
  },

  delete: async (ctx, type, id) => {
    refuseShipped(type, id)
    return ctx.unit.delete(type, id)
  },

  'history-instance': async (ctx, query) => {
    const { type = '', id = '' } = query
    if ((await ctx.unit.read(type, id)) === undefined) throw notFoundError(type, id)
    return ctx.unit.history(query)
  },

  'history-type': (ctx, query) => ctx.unit.history(query),

  'search-type': (ctx, plan) => ctx.unit.search(plan),
}

/** A patch is executed as an update. @throws FhirError 422 */
function refuseShipped(type: string, id: string): void {
  if (!shippedTypes.has(type) || !isShipped(type, id)) return
  throw unprocessable(`${type}/${id} belongs to the server and cannot be changed; store yours under another id`, {
    expression: `${type}.id`,
  })
}

export const standardProvider = (type: string): Provider => defineProvider(type, { interactions: standard })

/** @throws FhirError 404 when it is absent, 410 when it is deleted */
export function orNotFound<R extends AnyResource>(
  found: Versioned<R> | undefined,
  type: string,
  id: string,
): Versioned<R> {
  if (found === undefined) throw notFoundError(type, id)
  if (found.deleted) throw gone(`${type}/${id} was deleted (version ${found.version})`)
  return found
}

/** 404. */
export const notFoundError = (type: string, id: string): FhirError => notFound(`There is no ${type} with id '${id}'`)
