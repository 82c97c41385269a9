/** The context of a handler: one clinic, one agent, and reads and writes that go through the providers' rules. */
import type { Reference } from 'fhir/r4'
import type { Role, TokenSession } from '../clinics/accounts.ts'
import type { ProfilePolicy, SearchHandling } from '../clinics/settings.ts'
import type { Contents } from '../content/contents.ts'
import type { Issue } from '../fhir/outcome.ts'
import type { Patch } from '../fhir/patch/patch.ts'
import type { AnyResource } from '../fhir/resource.ts'
import type { TrailReader } from '../record/audit/trail-reader.ts'
import type { UnitOfWork, Versioned } from '../repository/repository.ts'
import type { SearchParameter } from '../search/parameters.ts'
import type { Precondition } from './precondition.ts'

/** The acting party: a dashboard user, a live call, or the server itself. */
export type Agent =
  | {
      readonly kind: 'user'
      readonly id: string
      readonly name: string
      readonly role: Role
      /** Absent with a foreign issuer, and where the server acts for the user later. */
      readonly session?: TokenSession
      /** Milliseconds since 1970 UTC, by the clock of the machine: the end of the token; absent where the server acts for the user later. */
      readonly expires?: number
    }
  | { readonly kind: 'call'; readonly id: string }
  | { readonly kind: 'server' }

/** The search features of this server, besides the search parameters of the clinic itself. */
export interface ServedSearch {
  /** The search parameters that are declared for a type. */
  readonly parametersOf: (type: string) => ReadonlyMap<string, SearchParameter>
  /** `_text` and `_content` are offered. */
  readonly fullText: boolean
}

/** One atomic change (or mere reads) for a handler. */
export interface Context {
  readonly clinic: string
  readonly agent: Agent
  /**
   * An admin imports what another system has recorded: rules about when something may be planned apply to plans made
   * here, not to imports (docs/imports.md).
   */
  readonly isImport: boolean
  /** The address of this server, for absolute references; without a trailing slash. */
  readonly baseUrl: string
  /** Treatment of a write that breaks a profile it declares, unless the clinic has a policy of its own. */
  readonly profilePolicy: ProfilePolicy
  /** Treatment of unknown search parameters, unless the client or the clinic chooses. */
  readonly searchHandling: SearchHandling
  readonly servedSearch: ServedSearch
  /** The time by the clinic's clock: milliseconds since 1970 UTC; the same throughout one change. */
  readonly now: number
  /** The audit trail of the clinic, where there is one and the agent may read it. */
  readonly trail?: TrailReader | undefined
  /** The bytes that resources refer to by a marker in place of `data`. */
  readonly contents: Contents
  /** The SHA-256 of each content that this change has received, by its base64; those that it does not use are abandoned at its end. */
  readonly received: Map<string, string>
  /** The unit of work, beneath the providers' rules: for standard interactions and the server's own records. */
  readonly unit: UnitOfWork
  /** Warnings that the rules of types add for writes of this change; removed by the code that makes the response. */
  readonly warnings: Issue[]
  /** Issues by the rules of its type in a resource that would replace the stored one: see Provider.findings. */
  findings(resource: AnyResource): Promise<readonly Issue[]>
  /** @throws FhirError 404 or 410 */
  read<R extends AnyResource>(type: R['resourceType'], id: string): Promise<Versioned<R>>
  /** Undefined when it does not exist or is deleted. */
  find<R extends AnyResource>(type: R['resourceType'], id: string): Promise<Versioned<R> | undefined>
  /**
   * The first page for a query string (`birthdate=1980-03-03&_sort=-_lastUpdated&_count=5`), by default at most 1,000
   * resources.
   * @throws FhirError 400 for a query that would be refused from a client too
   */
  search<R extends AnyResource>(type: R['resourceType'], query: string): Promise<readonly Versioned<R>[]>
  /**
   * The same, and the change is only written while the matches stay the same: for "create unless one exists".
   * @throws FhirError 400
   */
  searchGuarded<R extends AnyResource>(type: R['resourceType'], query: string): Promise<readonly Versioned<R>[]>
  /**
   * Writes go through the stages of core/write.ts.
   * @throws FhirError 400, 405, 409, 412 or 422; and the errors of the provider
   */
  create<R extends AnyResource>(resource: R): Promise<Versioned<R>>
  update<R extends AnyResource>(resource: R, precondition?: Precondition): Promise<Versioned<R>>
  patch(type: string, id: string, patch: Patch, precondition?: Precondition): Promise<Versioned>
  /** The deletion; undefined when there was nothing to delete. */
  delete(type: string, id: string, precondition?: Precondition): Promise<Versioned | undefined>
}

export interface ChangeOptions {
  /** Writing the change twice has the same effect as writing it once. */
  readonly isRepeatable?: boolean
  /** See Context.isImport. */
  readonly isImport?: boolean
  /** Contents that were received for it before: see Context.received. */
  readonly received?: readonly string[] | undefined
}

/** Access of one agent to one clinic, for a request or a job: all of it sees the same generation of the clinic's data. */
export interface ClinicAccess {
  readonly clinic: string
  readonly agent: Agent
  /** See Context. */
  readonly baseUrl: string
  /** A context that only reads: staged changes are never written. */
  reader(): Promise<Context>
  /** One atomic, durable change. `work` may run several times when others interfere: no outside effects in it. */
  change<T>(work: (ctx: Context) => Promise<T>, options?: ChangeOptions): Promise<T>
}

export type UserAgent = Extract<Agent, { kind: 'user' }>

/** System of Reference.identifier; the value is the user name. */
const USERS = 'urn:sandbox-emr:user'

/** A user of the dashboard in a resource: https://hl7.org/fhir/R4/references.html#logical. */
export const userReference = ({ id, name }: Pick<UserAgent, 'id' | 'name'>): Reference => ({
  identifier: { system: USERS, value: id },
  display: name,
})

export const isUser = (reference: Reference | undefined, { id }: Pick<UserAgent, 'id'>): boolean =>
  reference?.identifier?.system === USERS && reference.identifier.value === id
