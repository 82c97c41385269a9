/**
 * An interaction without its transport: what a route and a bundle entry both hand in, and what both get back.
 * One file per interaction implements it: https://hl7.org/fhir/R4/http.html.
 */
import type { OperationOutcome } from 'fhir/r4'
import type { Logger } from 'pino'
import type { Limits } from '../../config.ts'
import type { Context, Providers } from '../../core/context.ts'
import type { Operation } from '../../core/operation.ts'
import type { Integrations } from '../../core/ports.ts'
import type { SystemInteractionCode } from '../../providers/registry.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { SearchParameter } from '../../search/parameters.ts'

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
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
  readonly ifNoneExist?: string | undefined
  readonly ifModifiedSince?: string | undefined
  /** The address of this server as the client sees it, without a trailing slash. */
  readonly base: string
  readonly lenient: boolean
  /** Prefer: return=OperationOutcome. */
  readonly wantsOutcome: boolean
  readonly services: Services
  /** Set on an entry of a transaction: the id a create was given before references to it were rewritten. */
  readonly assignedId?: string
}

/** What every interaction may need beside its context. */
export interface Services {
  readonly providers: Providers
  /** The interactions across types that are declared. */
  readonly system: ReadonlySet<SystemInteractionCode>
  /** The operations of the whole clinic that are declared. */
  readonly systemOperations: readonly Operation[]
  readonly limits: Limits
  /** The search parameters that are declared for a type. */
  readonly parametersOf: (type: string) => ReadonlyMap<string, SearchParameter>
  /** `_text` and `_content` can be searched for. */
  readonly fullText: boolean
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
  /** The body does not depend on Prefer: return (searches, reads). */
  readonly kind: 'read' | 'write'
}

export type InteractionHandler = (ctx: Context, request: InteractionRequest) => Promise<InteractionResponse>

export const etagOf = (version: number): string => `W/"${version}"`

export const locationOf = (base: string, { type, id, version }: Pick<Versioned, 'type' | 'id' | 'version'>): string =>
  `${base}/${type}/${id}/_history/${version}`
