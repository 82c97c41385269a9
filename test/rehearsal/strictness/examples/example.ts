/** Requests that a rule lets pass and refuses, below /as/{profile}. */
import type { TestServer } from '../../../support/server.ts'

export interface Example {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Data of the clinic that an example can be about, made by requests to the plain base. */
export interface World {
  readonly server: TestServer
  /** The slot, start and end of an Appointment in a Slot that is free. */
  readonly time: () => Promise<object>
  /** A booked visit: its address, and its ETag. */
  readonly visit: () => Promise<{ readonly path: string; readonly etag: string }>
}

export interface Examples {
  readonly passes: (world: World) => Example | Promise<Example>
  readonly refused: (world: World) => Example | Promise<Example>
}

/** By the ids of rules. */
export type ExamplesOf = Readonly<Record<string, Examples>>

export const get = (path: string, headers: Record<string, string> = {}): Example => ({ method: 'GET', path, headers })
export const post = (path: string, body: object, headers: Record<string, string> = {}): Example => ({
  method: 'POST',
  path,
  body,
  headers,
})

/** Two searches. */
export const searches = (passes: string, refused: string): Examples => ({
  passes: () => get(passes),
  refused: () => get(refused),
})

/** A read that passes, and another request that does not. */
export const onlyRead = (refused: Example): Examples => ({
  passes: () => get(`/${PATIENT}`),
  refused: () => refused,
})

export const PARAMETERS = { resourceType: 'Parameters' }
export const PATIENT = 'Patient/abernathy-ruth'
export const patient = (more: object = {}) => ({ resourceType: 'Patient', name: [{ family: 'Strict' }], ...more })

/** A body in XML, with an answer in JSON. */
export const XML_PATIENT: Example = {
  method: 'POST',
  path: '/Patient',
  body: '<Patient xmlns="http://hl7.org/fhir"/>',
  headers: { 'content-type': 'application/fhir+xml', accept: 'application/fhir+json' },
}
