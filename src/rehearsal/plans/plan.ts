/**
 * A plan: the steps by which a run judges a client of the server. It is a JSON file of eight words: `do`, `expect`, `times`,
 * `after`, `within`, `never`, `state` and `attest`. docs/plans.md
 */
import type { When } from '../faults/matching.ts'

export interface Plan {
  /** Lower-case words joined by hyphens; unique. */
  readonly plan: string
  readonly title: string
  /** Semantic version: a major one adds, removes or tightens a required step. */
  readonly version: string
  readonly description: string
  /** The scenario that the plan is made for: that of a clone which a run is given. */
  readonly scenario?: string
  /**
   * Names that texts of the steps use as `{{name}}`. One that is a reference, such as `Patient/abernathy-ruth`, must exist in
   * the clinic when a run starts.
   */
  readonly names?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

export interface Step {
  /** Lower-case words joined by hyphens; unique in its plan. */
  readonly id: string
  readonly title: string
  /** The place where it is said that a client should do so: `IHE ITI-115`, or a web address. */
  readonly source: string
  /** A client that does not do it skips it; absent: it is required. */
  readonly optional?: true
  /** The fault that requests of the run meet; the step's exchange is one that has met it. */
  readonly do?: Provoked
  /** The step's exchange: the first that matches. Absent: the first that meets the fault, or the start of the run. */
  readonly expect?: Matcher
  /** How many exchanges match `expect`; absent: at least one. */
  readonly times?: Times
  /** Exchanges that come later than the step's, in this order. */
  readonly after?: Matcher | readonly Matcher[]
  /** ISO 8601 duration from the step's exchange to the last of `after`. */
  readonly within?: string
  /** Exchanges that do not come later than the step's. */
  readonly never?: Matcher | readonly Matcher[]
  /** Searches when the run is finished. */
  readonly state?: ExpectedState | readonly ExpectedState[]
  /** A sentence that a person says is true or not. */
  readonly attest?: string
}

/** A fault of the catalogue, and which matching requests of the run meet it: the first, unless `on` has other numbers. */
export interface Provoked {
  readonly fault: string
  readonly when?: Omit<When, 'run'>
  /** Numbers of requests of the run that match `when`, from 1. */
  readonly on?: readonly number[]
  readonly with?: Readonly<Record<string, unknown>>
}

export type Times = number | { readonly least?: number; readonly most?: number }

export interface ExpectedState {
  /** A search: `Appointment?patient={{patient}}&status=booked`. */
  readonly query: string
  /** The number of its matches. */
  readonly count: Times
}

export type OneOf<T> = T | readonly T[]

/** An exchange that is looked for; all members must hold. */
export interface Matcher {
  /** A code of FHIR's interactions, or `operation`. */
  readonly interaction?: OneOf<string>
  readonly type?: OneOf<string>
  /** `$match` */
  readonly operation?: OneOf<string>
  /** The name of a tool; the exchange calls it. */
  readonly tool?: OneOf<string>
  readonly method?: OneOf<string>
  /** The whole path below the base, or its beginning before a final `*`. */
  readonly path?: OneOf<string>
  /**
   * Parameters of the query: each has one of the values; an empty text is any value. A value that ends in `*` is the beginning
   * of one: `{"start": ["ge*", "gt*"]}`.
   */
  readonly query?: Readonly<Record<string, OneOf<string>>>
  /** `201`, or a class: `4xx`. */
  readonly status?: OneOf<number | string>
  /** Request headers by their names in lower case, as in `query`. */
  readonly headers?: Readonly<Record<string, OneOf<string>>>
  /** FHIRPath over the body of the request that is true; `%sent` and `%received` are the bodies of the step's exchange. */
  readonly request?: OneOf<string>
  /** The same over the body of the response. */
  readonly response?: OneOf<string>
  /** Members of the arguments, and of the result, of the tool call; an empty text is any value. */
  readonly arguments?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  /** It is the same as that of the step's exchange. */
  readonly same?: OneOf<Sameness>
  /** ISO 8601 duration after the step's exchange, or the time in its Retry-After, within which it comes. */
  readonly soonerThan?: string
}

export type Sameness = 'address' | 'body' | 'call' | 'tool-call-id' | 'arguments'
