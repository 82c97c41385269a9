/**
 * Contexts for handlers, each bound to one clinic (tenant): reads from the unit of work, searches by search-request.ts, writes by
 * write.ts.
 */
import type { ProfilePolicy, SearchHandling } from '../clinics/settings.ts'
import type { Contents } from '../content/contents.ts'
import type { AnyResource } from '../fhir/resource.ts'
import type { AuditTrail } from '../record/audit/trail.ts'
import { TrailReader } from '../record/audit/trail-reader.ts'
import type { Generation } from '../repository/generation.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository, UnitOfWork, Versioned } from '../repository/repository.ts'
import type { Agent, ClinicAccess, Context, ServedSearch } from './context.ts'
import { orNotFound, type Providers } from './provider.ts'
import { criteriaPlan, guardedSearch, searchRequest } from './search-request.ts'
import { createResource, deleteResource, findingsOf, patchResource, updateResource } from './write.ts'

/** Services shared by all contexts of a server. */
export interface ContextServices {
  readonly repository: Repository
  readonly contents: Contents
  readonly providers: Providers
  readonly baseUrl: string
  readonly profilePolicy: ProfilePolicy
  readonly searchHandling: SearchHandling
  readonly servedSearch: ServedSearch
  /** Makes the work of a change meet faults, unless the server does it; absent: none does. rehearsal/faults/in-data.ts */
  readonly faultyWork?: (<T>(work: Work<T>) => Work<T>) | undefined
  /** Absent: nothing is audited. */
  readonly trail?: AuditTrail | undefined
}

/** The work of one change, which may run several times. */
export type Work<T> = (ctx: Context) => Promise<T>

/** Access of one agent to one clinic. @param generation of its data, absent: the current one */
export type AccessOf = (clinic: string, agent: Agent, generation?: Generation) => ClinicAccess

export const clinicAccess =
  (services: ContextServices): AccessOf =>
  (clinic, agent, given) => {
    const { repository, contents, baseUrl, faultyWork } = services
    // One generation throughout, so that a request sees the data before a reset or those after it, never both.
    let pinned: Generation | Promise<Generation> | undefined = given
    const generation = () => {
      pinned ??= repository.generation(clinic)
      return pinned
    }
    return {
      clinic,
      agent,
      baseUrl,
      reader: async () => contextOf(await repository.reader(clinic, await generation()), services, agent),
      change: async (work, { isRepeatable = false, isImport = false, received = [] } = {}) => {
        const change = { received: new Map(received.map((sha256) => [sha256, sha256])), isImport }
        const options = { isRepeatable, generation: await generation() }
        const met = faultyWork === undefined || agent.kind === 'server' ? work : faultyWork(work)
        try {
          return await repository.change(clinic, (unit) => met(contextOf(unit, services, agent, change)), options)
        } finally {
          await contents.abandon(clinic, [...change.received.values()])
        }
      },
    }
  }

/**
 * The events that an agent may read: admins those of their clinic, operators those without a clinic. Staff read none,
 * as they show what colleagues looked at.
 */
function trailFor(agent: Agent, clinic: string, { trail, baseUrl }: ContextServices): TrailReader | undefined {
  if (trail === undefined || agent.kind !== 'user') return undefined
  switch (agent.role) {
    case 'staff':
      return undefined
    case 'admin':
      return new TrailReader(trail, clinic, baseUrl)
    case 'operator':
      return new TrailReader(trail, SERVICE, baseUrl)
  }
}

/** Most resources that `Context.search` returns; handlers that need more must page. */
const MAX_RESOURCES = 1000
const LIMITS = { defaultCount: MAX_RESOURCES, maxCount: MAX_RESOURCES, includes: MAX_RESOURCES }

function contextOf(
  unit: UnitOfWork,
  services: ContextServices,
  agent: Agent,
  change: Pick<Context, 'received' | 'isImport'> = { received: new Map(), isImport: false },
): Context {
  const { providers, contents, baseUrl, profilePolicy, searchHandling, servedSearch } = services
  const ctx: Context = {
    clinic: unit.clinic,
    agent,
    ...change,
    baseUrl,
    profilePolicy,
    searchHandling,
    servedSearch,
    trail: trailFor(agent, unit.clinic, services),
    now: unit.now,
    contents,
    unit,
    warnings: [],
    findings: async (resource) => {
      const { resourceType: type, id } = resource
      const current = id === undefined ? undefined : await unit.read(type, id)
      return findingsOf(ctx, providers, resource, current?.deleted ? undefined : current)
    },
    read: async <R extends AnyResource>(type: string, id: string) => orNotFound(await unit.read<R>(type, id), type, id),
    find: async <R extends AnyResource>(type: string, id: string) => {
      const found = await unit.read<R>(type, id)
      return found?.deleted ? undefined : found
    },
    search: async <R extends AnyResource>(type: string, query: string) => {
      const { plan } = await searchRequest(ctx, [type], new URLSearchParams(query), { limits: LIMITS })
      return (await unit.search(plan)).matches as readonly Versioned<R>[]
    },
    searchGuarded: async <R extends AnyResource>(type: string, query: string) => {
      const plan = { ...(await criteriaPlan(ctx, type, query)), count: MAX_RESOURCES }
      return (await guardedSearch(ctx, plan)).matches as readonly Versioned<R>[]
    },
    create: async <R extends AnyResource>(resource: R) =>
      (await createResource(ctx, providers, resource)) as Versioned<R>,
    update: async <R extends AnyResource>(resource: R, precondition = {}) =>
      (await updateResource(ctx, providers, withId(resource), precondition)) as Versioned<R>,
    patch: (type, id, patch, precondition = {}) => patchResource(ctx, providers, { type, id }, patch, precondition),
    delete: (type, id, precondition = {}) => deleteResource(ctx, providers, { type, id }, precondition),
  }
  return ctx
}

/** @throws TypeError for a resource without an id: a fault of the handler */
function withId<R extends AnyResource>(resource: R): R & { id: string } {
  if (resource.id === undefined) throw new TypeError(`update of a ${resource.resourceType} without an id`)
  return resource as R & { id: string }
}
