/**
 * The additions of a module to the server: docs/extending.md. They are unrelated to FHIR's extensions, the additional
 * elements of a resource.
 */
import type { CodeSystem, SearchParameter, StructureDefinition, ValueSet } from 'fhir/r4'
import type { ToolFamilies } from '../calls/tool.ts'
import type { Operation } from '../core/operation.ts'
import type { InteractionCode, Interactions, Provider } from '../core/provider.ts'
import type { JsonObject } from '../fhir/resource.ts'
import type { Scenario } from '../rehearsal/scenarios/scenario.ts'
import type { Profile } from '../rehearsal/strictness/profile.ts'

/** The `extension` that a module exports; all of it is checked when the server starts. */
export interface ServerExtension {
  /** Names the extension in the log and in the sentence that stops the start when something is wrong with it. */
  readonly name: string
  /** Providers of types that the server serves in the standard way, and rules around the interactions of any type. */
  readonly providers?: readonly (Provider | ProviderExtension)[]
  /** Served as their definitions say: on the types of `resource`, and at system level where `system` is true. */
  readonly operations?: readonly Operation[]
  /** Live-call tools, in families of their own or in existing ones. Each is a declared operation. */
  readonly tools?: ToolFamilies
  /** Search parameters for every clinic. */
  readonly searchParameters?: readonly SearchParameter[]
  /** Each clinic has these resources, and cannot change them. */
  readonly profiles?: readonly StructureDefinition[]
  readonly codeSystems?: readonly CodeSystem[]
  readonly valueSets?: readonly ValueSet[]
  /** R5 SubscriptionTopics, of a module or of files that `readTopic` reads: docs/topics.md. */
  readonly topics?: readonly JsonObject[]
  /** Scenarios that a clinic can be reset to: of a module, or of a file that `readScenario` reads. */
  readonly scenarios?: readonly Scenario[]
  /** Strictness profiles, served below /as/{name}: docs/strictness.md. */
  readonly strictness?: readonly Profile[]
}

/**
 * The extension itself, typed:
 * `export const extension = defineExtension({ name: 'fall-risk', operations: [assessRisk] })`.
 */
export const defineExtension = (extension: ServerExtension): ServerExtension => extension

/** Handlers by interaction, each around the existing one, `next`. */
export type InteractionWrappers = {
  readonly [Code in InteractionCode]?: (next: Interactions[Code]) => Interactions[Code]
}

/** Rules around the existing provider of a type. */
export interface ProviderExtension {
  readonly type: string
  readonly around: InteractionWrappers
}

/**
 * Puts rules around the interactions of a type, whichever provider it has. Several extensions may do so for the same
 * type; the rule of the extension that EXTENSIONS names last runs first. A patch goes through `update`.
 *
 *     extendProvider('Patient', { create: (next) => (ctx, resource) => next(ctx, checked(resource)) })
 */
export const extendProvider = (type: string, around: InteractionWrappers): ProviderExtension => ({ type, around })

export interface LoadedExtension extends ServerExtension {
  /** As EXTENSIONS names it; absent where it was handed to createApp. */
  readonly module?: string
}

/** `Extension fall-risk (./fall-risk.ts)` */
const titleOf = ({ name, module }: LoadedExtension): string =>
  module === undefined ? `Extension ${name}` : `Extension ${name} (${module})`

/**
 * The result of a check of `extension`.
 * @throws Error with the message of what the check threw, after the name of the extension
 */
export const naming = <Result>(extension: LoadedExtension, check: () => Result): Result =>
  prefixed(titleOf(extension), check)

/**
 * The result of `check`.
 * @throws Error with the message of what `check` threw, after `title`
 */
export function prefixed<Result>(title: string, check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    throw new Error(`${title}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
