/** What a handler works with: one clinic, one actor, and reads and writes that go through the providers' rules. */
import type { ProfilePolicy } from '../clinics/settings.ts'
import { type FhirError, gone, notFound } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import type { Repository, UnitOfWork, Versioned } from '../repository/repository.ts'
import { parseCriteria, parseSearch } from '../search/query/parse.ts'
import { notSupported } from './not-supported.ts'
import type { InteractionCode, Interactions, Precondition, Provider } from './provider.ts'
import { lookedUp } from './search-lookups.ts'

/** Who acts: a dashboard user, a live call, or the server itself. */
export type Agent =
  | { readonly kind: 'user'; readonly id: string; readonly name: string; readonly role: 'staff' | 'admin' }
  | { readonly kind: 'call'; readonly id: string }
  | { readonly kind: 'server' }

/** Resources at most that `Context.search` answers with; handlers that need more must page. */
const HANDLER_SEARCH_LIMIT = 1000

/** One atomic change (or a mere look) in the hands of a handler. */
export interface Context {
  readonly clinic: string
  readonly agent: Agent
  /** The address of this server, for references that are written with it; without a trailing slash. */
  readonly baseUrl: string
  /** What becomes of a write that breaks a profile it declares, where the clinic does not say. */
  readonly profilePolicy: ProfilePolicy
  /** Milliseconds since 1970 UTC; the same for all that one change does. */
  readonly now: number
  /** The change in the making, beneath the providers' rules: for standard interactions and the server's own records. */
  readonly unit: UnitOfWork
  /** @throws FhirError 404 or 410 */
  read<R extends AnyResource>(type: R['resourceType'], id: string): Promise<Versioned<R>>
  /** Undefined when there is none or it is deleted. */
  find<R extends AnyResource>(type: R['resourceType'], id: string): Promise<Versioned<R> | undefined>
  /** By a query string (`birthdate=1980-03-03&_sort=-_lastUpdated&_count=5`): the first page, 1,000 at most by default. */
  search<R extends AnyResource>(type: R['resourceType'], query: string): Promise<readonly Versioned<R>[]>
  /** The same, and the change is only written while the answer stays the same set: for "create unless there is one". */
  searchGuarded<R extends AnyResource>(type: R['resourceType'], query: string): Promise<readonly Versioned<R>[]>
  create<R extends AnyResource>(resource: R): Promise<Versioned<R>>
  update<R extends AnyResource>(resource: R, precondition?: Precondition): Promise<Versioned<R>>
  delete(type: string, id: string, precondition?: Precondition): Promise<Versioned | undefined>
}

/** What one actor can do in one clinic. */
export interface ClinicAccess {
  readonly clinic: string
  readonly agent: Agent
  /** A context that only reads: what it stages is never written. */
  reader(): Context
  /** One atomic, durable change. `work` may run several times when others interfere: no outside effects in it. */
  change<T>(work: (ctx: Context) => Promise<T>): Promise<T>
}

export type Providers = ReadonlyMap<string, Provider>

export function clinicAccess(
  repository: Repository,
  providers: Providers,
  baseUrl: string,
  clinic: string,
  agent: Agent,
  profilePolicy: ProfilePolicy = 'warn',
): ClinicAccess {
  return {
    clinic,
    agent,
    reader: () => contextOf(repository.reader(clinic), providers, baseUrl, agent, profilePolicy),
    change: (work) =>
      repository.change(clinic, (unit) => work(contextOf(unit, providers, baseUrl, agent, profilePolicy))),
  }
}

function contextOf(
  unit: UnitOfWork,
  providers: Providers,
  baseUrl: string,
  agent: Agent,
  profilePolicy: ProfilePolicy,
): Context {
  const searchOptions = (type: string) => ({
    clinic: unit.clinic,
    types: [type],
    lenient: false,
    defaultCount: HANDLER_SEARCH_LIMIT,
    maxCount: HANDLER_SEARCH_LIMIT,
    includeLimit: HANDLER_SEARCH_LIMIT,
    baseUrl,
    now: unit.now,
  })
  const ctx: Context = {
    clinic: unit.clinic,
    agent,
    baseUrl,
    profilePolicy,
    now: unit.now,
    unit,
    read: async <R extends AnyResource>(type: string, id: string) => present(await unit.read<R>(type, id), type, id),
    find: async <R extends AnyResource>(type: string, id: string) => {
      const found = await unit.read<R>(type, id)
      return found?.deleted ? undefined : found
    },
    search: async <R extends AnyResource>(type: string, query: string) => {
      const { plan } = await lookedUp(ctx, (ask) =>
        parseSearch(new URLSearchParams(query), { ...searchOptions(type), ask }),
      )
      return (await unit.search(plan)).matches as readonly Versioned<R>[]
    },
    searchGuarded: async <R extends AnyResource>(type: string, query: string) => {
      const criteria = await lookedUp(ctx, (ask) => parseCriteria(type, query, { ...searchOptions(type), ask }))
      const plan = { ...criteria, count: HANDLER_SEARCH_LIMIT }
      const { matches } = await unit.search(plan)
      unit.guard(
        plan,
        matches.map((match) => match.id),
      )
      return matches as readonly Versioned<R>[]
    },
    create: async <R extends AnyResource>(resource: R) =>
      (await handlerOf(providers, resource.resourceType, 'create')(ctx, resource)) as Versioned<R>,
    update: async <R extends AnyResource>(resource: R, precondition: Precondition = {}) =>
      (await handlerOf(providers, resource.resourceType, 'update')(
        ctx,
        withId(resource),
        precondition,
      )) as Versioned<R>,
    delete: (type, id, precondition = {}) => handlerOf(providers, type, 'delete')(ctx, type, id, precondition),
  }
  return ctx
}

/** The provider's handler, so that a bundle or an operation obeys the same declaration as a route. */
export function handlerOf<C extends InteractionCode>(providers: Providers, type: string, code: C): Interactions[C] {
  const handler = providers.get(type)?.interactions[code]
  if (handler === undefined) throw notSupported(providers, type, code)
  return handler
}

function withId<R extends AnyResource>(resource: R): R & { id: string } {
  if (resource.id === undefined) throw new TypeError(`update of a ${resource.resourceType} without an id`)
  return resource as R & { id: string }
}

/** `found`, unless it is absent (404) or deleted (410). */
export function present<R extends AnyResource>(
  found: Versioned<R> | undefined,
  type: string,
  id: string,
): Versioned<R> {
  if (found === undefined) throw absent(type, id)
  if (found.deleted) throw gone(`${type}/${id} was deleted (version ${found.version})`)
  return found
}

export const absent = (type: string, id: string): FhirError => notFound(`There is no ${type} with id '${id}'`)
