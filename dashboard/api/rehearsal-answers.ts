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
