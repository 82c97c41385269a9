/** The scenarios to measure, and their targets. */
import {
  birthDateOf,
  dayRange,
  familyBeginning,
  familyOf,
  patient,
  patientId,
  practitionerId,
  type Sizes,
  scheduleId,
  transaction,
  weekRange,
} from './data-set.ts'
import type { HttpRequest, Traffic } from './load.ts'
import type { Ceiling, Scenario, Target } from './scenario.ts'
import { toolScenarios } from './tool-scenarios.ts'

const MEBIBYTE = 1024 * 1024

/** Targets of the whole run. Memory in bytes; the import in resources per second, relative to requests of bare Koa. */
export const RUN_TARGETS = {
  importRatio: 3_000 / 38_000,
  /** Entries per second. */
  largeRecords: 2_500,
  /** The p99 of a read while 16 clients write, relative to that without them. */
  readBesideWrites: 3,
  /** The processor time of a read with the audit trail, relative to that without it. */
  auditCost: 1.1,
  /** Milliseconds of processor time that a tool call takes by another door than the envelope, beyond that in it. */
  doorCost: 0.1,
  /** The reads a second of a server with the journal, relative to those without it. */
  journalThroughput: 0.95,
  /** The creates a second of a server with a hundred Subscriptions in the clinic, relative to those without. */
  subscribersThroughput: 0.9,
  idleMemory: 150 * MEBIBYTE,
  loadedMemory: 500 * MEBIBYTE,
  memoryAfterRun: 350 * MEBIBYTE,
} as const

const FHIR_JSON = 'application/fhir+json'
const DISTINCT = 512
/** More than any scenario uses, so that connection and count combine to a unique number. */
const MAX_CONNECTIONS = 64

export interface Access {
  readonly authorization: string
  readonly voiceSecret: string
}

export const scenarios = (sizes: Sizes, { authorization, voiceSecret }: Access): readonly Scenario[] => [
  ...reads(sizes, authorization),
  ...searches(sizes, authorization),
  ...writes(sizes, authorization),
  ...toolScenarios(voiceSecret),
]

const ofKoa = (atLeast: number): Target => ({ kind: 'ratio', ceiling: 'koa', atLeast })

/** Patients from all over the data set, so that neighbours in the list are not neighbours in the store. */
const spread = (n: number, { patients }: Sizes): number => (n * 37) % patients

const gets = (authorization: string, path: (n: number) => string): Traffic => ({
  kind: 'repeated',
  requests: Array.from({ length: DISTINCT }, (_, n) => ({ method: 'GET', path: path(n), headers: { authorization } })),
})

const reads = (sizes: Sizes, authorization: string): readonly Scenario[] => [
  {
    name: 'metadata',
    // As requested by browsers and FHIR client libraries.
    traffic: {
      kind: 'repeated',
      requests: [{ method: 'GET', path: '/metadata', headers: { 'accept-encoding': 'gzip, deflate, br' } }],
    },
    target: ofKoa(0.6),
  },
  {
    name: 'metadata, not compressed',
    traffic: { kind: 'repeated', requests: [{ method: 'GET', path: '/metadata' }] },
  },
  {
    name: 'read',
    traffic: gets(authorization, (n) => `/Patient/${patientId(spread(n, sizes))}`),
    target: { kind: 'ratio', ceiling: 'koa point read', atLeast: 0.75 },
  },
]

function searches(sizes: Sizes, authorization: string): readonly Scenario[] {
  const practitionerOf = (n: number): number => (n * 7) % sizes.practitioners
  const search = (name: string, atLeast: number, hits: readonly [number, number], path: (n: number) => string) => ({
    name,
    traffic: gets(authorization, path),
    target: ofKoa(atLeast),
    problemOf: entries(...hits),
  })
  return [
    search('few-hit search', 0.25, [1, 3], (n) => {
      const patientNumber = spread(n, sizes)
      return `/Patient?family=${familyOf(patientNumber)}&birthdate=${birthDateOf(patientNumber)}`
    }),
    search('prefix search', 0.15, [20, 20], (n) => `/Patient?family=${familyBeginning(n)}&_count=20`),
    search('slot search', 0.12, [50, 50], (n) => {
      const schedule = `Schedule/${scheduleId(practitionerOf(n))}`
      return `/Slot?schedule=${schedule}&status=free&${weekRange()}&_count=50`
    }),
    search('include search', 0.2, [6, 10], (n) => {
      const practitioner = `Practitioner/${practitionerId(practitionerOf(n))}`
      return `/Appointment?practitioner=${practitioner}&${dayRange(n)}&_include=Appointment:patient`
    }),
  ]
}

function writes(sizes: Sizes, authorization: string): readonly Scenario[] {
  const send = (method: 'POST' | 'PUT', path: string, body: object): HttpRequest => ({
    method,
    path,
    headers: { authorization, 'content-type': FHIR_JSON },
    body: JSON.stringify(body),
  })
  /** A number that is unique in the run and not in the data set. */
  const unused = (connection: number, n: number): number => sizes.patients + n * MAX_CONNECTIONS + connection
  const durable: Target = { kind: 'ratio', ceiling: 'koa durable write', atLeast: 2 }
  return [
    {
      name: 'create',
      traffic: { kind: 'fresh', next: (connection, n) => send('POST', '/Patient', patient(unused(connection, n))) },
      target: durable,
      cpuAlone: 0.7,
    },
    {
      name: 'update',
      traffic: {
        kind: 'fresh',
        next: (connection, n) => {
          const number = unused(connection, n)
          const id = patientId(number % sizes.patients)
          return send('PUT', `/Patient/${id}`, { ...patient(number), id })
        },
      },
      target: durable,
    },
    {
      name: 'transaction of 10',
      traffic: {
        kind: 'fresh',
        next: (connection, n) => {
          const patients = Array.from({ length: 10 }, (_, index) => patient(unused(connection, n * 10 + index)))
          return send('POST', '/', transaction(patients))
        },
      },
      target: ofKoa(0.03),
      problemOf: entries(10, 10),
    },
  ]
}

function entries(fewest: number, most: number): (text: string) => string | undefined {
  return (text) => {
    const found = (JSON.parse(text) as { entry?: unknown[] }).entry?.length ?? 0
    return found >= fewest && found <= most ? undefined : `${found} entries instead of ${fewest} to ${most}`
  }
}

/** The requests to the ceilings; those that write create the same Patient as the scenario. */
export const ceilingTraffic = (ceiling: Ceiling): Traffic =>
  ceiling === 'koa durable write'
    ? {
        kind: 'fresh',
        next: (connection, n) => ({
          method: 'POST',
          path: '/Patient',
          headers: { 'content-type': FHIR_JSON },
          body: JSON.stringify(patient(n * MAX_CONNECTIONS + connection)),
        }),
      }
    : {
        kind: 'repeated',
        requests: Array.from({ length: DISTINCT }, (_, n) => ({ method: 'GET', path: `/Patient/${patientId(n)}` })),
      }
