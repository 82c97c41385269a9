/** The standard interactions, which serve every R4 resource type: https://hl7.org/fhir/R4/http.html. */
import { hasMarkers, withContentsAsData, withMarkers } from '../fhir/content/marker.ts'
import { parseJson } from '../fhir/json.ts'
import { type FhirError, gone, notFound, unprocessable } from '../fhir/outcome.ts'
import { type AnyResource, isObject } from '../fhir/resource.ts'
import type { Versioned } from '../repository/repository.ts'
import { defineProvider, type Interactions, type Provider } from './provider.ts'

export const standard: Interactions = {
  read: async (ctx, type, id) => orNotFound(await ctx.unit.read(type, id), type, id),

  vread: async (ctx, type, id, version) => {
    const found = await ctx.unit.readVersion(type, id, version)
    if (found === undefined) throw notFoundError(type, `${id}/_history/${version}`)
    return orNotFound(found, type, id)
  },

  create: (ctx, resource) => ctx.unit.put(resource, 'POST'),

  update: (ctx, resource) => ctx.unit.put(resource, 'PUT'),

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

  delete: (ctx, type, id) => ctx.unit.delete(type, id),

  'history-instance': async (ctx, query) => {
    const { type = '', id = '' } = query
    if ((await ctx.unit.read(type, id)) === undefined) throw notFoundError(type, id)
    return ctx.unit.history(query)
  },

  'history-type': (ctx, query) => ctx.unit.history(query),

  'search-type': (ctx, plan) => ctx.unit.search(plan),
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
