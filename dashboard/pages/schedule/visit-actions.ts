/** What is done with visits, by the documented operations: docs/appointment.md. */
import { useQueryClient } from '@tanstack/react-query'
import type { Appointment, Bundle, Patient } from 'fhir/r4'
import { useMemo } from 'react'
import { get } from '../../api/client.ts'
import { operate, patch } from '../../api/operations.ts'
import type { FreeTime } from '../../fhir/free-times.ts'
import { patientName } from '../../fhir/names.ts'

export interface Cancellation {
  readonly code: string
  readonly comment: string
}

const REASONS = 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason'

/** After each of them all that depends on it is asked for anew. */
export function useVisitActions() {
  const client = useQueryClient()
  return useMemo(() => {
    const refresh = () =>
      Promise.all(['Appointment', 'Slot', 'Task'].map((type) => client.invalidateQueries({ queryKey: [type] })))
    const then = async <T>(work: Promise<T>): Promise<T> => {
      try {
        const done = await work
        await refresh()
        return done
      } catch (error) {
        // What was refused goes back at once, and does not wait for what is so now.
        void refresh()
        throw error
      }
    }
    return {
      refresh,
      book: (time: FreeTime, patient: Patient, said: Said) => then(bookOne(newVisit(time, patient, said))),
      bookEntry: (time: FreeTime, entry: Appointment) => then(bookOne(entryAt(time, entry))),
      bookAgain: (cancelled: Appointment) => then(bookOne(withoutEnd(cancelled))),
      move: (id: string, slots: readonly string[]) => then(moveOne(id, slots)),
      cancel: (id: string, cancellation: Cancellation) => then(cancelOne(id, cancellation)),
      confirm: (id: string) => then(operate<Appointment>(`Appointment/${id}/$confirm`, [])),
      become: (id: string, status: Appointment['status']) => then(changeStatus(id, status)),
    }
  }, [client])
}

export type VisitActions = ReturnType<typeof useVisitActions>

/** What is told of a visit besides its time. */
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

/** An entry of the waitlist has the practitioners that it would take; the server puts those of the slot there. */
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

const moveOne = (id: string, slots: readonly string[]) =>
  operate<Appointment>(
    `Appointment/${id}/$reschedule`,
    slots.map((slot) => ['slot', { valueReference: { reference: `Slot/${slot}` } }] as const),
  )

const cancelOne = (id: string, { code, comment }: Cancellation) =>
  operate<Appointment>(`Appointment/${id}/$cancel`, [
    ['reason', { valueCodeableConcept: { coding: [{ system: REASONS, code }] } }],
    ...(comment === '' ? [] : [['comment', { valueString: comment }] as const]),
  ])

/** Of the version that is read now; whether it may become so, the server says. */
async function changeStatus(id: string, status: Appointment['status']): Promise<Appointment> {
  const current = await get<Appointment>(`Appointment/${id}`)
  return patch(current, [{ op: 'replace', path: '/status', value: status }])
}
