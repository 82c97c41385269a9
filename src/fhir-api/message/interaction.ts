/**
 * An interaction without its transport: the request and the response shared by routes and entries of a Bundle. One file
 * in fhir-api/interactions implements each: https://hl7.org/fhir/R4/http.html.
 */
import type { OperationOutcome } from 'fhir/r4'
import type { Logger } from 'pino'
import type { Limits } from '../../config.ts'
import type { Contents } from '../../content/contents.ts'
import type { Context } from '../../core/context.ts'
import type { Operation } from '../../core/operation.ts'
import type { Integrations } from '../../core/ports.ts'
import type { Providers } from '../../core/provider.ts'
import type { Preferences } from '../../http/message/format.ts'
import type { SystemInteractionCode } from '../../providers/registry.ts'
import type { Access } from '../../record/audit/event.ts'
import type { Profile, Strictness } from '../../rehearsal/strictness/profile.ts'
import type { StoredResource, Versioned } from '../../repository/repository.ts'
import type { SearchPlan } from '../../search/plan.ts'
import type { Links } from '../../search/value.ts'

/** Contents received with a body, to be abandoned when nothing is written with it. */
export interface RawBody {
  /** The SHA-256 of each content. */
  readonly received: readonly string[]
}

export interface InteractionRequest {
  /** '' at system level. */
  readonly type: string
  /** '' at type and system level. */
  readonly id: string
  readonly versionId: string
  /** The member type of a compartment search; '' where there is none in the address. */
  readonly member: string
  readonly query: URLSearchParams
  /** The parsed body; undefined where the interaction has none. */
  readonly body: unknown
  /** Set where the body came as bytes, and `body` is their Binary. */
  readonly raw?: RawBody | undefined
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
  readonly ifNoneExist?: string | undefined
  readonly ifModifiedSince?: string | undefined
  /** The address of this server as the client sees it, without a trailing slash. */
  readonly base: string
  /** Prefer: handling. */
  readonly handling: Preferences['handling']
  /** Prefer: return=OperationOutcome. */
  readonly wantsOutcome: boolean
  /** Its writes are an import: see Context.isImport. */
  readonly isImport: boolean
  /** Path and query as they were sent; absent in an entry of a Bundle. */
  readonly url?: string
  /** Prefer: respond-async. */
  readonly prefersAsync?: boolean
  readonly services: Services
  /** Set below /as/{profile}. */
  readonly strictness?: Strictness | undefined
  /** Set on an entry of a transaction: the id assigned to a create before references to it were rewritten. */
  readonly assignedId?: string
  /** Set on an entry of a transaction: `Type/id` for the fullUrl of each other entry in its criteria. */
  readonly links?: Links
  /** Set on a conditional entry of a transaction: the match of its criteria before references were rewritten. */
  readonly conditionalMatch?: ConditionalMatch
}

/** The match of the criteria of a conditional interaction. */
export interface ConditionalMatch {
  readonly criteria: string
  readonly plan: SearchPlan
  /** Undefined when none matches. */
  readonly resource: Versioned | undefined
}

/** Services that interactions may need besides their context. */
export interface Services {
  readonly providers: Providers
  /** The declared interactions across types. */
  readonly system: ReadonlySet<SystemInteractionCode>
  /** The declared operations at system level. */
  readonly systemOperations: readonly Operation[]
  /**
   * The response to GET /metadata, as JSON.
   * @param profile below /as/{profile}
   * @throws FhirError 400 for an unknown mode
   */
  readonly capabilities: (mode: string | null, base: string, profile?: Profile) => Promise<string>
  readonly contents: Contents
  readonly limits: Limits
  readonly integrations: Integrations
  readonly logger: Logger
}

export interface InteractionResponse {
  readonly status: number
  /** Gives ETag, Last-Modified and, unless `text` or `outcome` is set, the body. */
  readonly resource?: Versioned
  /** Versioned address of the written resource. */
  readonly location?: string
  /** A body made of stored texts, a Bundle for instance. */
  readonly text?: string
  readonly outcome?: OperationOutcome
  /** Further headers, besides those that follow from the other members. */
  readonly headers?: Readonly<Record<string, string>>
  /** Further resources in the response besides `resource`, as they are stored: for the audit trail. */
  readonly about?: readonly StoredResource[]
  /** Ids of patients whom neither the resources nor the response name, for the audit trail. */
  readonly patients?: readonly string[]
  /** The accesses of its parts: the entries of a Bundle. */
  readonly accesses?: readonly Access[]
  /** The body does not depend on Prefer: return (searches, reads). */
  readonly kind: 'read' | 'write'
}

export type InteractionHandler = (ctx: Context, request: InteractionRequest) => Promise<InteractionResponse>

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A row of the table of routes (fhir-api/interactions/routes.ts). */
export interface Route {
  /**
   * The code that /metadata declares; a route is served where its code is declared. R4 has no code for search in a
   * compartment: `search-compartment` represents rest.compartment.
   */
  readonly code: string
  readonly level: 'system' | 'type' | 'instance'
  readonly method: Method
  readonly path: string
  /** How the request is carried out. */
  readonly run:
    | { readonly kind: 'interaction'; readonly handler: InteractionHandler }
    | { readonly kind: 'bundle' }
    | { readonly kind: 'operation' }
}

/** The variable parts of a path; '' where the route has none. */
export interface PathParameters {
  readonly type: string
  readonly id: string
  readonly versionId: string
  /** The code of an operation, without $. */
  readonly operation: string
  /** The member type of the search in a compartment, or *. */
  readonly member: string
}
