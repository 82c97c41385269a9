/** For the tools of visits: a clinic with two weeks of Slots of practitioners who are there for the tests, from a fixed day on. */
import type { Appointment } from 'fhir/r4'
import type { AppParts } from '../../../src/main/app.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { Caller } from '../caller.ts'

/** A Monday, at seven in the morning in New York, where the demo clinic is. */
const NOW = Date.parse('2025-03-03T12:00:00Z')

const hours = (from: string, until: string) => ({
  url: 'availableTime',
  extension: [
    ...['mon', 'tue', 'wed', 'thu', 'fri'].map((day) => ({ url: 'daysOfWeek', valueCode: day })),
    { url: 'availableStartTime', valueTime: from },
    { url: 'availableEndTime', valueTime: until },
  ],
})

const CHECKUP = {
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0276', code: 'CHECKUP', display: 'Check-up' }],
}

const availability = (more: readonly object[]) => [
  {
    url: 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-availability',
    extension: [{ url: 'slotMinutes', valuePositiveInt: 30 }, { url: 'horizonDays', valuePositiveInt: 12 }, ...more],
  },
]

const practitioner = (id: string, given: string, family: string, prefix = 'Dr.') => ({
  resourceType: 'Practitioner',
  id,
  name: [{ family, given: [given], prefix: [prefix], suffix: ['MD'] }],
})

/** Dr. Ada Quill works from nine to five at Maple Street, Dr. José Núñez from nine to noon at Riverside, with check-ups. */
const RESOURCES = [
  practitioner('quill', 'Ada', 'Quill'),
  practitioner('nunez', 'José', 'Núñez'),
  {
    resourceType: 'Schedule',
    id: 'quill',
    actor: [{ reference: 'Practitioner/quill' }, { reference: 'Location/location-maple-street' }],
    extension: availability([hours('09:00:00', '17:00:00')]),
  },
  {
    resourceType: 'Schedule',
    id: 'nunez',
    actor: [{ reference: 'Practitioner/nunez' }, { reference: 'Location/location-riverside' }],
    extension: availability([
      hours('09:00:00', '12:00:00'),
      {
        url: 'appointmentType',
        extension: [
          { url: 'type', valueCodeableConcept: CHECKUP },
          { url: 'minutes', valuePositiveInt: 60 },
        ],
      },
    ]),
  },
]

export interface Slot {
  readonly slotKey: string
  readonly start: string
  readonly label: string
  readonly fromWaitlist?: boolean
}

export interface Visits {
  readonly server: TestServer
  /** A new caller, whose tool calls return their results. */
  readonly caller: (from?: string) => VisitCaller
  /** A patient of the clinic, and a call in which they are verified. */
  readonly verified: () => Promise<{ readonly id: string; readonly caller: VisitCaller }>
  readonly put: (resource: {
    readonly resourceType: string
    readonly id: string
    readonly [element: string]: unknown
  }) => Promise<void>
  readonly policies: (policies: object) => Promise<void>
  readonly read: (address: string) => Promise<Record<string, unknown>>
}

export class VisitCaller extends Caller {
  async find5(args: object = {}): Promise<readonly Slot[]> {
    return (await this.use('find_available_slots', args)).slots as readonly Slot[]
  }

  /** The start of the free times, as clocks show them: `03-04 09:00`. */
  async times(args: object): Promise<readonly string[]> {
    return (await this.find5(args)).map(({ start }) => start.slice(5, 16).replace('T', ' '))
  }

  async slotKey(args: object = {}): Promise<string> {
    return (await this.find5({ practitionerName: 'Quill', ...args }))[0]?.slotKey ?? 'none'
  }

  async booked(args: object = {}): Promise<string> {
    const answer = await this.use('book_appointment', { slotKey: await this.slotKey(args) })
    if (answer.success !== true) throw new Error(JSON.stringify(answer))
    return answer.appointmentKey as string
  }
}

const FAMILIES = ['Ashdown', 'Birkenhead', 'Castellano', 'Dvorak', 'Eisenhower', 'Fitzgerald', 'Guggenheim']

export async function startVisits(parts: Partial<AppParts> = {}): Promise<Visits> {
  let ticks = 0
  // A millisecond later each time, so that there is an order.
  const server = await startServer({}, { clock: () => NOW + ticks++, ...parts })
  const put: Visits['put'] = async (resource) => {
    const { status, text } = await server.fhir('PUT', `/${resource.resourceType}/${resource.id}`, resource)
    if (status > 299) throw new Error(text)
  }
  for (const resource of RESOURCES) await put(resource)
  for (const id of ['quill', 'nunez']) {
    const { status, text } = await server.fhir('POST', `/Schedule/${id}/$generate-slots`)
    if (status > 299) throw new Error(text)
  }
  let count = 0
  return {
    server,
    put,
    caller: (from) => new VisitCaller(server, from),
    verified: async () => {
      count += 1
      const id = `patient-${count}`
      const family = FAMILIES[count % FAMILIES.length] ?? 'Doe'
      const birthDate = new Date(Date.UTC(1950, count, count)).toISOString().slice(0, 10)
      await put({ resourceType: 'Patient', id, active: true, birthDate, name: [{ family, given: ['Mary'] }] })
      const caller = new VisitCaller(server)
      const answer = await caller.use('verify_patient', { statedName: `Mary ${family}`, statedDateOfBirth: birthDate })
      if (answer.verified !== true) throw new Error(JSON.stringify(answer))
      return { id, caller }
    },
    policies: async (policies) => {
      const { body } = await server.fhir('GET', '/clinics/demo-clinic/settings')
      const { status, text } = await server.fhir('PUT', '/clinics/demo-clinic/settings', { ...body, policies })
      if (status > 299) throw new Error(text)
    },
    read: async (address) => (await server.fhir('GET', `/${address}`)).body,
  }
}

/** The appointments of a patient, over FHIR. */
export const appointmentsOf = async ({ server }: Visits, patient: string): Promise<readonly Appointment[]> =>
  ((await server.fhir('GET', `/Appointment?patient=Patient/${patient}&_sort=date`)).body.entry ?? []).map(
    ({ resource }: { resource: Appointment }) => resource,
  )
