/** The data of a schedule for a span of days: practitioners, free times, visits. */
import type { Appointment, Patient, Practitioner, Schedule, Slot } from 'fhir/r4'
import { useMemo } from 'react'
import { type Found, useAll } from '../../api/all-pages.ts'
import { isTimed, type TimedSlot } from '../../fhir/free-times.ts'
import { nameOf, referenceParts, referenceText } from '../../fhir/names.ts'
import { startOfDay } from '../../fhir/time.ts'
import { NOT_SHOWN, type Visit, visitOf } from '../../fhir/visits.ts'

export interface Column {
  readonly id: string
  readonly label: string
  /** The location. */
  readonly note: string
  readonly schedule: Schedule
}

export interface Plan {
  readonly slots: readonly TimedSlot[]
  readonly visits: readonly Visit[]
  /** The patients of these visits. */
  readonly patients: readonly Patient[]
  readonly isCut: boolean
}

/** The practitioner, with the location. */
export const columnText = ({ label, note }: Column): string => [label, note].filter(Boolean).join(', ')

/** The columns whose ids are named, by commas; all where none is. */
export function columnsNamed(columns: readonly Column[], ids: string): readonly Column[] {
  const named = ids.split(',')
  const chosen = columns.filter(({ id }) => named.includes(id))
  return chosen.length === 0 ? columns : chosen
}

/** The active schedules, sorted by the name of the practitioner. */
export function useColumns() {
  const query = useAll<Schedule>('Schedule', [['_include', 'Schedule:actor']])
  const { data } = query
  const columns = useMemo(() => data && columnsOf(data), [data])
  return { ...query, data: columns }
}

function columnsOf(found: Found<Schedule>): readonly Column[] {
  const practitioners = found.included<Practitioner>('Practitioner')
  const columns = found.matches
    .filter(({ active }) => active !== false)
    .map((schedule): Column => {
      const { actor, id = '' } = schedule
      const labels = actor.map((one) => {
        const { type, id: actorId } = referenceParts(one.reference) ?? {}
        const practitioner = practitioners.find((found) => found.id === actorId)
        return { type, text: (practitioner && nameOf(practitioner.name)) || referenceText(one) }
      })
      const who = labels.find(({ type }) => type !== 'Location') ?? labels[0]
      const where = labels.find(({ type }) => type === 'Location')
      return { id, label: who?.text ?? id, note: where === who ? '' : (where?.text ?? ''), schedule }
    })
  return columns.sort((one, other) => one.label.localeCompare(other.label, 'en'))
}

interface Span {
  /** `2026-11-24`, and the day after the last one. */
  readonly from: string
  readonly until: string
  readonly zone: string
  /** Only of these schedules; none: of all. */
  readonly schedules: readonly string[]
}

export function usePlan({ from, until, zone, schedules }: Span, columns: readonly Column[], enabled = true) {
  const bounds = [`ge${startOfDay(from, zone)}`, `lt${startOfDay(until, zone)}`]
  const within = (name: string) => bounds.map((bound) => [name, bound] as const)
  const slots = useAll<Slot>(
    'Slot',
    [
      ...within('start'),
      ...(schedules.length === 0 ? [] : [['schedule', schedules.map((id) => `Schedule/${id}`).join()] as const]),
      ['_elements', 'schedule,start,end,status,appointmentType,comment,meta'],
      ['_sort', 'start'],
    ],
    { enabled },
  )
  const appointments = useAll<Appointment>(
    'Appointment',
    [
      ...within('date'),
      ...NOT_SHOWN.map((status) => ['status:not', status] as const),
      ['_include', 'Appointment:patient'],
    ],
    { enabled },
  )
  const data = useMemo(
    () => (slots.data && appointments.data ? planOf(columns, slots.data, appointments.data) : undefined),
    [columns, slots.data, appointments.data],
  )
  const refetch = () => Promise.all([slots.refetch(), appointments.refetch()])
  return { data, error: slots.error ?? appointments.error, refetch }
}

function planOf(columns: readonly Column[], slots: Found<Slot>, appointments: Found<Appointment>): Plan {
  const around = {
    slots: slots.matches,
    schedules: columns.map(({ schedule }) => schedule),
    patients: appointments.included<Patient>('Patient'),
  }
  return {
    slots: slots.matches.filter(isTimed),
    patients: around.patients,
    visits: appointments.matches.flatMap((appointment) => visitOf(appointment, around) ?? []),
    isCut: slots.isCut || appointments.isCut,
  }
}
