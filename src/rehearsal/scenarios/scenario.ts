/**
 * A scenario: what is true in a clinic when a rehearsal begins. It is a JSON file (scenario-file.ts), or a module that
 * makes its resources, from a seed for example. docs/scenarios.md
 */
import type { ClinicSettings } from '../../clinics/settings.ts'
import type { AnyResource } from '../../fhir/resource.ts'
import type { ClinicDay } from './moments.ts'

export interface Scenario {
  /** Lower-case words joined by hyphens; unique. */
  readonly name: string
  readonly title: string
  /** Semantic version: a major one changes or removes something that a test may rely on. */
  readonly version: string
  readonly description: string
  /** The moment (moments.ts) to which the clinic's clock is set; absent: the clock stays. */
  readonly clock?: string
  /** Settings that a reset makes where it is asked to; the others stay. */
  readonly settings?: Partial<ClinicSettings>
  /** Rules for faults, by name, as clients send them: docs/faults.md. */
  readonly faults?: Readonly<Record<string, unknown>>
  readonly people: readonly Person[]
  /** Where each oddity of the data can be seen. */
  readonly oddities?: readonly Oddity[]
  /** Number of resources, without the Slots that are generated. */
  readonly count: number
  /**
   * The resources in the order in which they are loaded: what others refer to comes first. Their values may be
   * placeholders, as in a file (placeholders.ts). The same day gives the same resources.
   */
  resources(day: ClinicDay): Iterable<ScenarioResource> | AsyncIterable<ScenarioResource>
}

/** A resource, perhaps with placeholders in place of some values. */
export type ScenarioResource =
  | (AnyResource & { readonly id: string } & Partial<Later>)
  | (AnyResource & { readonly id: string; readonly [element: string]: unknown } & Partial<Later>)

/** The history of a resource that is there already: a further entry is its next version, or its deletion. */
export interface Later {
  /** From 2: this is that version of the resource. */
  readonly $version: number
  /** The resource is deleted; the entry has no elements but resourceType and id. */
  readonly $delete: true
}

/** Somebody that a rehearsal is about. */
export interface Person {
  readonly who: string
  /** `Patient/abernathy-ruth`; absent: the scenario has nobody of that name. */
  readonly resource?: string
  /** The reason why the person is there. */
  readonly what: string
}

export interface Oddity {
  readonly what: string
  /** `Observation/glucose-period` */
  readonly resource: string
  /** The FHIRPath that finds it in the resource. */
  readonly path?: string
}
