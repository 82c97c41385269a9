/** Actions on visits, by the documented operations: docs/appointment.md. */
import { useQueryClient } from '@tanstack/react-query'
import type { Appointment, Bundle, Patient, Schedule } from 'fhir/r4'
import { useMemo } from 'react'
import { get } from '../../api/client.ts'
import { clinicNow } from '../../api/clock.ts'
import { ask, create, operate, patch } from '../../api/operations.ts'
import { readAnew } from '../../api/read-anew.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import type { FreeTime } from '../../fhir/free-times.ts'
import { patientName, referenceParts } from '../../fhir/names.ts'
import { minutesBetween } from '../../fhir/time.ts'
import type { VisitKind } from '../../fhir/visit-kinds.ts'
import { provenanceOf } from '../../fhir/visit-story.ts'
import { slotIdsOf, type Visit, type VisitStatus, visitStatusText } from '../../fhir/visits.ts'
import { useUser } from '../../parts/clinic-context.tsx'
import { doNow } from '../../parts/undo.tsx'

export interface Cancellation {
  readonly code: string
  readonly comment: string
}

/** The reason of a booking that is undone. */
export const TAKEN_BACK: Cancellation = { code: 'prov', comment: 'Taken back at once' }
const NOT_BOOKED: Cancellation = { code: 'prov', comment: 'Not booked' }

const REASONS = 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason'

/** The path by which changes of the visit are recognised. */
export const pathOf = (id: string): string => `Appointment/${id}`

/** After each action all queries that depend on it are refetched. */
export function useVisitActions() {
  const client = useQueryClient()
  const { username, name } = useUser()
  return useMemo(() => {
    const refresh = () => readAnew(client, 'Appointment', 'Slot', 'Task', 'Provenance')
    /** Records who has changed the visit; the change stands without that, too. */
    const signed = (work: () => Promise<Appointment>, activity: string) => async (): Promise<Appointment> => {
      const changed = await work()
      await create(provenanceOf(changed, { username, name, activity, at: clinicNow() })).catch(() => undefined)
      return changed
    }
    const then = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        const done = await work()
        await refresh()
        return done
      } catch (error) {
        // A refused change is reverted at once, without waiting for the refetch.
        void refresh()
        throw error
      }
    }
    /** Delayed changes of the visit, such as its arrival, go first. */
    const change = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
      await doNow([pathOf(id)])
      return await then(work)
    }
    return {
      /** @param held a hold of the time, which ends in the same change */
      book: (time: FreeTime, patient: Patient, said: Said, held?: Appointment) =>
        then(signed(() => bookOne(newVisit(time, patient, said), held), 'book')),
      bookEntry: (time: FreeTime, entry: Appointment, held?: Appointment) =>
        then(signed(() => bookOne(entryAt(time, entry), held), 'book')),
      bookAgain: (cancelled: Appointment) => then(signed(() => bookOne(withoutEnd(cancelled)), 'book')),
      /** Puts an entry on the waitlist, under a new id. */
      wait: (entry: Appointment) => then(() => create(withoutIdentity(entry))),
      /** @throws Problem, or Error where the time is free no more */
      hold: (time: FreeTime, schedule: Schedule | undefined) => then(() => holdOne(time, schedule)),
      /** Ends a hold; one that nobody ends expires. */
      release: (held: Appointment) => then(() => cancelOne(held.id ?? '', NOT_BOOKED)).catch(() => undefined),
      /** @param seen the version of the visit that is moved; a newer one is not. @throws Problem 412 */
      move: (seen: Appointment, slots: readonly string[]) =>
        change(
          seen.id ?? '',
          signed(() => moveOne(seen, slots), 'reschedule'),
        ),
      /** @param version that must be current, where a booking is undone */
      cancel: (id: string, cancellation: Cancellation, version?: string) =>
        change(
          id,
          signed(() => cancelOne(id, cancellation, version), 'cancel'),
        ),
      confirm: (id: string) =>
        change(
          id,
          signed(() => operate<Appointment>(`${pathOf(id)}/$confirm`, []), 'confirm'),
        ),
      become: (visit: Visit, status: VisitStatus) => then(signed(() => changeStatus(visit, status), status)),
    }
  }, [client, username, name])
}

export type VisitActions = ReturnType<typeof useVisitActions>

/** The details of a visit besides its time. */
export interface Said {
  readonly description: string
  readonly comment: string
  readonly kind?: VisitKind | undefined
}

async function bookOne(appointment: Appointment, held?: Appointment): Promise<Appointment> {
  const booked = await operate<Bundle>('Appointment/$book', [
    ['appointment-resource', { resource: appointment }],
    ...(held === undefined ? [] : [['cancelled-appt-id', { valueUri: pathOf(held.id ?? '') }] as const]),
  ])
  return booked.entry?.[0]?.resource as Appointment
}

async function holdOne(time: FreeTime, schedule: Schedule | undefined): Promise<Appointment> {
  const offered = matchesIn<Appointment>(await ask<Bundle>('Appointment/$find', wantedOf(time, schedule)))
  const wanted = offered.find((one) => slotIdsOf(one).join() === time.slots.join())
  if (wanted === undefined) throw new Error('it is free no more, or too near or too far ahead to be booked.')
  const reference = { reference: pathOf(wanted.id ?? '') }
  const held = await operate<Bundle>('Appointment/$hold', [['appointment-reference', { valueReference: reference }]])
  return held.entry?.[0]?.resource as Appointment
}

/** The parameters by which the server offers exactly this time. */
function wantedOf({ start, end }: FreeTime, schedule: Schedule | undefined) {
  const practitioner = schedule?.actor.find(({ reference }) => referenceParts(reference)?.type === 'Practitioner')
  const duration = minutesBetween(start, end)
  return [
    ['start', { valueDateTime: start }],
    ['end', { valueDateTime: end }],
    ['timing', { valueTiming: { repeat: { duration, durationUnit: 'min' } } }],
    ['_count', { valueInteger: 100 }],
    ...(practitioner === undefined
      ? []
      : [['practitioner', { valueReference: { reference: practitioner.reference ?? '' } }] as const]),
  ] as const
}

const slotsOf = ({ slots }: FreeTime) => slots.map((id) => ({ reference: `Slot/${id}` }))

const kindPart = (kind: VisitKind | undefined): Partial<Appointment> => {
  if (kind === undefined) return {}
  return kind.element === 'appointmentType' ? { appointmentType: kind.concept } : { serviceType: [kind.concept] }
}

const newVisit = (time: FreeTime, patient: Patient, { description, comment, kind }: Said): Appointment => ({
  resourceType: 'Appointment',
  status: 'booked',
  slot: slotsOf(time),
  start: time.start,
  end: time.end,
  ...kindPart(kind),
  ...(description === '' ? {} : { description }),
  ...(comment === '' ? {} : { comment }),
  participant: [{ actor: { reference: `Patient/${patient.id}`, display: patientName(patient) }, status: 'accepted' }],
})

/**
 * An entry of the waitlist, booked at a time. Its practitioners stay in it: the server replaces them with the slot's.
 */
const entryAt = (time: FreeTime, entry: Appointment): Appointment => ({
  ...entry,
  status: 'booked',
  slot: slotsOf(time),
  start: time.start,
  end: time.end,
})

function withoutIdentity({ id: _, meta: __, ...entry }: Appointment): Appointment {
  return entry
}

function withoutEnd({ id: _, meta: __, cancelationReason: ___, ...visit }: Appointment): Appointment {
  return { ...visit, status: 'booked' }
}

const moveOne = ({ id = '', meta }: Appointment, slots: readonly string[]) =>
  operate<Appointment>(
    `${pathOf(id)}/$reschedule`,
    slots.map((slot) => ['slot', { valueReference: { reference: `Slot/${slot}` } }] as const),
    meta?.versionId,
  )

const cancelOne = (id: string, { code, comment }: Cancellation, version?: string) =>
  operate<Appointment>(
    `${pathOf(id)}/$cancel`,
    [
      ['reason', { valueCodeableConcept: { coding: [{ system: REASONS, code }] } }],
      ...(comment === '' ? [] : [['comment', { valueString: comment }] as const]),
    ],
    version,
  )

/** Written some seconds after the user chose it, so the visit must still be the version that was seen. */
async function changeStatus(seen: Visit, status: VisitStatus): Promise<Appointment> {
  const current = await get<Appointment>(pathOf(seen.id))
  if (current.status !== seen.status || current.start !== seen.start) {
    throw new Error(`The visit of ${seen.patient} has been changed since, so it is not “${visitStatusText(status)}”.`)
  }
  return patch(current, [{ op: 'replace', path: '/status', value: status }])
}
