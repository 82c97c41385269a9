/** A clinic of its own on the real server: writes to it, and what it has stored. */
import type { Appointment as FhirAppointment, Slot as FhirSlot } from 'fhir/r4'
import { createClinic } from '../../../src/clinics/clinics.ts'
import { readConfig } from '../../../src/config.ts'
import { signToken } from '../../../src/rest/server/token.ts'
import { type FhirResponse, request, type TestServer } from '../../support/server.ts'
import type { Appointment, Calendar, Rules, Slot, Write } from './calendar.ts'

export const JWT_SECRET = 's'.repeat(40)
const HALF_HOUR = 1_800_000
/** A Monday. */
const BEGINNING = Date.UTC(2031, 2, 3, 9)

/** Milliseconds since 1970 UTC. */
export const instantOf = (half: number): number => BEGINNING + half * HALF_HOUR
const iso = (half: number): string => new Date(instantOf(half)).toISOString()
const halfOf = (time: string | undefined): number => (Date.parse(time ?? '') - BEGINNING) / HALF_HOUR

export type Way = 'POST' | 'PUT' | 'PATCH'

/** What came of a write: undefined, or its refusal, such as `409 slot-unavailable`. */
export type Answer = string | undefined

export class Clinic {
  readonly #server: TestServer
  readonly #name: string
  readonly #authorization: string
  /** The ids of appointments that the server has named. */
  readonly #ids = new Map<string, string>()

  private constructor(server: TestServer, name: string) {
    this.#server = server
    this.#name = name
    const { jwt } = readConfig({ JWT_SECRET })
    const { token } = signToken(jwt, { username: 'staff', name: 'Staff', clinic: name, role: 'staff' })
    this.#authorization = `Bearer ${token}`
  }

  /** With patients, and the slots of the calendar. */
  static async open(server: TestServer, name: string, { rules, slots }: Calendar): Promise<Clinic> {
    await createClinic(server.app.repository, name, {
      name: 'A clinic',
      timeZone: 'UTC',
      dialedNumbers: [],
      defaultRegion: 'US',
      policies: policiesOf(rules),
    })
    const clinic = new Clinic(server, name)
    const patients = ['p0', 'p1'].map((id) => ({ method: 'PUT', url: `Patient/${id}`, resource: patient(id) }))
    const stored = [...slots].map(([id, slot]) => ({ method: 'PUT', url: `Slot/${id}`, resource: fhirSlot(id, slot) }))
    const { status, text } = await clinic.#send('POST', '/', bundle([...patients, ...stored]))
    if (status !== 200) throw new Error(text)
    return clinic
  }

  async write(write: Write, way: Way): Promise<Answer> {
    const { method, url, body } = this.#entryOf(write, way)
    const answer = await this.#send(method, `/${url}`, body)
    if (method === 'POST' && answer.status === 201) this.#ids.set(write.name, answer.body.id)
    return refusalOf(answer)
  }

  /** @param way of creating appointments */
  async transaction(writes: readonly Write[], way: 'POST' | 'PUT'): Promise<Answer> {
    const entries = writes.map((write) => this.#entryOf(write, way))
    const answer = await this.#send(
      'POST',
      '/',
      bundle(entries.map(({ body, ...entry }) => ({ ...entry, resource: body }))),
    )
    if (answer.status === 200) {
      for (const [index, { name }] of writes.entries()) {
        const [, id] = /Appointment\/([^/]+)/.exec(answer.body.entry[index].response.location ?? '') ?? []
        if (id !== undefined) this.#ids.set(name, id)
      }
    }
    return refusalOf(answer)
  }

  /** What is stored. */
  async stored(): Promise<Pick<Calendar, 'slots' | 'appointments'>> {
    const reader = this.#server.app.access(this.#name, { kind: 'server' }).reader()
    const names = new Map([...this.#ids].map(([name, id]) => [id, name]))
    const [slots, appointments] = await Promise.all([
      reader.search<FhirSlot>('Slot', ''),
      reader.search<FhirAppointment>('Appointment', ''),
    ])
    return {
      slots: new Map(slots.map(({ id, resource }) => [id, slotOf(resource)])),
      appointments: new Map(appointments.map(({ id, resource }) => [names.get(id) ?? id, appointmentOf(resource)])),
    }
  }

  #entryOf(write: Write, way: Way): { readonly method: string; readonly url: string; readonly body?: object } {
    const { type, name, after } = write
    const id = this.#ids.get(name) ?? name
    const url = `${type}/${id}`
    if (after === undefined) return { method: 'DELETE', url }
    if (write.type === 'Slot') return { method: 'PUT', url, body: fhirSlot(id, after as Slot) }
    const body = fhirAppointment(after as Appointment)
    if (write.isNew && way === 'POST') return { method: 'POST', url: type, body }
    // Without slots there is nothing that a patch could set.
    if (write.isNew || way !== 'PATCH' || body.slot === undefined) return { method: 'PUT', url, body: { ...body, id } }
    const patch = Object.entries(body).filter(([name]) => PATCHED.includes(name))
    return { method: 'PATCH', url, body: patch.map(([name, value]) => ({ op: 'add', path: `/${name}`, value })) }
  }

  #send(method: string, path: string, body?: unknown): Promise<FhirResponse> {
    return request(this.#server.url, method, path, body, {
      authorization: this.#authorization,
      prefer: 'return=representation',
    })
  }
}

const PATCHED = ['status', 'start', 'end', 'slot']

const policiesOf = ({ overbooking, mostOpen }: Rules) => ({
  overbooking,
  slotTakenStatus: 409 as const,
  maxOpenAppointments: mostOpen,
})

function refusalOf({ status, body, text }: FhirResponse): Answer {
  if (status < 300) return undefined
  if (status >= 500) throw new Error(text)
  const reason = body?.issue?.[0]?.details?.coding?.[0]?.code
  return reason === undefined ? `${status}` : `${status} ${reason}`
}

const bundle = (
  entries: readonly { readonly method: string; readonly url: string; readonly resource?: object | undefined }[],
) => ({
  resourceType: 'Bundle',
  type: 'transaction',
  entry: entries.map(({ method, url, resource }) => ({
    ...(resource === undefined ? {} : { resource }),
    request: { method, url },
  })),
})

const patient = (id: string) => ({ resourceType: 'Patient', id, name: [{ family: 'Model' }] })

const fhirSlot = (id: string, { schedule, from, to, status }: Slot) => ({
  resourceType: 'Slot',
  id,
  schedule: { reference: `Schedule/${schedule}` },
  status,
  start: iso(from),
  end: iso(to),
})

const fhirAppointment = ({ status, patient, from, to, slots }: Appointment) => ({
  resourceType: 'Appointment',
  status,
  start: iso(from),
  end: iso(to),
  ...(slots.length === 0 ? {} : { slot: slots.map((slot) => ({ reference: `Slot/${slot}` })) }),
  participant: [{ actor: { reference: `Patient/${patient}` }, status: 'accepted' }],
})

const slotOf = ({ schedule, start, end, status }: FhirSlot): Slot => ({
  schedule: nameIn(schedule.reference),
  from: halfOf(start),
  to: halfOf(end),
  status,
})

const appointmentOf = ({ status, start, end, slot = [], participant }: FhirAppointment): Appointment => ({
  status,
  patient: nameIn(participant[0]?.actor?.reference),
  from: halfOf(start),
  to: halfOf(end),
  slots: slot.map(({ reference }) => nameIn(reference)),
})

const nameIn = (reference = ''): string => reference.split('/')[1] ?? ''
