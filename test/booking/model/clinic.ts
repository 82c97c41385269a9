/** A separate clinic on the real server: writes to it, and its stored calendar. */
import { isDeepStrictEqual } from 'node:util'
import type { Appointment as FhirAppointment, Slot as FhirSlot } from 'fhir/r4'
import { createClinic } from '../../../src/clinics/clinics.ts'
import { readConfig } from '../../../src/config.ts'
import { signToken } from '../../../src/http/token.ts'
import { type Parameter, parameters, reference } from '../../support/appointment-operations.ts'
import { type FhirResponse, request, type TestServer } from '../../support/server.ts'
import { type Appointment, type Calendar, later, type Rules, SCHEDULES, type Slot, type Write } from './calendar.ts'
import { type Call, FINDING_PATIENT } from './calls.ts'

export const JWT_SECRET = 's'.repeat(40)
const HALF_HOUR = 1_800_000
/** A Monday. */
const BEGINNING = Date.UTC(2031, 2, 3, 9)

const MINUTE = 60_000

/** Milliseconds since 1970 UTC. */
export const instantOf = (minute: number): number => BEGINNING + minute * MINUTE
const iso = (half: number): string => new Date(BEGINNING + half * HALF_HOUR).toISOString()
const halfOf = (time: string | undefined): number => (Date.parse(time ?? '') - BEGINNING) / HALF_HOUR

export type Way = 'POST' | 'PUT' | 'PATCH'

/** The outcome of a write: undefined, or its refusal, such as `409 slot-unavailable`. */
export type Answer = string | undefined

export class Clinic {
  readonly #server: TestServer
  readonly #name: string
  readonly #authorization: string
  /** The ids of appointments that the server has named. */
  readonly #ids = new Map<string, string>()
  /** The ids under which $find has offered slots. */
  readonly #offers = new Map<string, string>()

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
    const actors = ACTORS.map((resource) => ({
      method: 'PUT',
      url: `${resource.resourceType}/${resource.id}`,
      resource,
    }))
    const schedules = Object.entries(SCHEDULES).map(([id, names]) => ({
      method: 'PUT',
      url: `Schedule/${id}`,
      resource: { resourceType: 'Schedule', id, actor: names.map((name) => ({ reference: addressOf(name) })) },
    }))
    const { status, text } = await clinic.#send('POST', '/', bundle([...patients, ...actors, ...schedules, ...stored]))
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

  /** The slots that $find offers. */
  async find(): Promise<readonly string[]> {
    const times = [
      { name: 'start', valueDateTime: iso(-2) },
      { name: 'end', valueDateTime: iso(30) },
    ]
    const of = reference('patient-reference', `Patient/${FINDING_PATIENT}`)
    const { status, body, text } = await this.#send('POST', '/Appointment/$find', parameters(...times, of))
    if (status !== 200) throw new Error(text)
    this.#offers.clear()
    for (const { resource, search } of (body.entry ?? []) as { resource: FhirAppointment; search: { mode: string } }[])
      if (search.mode === 'match') this.#offers.set(nameIn(resource.slot?.[0]?.reference), resource.id ?? '')
    return [...this.#offers.keys()]
  }

  async call(call: Call): Promise<Answer> {
    const answer = await this.#send('POST', ...this.#requestOf(call))
    if ('offer' in call && answer.status === 200) this.#ids.set(call.name, answer.body.entry[0].resource.id)
    return refusalOf(answer)
  }

  #requestOf(call: Call): [path: string, body?: object] {
    const idOf = (name: string) => this.#ids.get(name) ?? name
    if (call.operation === '$reschedule') {
      const slots = call.slots.map((slot) => reference('slot', `Slot/${slot}`))
      return [`/Appointment/${idOf(call.of)}/$reschedule`, parameters(...slots)]
    }
    if (call.operation === '$cancel' || call.operation === '$confirm')
      return [`/Appointment/${idOf(call.of)}/${call.operation}`]
    const id = 'offer' in call ? (this.#offers.get(call.offer) ?? '') : idOf(call.of)
    const cancels: Parameter[] =
      'offer' in call && call.cancels !== undefined
        ? [{ name: 'cancelled-appt-id', valueUri: `Appointment/${idOf(call.cancels)}` }]
        : []
    const of = reference('appointment-reference', `Appointment/${id}`)
    return [`/Appointment/${call.operation}`, parameters(of, ...cancels)]
  }

  /**
   * The stored calendar, with ended holds as cancelled: the server may cancel them only when somebody wants the time.
   */
  async stored(now: number): Promise<Pick<Calendar, 'slots' | 'appointments'>> {
    const names = new Map([...this.#ids].map(([name, id]) => [id, name]))
    const { slots, appointments } = await this.#resources()
    const stored = {
      slots: new Map(slots.map(({ id, resource }) => [id, slotOf(resource)])),
      appointments: new Map(appointments.map(({ id, resource }) => [names.get(id) ?? id, appointmentOf(resource)])),
    }
    return later({ ...stored, now, rules: { overbooking: false, mostOpen: 0 } }, 0)
  }

  /** All resources at one time, as the server may end a hold between two searches. */
  async #resources() {
    const reader = async () => await this.#server.app.access(this.#name, { kind: 'server' }).reader()
    for (let before = await (await reader()).search<FhirAppointment>('Appointment', ''); ; ) {
      const slots = await (await reader()).search<FhirSlot>('Slot', '')
      const appointments = await (await reader()).search<FhirAppointment>('Appointment', '')
      if (isDeepStrictEqual(versionsOf(before), versionsOf(appointments))) return { slots, appointments }
      before = appointments
    }
  }

  #entryOf(write: Write, way: Way): { readonly method: string; readonly url: string; readonly body?: object } {
    const { type, name, after } = write
    const id = this.#ids.get(name) ?? name
    const url = `${type}/${id}`
    if (after === undefined) return { method: 'DELETE', url }
    if (write.type === 'Slot') return { method: 'PUT', url, body: fhirSlot(id, after as Slot) }
    const appointment = after as Appointment
    const body = fhirAppointment(appointment)
    if (write.isNew && way === 'POST') return { method: 'POST', url: type, body }
    // A patch of ours does not remove the slots, and would keep the reason of a cancellation (app-4).
    const canPatch = way === 'PATCH' && body.slot !== undefined && write.isOfCancelled === undefined
    if (write.isNew || !canPatch) return { method: 'PUT', url, body: { ...body, id } }
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

const versionsOf = (found: readonly { readonly id: string; readonly version: number }[]): ReadonlyMap<string, number> =>
  new Map(found.map(({ id, version }) => [id, version]))

const PATCHED = ['status', 'start', 'end', 'slot', 'participant']

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

const ACTORS = [
  { resourceType: 'Practitioner', id: 'doctor' },
  { resourceType: 'Practitioner', id: 'nurse' },
  {
    resourceType: 'Location',
    id: 'room',
    physicalType: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/location-physical-type', code: 'ro' }],
    },
  },
]

const addressOf = (name: string): string => `${name === 'room' ? 'Location' : 'Practitioner'}/${name}`

const RESERVED = { system: 'https://sandbox-emr.example/fhir/CodeSystem/slot-block', code: 'reserved' }

const fhirSlot = (id: string, { schedule, from, to, status }: Slot) => ({
  resourceType: 'Slot',
  id,
  ...(status === 'reserved' ? { meta: { tag: [RESERVED] } } : {}),
  schedule: { reference: `Schedule/${schedule}` },
  status: status === 'reserved' ? 'busy-unavailable' : status,
  start: iso(from),
  end: iso(to),
})

const fhirAppointment = ({ status, patient, actors, from, to, slots }: Appointment) => ({
  resourceType: 'Appointment',
  status,
  start: iso(from),
  end: iso(to),
  ...(slots.length === 0 ? {} : { slot: slots.map((slot) => ({ reference: `Slot/${slot}` })) }),
  participant: [`Patient/${patient}`, ...actors.map(addressOf)].map((reference) => ({
    actor: { reference },
    status: 'accepted',
  })),
})

const slotOf = ({ meta, schedule, start, end, status }: FhirSlot): Slot => ({
  schedule: nameIn(schedule.reference),
  from: halfOf(start),
  to: halfOf(end),
  status: meta?.tag?.some(({ code }) => code === RESERVED.code) === true ? 'reserved' : status,
})

const appointmentOf = ({ status, start, end, slot = [], participant, extension }: FhirAppointment): Appointment => {
  const until = extension?.find(({ url }) => url.endsWith('/hold-expires'))?.valueInstant
  return {
    status,
    patient: nameIn(participant[0]?.actor?.reference),
    actors: participant
      .slice(1)
      .map(({ actor }) => nameIn(actor?.reference))
      .sort(),
    from: halfOf(start),
    to: halfOf(end),
    slots: slot.map(({ reference }) => nameIn(reference)),
    ...(until === undefined ? {} : { heldUntil: (Date.parse(until) - BEGINNING) / MINUTE }),
  }
}

const nameIn = (reference = ''): string => reference.split('/')[1] ?? ''
