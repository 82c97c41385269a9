/** A calendar of half hours to book, on a server of the tests. */
import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import type { ClinicPolicies } from '../../src/clinics/settings.ts'
import type { FhirResponse, TestServer } from './server.ts'

export interface Resource {
  readonly resourceType: string
  readonly id: string
  readonly [element: string]: unknown
}

export const PATIENT = 'Patient/abernathy-ruth'

/** Elements of a Schedule whose actors have so many visits at one time. */
export const capacity = (visits: number) => ({
  extension: [
    { url: 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-capacity', valuePositiveInt: visits },
  ],
})

/** The start of half hour `half` of a day to come. */
export const half = (count: number): string => new Date(Date.UTC(2031, 2, 3, 9, 30 * count)).toISOString()

/** One half hour of a schedule. */
export const slot = (id: string, number: number, more: object = {}): Resource => ({
  resourceType: 'Slot',
  id,
  schedule: { reference: 'Schedule/calendar' },
  status: 'free',
  start: half(number),
  end: half(number + 1),
  ...more,
})

export const slotsOf = (ids: readonly string[]) => ids.map((id) => ({ reference: `Slot/${id}` }))

/** A visit in these slots, of the half hours `from` to `to`. */
export const visit = (ids: readonly string[], more: object = {}, [from, to] = [0, ids.length]) => ({
  resourceType: 'Appointment',
  status: 'booked',
  start: half(from),
  end: half(to),
  ...(ids.length === 0 ? {} : { slot: slotsOf(ids) }),
  participant: [{ actor: { reference: PATIENT }, status: 'accepted' }],
  ...more,
})

/** The entries of a transaction: `POST Appointment`, `PUT Slot/1`, with their resources. */
export const bundle = (...entries: readonly (readonly [string, object?])[]) => ({
  resourceType: 'Bundle',
  type: 'transaction',
  entry: entries.map(([request, resource]) => {
    const [method, url] = request.split(' ')
    return { ...(resource === undefined ? {} : { resource }), request: { method, url } }
  }),
})

export type Bookings = ReturnType<typeof bookingsOn>

export function bookingsOn({ fhir }: Pick<TestServer, 'fhir'>) {
  const put = async (resource: Resource): Promise<FhirResponse> => {
    const answer = await fhir('PUT', `/${resource.resourceType}/${resource.id}`, resource)
    if (answer.status > 299) throw new Error(answer.text)
    return answer
  }
  const read = async (address: string) => (await fhir('GET', `/${address}`)).body
  const statusOf = async (id: string): Promise<string> => (await read(`Slot/${id}`)).status
  const book = (body: object) => fhir('POST', '/Appointment', body)
  return {
    put,
    read,
    book,
    statusOf,
    statusesOf: (ids: readonly string[]) => Promise.all(ids.map(statusOf)),
    /** `count` free half hours in a row. */
    freeSlots: async (count = 1, more: object = {}): Promise<string[]> => {
      const slots = Array.from({ length: count }, (_, number) => slot(`slot-${randomUUID()}`, number, more))
      for (const one of slots) await put(one)
      return slots.map(({ id }) => id)
    },
    booked: async (ids: readonly string[], more: object = {}): Promise<Resource> => {
      const answer = await book(visit(ids, more))
      expect([answer.status, answer.text]).toEqual([201, expect.anything()])
      return answer.body
    },
    change: (resource: Resource, more: object) =>
      fhir('PUT', `/${resource.resourceType}/${resource.id}`, { ...resource, ...more }),
    transaction: (...entries: readonly (readonly [string, object?])[]) => fhir('POST', '/', bundle(...entries)),
    policies: async (policies: Partial<ClinicPolicies>): Promise<void> => {
      const { body } = await fhir('GET', '/clinics/demo-clinic/settings')
      const { status, text } = await fhir('PUT', '/clinics/demo-clinic/settings', { ...body, policies })
      expect([status, text]).toEqual([200, expect.anything()])
    },
  }
}

/** A refusal that says why: its first issue. */
export function expectRefused(answer: FhirResponse, status: number, reason: string): void {
  expect([answer.status, answer.body?.issue?.[0]?.details?.coding?.[0]?.code, answer.text]).toEqual([
    status,
    reason,
    expect.anything(),
  ])
}
