/**
 * AuditEvent: events stored by clinics are ordinary resources. In addition, admins can read the events of the audit
 * trail, which are immutable. https://hl7.org/fhir/R4/auditevent.html, docs/audit.md
 */
import type { Context } from '../core/context.ts'
import { defineProvider, type Interactions, notFoundError, standard } from '../core/provider.ts'
import { FhirError } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { searchWithTrail } from '../record/audit/combined-search.ts'
import { isReservedId, isTrailId } from '../record/audit/trail-reader.ts'
import type { Versioned } from '../repository/repository.ts'

const interactions: Interactions = {
  ...standard,
  read: (ctx, type, id) => (isTrailId(id) ? eventOf(ctx, id) : standard.read(ctx, type, id)),

  vread: async (ctx, type, id, version) => {
    if (!isTrailId(id)) return standard.vread(ctx, type, id, version)
    if (version !== 1) throw notFoundError(type, `${id}/_history/${version}`)
    return eventOf(ctx, id)
  },

  'history-instance': async (ctx, query) => {
    const { id = '', after } = query
    if (!isTrailId(id) || after !== undefined) return standard['history-instance'](ctx, query)
    return { versions: [await eventOf(ctx, id)], total: 1 }
  },

  create: async (ctx, resource) => {
    refuseReserved(resource.id)
    return standard.create(ctx, resource)
  },

  update: async (ctx, resource) => {
    refuseReserved(resource.id)
    return standard.update(ctx, resource)
  },

  // Resources stored under a reserved id before such ids were refused can be deleted.
  delete: async (ctx, type, id) => {
    if (isTrailId(id)) refuseReserved(id)
    return standard.delete(ctx, type, id)
  },

  'search-type': async (ctx, plan) =>
    // No resource contains an event of the trail.
    ctx.trail === undefined || !plan.types.includes('AuditEvent')
      ? standard['search-type'](ctx, plan)
      : searchWithTrail(ctx.trail, ctx.unit, plan),
}

export const auditEvent = defineProvider('AuditEvent', { interactions })

/** @throws FhirError 404, also for users who may not read the trail */
async function eventOf(ctx: Context, id: string): Promise<Versioned> {
  const found = await ctx.trail?.find(id)
  if (found === undefined) throw notFoundError('AuditEvent', id)
  return found
}

/** @throws FhirError 405 for an id that looks like one of an event of the trail */
function refuseReserved(id: AnyResource['id']): void {
  if (id === undefined || !isReservedId(id)) return
  throw new FhirError(405, {
    code: 'not-supported',
    diagnostics: `AuditEvent/${id}: ids that begin with 'trail-' are those of the audit trail, whose events are only read; store an AuditEvent of your own under another id`,
  })
}
