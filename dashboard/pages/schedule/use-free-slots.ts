/** The free Slots of some days, and those that are held in this dialog. */
import type { Slot } from 'fhir/r4'
import { useMemo } from 'react'
import { useAll } from '../../api/all-pages.ts'
import { thisMinute } from '../../api/clock.ts'
import type { Parameters } from '../../api/queries.ts'
import { isTimed, type TimedSlot } from '../../fhir/free-times.ts'
import { addDays, startOfDay } from '../../fhir/time.ts'

export interface Looked {
  /** Schedule.id; empty: all. */
  readonly who: string
  /** `2026-11-24` */
  readonly from: string
  readonly days: number
}

/** @param own ids of the Slots that are held in this dialog, which are as good as free in it */
export function useFreeSlots(looked: Looked, zone: string, own: readonly string[] = [], enabled = true) {
  const query = useAll<Slot>('Slot', slotSearch(looked, zone), { enabled })
  const minute = thisMinute()
  const held = own.join()
  const data = useMemo(
    () => query.data && stillFree(query.data.matches, held.split(','), minute),
    [query.data, minute, held],
  )
  return { data, error: query.error, refetch: query.refetch }
}

export const slotSearch = ({ who, from, days }: Looked, zone: string): Parameters => [
  ['status', 'free,busy-tentative'],
  ['start', `ge${startOfDay(from, zone)}`],
  ['start', `lt${startOfDay(addDays(from, days), zone)}`],
  ...(who === '' ? [] : [['schedule', `Schedule/${who}`] as const]),
  ['_elements', 'schedule,start,end,status,appointmentType,serviceType'],
  ['_sort', 'start'],
]

export const stillFree = (slots: readonly Slot[], own: readonly string[], now: number): readonly TimedSlot[] =>
  slots
    .filter(isTimed)
    .filter(({ id = '', status, start }) => (status === 'free' || own.includes(id)) && Date.parse(start) > now)
