/**
 * What a module adds to the server: docs/extending.md. FHIR calls the additional elements of a resource extensions too;
 * these are others.
 */
import type { CodeSystem, SearchParameter, StructureDefinition, ValueSet } from 'fhir/r4'
import type { ToolFamilies } from '../calls/tool.ts'
import type { Operation } from '../core/operation.ts'
import type { InteractionCode, Interactions, Provider } from '../core/provider.ts'

/** What a module exports as `extension`; all of it is checked when the server starts. */
export interface ServerExtension {
  /** Names the extension in the log and in the sentence that stops the start when something is wrong with it. */
  readonly name: string
  /** Providers of types that the server serves in the standard way, and rules around the interactions of any type. */
  readonly providers?: readonly (Provider | ProviderExtension)[]
  /** Each is served where its definition says: on the types of `resource`, and on the whole clinic where `system` is true. */
  readonly operations?: readonly Operation[]
  /** Live-call tools, in families of their own or in present ones. Each is a declared operation. */
  readonly tools?: ToolFamilies
  /** They take part in the searches of every clinic. */
  readonly searchParameters?: readonly SearchParameter[]
  /** Each clinic has these resources, and cannot change them. */
  readonly profiles?: readonly StructureDefinition[]
  readonly codeSystems?: readonly CodeSystem[]
  readonly valueSets?: readonly ValueSet[]
}

/**
 * The extension itself, typed:
 * `export const extension = defineExtension({ name: 'fall-risk', operations: [assessRisk] })`.
 */
export const defineExtension = (extension: ServerExtension): ServerExtension => extension

/** By interaction: a handler around the present one, `next`. */
export type InteractionWrappers = {
  readonly [Code in InteractionCode]?: (next: Interactions[Code]) => Interactions[Code]
}

/** Rules around what the present provider of a type does. */
export interface ProviderExtension {
  readonly type: string
  readonly around: InteractionWrappers
}

/**
 * Puts rules around the interactions of a type, whichever provider it has. Several extensions may do so for the same
 * type; the rule of the one that EXTENSIONS names last runs first. A patch goes through `update`.
 *
 *     extendProvider('Patient', { create: (next) => (ctx, resource) => next(ctx, checked(resource)) })
 */
export const extendProvider = (type: string, around: InteractionWrappers): ProviderExtension => ({ type, around })
