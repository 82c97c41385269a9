/**
 * An interaction without its transport: what a route and a bundle entry both hand in, and what both get back.
 * One file in fhir-api/interactions implements each: https://hl7.org/fhir/R4/http.html.
 */
import type { OperationOutcome } from 'fhir/r4'
import type { Logger } from 'pino'
import type { Limits } from '../../config.ts'
import type { Contents } from '../../content/contents.ts'
import type { Context } from '../../core/context.ts'
import type { Operation } from '../../core/operation.ts'
import type { Integrations } from '../../core/ports.ts'
import type { Providers } from '../../core/provider.ts'
import type { Preferences } from '../../http/message/negotiate.ts'
import type { SystemInteractionCode } from '../../providers/registry.ts'
import type { Access } from '../../record/audit/event.ts'
import type { StoredResource, Versioned } from '../../repository/repository.ts'
import type { SearchPlan } from '../../search/plan.ts'
import type { Links } from '../../search/value.ts'

/** What was received of a body beside `body`: to be abandoned when nothing is written with it. */
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
  /** The type that is searched in a compartment; '' where there is none in the address. */
  readonly member: string
  readonly query: URLSearchParams
  /** The parsed body; undefined where the interaction has none. */
  readonly body: unknown
  /** It came as bytes, and `body` is the Binary of them. */
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
  /** What it writes is an import: see Context.isImport. */
  readonly isImport: boolean
  /** Prefer: respond-async. */
  readonly prefersAsync?: boolean
  readonly services: Services
  /** Set on an entry of a transaction: the id that a create was given before references to it were rewritten. */
  readonly assignedId?: string
  /** Set on an entry of a transaction: what the fullUrl of another one stands for in its criteria, `Type/id`. */
  readonly links?: Links
  /** Set on a conditional entry of a transaction: what its criteria chose before references were rewritten. */
  readonly conditionalMatch?: ConditionalMatch
}

/** What the criteria of a conditional interaction choose. */
export interface ConditionalMatch {
  readonly criteria: string
  readonly plan: SearchPlan
  /** Undefined when none matches. */
  readonly resource: Versioned | undefined
}

/** What every interaction may need beside its context. */
export interface Services {
  readonly providers: Providers
  /** The interactions across types that are declared. */
  readonly system: ReadonlySet<SystemInteractionCode>
  /** The operations of the whole clinic that are declared. */
  readonly systemOperations: readonly Operation[]
  /**
   * The answer to GET /metadata, as JSON.
   * @throws FhirError 400 for a mode that there is not
   */
  readonly capabilities: (mode: string | null, base: string) => Promise<string>
  readonly contents: Contents
  readonly limits: Limits
  readonly integrations: Integrations
  readonly logger: Logger
}

export interface InteractionResponse {
  readonly status: number
  /** Gives ETag, Last-Modified and, unless `text` or `outcome` is set, the body. */
  readonly resource?: Versioned
  /** Versioned address of what was written. */
  readonly location?: string
  /** A body made of stored texts, a Bundle for instance. */
  readonly text?: string
  readonly outcome?: OperationOutcome
  /** Beside those that follow from the rest. */
  readonly headers?: Readonly<Record<string, string>>
  /** The resources of which it tells beside `resource`, as they are stored: for the audit trail. */
  readonly about?: readonly StoredResource[]
  /** The ids of the patients whom neither these nor the answer name, for the audit trail. */
  readonly patients?: readonly string[]
  /** What its parts did, where it has some: the entries of a Bundle. */
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
   * compartment: `search-compartment` stands for rest.compartment.
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
  /** The type that is searched in the compartment of a resource, or *. */
  readonly member: string
}

export const etagOf = (version: number): string => `W/"${version}"`

export const locationOf = (base: string, { type, id, version }: Pick<Versioned, 'type' | 'id' | 'version'>): string =>
  `${base}/${type}/${id}/_history/${version}`
