/** Appointments as a schedule shows them. https://hl7.org/fhir/R4/appointment.html */
import type { Appointment, Patient, Reference, Schedule, Slot } from 'fhir/r4'
import { conceptText, idOfType, patientName, referenceParts, referenceText, statusText } from './names.ts'
import { minutesBetween } from './time.ts'

export type VisitStatus = NonNullable<Appointment['status']>

export interface Visit {
  readonly id: string
  /** Schedule.id; undefined where the visit belongs to none of the schedules shown. */
  readonly schedule: string | undefined
  readonly status: VisitStatus | undefined
  readonly start: string
  readonly end: string
  readonly minutes: number
  readonly patient: string
  readonly patientId: string | undefined
  /** When the hold ends; undefined where the visit is not held. */
  readonly heldUntil: string | undefined
  readonly slots: readonly string[]
  readonly appointment: Appointment
}

const HOLD_EXPIRES = 'https://sandbox-emr.example/fhir/StructureDefinition/hold-expires'

/** Statuses of appointments that take no time, so that no schedule shows them. */
export const NOT_SHOWN: readonly VisitStatus[] = ['cancelled', 'entered-in-error', 'proposed', 'waitlist']

const STATUS_TEXT: Readonly<Record<VisitStatus, string>> = {
  proposed: 'Proposed',
  pending: 'Held',
  booked: 'Booked',
  arrived: 'Arrived',
  'checked-in': 'Checked in',
  fulfilled: 'Done',
  cancelled: 'Cancelled',
  noshow: 'No-show',
  'entered-in-error': 'Entered in error',
  waitlist: 'Waitlist',
}

export const visitStatusText = (status: Visit['status']): string => statusText(status, STATUS_TEXT)

interface Around {
  readonly slots: readonly Slot[]
  readonly schedules: readonly Schedule[]
  readonly patients: readonly Patient[]
}

/** When the hold of an appointment ends; undefined where it is not held. */
export const holdEndOf = ({ extension = [] }: Appointment): string | undefined =>
  extension.find(({ url }) => url === HOLD_EXPIRES)?.valueInstant

/** Undefined for one without times. */
export function visitOf(appointment: Appointment, around: Around): Visit | undefined {
  const { id, status, start, end } = appointment
  if (id === undefined || start === undefined || end === undefined) return undefined
  const slots = slotIdsOf(appointment)
  const patientId = patientIdOf(appointment)
  return {
    id,
    schedule: scheduleOf(appointment, slots, around),
    status,
    start,
    end,
    minutes: minutesBetween(start, end),
    patient: patientOf(appointment, around.patients),
    patientId,
    heldUntil: holdEndOf(appointment),
    slots,
    appointment,
  }
}

export const slotIdsOf = ({ slot = [] }: Appointment): readonly string[] =>
  slot.flatMap(({ reference }) => referenceParts(reference)?.id ?? [])

const patientIdOf = ({ participant }: Appointment): string | undefined =>
  idOfType(
    participant.map(({ actor }) => actor),
    'Patient',
  )

/** The kind of visit in words; empty where it is not said. */
export const kindOf = ({ appointment: { appointmentType, serviceType = [] } }: Pick<Visit, 'appointment'>): string =>
  [appointmentType, ...serviceType].map(conceptText).find(Boolean) ?? ''

/** The names of all patients, as several may come together. */
export function patientOf({ participant, status }: Appointment, patients: readonly Patient[]): string {
  const names = participant.flatMap(({ actor }) => {
    const parts = referenceParts(actor?.reference)
    if (parts?.type !== 'Patient') return []
    const found = patients.find(({ id }) => id === parts.id)
    return [found === undefined ? referenceText(actor) : patientName(found)]
  })
  return names.join(', ') || (status === 'pending' ? 'Being booked' : 'Nobody is named')
}

/** Whether it leads to a Practitioner or a PractitionerRole. */
export const isPractitioner = (actor: Reference | undefined): boolean =>
  referenceParts(actor?.reference)?.type.startsWith('Practitioner') ?? false

/** The schedule of the visit's slots; where they are gone, that of its practitioner. */
function scheduleOf({ participant }: Appointment, slots: readonly string[], around: Around): string | undefined {
  const slot = around.slots.find(({ id }) => slots.includes(id ?? ''))
  if (slot !== undefined) return referenceParts(slot.schedule.reference)?.id
  const practitioners = participant
    .filter(({ actor }) => isPractitioner(actor))
    .map(({ actor }) => referenceParts(actor?.reference)?.id)
  const isOfThem = ({ actor }: Schedule) =>
    actor.some(({ reference }) => practitioners.includes(referenceParts(reference)?.id))
  return around.schedules.find(isOfThem)?.id
}

/** The changes that the server allows: docs/appointment.md#status. */
export const mayConfirm = ({ status }: Visit): boolean => status === 'pending' || status === 'proposed'
export const mayMove = ({ status }: Visit): boolean => status === 'booked' || status === 'pending'
export const mayCancel = ({ status }: Visit): boolean =>
  status !== undefined && ['booked', 'pending', 'arrived', 'checked-in', 'proposed', 'waitlist'].includes(status)

/** Milliseconds before a visit from which its patient may have arrived. */
const ARRIVAL = 2 * 3_600_000

/** Whether the patient may have arrived: not long before the visit. */
export const mayArrive = ({ start }: Pick<Visit, 'start'>, now: number): boolean => now >= arrivalFrom({ start })

/** Milliseconds since 1970 UTC. */
export const arrivalFrom = ({ start }: Pick<Visit, 'start'>): number => Date.parse(start) - ARRIVAL

const NEXT: Partial<Record<VisitStatus, readonly VisitStatus[]>> = {
  booked: ['arrived', 'noshow'],
  arrived: ['checked-in', 'fulfilled', 'noshow'],
  'checked-in': ['fulfilled'],
}

/** The next statuses of a visit that takes place, each set by one click. */
export const nextStatuses = ({ status }: Visit): readonly VisitStatus[] => (status && NEXT[status]) ?? []
