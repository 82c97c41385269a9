/** The answers of the routes by which a clinic is rehearsed in, for the pages and `npm run sandbox`. docs/rehearsal.md */
import type { ClinicClock } from './clock.ts'

export interface Clock extends ClinicClock {
  /** ISO 8601 duration, from real time to that of the clinic. */
  readonly ahead: string
  readonly timeZone: string
  /** The number of its data: another one since a reset. */
  readonly generation: number
  /** The midnight before clocks change next, FHIR's instant; absent in a zone in which they do not. */
  readonly nextDaylightSaving?: string
}

export interface Scenario {
  readonly name: string
  readonly title: string
  readonly version?: string
  readonly description?: string
  readonly resources: number
  readonly people: number
  readonly oddities?: readonly { readonly what: string; readonly resource: string }[]
}

/** The resources that a reset would remove, and the reset that is under way. */
export interface ResetPreview {
  readonly generation: number
  readonly scenario?: string
  readonly snapshot?: string
  readonly filledAt?: string
  /** The person who reset it. */
  readonly by?: string
  readonly counts: Readonly<Record<string, number>>
  readonly running?: RunningReset
}

export interface RunningReset {
  readonly by: string
  readonly since: string
  readonly done: number
  readonly total: number
}

export interface ResetTarget {
  readonly scenario?: string
  readonly snapshot?: string
  readonly settings?: boolean
}

export interface ResetAnswer {
  readonly generation: number
  readonly resources: number
  /** Milliseconds. */
  readonly ms: number
}

export interface Snapshot {
  readonly name: string
  readonly at: string
  readonly by: string
  readonly resources: number
  readonly scenario?: string
  readonly serverVersion: string
}

export interface NewClone {
  readonly from: { readonly clinic: string; readonly scenario?: string; readonly snapshot?: string }
  readonly name?: string
  /** ISO 8601 duration. */
  readonly ttl: string
}

export interface Clone {
  readonly id: string
  /** Absent where tokens come from another issuer. */
  readonly token?: string
  readonly username: string
  readonly password: string
  readonly base: string
  readonly dialedNumber: string
  readonly expiresAt: string
}

/** A profile of BASE/as/{name}. docs/strictness.md */
export interface StrictnessProfile {
  readonly name: string
  readonly title: string
}

/** A plan, as far as the pages read it; docs/plans.md has all of it. */
export interface Plan {
  readonly plan: string
  readonly title: string
  readonly version: string
  readonly description: string
  readonly scenario?: string
  readonly names?: Readonly<Record<string, string>>
  readonly steps: readonly PlanStep[]
  /** It belongs to the server, so the clinic cannot change it. */
  readonly builtIn?: true
}

export interface PlanStep {
  readonly id: string
  readonly title: string
  readonly source: string
  readonly optional?: true
  /** The words of the step: `do`, `expect`, … */
  readonly [word: string]: unknown
}

/** A run in a list. docs/runs.md */
export interface RunSummary {
  readonly run: string
  readonly plan: string
  readonly title: string
  readonly version: string
  readonly client: string
  readonly by: string
  readonly status: RunStatus
  /** FHIR's instant. */
  readonly startedAt: string
  readonly endedAt?: string
  readonly as?: string
  readonly scenario?: string
  readonly result?: RunResult
  /** Percentage of the required steps that pass. */
  readonly score?: number
}

export type RunStatus = 'open' | 'finished' | 'aborted'
export type RunResult = 'pass' | 'fail' | 'error' | 'pending'
export type Verdict = RunResult | 'warning' | 'skip'

export interface NewRun {
  readonly plan: string
  readonly clientName?: string
  /** The name of a strictness profile. */
  readonly as?: string
  /** Whether it gets a clinic of its own. */
  readonly clone?: boolean
}

export interface StartedRun {
  readonly run: string
  /** Another one than that of the user where the run has a clinic of its own. */
  readonly clinic: string
  readonly plan: string
  readonly base: string
  readonly callPrefix: string
  /** FHIR's instant at which it ends by itself. */
  readonly until: string
  /** Absent where tokens come from another issuer. */
  readonly token?: string
  readonly dialedNumber?: string
  readonly as?: string
}

/** A run with all that is known of it so far. */
export interface Run extends RunSummary, Judged {
  readonly clinic: string
  readonly base: string
  readonly callPrefix: string
  readonly until: string
  readonly result: RunResult
  readonly score: number
}

/** A judgement of exchanges by the steps of a plan. */
export interface Judged {
  readonly steps: readonly JudgedStep[]
  readonly traffic: Traffic
  readonly observed: Observed
  /** Sentences about the whole. */
  readonly notes: readonly string[]
}

export interface JudgedStep {
  readonly id: string
  readonly title: string
  readonly source: string
  readonly optional?: true
  readonly result: Verdict
  readonly message: string
  readonly evidence: readonly Evidence[]
  /** The sentence that a person says is true or not. */
  readonly attest?: string
  readonly attested?: { readonly ok: boolean; readonly note?: string; readonly by: string }
  /** The fault that requests of the run meet. */
  readonly do?: Provoked
}

export interface Provoked {
  readonly fault: string
  readonly when?: Readonly<Record<string, string>>
  /** Numbers of the requests that meet it, of those that match. */
  readonly on?: readonly number[]
  readonly with?: Readonly<Record<string, string | number>>
}

/** An exchange that proves something. */
export interface Evidence {
  readonly exchange: string
  readonly of: 'expect' | 'after' | 'never' | 'times' | 'nearest'
  readonly at: string
  /** `POST /Appointment 409` */
  readonly line: string
}

export interface Traffic {
  readonly exchanges: number
  readonly tools: number
  /** By the class of the status, `2xx`; `none` where there was no response. */
  readonly byStatus: Readonly<Record<string, number>>
  /** Milliseconds. */
  readonly latency: { readonly median: number; readonly p95: number }
}

/** The interactions, search parameters and operations that a client was seen to use. */
export interface Observed {
  readonly types: Readonly<Record<string, ObservedType>>
  readonly interactions: readonly string[]
  readonly operations: readonly string[]
  readonly tools: readonly string[]
}

export interface ObservedType {
  readonly interactions: readonly string[]
  readonly searchParameters: readonly string[]
  readonly operations: readonly string[]
}

/** A link by which anybody reads the report of a run. docs/reports.md */
export interface SharedReport {
  readonly url: string
  readonly expiresAt: string
}
