/** The standard interactions, which serve every R4 resource type: https://hl7.org/fhir/R4/http.html. */

import { parseJson } from '../fhir/json.ts'
import { badRequest, preconditionFailed, unprocessable } from '../fhir/outcome.ts'
import { type AnyResource, isObject } from '../fhir/resource.ts'
import type { Versioned } from '../repository/repository.ts'
import { absent, present } from './context.ts'
import { defineProvider, type Interactions, type Precondition, type Provider } from './provider.ts'

export const standard: Interactions = {
  read: async (ctx, type, id) => present(await ctx.unit.read(type, id), type, id),

  vread: async (ctx, type, id, version) => {
    const found = await ctx.unit.readVersion(type, id, version)
    if (found === undefined) throw absent(type, `${id}/_history/${version}`)
    return present(found, type, id)
  },

  create: (ctx, resource) => ctx.unit.put(resource, 'POST'),

  update: async (ctx, resource, precondition) => {
    const { resourceType: type, id } = resource
    check(await ctx.unit.read(type, id), precondition, `${type}/${id}`)
    return ctx.unit.put(resource, 'PUT')
  },

  // The patched resource goes through the update of its provider, so that every rule holds for it too.
  patch: async (ctx, type, id, patch, precondition) => {
    const current = present(await ctx.unit.read(type, id), type, id)
    check(current, precondition, `${type}/${id}`)
    const patched = patch(parseJson(current.text))
    if (!isObject(patched) || patched.resourceType !== type || patched.id !== id) {
      throw unprocessable(`The patch changes what ${type}/${id} is: resourceType and id must stay`)
    }
    return ctx.unit.asPatched(await ctx.update(patched as unknown as AnyResource))
  },

  delete: async (ctx, type, id, precondition) => {
    const current = await ctx.unit.read(type, id)
    check(current, precondition, `${type}/${id}`)
    return ctx.unit.delete(type, id)
  },

  'history-instance': async (ctx, query) => {
    const { type = '', id = '' } = query
    if ((await ctx.unit.read(type, id)) === undefined) throw absent(type, id)
    return ctx.unit.history(query)
  },

  'history-type': (ctx, query) => ctx.unit.history(query),

  'search-type': (ctx, plan) => ctx.unit.search(plan),
}

/** @throws FhirError 412 when the current version is not the one the client has seen. */
function check(current: Versioned | undefined, { ifMatch, ifNoneMatch }: Precondition, what: string): void {
  if (ifNoneMatch === '*' && current !== undefined && !current.deleted) {
    throw preconditionFailed(
      `${what} exists already (version ${current.version}), and If-None-Match: * asks that it does not`,
    )
  }
  if (ifMatch === undefined || current?.version === ifMatch) return
  if (ifMatch === '*') {
    if (current !== undefined && !current.deleted) return
    throw preconditionFailed(`If-Match: * asks for any version, but ${what} does not exist`)
  }
  const state = current === undefined ? 'does not exist' : `has version ${current.version}`
  throw preconditionFailed(
    `If-Match asks for version ${ifMatch}, but ${what} ${state}; read it again and repeat the change on that`,
  )
}

export const standardProvider = (type: string): Provider => defineProvider(type, { interactions: standard })

/** The body's id must be the one in the URL (http.html#update). */
export function sameId(resource: AnyResource, id: string): AnyResource & { id: string } {
  if (resource.id === id) return resource as AnyResource & { id: string }
  throw badRequest(
    resource.id === undefined
      ? `The resource has no id; an update needs the id of the URL in the body: "id": "${id}"`
      : `The resource has id '${resource.id}', but the URL says '${id}'; they must be equal`,
    { expression: `${resource.resourceType}.id` },
  )
}
