/**
 * The data that hostile clinics store before they attack. A resource that the server refuses is noted in the report.
 */
import type { FhirResource } from 'fhir/r4'
import { once } from '../load.ts'
import { HOSTILE_CALENDARS, hostileSchedule, hostileSlot } from './stored/calendars.ts'
import { deepCodeSystem, flatCodeSystem, largeConceptMap, manyIncludes, nestedValueSets } from './stored/codes.ts'
import { hostileProfiles } from './stored/profiles.ts'
import {
  crowdedPatient,
  encounter,
  location,
  longList,
  MANY_NAMES,
  manyNames,
  namesId,
  observation,
  patientOf,
  practitioner,
  RECORDS,
  searchParameter,
  VERSIONED,
  version,
  widePatient,
} from './stored/records.ts'
import { largeSchedule } from './stored/schedules.ts'
import { expensiveSubscription, MOST_SUBSCRIPTIONS } from './stored/subscriptions.ts'

export type FixtureName = keyof typeof FIXTURES

/** The hostile clinic of a server that is being prepared. */
export class ClinicClient {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #refused: string[] = []

  constructor(url: string, authorization: string) {
    this.#url = url
    this.#headers = { authorization, 'content-type': 'application/fhir+json', prefer: 'return=minimal' }
  }

  /** The resources that the server has refused to store. */
  get refused(): readonly string[] {
    return this.#refused
  }

  hasRefused(type: string, id: string): boolean {
    return this.#refused.some((refusal) => refusal.startsWith(`/${type}/${id}:`))
  }

  async store(...resources: readonly FhirResource[]): Promise<void> {
    for (const resource of resources) {
      const path = `/${resource.resourceType}/${resource.id}`
      const { status } = await this.#send('PUT', path, resource)
      if (status >= 300) this.#refused.push(`${path}: ${status}`)
    }
  }

  /** Many resources, in transactions. @throws Error with the response of one that is refused */
  async load(count: number, make: (n: number) => FhirResource): Promise<void> {
    await this.#inBundles('transaction', count, make)
  }

  /** As `load`, but resources may be versions of one. */
  async loadVersions(count: number, make: (n: number) => FhirResource): Promise<void> {
    await this.#inBundles('batch', count, make)
  }

  async #inBundles(type: 'transaction' | 'batch', count: number, make: (n: number) => FhirResource): Promise<void> {
    for (let start = 0; start < count; start += ENTRIES) {
      const resources = Array.from({ length: Math.min(ENTRIES, count - start) }, (_, index) => make(start + index))
      const entry = resources.map((resource) => ({
        resource,
        request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
      }))
      const { status, text } = await this.#send('POST', '/', { resourceType: 'Bundle', type, entry })
      if (status !== 200) throw new Error(`A ${type} of the set-up was answered ${status}: ${text.slice(0, 500)}`)
    }
  }

  /** Retries after 429 and 503. */
  async #send(method: 'PUT' | 'POST', path: string, body: object): ReturnType<typeof once> {
    const request = { method, path, headers: this.#headers, body: JSON.stringify(body) }
    for (let attempt = 0; ; attempt++) {
      const answer = await once(this.#url, request)
      if (attempt === MOST_ATTEMPTS || (answer.status !== 429 && answer.status !== 503)) return answer
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  }
}

/** Few, so that a busy machine has stored them within the time of a request. */
const ENTRIES = 100
const MOST_ATTEMPTS = 30

type Fill = (clinic: ClinicClient) => Promise<void>

const FIXTURES = {
  nothing: async () => undefined,

  /** 10,000 Patients, one of them with 20,000 Observations, and 10,000 Observations of the others. */
  records: async (clinic) => {
    await clinic.load(RECORDS.practitioners, practitioner)
    await clinic.load(RECORDS.locations, location)
    await clinic.load(RECORDS.patients, patientOf)
    await clinic.load(RECORDS.encounters, encounter)
    await clinic.load(RECORDS.observations, observation)
  },

  /** 100 Schedules with 200 free Slots each, and a few Patients. */
  calendars: async (clinic) => {
    await clinic.load(RECORDS.practitioners, practitioner)
    await clinic.load(10, patientOf)
    await clinic.load(HOSTILE_CALENDARS.schedules, hostileSchedule)
    await clinic.load(HOSTILE_CALENDARS.slots, hostileSlot)
  },

  /** Patients with 40,000 and with 20,000 names, or as many as the server takes, among 500 others. */
  'many names': async (clinic) => {
    await clinic.load(500, patientOf)
    await clinic.store(manyNames(MANY_NAMES.most), manyNames(MANY_NAMES.many))
    for (const count of [MANY_NAMES.most, MANY_NAMES.many]) {
      if (clinic.hasRefused('Patient', namesId(count))) await clinic.store(manyNames(count, MANY_NAMES.atLeast))
    }
  },

  /** 100 Patients with 300 names, phone numbers and addresses each. */
  'crowded patients': async (clinic) => {
    for (let n = 0; n < 100; n++) await clinic.store(crowdedPatient(300, n))
  },

  /** A Patient in 20,000 versions, and a List that refers to them. */
  versions: async (clinic) => {
    await clinic.loadVersions(VERSIONED.versions, version)
    await clinic.store(longList())
  },

  /** 100 search parameters, each of which looks at all of a Patient. */
  'search parameters': async (clinic) => {
    for (let n = 0; n < 100; n++) await clinic.store(searchParameter(n))
    await clinic.store(widePatient(0))
  },

  /** 100 Schedules with 100 hours, breaks and appointment types each. */
  'large schedules': async (clinic) => {
    for (let n = 0; n < 100; n++) await clinic.store(largeSchedule(n))
  },

  /** As many Subscriptions as there may be, which nothing meets. */
  'expensive subscriptions': async (clinic) => {
    await clinic.load(MOST_SUBSCRIPTIONS, expensiveSubscription)
  },

  profiles: async (clinic) => {
    await clinic.store(...hostileProfiles())
  },

  /** 50,000 codes, a hierarchy of 5,000 levels, value sets within value sets. */
  terminology: async (clinic) => {
    await clinic.store(flatCodeSystem(), deepCodeSystem(), largeConceptMap(), manyIncludes(), ...nestedValueSets())
  },
} as const satisfies Readonly<Record<string, Fill>>

export const fill = async (fixture: FixtureName, clinic: ClinicClient): Promise<void> => FIXTURES[fixture](clinic)
