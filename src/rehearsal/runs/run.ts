/** A run: the traffic of one client that is judged by a plan, from its start to its report. docs/runs.md */
import type { Plan } from '../plans/plan.ts'

/** `finished`: its report is made. `aborted`: it ended without a verdict. */
export type RunStatus = 'open' | 'finished' | 'aborted'

/** As stored. */
export interface RunRecord {
  readonly id: string
  /** The plan as it was when the run started, its names put in. */
  readonly plan: Plan
  /** The name of the client that is judged. */
  readonly client: string
  /** The name of the user who started it. */
  readonly by: string
  readonly status: RunStatus
  /** Milliseconds since 1970 UTC, of the machine. An open run ends by itself at `until`. */
  readonly startedAt: number
  readonly until: number
  /** Address of the server for its client, with the strictness profile where it has one. */
  readonly base: string
  /** The strictness profile. */
  readonly as?: string
  /** The beginning of the ids of its calls. */
  readonly callPrefix: string
  /** The scenario of the clinic when it started. */
  readonly scenario?: string
  /** The number of the newest exchange of the clinic's journal before it started. */
  readonly after: number
  readonly attested: Readonly<Record<string, Attested>>
  /** Made when it ends. */
  readonly report?: RunReport
}

export interface Attested {
  readonly ok: boolean
  readonly note?: string
  readonly by: string
}

/**
 * `error`: the journal does not tell (exchanges are missing, bodies were not kept). `warning`: nobody has attested it.
 * `skip`: an optional step that was not seen. `pending`: the run is open, and it may still happen.
 */
export type Verdict = 'pass' | 'fail' | 'error' | 'warning' | 'skip' | 'pending'

/** All that is known of a run; the same journal gives the same report. */
export interface RunReport {
  readonly run: string
  readonly clinic: string
  readonly plan: string
  readonly version: string
  readonly title: string
  readonly client: string
  readonly base: string
  readonly as?: string
  readonly scenario?: string
  readonly status: RunStatus
  /** `error` where a step ends in one and none in `fail`. */
  readonly result: 'pass' | 'fail' | 'error' | 'pending'
  /** Percentage of required steps that pass, rounded down. */
  readonly score: number
  /** FHIR instants. */
  readonly startedAt: string
  readonly endedAt?: string
  readonly steps: readonly StepReport[]
  readonly traffic: Traffic
  /** Sentences about the whole run: exchanges that are missing, requests that named another run. */
  readonly notes: readonly string[]
  readonly observed: Observed
}

export interface StepReport {
  readonly id: string
  readonly title: string
  readonly source: string
  readonly optional?: true
  readonly result: Verdict
  /** One sentence: what was expected, and what came. */
  readonly message: string
  readonly evidence: readonly Evidence[]
  readonly attested?: Attested
}

/** An exchange of the journal that proves something. */
export interface Evidence {
  /** The id of the exchange: `GET /clinics/{id}/exchanges/{exchange}`. */
  readonly exchange: string
  /** The word of the step that it is about; `nearest`: it is what was expected, but for what the message says. */
  readonly of: 'expect' | 'after' | 'never' | 'times' | 'nearest'
  /** FHIR instant. */
  readonly at: string
  /** `POST /Appointment 409` */
  readonly line: string
}

export interface Traffic {
  readonly exchanges: number
  /** Tool calls. */
  readonly tools: number
  /** By the class of the status: `2xx`, and `none` where there was no response. */
  readonly byStatus: Readonly<Record<string, number>>
  /** Milliseconds. */
  readonly latency: { readonly median: number; readonly p95: number }
}

/** Everything that the client was seen to use: by type, interactions, search parameters and operations. All sorted. */
export interface Observed {
  readonly types: Readonly<Record<string, ObservedType>>
  /** Interactions and operations of the whole system. */
  readonly interactions: readonly string[]
  readonly operations: readonly string[]
  readonly tools: readonly string[]
}

export interface ObservedType {
  readonly interactions: readonly string[]
  readonly searchParameters: readonly string[]
  readonly operations: readonly string[]
}
