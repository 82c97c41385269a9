/** Actions on visits, by the documented operations: docs/appointment.md. */
import { useQueryClient } from '@tanstack/react-query'
import type { Appointment, Bundle, Patient } from 'fhir/r4'
import { useMemo } from 'react'
import { get } from '../../api/client.ts'
import { operate, patch } from '../../api/operations.ts'
import type { FreeTime } from '../../fhir/free-times.ts'
import { patientName } from '../../fhir/names.ts'
import { type Visit, type VisitStatus, visitStatusText } from '../../fhir/visits.ts'
import { doNow } from '../../parts/undo.tsx'

export interface Cancellation {
  readonly code: string
  readonly comment: string
}

const REASONS = 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason'

/** The path by which changes of the visit are recognised. */
export const pathOf = (id: string): string => `Appointment/${id}`

/** After each action all queries that depend on it are refetched. */
export function useVisitActions() {
  const client = useQueryClient()
  return useMemo(() => {
    const refresh = () =>
      Promise.all(['Appointment', 'Slot', 'Task'].map((type) => client.invalidateQueries({ queryKey: [type] })))
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
      book: (time: FreeTime, patient: Patient, said: Said) => then(() => bookOne(newVisit(time, patient, said))),
      bookEntry: (time: FreeTime, entry: Appointment) => then(() => bookOne(entryAt(time, entry))),
      bookAgain: (cancelled: Appointment) => then(() => bookOne(withoutEnd(cancelled))),
      /** @param seen the version of the visit that is moved; a newer one is not. @throws Problem 412 */
      move: (seen: Appointment, slots: readonly string[]) => change(seen.id ?? '', () => moveOne(seen, slots)),
      /** @param version that must be current, where a booking is undone */
      cancel: (id: string, cancellation: Cancellation, version?: string) =>
        change(id, () => cancelOne(id, cancellation, version)),
      confirm: (id: string) => change(id, () => operate<Appointment>(`${pathOf(id)}/$confirm`, [])),
      become: (visit: Visit, status: VisitStatus) => then(() => changeStatus(visit, status)),
    }
  }, [client])
}

export type VisitActions = ReturnType<typeof useVisitActions>

/** The details of a visit besides its time. */
export interface Said {
  readonly description: string
  readonly comment: string
}

async function bookOne(appointment: Appointment): Promise<Appointment> {
  const booked = await operate<Bundle>('Appointment/$book', [['appointment-resource', { resource: appointment }]])
  return booked.entry?.[0]?.resource as Appointment
}

const slotsOf = ({ slots }: FreeTime) => slots.map((id) => ({ reference: `Slot/${id}` }))

const newVisit = (time: FreeTime, patient: Patient, { description, comment }: Said): Appointment => ({
  resourceType: 'Appointment',
  status: 'booked',
  slot: slotsOf(time),
  start: time.start,
  end: time.end,
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
